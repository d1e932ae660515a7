"""Shared code for groups that each show a box: an interval of every column, different from group to group."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Closeness, Diversity
from kanon_engine.model.run import Outcome
from kanon_engine.tables.boxes_kernels import BoxProblem, widen_all
from kanon_engine.tables.instance import BoxDetails, Table
from kanon_engine.tables.metrics import METRICS, NAMES, steps_of
from kanon_engine.tables.metrics_kernels import AVERAGE, CLASSIFICATION, DISCERNIBILITY, LOSS
from kanon_engine.tables.requirements import encoded
from kanon_engine.tables.rounding_kernels import move_out
from kanon_engine.verification.table_costs import (
    equal_together,
    largest_boxes,
    most_neighbors,
    nearest_company,
    sizes_alone,
)

# ---------------------------------------------------------------------------------------------------------------------
# A table as the arrays that the kernels for boxes work on, and classes of records as boxes that a person reads.
# ---------------------------------------------------------------------------------------------------------------------


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
    occurring = [np.unique(column) for column in distinct.T]
    wide, q = max(map(len, occurring)), len(occurring)
    codes = np.column_stack(
        [np.searchsorted(values, column) for values, column in zip(occurring, distinct.T, strict=True)]
    )
    places = np.zeros((q, wide), dtype=np.int64)
    for column, values in enumerate(occurring):
        places[column, : len(values)] = steps[column] * values.astype(np.int64)
    levels, starts, ends = _trees(table, occurring)
    return BoxProblem(
        codes=np.ascontiguousarray(codes, dtype=np.int32),
        weights=counts.sum(axis=1),
        labels=counts.copy() if chosen.labels else np.zeros((len(distinct), 0), dtype=np.int64),
        places=places,
        units=np.array([1 / max(len(values) - 1, 1) for values in occurring]),
        levels=levels,
        starts=starts,
        ends=ends,
        k=k,
        metric=chosen.number,
        required=encoded(table, require),
    )


def _trees(table: Table, occurring: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Levels of each column's tree, and first and last of the values that occur in each node."""
    trees = [table.tree(name) for name in table.quasi_identifiers]
    levels = np.array([0 if tree is None else len(tree.starts) for tree in trees], dtype=np.int64)
    starts = np.zeros((len(trees), max(1, levels.max()), max(map(len, occurring))), dtype=np.int32)
    ends = np.zeros_like(starts)
    for column, (tree, values) in enumerate(zip(trees, occurring, strict=True)):
        if tree is not None:
            starts[column, : len(tree.starts), : len(values)] = np.searchsorted(values, tree.starts[:, values])
            ends[column, : len(tree.ends), : len(values)] = np.searchsorted(values, tree.ends[:, values], "right") - 1
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

    `of`: (n,) int. The class of each row, 0 … m-1. Classes that would show the same are merged.
    `curve`: list of (rounds, cost, bound). The course of the search.
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
    """The most that classes cost if no further cut of a column leaves k on both sides (LeFevre et al., Theorem 2).

    None where that says nothing: for metrics that count something else, with trees, and with requirements. Proof:
    docs/proofs/tables/mondrian.md.
    """
    if len(problem.required.kinds) or problem.levels.any():
        return None
    return largest_boxes(NAMES[problem.metric], problem.weights, problem.codes.shape[1], problem.k)


# ---------------------------------------------------------------------------------------------------------------------
# Where the shown ends of boxes lie: numbers end at round limits, so that no end is known to be a record's number.
# ---------------------------------------------------------------------------------------------------------------------


MOST_STEPS = 20  # between the least and the greatest number
LARGE, SMALL, TENS = 1e300, 1e-290, 1e10  # beyond these, numbers are scaled down or up


def rounded_out(table: Table, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The boxes with their ends in columns of numbers moved outward to the next round limits, or to another box.

    The limits are those of the whole column, so an end only reveals between which of them the last number lies,
    or that another box is in the way. Where a person gave the order of a column, its values are public
    and its ends stay.

    Boxes that did not meet do not meet.

    `low`, `high`: (m, q) int32. Positions in the domains.
    """
    low, high = low.copy(), high.copy()
    for column, (name, domain) in enumerate(zip(table.quasi_identifiers, table.domains, strict=True)):
        numbers = [value for value in domain if value is not None]
        if table.is_ordered(name) or not all(type(value) in (int, float) for value in numbers) or len(numbers) < 2:
            continue
        first, last = step_limits([float(value) for value in numbers])  # type: ignore[arg-type]
        missing = len(domain) - len(numbers)  # a missing value is the last of its domain, and no number
        lone = np.arange(len(numbers), len(numbers) + missing, dtype=np.int32)
        move_out(low, high, column, np.append(first, lone), np.append(last, lone))
    return low, high


def step_limits(numbers: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """For each of ascending numbers the first and the last position within the same round limits.

    >>> [limits.tolist() for limits in step_limits([17, 18, 19, 20, 24, 90])]
    [[0, 0, 0, 3, 3, 5], [2, 2, 2, 4, 4, 5]]
    """
    values = np.array(numbers)
    if np.abs(values).max() > LARGE:  # what lies between two of them may be more than a float holds
        values = values / TENS
    if values[-1] - values[0] < SMALL:  # a part of that may be less than a float holds
        values = values * TENS
    reach = float(values[-1] - values[0])
    if reach == 0:  # whole numbers that are one as floats
        cells = np.zeros(len(values))
    else:
        power = 10.0 ** math.floor(math.log10(reach / MOST_STEPS))
        step = next(part * power for part in (1, 2, 5, 10) if reach / (part * power) <= MOST_STEPS * (1 + 1e-9))
        cells = np.floor(values / step + 1e-9)
    first = np.searchsorted(cells, cells, "left")
    last = np.searchsorted(cells, cells, "right") - 1
    return first.astype(np.int32), last.astype(np.int32)


# ---------------------------------------------------------------------------------------------------------------------
# The least cost of any boxes of a table, and of any partition; proofs: docs/proofs/tables/boxes.md.
# ---------------------------------------------------------------------------------------------------------------------


TOGETHER, FINEST, COMPANY, SIZES = "equal tuples together", "finest generalization", "nearest company", "sizes alone"


NEIGHBORS = 200_000  # tuples times nearest ones that are examined: more would take longer than median cuts


def box_bound(problem: BoxProblem) -> Bound:
    """No boxes that leave nobody out cost less: equal tuples are in one box.

    >>> import pandas as pd
    >>> from kanon_engine.tables.boxes import problem_of
    >>> from kanon_engine.tables.instance import Table
    >>> ages = Table(pd.DataFrame({"age": [1, 1, 1, 2, 5, 7, 9]}), ["age"])
    >>> [box_bound(problem_of(ages, 2, metric)).value for metric in ("DM", "AVG", "LM")]
    [17, 1, 4]
    """
    sizes = problem.weights
    if problem.metric == CLASSIFICATION:
        return Bound(int((sizes - problem.labels.max(axis=1)).sum()), FINEST)
    if problem.metric == LOSS:
        points = np.take_along_axis(problem.places.T, problem.codes.astype(np.int64), axis=0)
        most = most_neighbors(len(sizes), problem.k)
        count = min(most, max(NEIGHBORS // len(sizes), 1))
        value = nearest_company(list(points.T), sizes, problem.k, count) or 0
        return Bound(value, COMPANY, witness=() if count == most else (count,))
    return Bound(equal_together(NAMES[problem.metric], sizes, problem.k), TOGETHER)


def partition_bound(problem: BoxProblem) -> Bound:
    """No partition into classes of at least k costs less, also one that takes equal tuples apart."""
    if problem.metric == LOSS:
        return box_bound(problem)
    return Bound(sizes_alone(NAMES[problem.metric], int(problem.weights.sum()), problem.k), SIZES)
