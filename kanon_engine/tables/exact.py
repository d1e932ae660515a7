"""The least costly boxes of a small table, proven, or as much of a proof as the effort allows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome, Run
from kanon_engine.search.solvers import solved, solver_for
from kanon_engine.tables.boxes import box_bound, outcome_of, problem_of
from kanon_engine.tables.boxes_kernels import BoxProblem, group_cost, meet, satisfied, widen
from kanon_engine.tables.instance import Table
from kanon_engine.tables.local_cuts import local_cuts

FIRST = 100  # rounds of local cuts, for a solution to begin with


def exact(
    table: Table,
    k: int,
    run: Run,
    metric: str = "LM",
    weights: str | None = None,
    require: Sequence[Diversity | Closeness] = (),
) -> Outcome:
    """Boxes of at least k records with the least cost, whether or not cuts from side to side can make them.

    No guarantee except the proven bound: docs/proofs/tables/exact.md. All boxes that are spanned by records are listed;
    CP-SAT chooses the cheapest that hold every record once and do not meet. Where there are too many the result is the
    one of local cuts, with its bound.

    `run`: marked as stopped when the effort ends before the proof.
    `require`: the requirements on every class besides k. All records together satisfy it.
    Complexity: exponential; a few thousand boxes.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"x": [1, 2, 3, 3, 1], "y": [1, 1, 2, 3, 3]}), ["x", "y"])
    >>> outcome = exact(table, 2, Run())
    >>> outcome.assignment.tolist(), outcome.cost
    ([0, 0, 1, 1, 0], 11)
    """
    problem = problem_of(table, k, metric, weights, require)
    bound = box_bound(problem)
    first = local_cuts(table, k, Run(run.seed, run.time_limit), metric, weights, FIRST, require)
    of = np.empty(len(problem.codes), dtype=np.int64)
    of[table.tuples[2]] = first.assignment
    proven, cost = bound.value, int(first.cost)  # type: ignore[arg-type]  # every outcome of tables has one
    boxes = all_boxes(problem) if cost > bound.value else None
    if boxes is not None:
        search = Partition(problem, boxes, run, bound.value)
        of, cost, proven = search.best(of, cost)
    run.stopped = run.stopped or proven < cost
    bound = Bound(proven, "exact search", "solver") if proven > bound.value else bound
    return outcome_of(table, problem, of[table.tuples[2]], [], bound, None)


BUDGET = 8.0  # CP-SAT's deterministic time for a run without a time limit


class Partition:
    """The search for the cheapest partition into listed boxes."""

    def __init__(self, problem: BoxProblem, boxes: BoxList, run: Run, low: int) -> None:
        from ortools.sat.python import cp_model

        self.boxes, self.run, self.low = boxes, run, low
        self.model = cp_model.CpModel()
        self.chosen = [self.model.new_bool_var(f"box {number}") for number in range(len(boxes.costs))]
        holding: list[list[int]] = [[] for _ in problem.codes]
        for number, inside in enumerate(boxes.members):
            for place in inside.tolist():
                holding[place].append(number)
        for numbers in holding:
            self.model.add_exactly_one(self.chosen[number] for number in numbers)
        self.model.minimize(sum(cost * var for cost, var in zip(boxes.costs, self.chosen, strict=True)))
        self.left = BUDGET

    def best(self, of: np.ndarray, cost: int) -> tuple[np.ndarray, int, int]:
        """Classes of the tuples, their cost, and what is proven; the given ones where nothing cheaper is found.

        Boxes that meet without a tuple in common are forbidden once they are chosen: before that fewer rules hold, so
        the bound is valid.
        """
        self.model.add(sum(c * var for c, var in zip(self.boxes.costs, self.chosen, strict=True)) <= cost)
        while self.left > 0 and self.low < cost:
            solver = solver_for(self.run.seed, self.left if self.run.time_limit is None else None)
            answer = solved(solver, self.model, partial(self._goes_on, cost))
            self.left -= max(solver.response_proto.deterministic_time, 1e-3)
            if answer == "impossible":
                self.low = cost
                break
            self.low = max(self.low, min(cost, math.ceil(solver.best_objective_bound - 1e-6)))
            if answer == "open":
                break
            selected = [number for number, var in enumerate(self.chosen) if solver.boolean_value(var)]
            clashes = self._clashes(selected)
            if not clashes:
                cost = sum(self.boxes.costs[number] for number in selected)
                for name, number in enumerate(selected):
                    of[self.boxes.members[number]] = name
                break
            for one, other in clashes:
                self.model.add_at_most_one(self.chosen[one], self.chosen[other])
            if self.run.stopped:
                break
        return of, cost, self.low

    def _goes_on(self, cost: int) -> bool:
        return self.run.goes_on(0.5, cost, self.low, "choosing boxes")

    def _clashes(self, selected: list[int]) -> list[tuple[int, int]]:
        """Pairs of boxes that meet."""
        low, high = self.boxes.low, self.boxes.high
        return [
            (one, other)
            for place, one in enumerate(selected)
            for other in selected[:place]
            if meet(low[one], high[one], low[other], high[other])
        ]


MOST_TUPLES = 400
MOST_BOXES = 20_000  # of k records or fewer


class BoxList(NamedTuple):
    """Boxes that may be classes."""

    # low, high: (b, q) int32: positions among the values that occur
    low: np.ndarray
    high: np.ndarray
    members: list[np.ndarray]  # list of (m,) int64: the tuples in each
    costs: list[int]


def all_boxes(problem: BoxProblem) -> BoxList | None:
    """The boxes that tuples span, with all that lies in them; None where there are too many.

    A class that shows a box holds all tuples in the box that it spans because boxes do not meet and cover everybody.
    Each such box is reached from a tuple by adding one tuple after another, with all that lies between.
    """
    codes = problem.codes
    if len(codes) > MOST_TUPLES:
        return None
    open_boxes = {tuple(np.concatenate([row, row]).tolist()) for row in codes}
    visited = set(open_boxes)
    q = codes.shape[1]
    while open_boxes:
        box = np.array(open_boxes.pop(), dtype=np.int32)
        lows, highs = np.minimum(codes, box[:q]), np.maximum(codes, box[q:])
        for low, high in {*zip(map(tuple, lows.tolist()), map(tuple, highs.tolist()), strict=True)}:
            least, most = np.array(low, dtype=np.int32), np.array(high, dtype=np.int32)
            widen(problem, least, most)
            wider = (*least.tolist(), *most.tolist())
            if wider not in visited:
                visited.add(wider)
                open_boxes.add(wider)
        if len(visited) > MOST_BOXES:
            return None
    ends = np.array(sorted(visited), dtype=np.int32)
    members: list[np.ndarray] = []
    costs: list[int] = []
    first, last = ends[:, :q], ends[:, q:]
    retained = np.zeros(len(ends), dtype=bool)
    for number, (least, most) in enumerate(zip(first, last, strict=True)):
        inside = np.flatnonzero(((codes >= least) & (codes <= most)).all(axis=1))
        size = int(problem.weights[inside].sum())
        if size >= problem.k and satisfied(problem, inside, 0, len(inside)):
            retained[number] = True
            members.append(inside)
            costs.append(int(group_cost(problem, inside, 0, len(inside), size, least, most)))
    return BoxList(first[retained], last[retained], members, costs)
