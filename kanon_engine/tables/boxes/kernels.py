"""Boxes of a set of records: what they span, what they cost, whether they meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.metrics.kernels import CLASSIFICATION, LOSS, class_cost
from kanon_engine.tables.requirements.kernels import Required, add_records, all_hold


class BoxProblem(NamedTuple):
    """A table as arrays: t distinct tuples, q columns of at most d values that occur, c class labels, up to l levels.

    Attributes
    ----------
    codes : (t, q) int32
        Positions among the values that occur.
    weights : (t,) int64
        Records of each tuple.
    labels : (t, c) int64
        Records of each class label; c is 0 where the metric counts none.
    places : (q, d) int64
        What the loss counts a position as; the loss of an interval is the difference of its ends.
    units : (q,) float64
        What a step in a column counts in distances: 1 / (values - 1).
    levels : (q,) int64
        Of the tree of a column; 0 where intervals may end anywhere.
    starts, ends : (q, l, d) int32
        First and last position of the node that a position lies in, by level; level 0 has single values.
    k, metric : int
    required : Required
        What every class satisfies besides.
    """

    codes: np.ndarray
    weights: np.ndarray
    labels: np.ndarray
    places: np.ndarray
    units: np.ndarray
    levels: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    k: int
    metric: int
    required: Required


@njit(cache=True, nogil=True)
def even_squares(weight, k):
    """The least sum of squares of parts of a weight >= k that are at least k each: even, and as many as can be."""
    parts = weight // k
    size = weight // parts
    larger = weight - parts * size
    return (parts - larger) * size * size + larger * (size + 1) * (size + 1)


@njit(cache=True, nogil=True)
def level_of(problem, column, low, high):
    """The lowest level of a column's tree at which two positions share a node."""
    level = 0
    while problem.starts[column, level, low] != problem.starts[column, level, high]:
        level += 1
    return level


@njit(cache=True, nogil=True)
def widen(problem, low, high):
    """Make the ends of a box those of the smallest nodes that hold it, where columns have trees."""
    for column in range(len(low)):
        if problem.levels[column] > 0:
            level = level_of(problem, column, low[column], high[column])
            first = low[column]
            low[column] = problem.starts[column, level, first]
            high[column] = problem.ends[column, level, first]


@njit(cache=True, nogil=True)
def widen_all(problem, low, high):
    """`widen` for every box."""
    for box in range(len(low)):
        widen(problem, low[box], high[box])


@njit(cache=True, nogil=True)
def span(problem, order, begin, end, low, high):
    """Write the smallest box that may be shown of the tuples order[begin:end] into `low` and `high`."""
    low[:] = problem.codes[order[begin]]
    high[:] = low
    for i in range(begin + 1, end):
        for column in range(len(low)):
            code = problem.codes[order[i], column]
            low[column] = min(low[column], code)
            high[column] = max(high[column], code)
    widen(problem, low, high)


@njit(cache=True, nogil=True)
def loss_of(problem, low, high):
    """The loss of a record that shows this box."""
    total = 0
    for column in range(len(low)):
        total += problem.places[column, high[column]] - problem.places[column, low[column]]
    return total


@njit(cache=True, nogil=True)
def group_cost(problem, order, begin, end, size, low, high):
    """What the tuples order[begin:end] cost as one class that shows this box."""
    commonest, loss = 0, 0
    if problem.metric == CLASSIFICATION:
        votes = np.zeros(problem.labels.shape[1], np.int64)
        for i in range(begin, end):
            votes += problem.labels[order[i]]
        commonest = votes.max()
    elif problem.metric == LOSS:
        loss = loss_of(problem, low, high)
    return class_cost(problem.metric, size, commonest, loss, problem.k)


@njit(cache=True, nogil=True)
def meet(low, high, other_low, other_high):
    """Whether two boxes have a tuple of positions in common."""
    for column in range(len(low)):  # noqa: SIM110 - a generator does not compile
        if low[column] > other_high[column] or high[column] < other_low[column]:
            return False
    return True


@njit(cache=True, nogil=True)
def satisfied(problem, order, begin, end):
    """Whether the tuples order[begin:end], as one class, satisfy what is required besides k."""
    required = problem.required
    if len(required.kinds) == 0:
        return True
    counts = np.zeros(len(required.whole), np.int64)
    for i in range(begin, end):
        t = order[i]
        add_records(required, counts, required.order[required.starts[t] : required.starts[t + 1]])
    return all_hold(required, counts)


@njit(cache=True, nogil=True)
def all_satisfied(problem, order, begin, stops, sides):
    """Whether each of so many parts of order[begin:], which end at `stops`, satisfies what is required."""
    for side in range(sides):
        if not satisfied(problem, order, begin, stops[side]):
            return False
        begin = stops[side]
    return True
