"""The search for exact boxes: where it begins, what it chooses from, and what it chose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import NO_YES, Inequality, Question, Step
from kanon_engine.tables.boxes.bounds import box_bound
from kanon_engine.tables.boxes.problem import problem_of
from kanon_engine.tables.exact import FIRST
from kanon_engine.tables.exact.boxes import all_boxes
from kanon_engine.tables.instance import Table
from kanon_engine.tables.steps.boxes import box_state
from kanon_engine.tables.steps.local_cuts import found_by, last_move
from kanon_engine.tables.steps.moves import Move, steps_of
from kanon_engine.tables.steps.numbers import numbered
from kanon_engine.tables.steps.states import BoxState


def exact_steps(table: Table, g: Generalization) -> Iterator[Step]:
    """What local cuts find first, the boxes that a class can be, and the choice of the solver.

    Example
    -------
    >>> import pandas as pd
    >>> import kanon_engine as kanon
    >>> table = Table(pd.DataFrame({"x": [1, 2, 3, 3, 1], "y": [1, 1, 2, 3, 3]}), ["x", "y"])
    >>> for step in exact_steps(table, kanon.generalize(table, 2, "exact")):
    ...     print(step.text)
    Local cuts find 2 groups to begin with. cost ≥ bound by sizes and distances: 13 ≥ 13.
    The result is what local cuts found: 2 groups. No boxes can be better. cost ≥ proven bound: 13 ≥ 13.
    """
    yield from steps_of(_told(table, g))


def _told(table: Table, g: Generalization) -> Iterator[tuple[BoxState, Move, int]]:
    options: Any = g.options
    first = found_by(table, g, {**options, "rounds": FIRST})[0][-1][0]
    problem = problem_of(table, g.k, options["metric"], options["weights"], g.require)  # type: ignore[arg-type]
    bound, cost = int(box_bound(problem).value), int(first.cost)  # type: ignore[arg-type]
    start = numbered(first.assignment, g.assignment)
    state = box_state(table, first.assignment)
    begun = BoxState(start, state.parts)
    why = f"Local cuts find {int(start.max()) + 1:,} groups to begin with."
    yield begun, Move(why, Inequality(cost, "≥", bound, "cost ≥ bound by sizes and distances")), 1
    found = int(g.cost) < cost
    boxes = all_boxes(problem) if cost > bound else None
    if boxes is not None:
        count = len(boxes.costs)
        why = (
            f"{count:,} boxes that records span hold {g.k:,} or more; a solver chooses those that hold everybody once."
        )
        prompt = f"Local cuts cost {cost:,}, and no boxes less than {bound:,}. Does that leave room for cheaper ones?"
        yield begun, Move(why, Inequality(cost, ">", bound, "cost > bound"), Question(prompt, NO_YES, (1,))), 1
    elif cost > bound:
        yield begun, Move("There are too many boxes to list, so what local cuts found stays."), 1
    words = "The solver found cheaper boxes" if found else "The result is what local cuts found"
    yield box_state(table, g.assignment), last_move(g, f"{words}: {g.classes:,} groups."), 1
