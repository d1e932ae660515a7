"""The view in the address bar."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from pages._shared.comparison import begin_comparison
from pages._shared.link import show_link
from pages._shared.records import Data, Question
from pages._shared.tabs import COMPARE, begin_tab, is_open


def write_link(data: Data, question: Question, tabs: Sequence[str]) -> None:
    """What the address bar says: the view, for who opens it."""
    family, choice = data.family, question.choice
    values = {"sample": st.session_state[f"{family}_sample"], "k": question.k, "algorithm": choice.algorithm.name}
    values |= dict(choice.options) | {"seed": choice.seed, "tab": begin_tab(family, tabs)}
    if is_open(family, COMPARE):
        values |= begin_comparison(data, question)
    show_link(family, values | (dict(data.link) if data.travels else {}))
