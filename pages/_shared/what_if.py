"""The tab "What if": how far above k the largest group is, against k, for the chosen algorithms."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.objective import Objective, OwnCost
from kanon_engine.plot import what_if_figure
from kanon_engine.sweep import served, serves
from pages._shared.controls import put_k
from pages._shared.costs import objective_of_choice
from pages._shared.picture import Rest, picture
from pages._shared.records import Data, Question
from pages._shared.results import Choice, alike, hasty_choice, quick_choice
from pages._shared.sweeps import label_of, show_sweep
from pages._shared.wording import escaped

BELOW, LEAST = 72, 300  # pixels of what stands below the picture, and of the picture
WIDE = 760  # pixels of the table
RATIO, COST = "overfull_ratio", "cost"
OPEN = "Open points were made by another algorithm or for a larger k, whose groups serve this k too; each tells which."


def show_what_if(data: Data, question: Question, ks: list[int] | None = None, measure: str = "") -> None:
    """Controls, picture and table, of two dozen k or of these; a click on the picture goes to that k.

    `measure` is the unit of a cost that is no count.
    """
    family, choice = data.family, question.choice
    objective = objective_of_choice(choice)
    if isinstance(objective, OwnCost):
        objective = replace(objective, measure=measure)
    known = {
        algorithm.name: algorithm
        for algorithm in kanon.algorithms(family)
        if objective_of_choice(alike(algorithm, choice)).noun == objective.noun
    }
    quantities = {COST: objective.noun.capitalize(), RATIO: "Largest ÷ k", "classes": "Groups"}
    first = RATIO if objective.is_largest_class else COST
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
        sorted(quantities, key=lambda name: name != first),
        default=first,
        required=True,
        format_func=quantities.__getitem__,
        key=f"{family}_quantity",
        persist_state="session",
    )
    chosen = [choice if name == choice.algorithm.name else alike(known[name], choice) for name in names]
    quick = _quick(choice)
    lines = Lines(data, question, quantity, objective, chosen, quick)
    stands_in = quick not in chosen and any(lines.takes_quick(one) for one in chosen)
    show_sweep(data, question.k, chosen, lines.draw, quick if stands_in else None, ks)


def _quick(choice: Choice) -> Choice:
    """What answers at once: the algorithm with little effort, where it takes any, or the quick one."""
    hasty = hasty_choice(choice)
    return quick_choice(choice) if hasty == choice else hasty


def _serves(instance: Any, choice: Choice) -> bool:
    return serves(instance, choice.algorithm, dict(choice.options))


@dataclass(frozen=True)
class Lines:
    """What is drawn of a sweep.

    Attributes
    ----------
    data : Data
    question : Question
    quantity : str
    objective : Objective
    chosen : list of Choice
    quick : Choice
        What stands in for those whose rows are not there yet.
    """

    data: Data
    question: Question
    quantity: str
    objective: Objective
    chosen: list[Choice]
    quick: Choice

    def takes_quick(self, choice: Choice) -> bool:
        """Whether the quick one's results could be this one's."""
        return _serves(self.data.instance, choice) and choice.algorithm.kind == self.quick.algorithm.kind

    def draw(self, table: pd.DataFrame, quick: pd.DataFrame, running: bool) -> None:
        """The picture, what a click on it does, and the numbers."""
        family, k, unit = self.data.family, self.question.k, self.data.instance.unit
        lines = self.of(table, quick, running)
        figure = what_if_figure(lines, self.quantity, k, unit, self.objective)
        event = picture(figure, key=f"{family}_what_if_picture", height=Rest(BELOW, LEAST))
        elsewhere = bool((lines["made_for"] != lines["k"]).any() or (lines["made_by"] != lines["algorithm"]).any())
        words, numbers = st.columns([5, 2], vertical_alignment="top")
        words.caption(f"Click a point to go to its k. {OPEN if elsewhere else ''}")
        if event is not None and event.x is not None:
            put_k(family, round(float(event.x)))
            st.rerun()
        shown, formats = _in_words(lines, self.objective.noun), _formats(escaped(unit), self.objective)
        with numbers.popover("The numbers as a table"):
            st.dataframe(shown, hide_index=True, key=f"{family}_what_if_table", column_config=formats, width=WIDE)

    def of(self, table: pd.DataFrame, quick: pd.DataFrame, running: bool) -> pd.DataFrame:
        """A line for each algorithm, in which a larger k serves a smaller; quick rows stand in for missing ones."""
        serving = {label_of(choice): choice for choice in self.chosen if _serves(self.data.instance, choice)}
        waiting = [name for name, choice in serving.items() if self.takes_quick(choice)] if running else []
        names = dict.fromkeys([*table["algorithm"], *waiting])
        if not names:
            return served(quick)
        lines = []
        for name in names:
            own = table[table["algorithm"] == name]
            if name in serving:
                rows = [own, quick] if self.takes_quick(serving[name]) else [own]
                lines.append(served(pd.concat(rows, ignore_index=True)).assign(algorithm=name))
            else:
                lines.append(own.assign(made_by=name))
        return pd.concat(lines, ignore_index=True)


WORDS = {
    "algorithm": "Algorithm",
    "k": "k",
    "cost": "Cost",
    "lower_bound": "Never below",
    "overfull_ratio": "Largest ÷ k",
    "classes": "Groups",
    "made_by": "Made by",
    "made_for": "Made for k",
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
        "Made for k": "A grouping for a larger k serves every smaller one.",
    }
    formats: dict[str, Any] = {
        name: st.column_config.NumberColumn(format="localized", help=help) for name, help in numbers.items()
    }
    formats["Largest ÷ k"] = st.column_config.NumberColumn(format="%.2f")
    formats["Seconds"] = st.column_config.NumberColumn(format="%.3f", help="How long the computation took.")
    return formats
