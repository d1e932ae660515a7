"""The tab "What if": cost against k for the chosen algorithms."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.objective import Objective
from kanon_engine.plot import what_if_figure
from pages._shared.controls import put_k
from pages._shared.costs import objective_of_choice
from pages._shared.picture import Rest, picture
from pages._shared.records import Data, Question
from pages._shared.results import alike
from pages._shared.sweeps import show_sweep

BELOW, LEAST = 104, 260  # pixels of what stands below the picture, and of the picture
QUANTITIES = {"overfull_ratio": "Largest ÷ k", "classes": "Groups"}  # besides the cost


def show_what_if(data: Data, question: Question, ks: list[int] | None = None) -> None:
    """Controls, picture and table, of two dozen k or of these; a click on the picture goes to that k."""
    family, instance, k, choice = data.family, data.instance, question.k, question.choice
    objective = objective_of_choice(choice)
    known = {
        algorithm.name: algorithm
        for algorithm in kanon.algorithms(family)
        if objective_of_choice(alike(algorithm, choice)).noun == objective.noun
    }
    quantities = {"cost": objective.noun.capitalize()} | QUANTITIES
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
    show_sweep(family, instance, k, chosen, lambda table: _lines(data, k, quantity, objective, table), ks)


def _lines(data: Data, k: int, quantity: str, objective: Objective, table: pd.DataFrame) -> None:
    family, unit = data.family, data.instance.unit
    figure = what_if_figure(table, quantity, k, unit, objective)
    event = picture(figure, key=f"{family}_what_if_picture", height=Rest(BELOW, LEAST))
    st.caption("Click a point to go to its k.")
    if event is not None and event.x is not None:
        put_k(family, round(float(event.x)))
        st.rerun()
    shown, formats = _in_words(table, objective.noun), _formats(unit, objective)
    with st.expander("The numbers as a table"):
        st.dataframe(shown, hide_index=True, key=f"{family}_what_if_table", column_config=formats)


WORDS = {
    "algorithm": "Algorithm",
    "k": "k",
    "cost": "Cost",
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


def _formats(unit: str, objective: Objective) -> dict[str, Any]:
    noun, counted = objective.noun.capitalize(), objective.unit(unit)
    numbers = {
        "k": f"Every group holds at least this many {unit}.",
        noun: f"What is to be small, in {counted}." if counted else "What is to be small.",
        "Never below": f"Proven: no {objective.solution} at this k {objective.less}.",
        "Groups": "How many groups there are.",
    }
    formats: dict[str, Any] = {
        name: st.column_config.NumberColumn(format="localized", help=help) for name, help in numbers.items()
    }
    formats["Largest ÷ k"] = st.column_config.NumberColumn(format="%.2f")
    formats["Seconds"] = st.column_config.NumberColumn(format="%.3f", help="How long the computation took.")
    return formats
