"""Many k in the background: the quick algorithm first, then the chosen ones, from the current k outward.

Rows are shown as they arrive and kept for the visit; a stopped sweep resumes where it stopped.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.objective import Objective, OwnCost
from kanon_engine.model.words import counted
from kanon_engine.plot import what_if_figure
from kanon_engine.sweep import row_of, served, serves, table_of
from kanon_engine.workers.search import Search
from pages._shared.controls import put_k
from pages._shared.picture import Rest, picture
from pages._shared.records import Data, Question
from pages._shared.results import (
    HASTY,
    Choice,
    alike,
    hasty_choice,
    key_of,
    objective_of_choice,
    quick_choice,
    request_for,
)
from pages._shared.tasks import POLL, Store, Task, stop_button, tasks, visit_store
from pages._shared.widgets import pick_from
from pages._shared.wording import QUEUED, doing, escaped, on_page

POINTS = 24
FIRST = 0.8  # seconds to wait for the quick algorithm's rows before showing any
MOST_SECONDS = 20  # for each run; a row says if it ended this way
STOP = "Stop and keep the results so far"
Row = dict[str, Any] | kanon.KanonError


def spread_of_k(instance: Any, k: int) -> list[int]:
    """About two dozen k from one item's share to half of all, evenly on a logarithmic scale, and the current one."""
    lowest = max(1, instance.total // (5 * len(instance)))
    highest = max(lowest, instance.total // 2)
    values = np.unique(np.geomspace(lowest, highest, POINTS).round().astype(np.int64))
    return sorted({*values.tolist(), *([k] if k <= instance.total else [])})


def coarse_to_fine(count: int) -> list[int]:
    """The numbers below `count`, ordered so that every prefix of the list is spread over the whole range.

    >>> coarse_to_fine(9)
    [0, 8, 4, 2, 6, 1, 3, 5, 7]
    """
    return sorted(range(count), key=lambda number: -(number & -number) if number else -count)


@dataclass(frozen=True)
class Sweep:
    """The request of a sweep, and its rows so far."""

    family: str
    instance: Any
    k: int  # the current one
    runs: list[tuple[int, Choice]]  # list of (k, Choice): the chosen runs
    quick: list[
        tuple[int, Choice]
    ]  # list of (k, Choice): substitutes until those are done; empty if they were chosen too
    rows: dict[Any, Row]  # of the visit: key of a run → its row, or why there is none
    store: Store  # results of the visit's searches
    label: Callable[[Choice], str]  # the label of a choice in rows

    def found(self, runs: list[tuple[int, Choice]]) -> list[Row]:
        keys = [key_of(self.instance, *run) for run in runs]
        return [self.rows[key] for key in keys if key in self.rows]

    def table(self, runs: list[tuple[int, Choice]]) -> pd.DataFrame:
        return table_of([row for row in self.found(runs) if isinstance(row, dict)])

    def missing(self, runs: list[tuple[int, Choice]]) -> bool:
        return len(self.found(runs)) < len(runs)

    def adopt_results(self) -> None:
        """Results of the visit's other searches, including the page's own, which had more time."""
        for k, choice in (*self.runs, *self.quick):
            key = key_of(self.instance, k, choice)
            result, row = self.store.get(key), self.rows.get(key)
            if result is not None and not (isinstance(row, dict) and row["status"] != "stopped"):
                self.rows[key] = row_of(self.label(choice), k, result[0])


Draw = Callable[[pd.DataFrame, pd.DataFrame, bool], None]


def label_of(choice: Choice) -> str:
    """The label of an algorithm in rows: its title, and the effort if it was low."""
    hasty = dict(choice.options).get("effort") == HASTY
    return choice.algorithm.title + (f" at effort {HASTY:g}" if hasty else "")


def show_sweep(
    data: Data,
    k: int,
    choices: list[Choice],
    draw: Draw,
    quick: Choice | None = None,
    ks: list[int] | None = None,
    label: Callable[[Choice], str] = label_of,
) -> None:
    """Run every choice at these k or at two dozen, with progress and a stop button, and draw the rows so far.

    Parameters
    ----------
    k : The current one.
    draw : ``draw(table, quick, running)``: the rows of the choices, those of the quick one, and whether more may come.
    quick : What stands in for the others until their rows are done.
    label : The label of a choice in rows.
    """
    family, instance = data.family, data.instance
    if not choices:
        tasks().leave(f"{family}_sweep")
        st.info("Pick an algorithm to see its line.")
        return
    ks = ks or spread_of_k(instance, k)
    rows: dict[Any, Row] = st.session_state.setdefault("_what_if_rows", {})  # the visit keeps them
    spread = sorted(coarse_to_fine(len(ks)), key=lambda number: ks[number] != k)  # the current k first
    stand_ins = [] if quick is None else [(ks[number], quick) for number in spread]
    runs = [(value, choice) for choice in choices for value in ks]
    sweep = Sweep(family, instance, k, runs, stand_ins, rows, visit_store(), label)
    sweep.adopt_results()
    task = None
    if sweep.missing(runs) or sweep.missing(stand_ins):
        near = ks.index(k) if k in ks else 0
        outwards = sorted(runs, key=lambda run: abs(ks.index(run[0]) - near))
        key = ("sweep", instance.digest, (*stand_ins, *outwards))
        task = tasks().begin(f"{family}_sweep", key, lambda task: _fill(sweep, outwards, task))
        until = time.monotonic() + FIRST
        while task.running and sweep.missing(stand_ins) and time.monotonic() < until:
            task.wait(0.05)
    every = POLL if task is not None and task.running else None
    # a fragment even when nothing runs anymore, so that the picture stays in place
    st.fragment(_follow, run_every=every)(sweep, task, every is not None, draw)


def _follow(sweep: Sweep, task: Task | None, ran: bool, draw: Draw) -> None:
    tasks().keep_alive()
    running = task is not None and task.running
    if ran and not running:
        st.rerun()
    family, ready, count = sweep.family, len(sweep.found(sweep.runs)), len(sweep.runs)
    with st.container(key=f"search-of-{family}_sweep"):
        words, button = st.columns([5, 2], vertical_alignment="center", gap="small")
        if task is None:
            words.caption(f"The time limit was {MOST_SECONDS} s for each of {counted(count, 'run')}.")
        elif running:
            doing_now = f": {doing(task.progress.message)}" if task.progress else ""
            now = f"{QUEUED}." if task.waiting else f"Now {task.part}{doing_now}."
            words.caption(f"{ready} of {count} runs are done after {task.seconds:,.0f} s. {now}")
            words.progress(ready / count)
            stop_button(button, task, f"{family}_stop", STOP)
        else:
            reason = task.error  # why runs are missing if they were not stopped; a defect is not hidden
            cause = "" if reason is None else f" {on_page(reason)}"
            words.caption(f"Stopped: {ready} of {count} runs are done.{cause}")
            if button.button("Continue", key=f"{family}_go_on", width="stretch"):
                tasks().forget(task)
                st.rerun()
    for problem in sorted({on_page(one) for one in sweep.found(sweep.runs) if isinstance(one, kanon.KanonError)}):
        st.warning(problem, icon=":material/error:")
    table, quick = sweep.table(sweep.runs), sweep.table(sweep.quick)
    if len(table) or len(quick):
        draw(table, quick, running)


def _fill(sweep: Sweep, runs: list[tuple[int, Choice]], task: Task) -> None:
    """Compute the missing rows. A stopped run gives no row: it would misrepresent its algorithm.

    Raises
    ------
    SearchEnded
        At the end: the last reason why a run had no result. It gives no row either, because it can be retried.
    """
    failed = None
    for part, waited_for in ((sweep.quick, True), (runs, False)):
        with Search(sweep.instance, task, waited_for) as search:
            for k, choice in part:
                if key_of(sweep.instance, k, choice) in sweep.rows:
                    continue
                try:
                    _run(sweep, k, choice, search, task)
                except kanon.SearchEnded as end:
                    failed = None if waited_for else end  # substitutes may be missing
                if task.asked():
                    return
    if failed is not None:
        raise failed


def _run(sweep: Sweep, k: int, choice: Choice, search: Search, task: Task) -> None:
    key, title = key_of(sweep.instance, k, choice), sweep.label(choice)
    task.part, task.progress = f"{title}, k = {k:,}", None
    try:
        g, certificate = search.run(request_for(k, choice, MOST_SECONDS))
    except kanon.SearchEnded:
        raise
    except kanon.Infeasible:
        sweep.rows[key] = row_of(title, k, None)
    except kanon.KanonError as error:
        sweep.rows[key] = error
    else:
        if g.status != "stopped" or not task.asked():
            sweep.rows[key] = row_of(title, k, g)
            sweep.store.put(key, g, certificate)


# ---------------------------------------------------------------------------------------------------------------------
# The tab "What if": how far above k the largest group is, against k, for the chosen algorithms.
# ---------------------------------------------------------------------------------------------------------------------


BELOW, LEAST = 72, 300  # pixels below the picture, and of the picture
WIDE = 760  # pixels of the table
RATIO, COST = "overfull_ratio", "cost"
OPEN = (
    "A hollow point shows groups of another algorithm, or groups for a larger k, that also satisfy this k. Each point "
    "says which."
)


def show_what_if(data: Data, question: Question, ks: list[int] | None = None, measure: str = "") -> None:
    """Controls, picture and table for two dozen k or for these; a click on the picture goes to that k.

    `measure` is the unit of a cost that is not a count.
    """
    family, choice = data.family, question.choice
    objective = objective_of_choice(choice)
    if isinstance(objective, OwnCost):
        objective = replace(objective, measure=measure)
    algorithms = {
        algorithm.name: algorithm
        for algorithm in kanon.algorithms(family)
        if objective_of_choice(alike(algorithm, choice)).noun == objective.noun
    }
    quantities = {COST: objective.noun.capitalize(), RATIO: "Largest ÷ k", "classes": "Groups"}
    first = RATIO if objective.is_largest_class else COST
    left, right = st.columns([5, 4])
    names = pick_from(
        left.multiselect,
        "Algorithms",
        {name: algorithm.title for name, algorithm in algorithms.items()},
        f"{family}_what_if_{choice.algorithm.name}",  # another algorithm starts with its own line
        default=[choice.algorithm.name],
    )
    quantities = dict(sorted(quantities.items(), key=lambda one: one[0] != first))
    quantity = pick_from(
        right.segmented_control, "Show", quantities, f"{family}_quantity", default=first, required=True
    )
    chosen = [choice if name == choice.algorithm.name else alike(algorithms[name], choice) for name in names]
    hasty = hasty_choice(
        choice
    )  # the immediate answer: low effort if the algorithm has that option, otherwise the quick algorithm
    quick = quick_choice(choice) if hasty == choice else hasty
    lines = SweepLines(data, question, quantity, objective, chosen, quick)
    substitutes = quick not in chosen and any(lines.takes_quick(one) for one in chosen)
    show_sweep(data, question.k, chosen, lines.draw, quick if substitutes else None, ks)


def _serves(instance: Any, choice: Choice) -> bool:
    return serves(instance, choice.algorithm, dict(choice.options))


@dataclass(frozen=True)
class SweepLines:
    """The figure of a sweep."""

    data: Data
    question: Question
    quantity: str
    objective: Objective
    chosen: list[Choice]
    quick: Choice  # substitutes for rows that are not done yet

    def takes_quick(self, choice: Choice) -> bool:
        """Whether the quick algorithm's results could be results of this one."""
        return _serves(self.data.instance, choice) and choice.algorithm.kind == self.quick.algorithm.kind

    def draw(self, table: pd.DataFrame, quick: pd.DataFrame, running: bool) -> None:
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
        labeled, formats = _in_words(lines, self.objective.noun), _formats(escaped(unit), self.objective)
        with numbers.popover("Numbers as a table"):
            st.dataframe(labeled, hide_index=True, key=f"{family}_what_if_table", column_config=formats, width=WIDE)

    def of(self, table: pd.DataFrame, quick: pd.DataFrame, running: bool) -> pd.DataFrame:
        """A line per algorithm, in which a larger k also serves a smaller one; quick rows replace missing ones."""
        serving = {label_of(choice): choice for choice in self.chosen if _serves(self.data.instance, choice)}
        waiting = [name for name, choice in serving.items() if self.takes_quick(choice)] if running else []
        names = dict.fromkeys([*table["algorithm"], *waiting])
        if not names:
            return served(quick)
        lines = []
        for name in names:
            runs = table[table["algorithm"] == name]
            if name in serving:
                rows = [runs, quick] if self.takes_quick(serving[name]) else [runs]
                lines.append(served(pd.concat(rows, ignore_index=True)).assign(algorithm=name))
            else:
                lines.append(runs.assign(made_by=name))
        return pd.concat(lines, ignore_index=True)


WORDS = {
    "algorithm": "Algorithm",
    "k": "k",
    "cost": "Cost",
    "lower_bound": "Lower bound",
    "overfull_ratio": "Largest ÷ k",
    "classes": "Groups",
    "made_by": "Found by",
    "made_for": "Found for k",
    "status": "Proof",
    "seconds": "Seconds",
}
PROOFS = {
    "optimal": "cost equals the bound",
    "feasible": "not proven to be the best",
    "stopped": "stopped early",
    "infeasible": "no grouping possible",
}


def _in_words(table: pd.DataFrame, noun: str) -> pd.DataFrame:
    labeled = table[list(WORDS)].assign(status=[PROOFS.get(status, status) for status in table["status"]])
    return labeled.rename(columns=WORDS | {"cost": noun.capitalize()})


def _formats(unit: str, objective: Objective) -> dict[str, Any]:
    noun, cost_unit = objective.noun.capitalize(), objective.unit(unit)
    numbers = {
        "k": f"Every group holds at least this many {unit}.",
        noun: f"What is minimized, in {cost_unit}." if cost_unit else "What is minimized.",
        "Lower bound": f"Proven: no {objective.solution} at this k {objective.less}.",
        "Groups": "Number of groups.",
        "Found for k": "A grouping for a larger k also satisfies every smaller k.",
    }
    formats: dict[str, Any] = {
        name: st.column_config.NumberColumn(format="localized", help=help) for name, help in numbers.items()
    }
    formats["Largest ÷ k"] = st.column_config.NumberColumn(format="%.2f")
    formats["Seconds"] = st.column_config.NumberColumn(format="%.3f", help="Computation time.")
    return formats
