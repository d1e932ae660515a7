"""A table as the arrays that the kernels for boxes work on, and classes of records as boxes that a person reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome
from kanon_engine.tables.boxes.ends import rounded_out
from kanon_engine.tables.boxes.kernels import BoxProblem, widen_all
from kanon_engine.tables.instance import BoxDetails, Table
from kanon_engine.tables.metrics import METRICS, NAMES, steps_of
from kanon_engine.tables.metrics.kernels import AVERAGE, CLASSIFICATION, DISCERNIBILITY
from kanon_engine.tables.requirements import encoded
from kanon_engine.verification.table_costs import largest_boxes


def problem_of(
    table: Table,
    k: int,
    metric: str,
    weights: str | None = None,
    require: Sequence[Diversity | Closeness] = (),
) -> BoxProblem:
    """The tuples of a table by positions among the values that occur."""
    chosen = METRICS[metric]
    steps = steps_of(table, chosen, weights)
    distinct, counts, _ = table.tuples
    known = [np.unique(column) for column in distinct.T]
    wide, q = max(map(len, known)), len(known)
    codes = np.column_stack([np.searchsorted(own, column) for own, column in zip(known, distinct.T, strict=True)])
    places = np.zeros((q, wide), dtype=np.int64)
    for column, own in enumerate(known):
        places[column, : len(own)] = steps[column] * own.astype(np.int64)
    levels, starts, ends = _trees(table, known)
    return BoxProblem(
        codes=np.ascontiguousarray(codes, dtype=np.int32),
        weights=counts.sum(axis=1),
        labels=counts.copy() if chosen.labels else np.zeros((len(distinct), 0), dtype=np.int64),
        places=places,
        units=np.array([1 / max(len(own) - 1, 1) for own in known]),
        levels=levels,
        starts=starts,
        ends=ends,
        k=k,
        metric=chosen.number,
        required=encoded(table, require),
    )


def _trees(table: Table, known: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Levels of each column's tree, and first and last of the values that occur in each node."""
    trees = [table.tree(name) for name in table.quasi_identifiers]
    levels = np.array([0 if tree is None else len(tree.starts) for tree in trees], dtype=np.int64)
    starts = np.zeros((len(trees), max(1, levels.max()), max(map(len, known))), dtype=np.int32)
    ends = np.zeros_like(starts)
    for column, (tree, own) in enumerate(zip(trees, known, strict=True)):
        if tree is not None:
            starts[column, : len(tree.starts), : len(own)] = np.searchsorted(own, tree.starts[:, own])
            ends[column, : len(tree.ends), : len(own)] = np.searchsorted(own, tree.ends[:, own], "right") - 1
    return levels, starts, ends


def cost_of(table: Table, problem: BoxProblem, of: np.ndarray) -> int:
    """What classes cost; `of` is the class of each of the table's rows, 0 … m-1."""
    sizes = np.bincount(of, table.weights).astype(np.int64)
    if problem.metric == DISCERNIBILITY:
        return int((sizes**2).sum())
    if problem.metric == AVERAGE:
        return int(sizes.sum() - problem.k * len(sizes))
    if problem.metric == CLASSIFICATION:
        votes = np.zeros((len(sizes), int(table.labels.max()) + 1), dtype=np.int64)
        np.add.at(votes, (of, table.labels), table.weights)
        return int((sizes - votes.max(axis=1)).sum())
    low, high = ranges_of(problem.codes[table.tuples[2]], of)
    widen_all(problem, low, high)
    widths = np.take_along_axis(problem.places.T, high, axis=0) - np.take_along_axis(problem.places.T, low, axis=0)
    return int((sizes * widths.sum(axis=1)).sum())


def ranges_of(codes: np.ndarray, of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(m, q) int32 least and greatest position of the rows of each class in each column."""
    low = np.full((int(of.max()) + 1, codes.shape[1]), np.iinfo(np.int32).max, dtype=np.int32)
    high = np.full(low.shape, -1, dtype=np.int32)
    np.minimum.at(low, of, codes)
    np.maximum.at(high, of, codes)
    return low, high


def outcome_of(
    table: Table,
    problem: BoxProblem,
    of: np.ndarray,
    curve: list[tuple[int, int, int]],
    bound: Bound,
    guarantee: int | None,
) -> Outcome:
    """Classes of rows as boxes that are shown, numbered in their order.

    Parameters
    ----------
    table : Table
    problem : BoxProblem
    of : (n,) int
        The class of each row, 0 … m-1. Classes that would show the same are one.
    curve : list of (rounds, cost, bound)
        How the search came there.
    bound : Bound
    guarantee : int or None
    """
    low, high = ranges_of(table.codes, of)
    for column, name in enumerate(table.quasi_identifiers):
        if (tree := table.tree(name)) is not None:
            low[:, column], high[:, column] = tree.smallest(low[:, column], high[:, column])
    low, high = rounded_out(table, low, high)
    boxes, names = np.unique(np.hstack([low, high]), axis=0, return_inverse=True)
    assignment = names.reshape(-1)[of].astype(np.int32)
    cost = cost_of(table, problem, assignment)
    rounds, q = curve[-1][0] if curve else 0, low.shape[1]
    rows = [*(row for row in curve if row[0] < rounds), (rounds, cost, bound.value)]
    return Outcome(
        assignment=assignment,
        details=BoxDetails(
            np.ascontiguousarray(boxes[:, :q]),
            np.ascontiguousarray(boxes[:, q:]),
            rounds,
            np.array(rows, dtype=np.int64),
        ),
        guarantee=guarantee,
        bound=bound,
        cost=cost,
    )


def ceiling(problem: BoxProblem) -> int | None:
    """What classes cost at most in which no more cut of a column leaves k on both sides (LeFevre et al., Theorem 2).

    None where that says nothing: of the metrics that count something else, with trees, and with requirements. Proof:
    docs/proofs/tables/mondrian.md.
    """
    if len(problem.required.kinds) or problem.levels.any():
        return None
    return largest_boxes(NAMES[problem.metric], problem.weights, problem.codes.shape[1], problem.k)
