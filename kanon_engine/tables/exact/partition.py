"""Choosing the cheapest boxes that hold every tuple once and do not meet."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from kanon_engine.model.run import Run
from kanon_engine.search.solvers import solved, solver_for
from kanon_engine.tables.boxes.kernels import BoxProblem, meet
from kanon_engine.tables.exact.boxes import BoxList

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

        Boxes that meet without a tuple in common are forbidden once they are chosen: until then fewer rules hold, so
        what is proven is true.
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
            picked = [number for number, var in enumerate(self.chosen) if solver.boolean_value(var)]
            clashes = self._clashes(picked)
            if not clashes:
                cost = sum(self.boxes.costs[number] for number in picked)
                for name, number in enumerate(picked):
                    of[self.boxes.members[number]] = name
                break
            for one, other in clashes:
                self.model.add_at_most_one(self.chosen[one], self.chosen[other])
            if self.run.stopped:
                break
        return of, cost, self.low

    def _goes_on(self, cost: int) -> bool:
        return self.run.goes_on(0.5, cost, self.low, "choosing boxes")

    def _clashes(self, picked: list[int]) -> list[tuple[int, int]]:
        """Pairs of boxes that meet."""
        low, high = self.boxes.low, self.boxes.high
        return [
            (one, other)
            for place, one in enumerate(picked)
            for other in picked[:place]
            if meet(low[one], high[one], low[other], high[other])
        ]
