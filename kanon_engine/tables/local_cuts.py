"""Local cuts: boxes cut for the metric, and neighborhoods of them re-cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.tables.boxes import box_bound, ceiling, outcome_of, problem_of
from kanon_engine.tables.boxes_kernels import BoxProblem, all_satisfied, cuts_of, divide, span
from kanon_engine.tables.instance import Table
from kanon_engine.tables.k_optimize import k_optimize
from kanon_engine.tables.local_cuts_kernels import LARGEST, Groups, Pace, frames_for, measure, play, recut, solve
from kanon_engine.tables.metrics_kernels import DISCERNIBILITY, LOSS
from kanon_engine.tables.mondrian import strict_cuts

SINGLE_REPORTS = 8  # of K-Optimize, for single cuts to begin with: its descents and some nodes
BATCH = 25  # rounds between two reports
BUDGET = 5_000_000_000  # of work, in a run without a time limit: about 10 to 30 s
UNLIMITED = 1 << 62
PLAYED = 0.6  # of the budget, after which neighborhoods are re-cut instead of playing out cuts
PATIENCE = 400  # rounds without a gain after which it ends


def local_cuts(
    table: Table,
    k: int,
    run: Run,
    metric: str = "LM",
    weights: str | None = None,
    rounds: int = 1_000,
    require: Sequence[Diversity | Closeness] = (),
) -> Outcome:
    """Boxes of at least k records with a small cost; nobody is left out.

    Guarantee: as for `mondrian`; it is never worse than that, nor than the single cuts that K-Optimize finds in its
    first nodes (docs/proofs/tables/local_cuts.md).

    It begins with recursive cuts, each with the best score, then plays out the best few. The best of this, Mondrian's
    classes and single cuts is improved: a costly class and its neighbors, as far as no other class lies between them,
    are re-cut, and what does not cost more is kept.

    `rounds`: neighborhoods that are re-cut, fewer where the budget of a run without a time limit is spent. With 0 it
        ends after the first recursive cuts.
    `require`: what every class satisfies besides. All records together satisfy it.
    Returns: the bound holds for all boxes, or for cuts of whole columns too.
    Complexity: a cut looks at every value of every column once; a round at the classes, and at up to 60 k records.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60], "sex": list("ffmmm")}), ["age", "sex"])
    >>> outcome = local_cuts(table, 2, Run())
    >>> outcome.assignment.tolist(), outcome.cost, outcome.bound.value
    ([0, 0, 1, 1, 1], 8, 5)
    """
    problem = problem_of(table, k, metric, weights, require)
    bound = box_bound(problem)
    work = Patchwork(problem, run.generator())
    curve: list[tuple[int, int, int]] = []

    def made() -> Outcome:
        of = np.unique(work.groups.of[table.tuples[2]], return_inverse=True)[1]
        rows = [*curve, (work.rounds, work.cost, bound.value)]
        return outcome_of(table, problem, of, rows, bound, ceiling(problem))

    def goes_on(done: float, message: str) -> bool:
        if not curve or work.cost < curve[-1][1]:
            curve[:] = [*(row for row in curve if row[0] < work.rounds), (work.rounds, work.cost, bound.value)]
        if work.cost == bound.value:
            return False
        return run.goes_on(done, work.cost, bound.value, message, made)

    most = BUDGET if run.time_limit is None else UNLIMITED
    work.cut()
    going = goes_on(0.0, "first cuts") and rounds > 0
    if going:
        work.take(strict_cuts(problem))
        going = goes_on(0.02, "median cuts")
    for share in work.play() if going else ():
        going = goes_on(0.3 * share, "following promising cuts to the end")
        if not going or work.work[0] > PLAYED * most:
            break
    if going:
        work.take(_single_cuts(table, k, run, metric, weights, require))
        going = goes_on(0.4, "cuts of whole columns")
    last = 0
    while going and work.rounds < rounds and work.rounds - last < PATIENCE and work.work[0] < most:
        before = work.cost
        work.recut(min(BATCH, rounds - work.rounds), most)
        last = work.rounds if work.cost < before else last
        share = max(work.rounds / rounds, work.work[0] / most)
        going = goes_on(0.4 + 0.6 * share, f"{work.rounds:,} neighborhoods were re-cut")
    return made()


def _single_cuts(
    table: Table, k: int, run: Run, metric: str, weights: str | None, require: Sequence[Diversity | Closeness]
) -> np.ndarray:
    """The class of each tuple by the cuts that K-Optimize finds first, where nobody is left out."""
    reports = 0

    def enough(report: Progress) -> bool:
        nonlocal reports
        reports += 1
        late = run.time_limit is not None and run.seconds > run.time_limit
        return reports < SINGLE_REPORTS and not late

    result = k_optimize(table, k, Run(run.seed, None, enough), metric, 0, weights=weights, require=require)
    of = np.empty(len(table.tuples[0]), dtype=np.int64)
    of[table.tuples[2]] = result.assignment
    return of


BROAD = 8  # cuts that are played out
WHOLE = 60  # k: a set of fewer records is played out at once
REACH = {DISCERNIBILITY: 60}  # k: the most records of a neighborhood
ELSE = 20
LEAST, PART = 8, 2  # fewer where the table is small: half of it, but never below 8 k


class Patchwork:
    """Classes of tuples, their cost, and the ways to lower it; it never rises.

    `rounds`: neighborhoods that were examined. `work`: (1,) int64. About how often a value was examined.
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
        """Use other classes where they cost less, cut further where possible; `of` is the class of each tuple."""
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
        """Play out the best cuts, from the whole table down; yields the share that is done."""
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
        """Re-cut this many neighborhoods, or fewer once the work reaches its limit."""
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
        best, best_state, best_sides = -1, (order, begins), []
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
                best, best_state, best_sides = cost, (trial, marks), sides
        order[:], begins[:] = best_state
        return best_sides

    def _take(self, order: np.ndarray, begins: np.ndarray) -> None:
        """Use these runs where they cost less, or where there are none yet."""
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
