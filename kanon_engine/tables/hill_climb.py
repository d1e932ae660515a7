"""Iterated two-phase hill climbing over sets of cuts (Bayardo, Agrawal 2005, section 7.3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome, Run
from kanon_engine.tables.cuts import copied, no_cuts, outcome_of, problem_of, root_bound, with_free_cuts
from kanon_engine.tables.cuts_kernels import HEAD, OUT, Node, Problem, collapse, intervals, split
from kanon_engine.tables.hill_climb_kernels import merge_effects, split_effects, split_together, weigh_cells
from kanon_engine.tables.instance import Table


def hill_climb(
    table: Table,
    k: int,
    run: Run,
    metric: str = "LM",
    suppression_limit: int | None = None,
    weights: str | None = None,
    restarts: int = 100,
    require: Sequence[Diversity | Closeness] = (),
    *,
    watch: Watch | None = None,
) -> Outcome:
    """Remove cuts while that lowers the cost, then add cuts while that does; restart elsewhere.

    No guarantee: the best of local optima, feasible (docs/proofs/tables/hill_climb.md). The first descent begins
    without cuts, the others in turn at random cuts and near the best so far. At the end, cuts that divide no class are
    added.

    `restarts`: descents after the first one.
    `require`: records whose class fails one are left out, like those of a class below k. All records together satisfy
        them.
    `watch`: called for each cut that is added or removed, see `descend`.
    Returns: `details.curve` counts descents in its first column.
    Complexity: a step of a descent is one pass over the distinct tuples for each column.
    References: R. Bayardo, R. Agrawal, "Data Privacy Through Optimal k-Anonymization", ICDE 2005, section 7.3.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [20, 21, 40, 41, 60]}), ["age"])
    >>> outcome = hill_climb(table, 2, Run())
    >>> outcome.cost, outcome.details.intervals["age"]
    (8, ((20, 21), (40, 41, 60)))
    """
    problem, root = problem_of(table, k, metric, suppression_limit, weights, require)
    bound = root_bound(problem, root)
    rng = run.generator()
    best = -1
    heads = np.zeros(len(problem.columns), dtype=bool)
    curve: list[tuple[int, int, int]] = []

    def made() -> Outcome:
        return outcome_of(table, k, with_free_cuts(table, k, heads, require), require, 0, curve, bound)

    for number in range(restarts + 1):
        kinds = start_of(problem, number, heads, rng)
        cost, left_out = descend(problem, root, kinds, watch)
        if left_out <= problem.limit and (best < 0 or cost < best):
            best, heads = cost, kinds == HEAD
            curve.append((number + 1, best, bound.value))
        snapshot = made if curve else None
        done, message = (number + 1) / (restarts + 1), f"{number + 1:,} descents"
        goes_on = run.goes_on(done, best if curve else None, bound.value, message, snapshot)
        if best == bound.value or not goes_on:
            break
    if not curve:
        raise no_cuts(table, suppression_limit, False)
    return made()


# ---------------------------------------------------------------------------------------------------------------------
# One descent of the two-phase hill climber: take cuts away, add cuts, until neither lowers the cost.
# ---------------------------------------------------------------------------------------------------------------------


Watch = Callable[
    [int, np.ndarray, int, int], None
]  # called with the value that was added or removed, the kinds, cost, suppressed
NEAR = 6  # values that change, on average, where a descent begins near the best cuts


def start_of(problem: Problem, number: int, best: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Where a descent begins: without cuts, then in turn at random cuts, few or many, and near the best cuts so far."""
    count = len(problem.above)
    chosen = np.zeros(count, dtype=bool)
    if number % 2 == 1:
        chosen = rng.random(count) < rng.random() ** 2
    elif number > 0:
        chosen[problem.groups] = best
        chosen ^= rng.random(count) < NEAR / max(count, 1)
    for group, above in enumerate(problem.above.tolist()):
        chosen[group] &= above < 0 or chosen[above]
    return np.where(chosen[problem.groups], HEAD, OUT).astype(np.int8)


def descend(problem: Problem, root: Node, kinds: np.ndarray, watch: Watch | None = None) -> tuple[int, int]:
    """Cost and suppressed records of the local optimum; its cuts are the HEAD values left in `kinds`.

    Each step takes the value that lowers the cost most; while more records are suppressed than may be, see `_best`.
    `watch` is called for each, and with -1 for the value at the start.

    Complexity: a step passes once over the classes (taking away) or the distinct tuples (adding), for each column.
    """
    cells = collapse(problem, copied(root), intervals(problem, kinds)[0])
    cost, suppressed = map(int, weigh_cells(problem, cells, kinds))
    if watch is not None:
        watch(-1, kinds, cost, suppressed)
    while True:
        before = (cost, suppressed)
        cost, suppressed = _take_away(problem, cells, kinds, cost, suppressed, watch)
        cost, suppressed = _add(problem, root, kinds, cost, suppressed, watch)
        if (cost, suppressed) == before:
            return before
        cells = collapse(problem, copied(root), intervals(problem, kinds)[0])


def _take_away(
    problem: Problem, cells: Node, kinds: np.ndarray, cost: int, suppressed: int, watch: Watch | None
) -> tuple[int, int]:
    while True:
        cost_change, suppression_change = merge_effects(problem, cells, kinds)
        allowed = kinds == HEAD
        if problem.grouped:
            allowed = _merge_together(problem, cells, kinds, cost_change, suppression_change, cost, suppressed)
        value = _best(problem, allowed, cost_change, suppression_change, suppressed)
        if value is None:
            return cost, suppressed
        kinds[problem.groups == problem.groups[value]] = OUT
        cells = collapse(problem, cells, intervals(problem, kinds)[0])
        cost, suppressed = map(int, weigh_cells(problem, cells, kinds))
        if watch is not None:
            watch(int(value), kinds, cost, suppressed)


def _add(
    problem: Problem, root: Node, kinds: np.ndarray, cost: int, suppressed: int, watch: Watch | None
) -> tuple[int, int]:
    node = root
    for head in np.flatnonzero(kinds == HEAD):
        node = split(problem, node, head)
    while True:
        cost_change, suppression_change = split_effects(problem, node, kinds)
        allowed = kinds == OUT
        if problem.grouped:
            allowed = split_together(problem, node, kinds, cost_change, suppression_change)
        value = _best(problem, allowed, cost_change, suppression_change, suppressed)
        if value is None:
            return cost, suppressed
        cost, suppressed = cost + int(cost_change[value]), suppressed + int(suppression_change[value])
        for other in np.flatnonzero(problem.groups == problem.groups[value]):
            kinds[other] = HEAD
            node = split(problem, node, other)
        if watch is not None:
            watch(int(value), kinds, cost, suppressed)


def _merge_together(
    problem: Problem,
    cells: Node,
    kinds: np.ndarray,
    cost_change: np.ndarray,
    suppression_change: np.ndarray,
    cost: int,
    suppressed: int,
) -> np.ndarray:
    """The first value of each group that can be taken away; writes there what taking the whole group away changes."""
    count = len(problem.above)
    present = np.zeros(count, dtype=bool)
    present[problem.groups[kinds == HEAD]] = True
    needed = np.zeros(count, dtype=bool)
    needed[problem.above[present & (problem.above >= 0)]] = True
    allowed = np.zeros(len(kinds), dtype=bool)
    for group in np.flatnonzero(present & ~needed):
        members = np.flatnonzero(problem.groups == group)
        allowed[members[0]] = True
        if len(members) > 1:
            changed = kinds.copy()
            changed[members] = OUT
            merged = collapse(problem, copied(cells), intervals(problem, changed)[0])
            after = weigh_cells(problem, merged, changed)
            cost_change[members[0]] = int(after[0]) - cost
            suppression_change[members[0]] = int(after[1]) - suppressed
    return allowed


def _best(
    problem: Problem, allowed: np.ndarray, cost_change: np.ndarray, suppression_change: np.ndarray, suppressed: int
) -> np.int64 | None:
    """The allowed value that lowers most, or None if none lowers anything.

    Above the limit that is the one for which the kept records cost least more for each record that comes back.
    """
    values = np.flatnonzero(allowed)
    excess = np.maximum(suppressed + suppression_change[values] - problem.limit, 0) - max(suppressed - problem.limit, 0)
    values = values[excess <= 0]
    if len(values) == 0:
        return None
    if suppressed > problem.limit:
        values = values[suppression_change[values] < 0]
        if len(values) == 0:
            return None
        weighted_change = cost_change[values] - problem.penalty * suppression_change[values]
        return values[np.argmin(weighted_change / -suppression_change[values])]
    value = values[np.argmin(cost_change[values])]
    return value if cost_change[value] < 0 else None
