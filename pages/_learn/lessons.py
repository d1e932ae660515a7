"""Lessons: choose one, take it, or take all of them along as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

import kanon_engine as kanon
from kanon_engine.teaching.lessons import TITLES, as_data, lesson_named, page_of, script, style
from pages._shared.wording import on_page

CHOSEN = "learn_lesson"
_SHOW = Path(__file__).parent / "lessons_component" / "show.js"

_component = st.components.v2.component(
    "kanon_lessons", js=script() + _SHOW.read_text(encoding="utf-8"), css=style() + ".kanon-lessons { padding: 0 }"
)


def show_lessons() -> None:
    """The choice of a lesson, the lesson, and a file of all."""
    chosen, file = st.columns([5, 1], vertical_alignment="bottom")
    name = chosen.selectbox("Lesson", list(TITLES), format_func=_title, key=CHOSEN, persist_state="session")
    try:
        data = _lesson(name)
    except kanon.KanonError as error:
        st.info(on_page(error))
        return
    file.download_button(
        "All as one file",
        _page,
        "lessons.html",
        "text/html",
        key="learn_lessons_file",
        help="It opens in any browser, without a server and without a network, and is small enough to mail.",
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
    return as_data(lesson_named(name))


@st.cache_resource(max_entries=1, show_spinner=False)
def _page() -> str:
    return page_of(map(lesson_named, TITLES))
