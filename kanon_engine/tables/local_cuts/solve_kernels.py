"""Recursive cuts: each by its score alone, or the best of several that are played to their end."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import int64

from kanon_engine.kernel_cache import recursive_njit
from kanon_engine.tables.boxes.cut_kernels import NEVER, cuts_of, divide
from kanon_engine.tables.boxes.kernels import all_satisfied, group_cost, span
from kanon_engine.tables.metrics.kernels import LOSS

OVERHEAD = 200  # of work, for a column of a set


class Pace(NamedTuple):
    """How hard recursive cuts look.

    Attributes
    ----------
    broad : int
        Cuts that are played to their end where cuts are played.
    small : int
        The same where a set has fewer than 6 k records.
    noise, fine : float
        What chance adds to a score, and what a column with many values in the set does, in k squared.
    work : (1,) int64
        Counts about how often a value was looked at, so that a budget is the same on every machine.
    """

    broad: int
    small: int
    noise: float
    fine: float
    work: np.ndarray


@recursive_njit(int64, cache=True, nogil=True)
def solve(problem, order, begins, begin, end, size, level, pace, rng):
    """Cut order[begin:end], of weight `size` >= k, into classes; their cost.

    The classes are runs of `order` afterwards, and `begins` is True where one begins. With `level` 0 the cut of the
    best score is taken, but of small sets the best of `pace.small` that are played to their end; with `level` 1 the
    best of `pace.broad`, and the sides are cut again in the same way.
    """
    k, q = problem.k, problem.codes.shape[1]
    low, high = np.empty(q, np.int32), np.empty(q, np.int32)
    span(problem, order, begin, end, low, high)
    whole = group_cost(problem, order, begin, end, size, low, high)
    begins[begin:end] = False
    begins[begin] = True
    if size < 2 * k:
        return whole
    cuts = cuts_of(problem, order, begin, end, size, low, high, pace.noise, pace.fine, rng)
    wide = 0
    for column in range(q):
        wide += high[column] - low[column]
    pace.work[0] += q * (OVERHEAD + end - begin + wide) * (q if problem.metric == LOSS else 1)
    if len(cuts.columns) == 0:
        return whole
    tries = 1
    if size >= 3 * k and level > 0:
        tries = pace.broad
    elif 3 * k <= size < 6 * k:
        tries = pace.small
    stops, sizes = np.empty(end - begin, np.int64), np.empty(end - begin, np.int64)
    best, chosen, played = NEVER, 0, 0
    several = min(tries, len(cuts.columns)) > 1
    room = end - begin if several else 0
    kept, kept_begins = np.empty(room, np.int64), np.empty(room, np.bool_)
    for i in range(len(cuts.columns)):
        if played == tries:
            break
        if cuts.least[i] >= best:
            continue
        c = cuts.columns[i]
        sides = divide(problem, order, begin, end, c, cuts.places[i], low[c], high[c], stops, sizes)
        if not all_satisfied(problem, order, begin, stops, sides):
            continue
        played += 1
        cost = np.int64(0)
        start = begin
        for side in range(sides):
            cost += solve(problem, order, begins, start, stops[side], sizes[side], max(level - 1, 0), pace, rng)
            start = stops[side]
            if cost >= best:
                break
        if cost < best:
            best, chosen = cost, i
            if several:
                kept[:] = order[begin:end]
                kept_begins[:] = begins[begin:end]
    if level > 0 and size >= 4 * k and played > 0:
        c = cuts.columns[chosen]
        sides = divide(problem, order, begin, end, c, cuts.places[chosen], low[c], high[c], stops, sizes)
        cost, start = np.int64(0), begin
        for side in range(sides):
            cost += solve(problem, order, begins, start, stops[side], sizes[side], level, pace, rng)
            start = stops[side]
        if cost <= best:
            return cost
    if played == 0:
        begins[begin:end] = False
        begins[begin] = True
        return whole
    if several:
        order[begin:end] = kept
        begins[begin:end] = kept_begins
    return best
