"""Local cuts, one better set of boxes after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.model.step import NO_YES, Inequality, Question, Step
from kanon_engine.tables.instance import Table
from kanon_engine.tables.local_cuts import local_cuts
from kanon_engine.tables.steps.boxes import box_state, cut_by_cut
from kanon_engine.tables.steps.moves import Move, shown, steps_of
from kanon_engine.tables.steps.numbers import numbered

LARGE = 6_000  # records above which the run is told up to its first reports only
EARLY = 2
FEW = 5  # groups whose cost can be asked for
AT_BOUND = "at the bound"  # a run that has reached its bound ends without a report
DONE = {
    AT_BOUND: "Cuts make {}, and no boxes cost less than these.",
    "first cuts": "Cuts within cuts, each the one of the best score, make {}.",
    "median cuts": "Mondrian's cuts, and further cuts within its groups, are better: {}.",
    "playing cuts to their end": "The most promising cuts, played to their end before one is chosen, are better: {}.",
    "single cuts of columns": "Single cuts of whole columns, and further cuts within their groups, are better: {}.",
}


def local_cuts_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """The run again: what each way of cutting makes better, and each batch of neighbourhoods that are cut anew.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60, 61]}), ["age"])
    >>> steps = list(local_cuts_steps(table, kanon.generalize(table, 2, "local-cuts")))
    >>> len(steps), steps[1].inequality.text
    (5, 'smallest side ≥ k: 2 ≥ 2')
    >>> for step in steps[-2:]:
    ...     print(step.text)
    Cuts make 3 groups, and no boxes cost less than these. cost ≥ proven bound: 12 ≥ 12.
    This is the result: 3 groups. No boxes can be better. cost ≥ proven bound: 12 ≥ 12.
    """
    yield from steps_of(_told(table, g))


def _told(table: Table, g: Generalization) -> Iterator[tuple[Any, Move, int]]:
    found, whole = found_by(table, g, dict(g.options))
    before = np.zeros(len(table), dtype=np.int32)
    cuts = list(cut_by_cut(table, g, found[0][0].assignment))
    start = f"All {table.total:,} {table.unit} are one group."
    if cuts:
        start += " The cuts that make the first groups are told one by one, the most even first."
    yield box_state(table, before), Move(start), 1
    for state, move in cuts:
        yield state, move, 1
        before = state.assignment
    place = -1
    for count in shown(len(found), len(table)):
        place += count
        outcome, message = found[place]
        after = numbered(outcome.assignment, g.assignment)
        move = _move(table, g, outcome, message, before, after)
        yield replace(box_state(table, outcome.assignment), assignment=after), move, count
        before = after
    on = "" if whole else "The run went on from here. "
    yield box_state(table, g.assignment), last_move(g, f"{on}This is the result: {g.classes:,} groups."), 1


def found_by(table: Table, g: Generalization, options: dict[str, Any]) -> tuple[list[tuple[Outcome, str]], bool]:
    """Each better set of boxes that local cuts find with these options, with what was done; and whether to the end."""
    found: list[tuple[Outcome, str]] = []
    reports = 0

    def heard(report: Progress) -> bool:
        nonlocal reports
        reports += 1
        if report.solution is not None and (not found or report.best < found[-1][0].cost):  # type: ignore[operator]
            found.append((report.solution(), report.message))
        return len(table) <= LARGE or reports < EARLY

    end = local_cuts(table, g.k, Run(g.seed, None, heard), **options, require=g.require)  # type: ignore[arg-type]
    if not found or end.cost < found[-1][0].cost:  # type: ignore[operator]
        found.append((end, AT_BOUND))
    return found, len(table) <= LARGE or reports < EARLY


def last_move(g: Generalization, why: str) -> Move:
    """The result, and whether nothing can be better."""
    proven = g.cost == g.lower_bound
    prompt = f"No boxes cost less than {g.lower_bound:,}. Is the result then proven to be the best?"
    end = " No boxes can be better." if proven else ""
    bound = Inequality(int(g.cost), "≥", int(g.lower_bound), "cost ≥ proven bound")
    return Move(f"{why}{end}", bound, Question(prompt, NO_YES, (int(proven),)))


def _move(
    table: Table, g: Generalization, outcome: Outcome, message: str, before: np.ndarray, after: np.ndarray
) -> Move:
    groups = f"{int(after.max()) + 1:,} groups"
    hit = np.flatnonzero(before != after)
    touched = np.unique(np.concatenate([before[hit], after[hit]])).tolist()
    was, sizes = (
        [int(table.weights[own == group].sum()) for group in touched if (own == group).any()] for own in (before, after)
    )
    words = DONE.get(message, "Neighbourhoods of groups that cost much are cut anew, and some are better so: {}.")
    bound: Any = outcome.bound
    asked = None
    if g.options["metric"] == "DM" and 0 < len(sizes) <= FEW:
        least, most = sum(size**2 for size in sizes), sum(was) ** 2
        listed = ", ".join(f"{size:,}" for size in sizes)
        prompt = (
            f"Groups of {', '.join(map(str, was))} become groups of {listed} {table.unit}. What do the new ones cost?"
        )
        asked = Question(prompt, (), (least,), 0, max(most, least + 1))
    inequality = Inequality(int(outcome.cost), "≥", int(bound.value), "cost ≥ proven bound")  # type: ignore[arg-type]
    return Move(words.format(groups), inequality, asked)
