"""The classes of a search for boxes, and how they get better."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from kanon_engine.tables.boxes.cut_kernels import cuts_of, divide
from kanon_engine.tables.boxes.kernels import BoxProblem, all_satisfied, span
from kanon_engine.tables.local_cuts.recut_kernels import LARGEST, Groups, measure, recut
from kanon_engine.tables.local_cuts.solve_kernels import Pace, frames_for, play, solve
from kanon_engine.tables.metrics.kernels import DISCERNIBILITY, LOSS

BROAD = 8  # cuts that are played to their end
WHOLE = 60  # k: a set of fewer records is played to its end at once
REACH = {DISCERNIBILITY: 60}  # k: the most records of a neighbourhood
ELSE = 20
LEAST, PART = 8, 2  # fewer where the table is small: half of it, but never below 8 k


class Patchwork:
    """Classes of tuples, their cost, and the ways to make it smaller; it never rises.

    Attributes
    ----------
    groups : Groups
    cost : int
    rounds : int
        Neighbourhoods that were looked at.
    work : (1,) int64
        How often a value was looked at, about.
    """

    def __init__(self, problem: BoxProblem, rng: np.random.Generator) -> None:
        self.problem, self.rng, self.total = problem, rng, int(problem.weights.sum())
        self.order, self.begins = np.arange(len(problem.codes)), np.zeros(len(problem.codes), dtype=bool)
        self.groups, self.cost, self.rounds = self._empty(), -1, 0
        self.work, self.frames = np.zeros(1, dtype=np.int64), frames_for(problem, len(problem.codes), self.total)

    def cut(self) -> None:
        """Recursive cuts, each the one of the best score."""
        order, begins = np.arange(len(self.problem.codes)), np.zeros(len(self.problem.codes), dtype=bool)
        solve(self.problem, order, begins, 0, len(order), self.total, self._pace(1, 0.1), self.frames)
        self._take(order, begins)

    def take(self, of: np.ndarray) -> None:
        """Take other classes over where they cost less, cut on where they can be; `of` is the class of each tuple."""
        order = np.argsort(of, kind="stable")
        begins = np.append(True, np.diff(of[order]) != 0)
        stops = np.append(np.flatnonzero(begins), len(order)).tolist()
        sizes = np.bincount(of, self.problem.weights).astype(np.int64).tolist()
        pace = self._pace(1, 0.1)
        for (begin, end), size in zip(pairwise(stops), sizes, strict=True):
            if size >= 2 * self.problem.k:
                solve(self.problem, order, begins, begin, end, size, pace, self.frames)
        self._take(order, begins)

    def play(self) -> Iterator[float]:
        """Play the best cuts to their end, from the whole table down; yields the share that is done."""
        order, begins = self.order.copy(), self.begins.copy()
        pace = self._pace(BROAD, 0.1)
        pieces, done = [(0, len(order), self.total)], 0
        while pieces:
            begin, end, size = pieces.pop()
            if size < WHOLE * self.problem.k:
                play(self.problem, order, begins, begin, end, size, pace)
                done += size
            else:
                pieces += self._played(order, begins, begin, end, size, pace)
            self._take(order, begins)
            yield done / self.total

    def recut(self, rounds: int, most: int) -> None:
        """Cut so many neighbourhoods anew, or fewer once the work is as much as it may be."""
        pace = self._pace(BROAD, 0.3)
        reach = min(REACH.get(self.problem.metric, ELSE), max(LEAST, self.total // (PART * self.problem.k)))
        order, begins = np.empty_like(self.order), np.empty_like(self.begins)
        gained, done = recut(self.problem, self.groups, order, begins, rounds, most, reach, pace, self.rng)
        self.cost -= int(gained)
        self.rounds += int(done)

    def _played(
        self, order: np.ndarray, begins: np.ndarray, begin: int, end: int, size: int, pace: Pace
    ) -> list[tuple[int, int, int]]:
        """Make the cut of order[begin:end] that ends best, cuts by score following it; its sides."""
        problem, q = self.problem, self.problem.codes.shape[1]
        low, high = np.empty(q, dtype=np.int32), np.empty(q, dtype=np.int32)
        span(problem, order, begin, end, low, high)
        cuts = cuts_of(problem, order, begin, end, size, low, high, pace.noise, pace.fine, pace.salt)
        best, found, own = -1, (order, begins), []
        for column, place in zip(cuts.columns[:BROAD].tolist(), cuts.places[:BROAD].tolist(), strict=True):
            trial, marks = order.copy(), begins.copy()
            stops, sizes = np.empty(end - begin, dtype=np.int64), np.empty(end - begin, dtype=np.int64)
            count = divide(problem, trial, begin, end, column, place, low[column], high[column], stops, sizes)
            if not all_satisfied(problem, trial, begin, stops, count):
                continue
            starts = [begin, *stops[: count - 1].tolist()]
            sides = list(zip(starts, stops[:count].tolist(), sizes[:count].tolist(), strict=True))
            cost = sum(solve(problem, trial, marks, *side, pace, self.frames) for side in sides)
            if best < 0 or cost < best:
                best, found, own = cost, (trial, marks), sides
        order[:], begins[:] = found
        return own

    def _take(self, order: np.ndarray, begins: np.ndarray) -> None:
        """Take these runs over where they cost less, or where there are none yet."""
        groups = self._empty()
        cost = int(measure(self.problem, groups, order, begins, len(order), 0))
        if self.cost < 0 or cost < self.cost:
            self.order, self.begins, self.groups, self.cost = order.copy(), begins.copy(), groups, cost

    def _empty(self) -> Groups:
        """No classes, and room for as many as there can be."""
        tuples, q = self.problem.codes.shape
        room = min(self.total // self.problem.k, tuples) + 1
        box, count = np.zeros((room, q), dtype=np.int32), np.zeros(room, dtype=np.int64)
        return Groups(np.zeros(tuples, dtype=np.int64), box, box.copy(), count, count.copy())

    def _pace(self, broad: int, noise: float) -> Pace:
        """With chance in scores; less for the loss, whose scores are not counted in k squared."""
        share = noise / 3 if self.problem.metric == LOSS else noise
        return Pace(broad, BROAD, share, 1.0, int(self.rng.integers(LARGEST)), self.work)
