"""Iterated two-phase hill climbing over sets of cuts (Bayardo, Agrawal 2005, section 7.3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome, Run
from kanon_engine.tables.cuts.finest import with_free_cuts
from kanon_engine.tables.cuts.node_kernels import HEAD
from kanon_engine.tables.cuts.problem import assignment_of, details_of, no_cuts, problem_of, root_bound
from kanon_engine.tables.hill_climb.search import Watch, descend, start_of
from kanon_engine.tables.instance import Table


def hill_climb(
    table: Table,
    k: int,
    run: Run,
    metric: str = "DM",
    suppression_limit: int | None = None,
    weights: str | None = None,
    restarts: int = 100,
    require: Sequence[Diversity | Closeness] = (),
    *,
    watch: Watch | None = None,
) -> Outcome:
    """Take cuts away while that lowers the cost, then add cuts while that does; begin again elsewhere.

    No guarantee: the best of local optima, feasible (docs/proofs/tables/hill_climb.md). The first descent begins
    without cuts, the others in turn at random cuts and near the best so far. In the end cuts that part no class are
    added.

    Parameters
    ----------
    table : Table
    k : int
    run : Run
    metric : str
        A name from `metrics.METRICS`.
    suppression_limit : int, optional
        Most records that may be left out; None is no limit.
    weights : str, optional
        What the loss of columns weighs, for the metric LM: "age=2, sex=1".
    restarts : int
        Descents after the first one.
    require : sequence of Diversity and Closeness
        Records whose class fails one are left out, as those of a class below k are. All records together satisfy them.
    watch : callable, optional
        Told of each cut that comes or goes, as `descend` says.

    Returns
    -------
    Outcome
        `details.curve` counts descents in its first column.

    Complexity
    ----------
    A step of a descent is one pass over the distinct tuples for each column.

    References
    ----------
    R. Bayardo, R. Agrawal, "Data Privacy Through Optimal k-Anonymization", ICDE 2005, section 7.3.

    Example
    -------
    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> outcome = hill_climb(table, 2, Run())
    >>> outcome.cost, outcome.details.intervals["age"]
    (13, ((20, 21), (40, 41, 60)))
    """
    problem, root = problem_of(table, k, metric, suppression_limit, weights, require)
    bound = root_bound(problem, root)
    rng = run.generator()
    best = -1
    heads = np.zeros(len(problem.columns), dtype=bool)
    curve: list[tuple[int, int, int]] = []
    for number in range(restarts + 1):
        kinds = start_of(problem, number, heads, rng)
        cost, left_out = descend(problem, root, kinds, watch)
        if left_out <= problem.limit and (best < 0 or cost < best):
            best, heads = cost, kinds == HEAD
            curve.append((number + 1, best, bound.value))
        shown = partial(_outcome, table, k, require, heads, curve, bound) if curve else None
        done, message = (number + 1) / (restarts + 1), f"{number + 1:,} descents"
        goes_on = run.goes_on(done, best if curve else None, bound.value, message, shown)
        if best == bound.value or not goes_on:
            break
    if not curve:
        raise no_cuts(table, suppression_limit, False)
    return _outcome(table, k, require, heads, curve, bound)


def _outcome(
    table: Table,
    k: int,
    require: Sequence[Diversity | Closeness],
    heads: np.ndarray,
    curve: list[tuple[int, int, int]],
    bound: Bound,
) -> Outcome:
    heads = with_free_cuts(table, k, heads, require)
    assignment = assignment_of(table, k, heads, require)
    return Outcome(
        assignment=assignment,
        details=details_of(table, heads, int(table.weights[assignment < 0].sum()), 0, curve),
        guarantee=None,
        bound=bound,
        cost=curve[-1][1],
    )
