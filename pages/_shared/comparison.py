"""What a result is compared with: another algorithm, another k, or a named scenario."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.known import family_named
from pages._shared.controls import data_of
from pages._shared.link import begin, one_of
from pages._shared.number_field import fields_apart, number_field
from pages._shared.records import Data, Question
from pages._shared.results import Choice, alike, default_choice
from pages._shared.scenarios import Scenario, comparable
from pages._shared.typed_numbers import LARGEST, whole_number
from pages._shared.wording import escaped

ANOTHER_K = "another-k"


def begin_comparison(data: Data, question: Question) -> dict[str, Any]:
    """What it is compared with at first, or as the link says; for the address bar."""
    family = data.family
    known = _known(data, question.choice)
    first = _first(family, question.choice)
    key = begin(family, "compare", first, one_of(known), known.__getitem__)
    if st.session_state[key] not in known:  # the algorithm compared with has become the first
        st.session_state[key] = first
    picked = st.session_state[key]
    if picked != ANOTHER_K:
        return {"compare": picked}
    other = begin(family, "other_k", min(2 * question.k, LARGEST), read_other_k)
    return {"compare": picked, "other_k": st.session_state[other]}


def choose_comparison(data: Data, question: Question) -> tuple[int, Choice] | Scenario | None:
    """The k and the algorithm to compare with, or a scenario; None where the field for k holds no number."""
    family, named = data.family, comparable(data)
    known = _known(data, question.choice)
    left, right = st.columns(2, vertical_alignment="bottom")
    picked = left.selectbox(
        "Compare with", list(known), format_func=known.__getitem__, key=f"{family}_compare", persist_state="session"
    )
    if picked in named:
        return named[picked]
    if picked != ANOTHER_K:
        other = next(one for one in kanon.algorithms(family) if one.name == picked)
        return question.k, alike(other, question.choice)
    with right, fields_apart() as wrong:
        k = int(number_field(f"{family}_other_k", "The other k", read_other_k, scope=data_of(family)))
    for mistake in wrong:
        st.error(escaped(mistake.message), icon=":material/error:")
    return None if wrong else (k, question.choice)


def read_other_k(text: str) -> int:
    """The k to compare with as a person writes it, or `InvalidInput`."""
    return whole_number(text, "The other k", 1)


def _known(data: Data, choice: Choice) -> dict[str, str]:
    """What a result of this choice can be compared with, under the words for it."""
    others = {one.name: one.title for one in kanon.algorithms(data.family) if one != choice.algorithm}
    named = {key: f"scenario “{one.named.name}”" for key, one in comparable(data).items()}
    return others | {ANOTHER_K: "another k"} | named


def _first(family: str, choice: Choice) -> str:
    """The algorithm that answers at once, or else the one with which the page begins."""
    names = (family_named(family).quick, default_choice(family).algorithm.name)
    return next((name for name in names if name != choice.algorithm.name), ANOTHER_K)
