"""Local cuts: boxes cut for the metric, and neighbourhoods of them cut anew."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.tables.boxes.bounds import box_bound
from kanon_engine.tables.boxes.problem import ceiling, outcome_of, problem_of
from kanon_engine.tables.instance import Table
from kanon_engine.tables.k_optimize import k_optimize
from kanon_engine.tables.local_cuts.patchwork import Patchwork
from kanon_engine.tables.mondrian import strict_cuts

SINGLE_REPORTS = 8  # of K-Optimize, for single cuts to begin with: its descents and some nodes
BATCH = 25  # rounds between two reports
BUDGET = 5_000_000_000  # of work, in a run without a time limit: some 10 to 30 s
UNLIMITED = 1 << 62
PLAYED = 0.6  # of the budget, after which no more cuts are played but neighbourhoods are cut anew
PATIENCE = 400  # rounds without a gain after which it ends


def local_cuts(
    table: Table,
    k: int,
    run: Run,
    metric: str = "DM",
    weights: str | None = None,
    rounds: int = 1_000,
    require: Sequence[Diversity | Closeness] = (),
) -> Outcome:
    """Boxes of at least k records with a small cost; nobody is left out.

    Guarantee: as for `mondrian`; it is never worse than that, nor than the single cuts that K-Optimize finds in its
    first nodes (docs/proofs/tables/local_cuts.md).

    It begins with recursive cuts, each the one of the best score, then plays the best few to their end. The best of
    that, Mondrian's classes and single cuts is improved: a class that costs much and its neighbours, as far as no other
    class lies between them, are cut anew, and what does not cost more is kept.

    Parameters
    ----------
    table : Table
    k : int
    run : Run
    metric : str
        A name from `metrics.METRICS`.
    weights : str, optional
        What the loss of columns weighs, for the metric LM: "age=2, sex=1".
    rounds : int
        Neighbourhoods that are cut anew, fewer where the budget of a run without a time limit is spent. With 0 it ends
        after the first recursive cuts.
    require : sequence of Diversity and Closeness
        What every class satisfies besides. All records together satisfy it.

    Returns
    -------
    Outcome
        The bound holds for all boxes, or for single cuts of columns too.

    Complexity
    ----------
    A cut looks at every value of every column once; a round at the classes, and at up to 60 k records.

    Example
    -------
    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60], "sex": list("ffmmm")}), ["age", "sex"])
    >>> outcome = local_cuts(table, 2, Run())
    >>> outcome.assignment.tolist(), outcome.cost, outcome.bound.value
    ([0, 0, 0, 1, 1], 13, 13)
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
        going = goes_on(0.3 * share, "playing cuts to their end")
        if not going or work.work[0] > PLAYED * most:
            break
    if going:
        work.take(_single_cuts(table, k, run, metric, weights, require))
        going = goes_on(0.4, "single cuts of columns")
    last = 0
    while going and work.rounds < rounds and work.rounds - last < PATIENCE and work.work[0] < most:
        before = work.cost
        work.recut(min(BATCH, rounds - work.rounds), most)
        last = work.rounds if work.cost < before else last
        share = max(work.rounds / rounds, work.work[0] / most)
        going = goes_on(0.4 + 0.6 * share, f"{work.rounds:,} neighbourhoods were cut anew")
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

    found = k_optimize(table, k, Run(run.seed, None, enough), metric, 0, weights=weights, require=require)
    of = np.empty(len(table.tuples[0]), dtype=np.int64)
    of[table.tuples[2]] = found.assignment
    return of
