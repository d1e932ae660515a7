"""The boxes of least cost of a small table, proven, or as much of a proof as the effort allows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome, Run
from kanon_engine.tables.boxes.bounds import box_bound
from kanon_engine.tables.boxes.problem import outcome_of, problem_of
from kanon_engine.tables.exact.boxes import all_boxes
from kanon_engine.tables.exact.partition import Partition
from kanon_engine.tables.instance import Table
from kanon_engine.tables.local_cuts import local_cuts

FIRST = 100  # rounds of local cuts, for a solution to begin with


def exact(
    table: Table,
    k: int,
    run: Run,
    metric: str = "DM",
    weights: str | None = None,
    require: Sequence[Diversity | Closeness] = (),
) -> Outcome:
    """Boxes of at least k records with the least cost, whether or not cuts from side to side can make them.

    No guarantee but the proven bound: docs/proofs/tables/exact.md. All boxes that are spanned by records are listed;
    CP-SAT chooses the cheapest that hold every record once and do not meet. Where there are too many the result is the
    one of local cuts, with its bound.

    Parameters
    ----------
    table : Table
    k : int
    run : Run
        Marked as stopped when the effort ends before the proof.
    metric : str
        A name from `metrics.METRICS`.
    weights : str, optional
        What the loss of columns weighs, for the metric LM: "age=2, sex=1".
    require : sequence of Diversity and Closeness
        What every class satisfies besides. All records together satisfy it.

    Complexity
    ----------
    Exponential; a few thousand boxes.

    Example
    -------
    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"x": [1, 2, 3, 3, 1], "y": [1, 1, 2, 3, 3]}), ["x", "y"])
    >>> outcome = exact(table, 2, Run())
    >>> outcome.assignment.tolist(), outcome.cost
    ([0, 0, 1, 1, 0], 13)
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
