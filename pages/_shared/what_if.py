"""The tab "What if": cost against k for the chosen algorithms."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.family import LARGEST
from kanon_engine.plot import what_if_figure
from pages._shared.controls import put_k
from pages._shared.costs import noun_of_choice
from pages._shared.picture import picture
from pages._shared.records import Data, Question
from pages._shared.results import alike
from pages._shared.sweeps import show_sweep

QUANTITIES = {"cost": "Largest group", "overfull_ratio": "Largest ÷ k", "classes": "Groups"}


def show_what_if(data: Data, question: Question, ks: list[int] | None = None) -> None:
    """Controls, picture and table, of two dozen k or of these; a click on the picture goes to that k."""
    family, instance, k, choice = data.family, data.instance, question.k, question.choice
    noun = noun_of_choice(choice)
    known = {
        algorithm.name: algorithm
        for algorithm in kanon.algorithms(family)
        if noun_of_choice(alike(algorithm, choice)) == noun
    }
    quantities = QUANTITIES | {"cost": noun.capitalize()}
    left, right = st.columns([5, 4])
    names = left.multiselect(
        "Algorithms",
        list(known),
        default=[choice.algorithm.name],
        format_func=lambda name: known[name].title,
        key=f"{family}_what_if_{choice.algorithm.name}",  # another algorithm begins with its own line
        persist_state="session",
    )
    quantity = right.segmented_control(
        "Show",
        list(quantities),
        default="cost",
        required=True,
        format_func=quantities.__getitem__,
        key=f"{family}_quantity",
        persist_state="session",
    )
    chosen = [choice if name == choice.algorithm.name else alike(known[name], choice) for name in names]
    show_sweep(family, instance, k, chosen, lambda table: _lines(data, k, quantity, noun, table), ks)


def _lines(data: Data, k: int, quantity: str, noun: str, table: pd.DataFrame) -> None:
    family, unit = data.family, data.instance.unit
    figure = what_if_figure(table, quantity, k, unit, titles_of(noun, quantity))
    event = picture(figure, key=f"{family}_what_if_picture", height=380)
    st.caption("Click a point to go to its k.")
    if event is not None and event.x is not None:
        put_k(family, round(float(event.x)))
        st.rerun()
    formats = _formats(unit, noun)
    st.dataframe(_in_words(table, noun), hide_index=True, key=f"{family}_what_if_table", column_config=formats)


def titles_of(noun: str, quantity: str) -> tuple[str, str] | None:
    """Of picture and axis, where the cost is not the largest group: then its bound is no floor for that."""
    if noun == LARGEST:
        return None
    name = {"cost": noun.capitalize(), "overfull_ratio": "Largest group ÷ k", "classes": "Groups"}[quantity]
    return f"{name} against k", name


WORDS = {
    "algorithm": "Algorithm",
    "k": "k",
    "cost": "Largest group",
    "lower_bound": "Never below",
    "overfull_ratio": "Largest ÷ k",
    "classes": "Groups",
    "status": "Proof",
    "seconds": "Seconds",
}
PROOFS = {
    "optimal": "equal to the bound",
    "feasible": "within the bound",
    "stopped": "stopped early",
    "infeasible": "no grouping possible",
}


def _in_words(table: pd.DataFrame, noun: str) -> pd.DataFrame:
    """The sweep's table under the words of the page."""
    shown = table[list(WORDS)].assign(status=[PROOFS.get(status, status) for status in table["status"]])
    return shown.rename(columns=WORDS | {"cost": noun.capitalize()})


def _formats(unit: str, noun: str) -> dict[str, Any]:
    largest = noun == LARGEST
    what = "has a smaller largest group" if largest else "costs less"
    numbers = {
        "k": f"Every group holds at least this many {unit}.",
        noun.capitalize(): f"{unit.capitalize()} in the largest group." if largest else f"The cost: {noun}.",
        "Never below": f"Proven: no grouping at this k {what}.",
        "Groups": "How many groups there are.",
    }
    formats: dict[str, Any] = {
        name: st.column_config.NumberColumn(format="localized", help=help) for name, help in numbers.items()
    }
    formats["Largest ÷ k"] = st.column_config.NumberColumn(format="%.2f")
    formats["Seconds"] = st.column_config.NumberColumn(format="%.3f", help="How long the computation took.")
    return formats
