"""Results that the user named in this visit: kept as a table, reopened, and compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.known import get_family
from kanon_engine.model.words import plain_name
from kanon_engine.release.publication import Named, scenarios_file, scenarios_frame
from pages._shared.controls import data_of, put_question
from pages._shared.files import samples
from pages._shared.link import COMPARE, begin, begin_tab, forget_link, is_open, one_of, show_link
from pages._shared.records import Data, Question
from pages._shared.result import BADGES
from pages._shared.results import (
    Answer,
    Changes,
    Choice,
    alike,
    changes_of,
    default_choice,
    forget_changes,
    key_of,
    put_changes,
    title,
)
from pages._shared.tasks import certificate_of, tasks
from pages._shared.widgets import LARGEST, number_field, pick_from, separate_fields, whole_number
from pages._shared.wording import escaped

MOST = 50
EXAMPLE = "With county borders, k 20,001"
COLUMNS = {  # of the table of figures, as shown on the page
    "scenario": "Scenario",
    "k": "k",
    "groups": "Groups",
    "cost": "Cost",
    "lower_bound": "Lower bound",
    "gap": "Gap",
    "proof": "Proof",
    "algorithm": "Algorithm",
    "options": "Options",
    "minima": "Other minimums",
    "demands": "Sensitive columns",
    "sets_together": "Together",
    "sets_apart": "Apart",
    "sets_barriers": "Barriers",
    "data": "Data",
}
RULES = (
    "minima",
    "demands",
    "sets_together",
    "sets_apart",
    "sets_barriers",
)  # columns that are empty for many families


@dataclass(frozen=True, eq=False)
class Scenario:
    """A named result, with everything needed to reopen it."""

    number: int  # unique within a visit
    named: Named
    choice: Choice
    base: str  # same as `Data`'s
    sample: str  # the choice under “Data”
    upload: tuple[str, bytes] | None  # (name, content) or None: the user's own file
    # the session entries with requirements on groups besides k; None if there were none
    asked: Mapping[str, Any]
    changes: Changes | None  # changes by hand

    @property
    def key(self) -> str:
        """Its label among the results to compare with."""
        return f"scenario-{self.number}"


def scenarios(family: str) -> list[Scenario]:
    entries: list[Scenario] = st.session_state.setdefault(f"{family}_scenarios", [])
    return entries


def comparable(data: Data) -> dict[str, Scenario]:
    """The scenarios made from these same data, by key."""
    return {one.key: one for one in scenarios(data.family) if one.base == data.base}


def show_scenarios(data: Data, answer: Answer) -> None:
    """A button that opens the scenarios: name the current result; open one, remove one, export all."""
    family = data.family
    entries = scenarios(family)
    with st.popover("Scenarios", key=f"{family}_scenarios_fold", width="stretch"):
        _name_present(data, answer)
        if not entries:
            return
        table = _shown([one.named for one in entries])
        formats = dict.fromkeys(table.columns[[1, 2, 3, 4]], _COUNT) | {"Gap": _GAP}
        description = "The scenarios with their settings and costs"
        st.dataframe(table, hide_index=True, key=f"{family}_scenarios_table", column_config=formats, alt=description)
        words = {one.key: one.named.name for one in entries}
        key = f"{family}_scenario"
        if st.session_state.get(key) not in words:
            st.session_state[key] = entries[-1].key
        left, right = st.columns([3, 2], vertical_alignment="bottom")
        choice = left.selectbox("Scenario", list(words), format_func=words.__getitem__, key=key)
        one = next(one for one in entries if one.key == choice)
        with right.container(horizontal=True, gap="small"):
            st.button("Open", key=f"{family}_scenario_open", on_click=_open, args=(family, one))
            st.button("Remove", key=f"{family}_scenario_remove", on_click=_remove, args=(family, one))
        file = scenarios_file([one.named for one in entries])
        st.download_button(
            file.label, file.make, f"kanon-{family}-{file.ending}", file.mime, key=f"{family}_scenarios_csv",
            on_click="ignore", help=file.contents,
        )  # fmt: skip
        st.caption("The file is internal. Scenarios are forgotten when you close the page.")
    opened: Scenario | None = st.session_state.pop(f"{family}_scenario_opened", None)
    if opened is not None and not answer.waiting and opened.base != data.base:
        name = escaped(opened.named.name)
        st.toast(f"“{name}” was made when the data were read with other settings, so the result shown here differs.")


_COUNT = st.column_config.NumberColumn(format="localized")
_GAP = st.column_config.NumberColumn(format="percent", width="small", help="How far the cost is above the lower bound.")


def _shown(results: list[Named]) -> pd.DataFrame:
    """The table of figures with the page's labels, without empty columns."""
    table = scenarios_frame(results)
    empty = [name for name in RULES if not table[name].astype(bool).any()]
    table["algorithm"] = [get_family(one.g.family).makers[one.g.algorithm].title for one in results]
    table["proof"] = table["proof"].map(BADGES)
    nouns = {*table["cost_is"]}
    cost = nouns.pop().capitalize() if len(nouns) == 1 else COLUMNS["cost"]
    return table[list(COLUMNS)].drop(columns=empty).rename(columns=COLUMNS | {"cost": cost})


def _name_present(data: Data, answer: Answer) -> None:
    """A field for the name of the current result, and a button that keeps it."""
    family = data.family
    key = f"{family}_scenario_name"
    with st.form(f"{family}_scenario_form", border=False, clear_on_submit=False):
        left, right = st.columns([3, 1], vertical_alignment="bottom")
        left.text_input("Name for the current result", key=key, placeholder=EXAMPLE)
        right.form_submit_button("Keep", on_click=_keep, args=(data, answer, key), width="stretch")
    wrong = st.session_state.get(f"{key}_wrong")
    if wrong is not None:
        st.error(wrong, icon=":material/error:")
    st.caption(f"Shown now: {title(answer.g)}.")


def _keep(data: Data, answer: Answer, key: str) -> None:
    """Keep the current result under the name in the field; an invalid name is reported."""
    entries = scenarios(data.family)
    st.session_state.pop(f"{key}_wrong", None)
    try:
        name = _free_name(str(st.session_state.get(key) or ""), entries)
        if len(entries) >= MOST:
            raise kanon.InvalidInput(f"There are {MOST} scenarios already; remove one first.")
    except kanon.InvalidInput as error:
        st.session_state[f"{key}_wrong"] = escaped(str(error))
        return
    entries.append(_scenario(data, answer, name, 1 + max((one.number for one in entries), default=0)))
    st.session_state[key] = ""
    st.session_state.pop(f"{data.family}_scenario", None)  # the new one is picked


def _free_name(text: str, others: list[Scenario]) -> str:
    """A name that no other scenario has, or `InvalidInput`."""
    if not text.strip():
        raise kanon.InvalidInput("Enter a name for the scenario first.")
    name = plain_name(text, "scenario")
    if any(one.named.name.casefold() == name.casefold() for one in others):
        raise kanon.InvalidInput(f"A scenario “{name}” already exists; choose another name, or remove that scenario.")
    return name


def _scenario(data: Data, answer: Answer, name: str, number: int) -> Scenario:
    family, g, state = data.family, answer.g, st.session_state
    sample = state[f"{family}_sample"]
    samples_by_name = samples(family)
    upload = None if sample in samples_by_name else state.get(f"{family}_upload_uploaded")
    of = samples_by_name[sample].title if sample in samples_by_name else upload[0] if upload else ""
    changes = changes_of(answer.key) if answer.changed else None
    choice = answer.choice
    if changes is None:  # while a search runs, the result shown is another algorithm's
        algorithm = get_family(family).algorithm(g.algorithm)
        options = tuple((option.name, g.options[option.name]) for option in algorithm.options)
        choice = Choice(algorithm, options, g.seed, tuple(g.require))
    return Scenario(
        number,
        Named(name, of, data.instance, g, certificate_of(data.instance, g).proof),
        choice,
        data.base,
        sample,
        upload,
        {entry: state.get(entry) for entry in data.asked},
        None if changes is None else replace(changes, steps=list(changes.steps)),
    )


def _open(family: str, one: Scenario) -> None:
    """Restore all settings of the scenario, and its exact result."""
    state, g, choice = st.session_state, one.named.g, one.choice
    forget_link(family)
    state.pop(f"{family}_scenario_name_wrong", None)
    state[data_of(family)] = state.get(data_of(family), 0) + 1  # ignore what was typed before
    state[f"{family}_sample"] = one.sample
    if one.upload is not None:
        state[f"{family}_upload_uploaded"] = one.upload
    put_question(choice.question(g.k, one.sample))
    for entry, value in one.asked.items():
        if value is None:
            state.pop(entry, None)
        else:
            state[entry] = value
    key = key_of(one.named.instance, g.k, choice)
    if one.changes is not None:
        put_changes(key, copy(one.changes))
    else:
        forget_changes(key)
        at_hand = tasks().found(key)
        if at_hand is None or at_hand.digest != g.digest:  # such as the result of a stopped search
            tasks().begin_again(family, key, None, lambda task: g)
    state[f"{family}_scenario_opened"] = one


def _remove(family: str, one: Scenario) -> None:
    scenarios(family).remove(one)
    st.session_state.pop(f"{family}_scenario_name_wrong", None)  # it may be free now


# ---------------------------------------------------------------------------------------------------------------------
# What a result is compared with: another algorithm, another k, or a named scenario.
# ---------------------------------------------------------------------------------------------------------------------


ANOTHER_K = "another-k"


def begin_comparison(data: Data, question: Question) -> dict[str, Any]:
    """The initial comparison, by default or from the link; for the address bar."""
    family = data.family
    choices = _known(data, question.choice)
    first = _first(family, question.choice)
    key = begin(family, "compare", first, one_of(choices), choices.__getitem__)
    if st.session_state[key] not in choices:  # the algorithm to compare with became the first
        st.session_state[key] = first
    choice = st.session_state[key]
    if choice != ANOTHER_K:
        return {"compare": choice}
    other = begin(family, "other_k", min(2 * question.k, LARGEST), read_other_k)
    return {"compare": choice, "other_k": st.session_state[other]}


def choose_comparison(data: Data, question: Question) -> tuple[int, Choice] | Scenario | None:
    """The k and the algorithm to compare with, or a scenario; None if the field for k has no number."""
    family, scenarios_by_key = data.family, comparable(data)
    choices = _known(data, question.choice)
    left, right = st.columns(2, vertical_alignment="bottom")
    choice = pick_from(left.selectbox, "Compare with", choices, f"{family}_compare")
    if choice in scenarios_by_key:
        return scenarios_by_key[choice]
    if choice != ANOTHER_K:
        other = next(one for one in kanon.algorithms(family) if one.name == choice)
        return question.k, alike(other, question.choice)
    with right, separate_fields() as wrong:
        k = int(number_field(f"{family}_other_k", "The other k", read_other_k, scope=data_of(family)))
    for mistake in wrong:
        st.error(escaped(mistake.message), icon=":material/error:")
    return None if wrong else (k, question.choice)


def read_other_k(text: str) -> int:
    """The k to compare with as the user writes it, or `InvalidInput`."""
    return whole_number(text, "The other k", 1)


def _known(data: Data, choice: Choice) -> dict[str, str]:
    """What a result of this choice can be compared with, by label."""
    others = {one.name: one.title for one in kanon.algorithms(data.family) if one != choice.algorithm}
    scenario_titles = {key: f"scenario “{one.named.name}”" for key, one in comparable(data).items()}
    return others | {ANOTHER_K: "another k"} | scenario_titles


def _first(family: str, choice: Choice) -> str:
    """The algorithm that answers immediately, or else the page's default."""
    names = (get_family(family).quick, default_choice(family).algorithm.name)
    return next((name for name in names if name != choice.algorithm.name), ANOTHER_K)


# ---------------------------------------------------------------------------------------------------------------------
# The view in the address bar.
# ---------------------------------------------------------------------------------------------------------------------


def write_link(data: Data, question: Question, tabs: Sequence[str]) -> None:
    family = data.family
    link = question.choice.question(question.k, st.session_state[f"{family}_sample"])
    values: dict[str, Any] = {**link.link(rules=data.travels), "tab": begin_tab(family, tabs)}
    if is_open(family, COMPARE):
        values |= begin_comparison(data, question)
    show_link(family, values | (dict(data.link) if data.travels else {}))
