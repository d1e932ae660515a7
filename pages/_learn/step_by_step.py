"""Any algorithm on a small instance: choose, predict, watch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

import kanon_engine as kanon
from kanon_engine.model.family import Family
from kanon_engine.model.known import FAMILIES
from kanon_engine.teaching.lessons import TITLES, as_data, lesson_by_name, page_of, script, style
from kanon_engine.teaching.studies.instances import SMALL
from pages._shared.link import begin, one_of
from pages._shared.result import headline
from pages._shared.steps import show_how
from pages._shared.tasks import certificate_of
from pages._shared.widgets import whole_number
from pages._shared.wording import escaped, on_page

SLOT = "learn"
OWN = "The tab “How it works” on the page for your kind of data shows these steps for your own data."


def show_step_by_step(link: dict[str, Any]) -> None:
    """The choice of family, algorithm, instance and k in one line; the result in a sentence; its steps."""
    family, algorithm, number, k = _choose()
    link |= {"kind": family.name, "algorithm": algorithm.name, "data": number, "k": k}
    small, instance = SMALL[family.name][number], _instance(family.name, number)
    try:
        g = _result(instance.digest, k, algorithm.name, instance)
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        return
    st.markdown(headline(g, instance.unit, certificate_of(instance, g).proof))
    take = small.told.get(algorithm.name) if k == small.k else None  # the paper's figure has one k
    show_how(instance, g, slot=SLOT, make_steps=take)


def _choose() -> tuple[Family, kanon.Algorithm, int, int]:
    names, algorithms, instances, least = st.columns([2, 2, 3, 1], vertical_alignment="bottom")
    family = FAMILIES[
        names.selectbox(
            "Kind of data",
            list(FAMILIES),
            format_func=lambda name: FAMILIES[name].page.title,
            key=begin(SLOT, "kind", next(iter(FAMILIES)), one_of(FAMILIES), key="learn_family"),
            persist_state="session",
            help=OWN,
        )
    ]
    available = family.algorithms
    chosen = algorithms.selectbox(
        "Algorithm",
        list(available),
        format_func=lambda name: available[name].title,
        key=begin(SLOT, "algorithm", next(iter(available)), one_of(available), key=f"learn_algorithm_{family.name}"),
        persist_state="session",
        help="\n\n".join(f"**{one.title}**: {escaped(one.guarantee)}." for one in available.values()),
    )
    choices = SMALL[family.name]
    small = instances.selectbox(
        "Data",
        range(len(choices)),
        format_func=lambda number: choices[number].title,
        key=begin(SLOT, "data", 0, one_of(range(len(choices))), key=f"learn_data_{family.name}"),
        persist_state="session",
    )
    total = _instance(family.name, small).total
    key = begin(
        SLOT,
        "k",
        choices[small].k,
        lambda text: whole_number(text, "k", 1, total),
        key=f"learn_k_{family.name}_{small}",
    )
    k = least.number_input("k", min_value=1, max_value=total, key=key, persist_state="session")
    return family, available[chosen], small, int(k)


@st.cache_resource(max_entries=40, show_spinner=False)
def _instance(family: str, number: int) -> Any:
    """Nobody's data: all visits share it."""
    return SMALL[family][number].make()


@st.cache_resource(max_entries=200, show_spinner="Making groups …")
def _result(digest: str, k: int, algorithm: str, _instance: Any) -> kanon.Generalization:
    return kanon.generalize(_instance, k, algorithm)


# ---------------------------------------------------------------------------------------------------------------------
# Lessons: choose one, take it, or download all of them as a file.
# ---------------------------------------------------------------------------------------------------------------------


CHOSEN = "learn_lesson"
_SHOW = Path(__file__).parent / "lessons_component" / "show.js"

_component = st.components.v2.component(
    "kanon_lessons", js=script() + _SHOW.read_text(encoding="utf-8"), css=style() + ".kanon-lessons { padding: 0 }"
)


def show_lessons(link: dict[str, Any]) -> None:
    """The choice of a lesson, the lesson, and a file of all."""
    chosen, file = st.columns([5, 1], vertical_alignment="bottom")
    begin(SLOT, "lesson", next(iter(TITLES)), one_of(TITLES), _title)
    name = chosen.selectbox("Lesson", list(TITLES), format_func=_title, key=CHOSEN, persist_state="session")
    link["lesson"] = name
    try:
        data = _lesson(name)
    except kanon.KanonError as error:
        st.info(on_page(error))
        return
    file.download_button(
        "All in one file",
        _page,
        "lessons.html",
        "text/html",
        key="learn_lessons_file",
        help="The file opens in any browser, without a server or a network, and is small enough to e-mail.",
        on_click="ignore",
        width="stretch",
    )
    if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
        return
    names = list(TITLES)
    following = names[names.index(name) + 1] if name != names[-1] else None
    _component(key="learn_lesson_shown", data={"lesson": data, "next": following}, on_next_change=_follow)


def _title(name: str) -> str:
    return f"{list(TITLES).index(name) + 1}. {TITLES[name]}"


def _follow() -> None:
    following = st.session_state["learn_lesson_shown"].next
    if following in TITLES:
        st.session_state[CHOSEN] = following


@st.cache_resource(max_entries=len(TITLES), show_spinner="Making the lesson …")
def _lesson(name: str) -> Any:
    """Nobody's data: all visits share it."""
    return as_data(lesson_by_name(name))


@st.cache_resource(max_entries=1, show_spinner=False)
def _page() -> str:
    return page_of(map(lesson_by_name, TITLES))
