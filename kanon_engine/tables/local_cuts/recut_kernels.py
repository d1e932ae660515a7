"""Neighbourhoods of classes that are cut anew."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.boxes.kernels import even_squares, group_cost, meet, span, widen
from kanon_engine.tables.local_cuts.solve_kernels import Pace, play
from kanon_engine.tables.metrics.kernels import DISCERNIBILITY

FAILURES = 3  # neighbours that would be too many, before a neighbourhood is as large as it gets
LARGEST = 1 << 62
DRAWS = 3  # classes of which the one that costs most begins a neighbourhood


class Groups(NamedTuple):
    """Classes with their boxes; a class without records is none.

    Attributes
    ----------
    of : (t,) int64
        The class of each tuple.
    low, high : (m, q) int32
    sizes, costs : (m,) int64
        Records, and what the class costs.
    """

    of: np.ndarray
    low: np.ndarray
    high: np.ndarray
    sizes: np.ndarray
    costs: np.ndarray


@njit(cache=True, nogil=True)
def measure(problem, groups, order, begins, count, place):
    """Make the runs of order[:count] classes, the first that are free from `place` on; their cost."""
    total, start = np.int64(0), 0
    for i in range(1, count + 1):
        if i < count and not begins[i]:
            continue
        while groups.sizes[place] > 0:
            place += 1
        size = np.int64(0)
        for j in range(start, i):
            groups.of[order[j]] = place
            size += problem.weights[order[j]]
        low, high = groups.low[place], groups.high[place]
        span(problem, order, start, i, low, high)
        groups.sizes[place] = size
        groups.costs[place] = group_cost(problem, order, start, i, size, low, high)
        total += groups.costs[place]
        start = i
    return total


@njit(cache=True, nogil=True)
def closed(problem, groups, alive, inside, low, high, limit):
    """Take in every class whose box meets the box around those inside, until none does; their weight, or -1 above."""
    q = len(low)
    total = np.int64(0)
    for a in alive:
        if inside[a]:
            total += groups.sizes[a]
    more = True
    while more:
        more = False
        widen(problem, low, high)
        for a in alive:
            if inside[a] or not meet(groups.low[a], groups.high[a], low, high):
                continue
            inside[a] = True
            total += groups.sizes[a]
            if total > limit:
                return np.int64(-1)
            for column in range(q):
                if groups.low[a, column] < low[column]:
                    low[column] = groups.low[a, column]
                    more = True
                if groups.high[a, column] > high[column]:
                    high[column] = groups.high[a, column]
                    more = True
    return total


@njit(cache=True, nogil=True)
def nearest(problem, groups, alive, inside, low, high, spread, rng):
    """The class outside whose box is nearest to a box, with chance in it; -1 where none is outside."""
    pick, least = -1, np.inf
    for a in alive:
        if inside[a]:
            continue
        wide = 0.0
        for column in range(len(low)):
            wide += problem.units[column] * (
                max(high[column], groups.high[a, column]) - min(low[column], groups.low[a, column])
            )
        wide *= 1 + spread * rng.random()
        if wide < least:
            pick, least = a, wide
    return pick


@njit(cache=True, nogil=True)
def neighbourhood(problem, groups, alive, reach, rng, inside):
    """Choose classes of up to reach * k records around one that costs much; their weight, 0 where it has none beside.

    No other class's box meets the box around them.
    """
    seed = alive[rng.integers(0, len(alive))]
    for _ in range(DRAWS - 1):
        other = alive[rng.integers(0, len(alive))]
        if groups.costs[other] > groups.costs[seed]:
            seed = other
    target = problem.k * (3 + (reach - 3) * rng.random())
    spread = 0.2 + 1.5 * rng.random()
    inside[:] = False
    inside[seed] = True
    low, high = groups.low[seed].copy(), groups.high[seed].copy()
    total, found, failures = groups.sizes[seed], 0, 0
    while total < target and failures < FAILURES:
        pick = nearest(problem, groups, alive, inside, low, high, spread, rng)
        if pick < 0:
            break
        trial = inside.copy()
        trial[pick] = True
        trial_low, trial_high = np.minimum(low, groups.low[pick]), np.maximum(high, groups.high[pick])
        weight = closed(problem, groups, alive, trial, trial_low, trial_high, reach * problem.k)
        if weight < 0:
            failures += 1
            continue
        inside[:] = trial
        low, high, total = trial_low, trial_high, weight
        found += 1
    return total if found > 0 else np.int64(0)


@njit(cache=True, nogil=True)
def recut(problem, groups, order, begins, rounds, most, reach, pace, rng):
    """Cut up to `rounds` neighbourhoods anew, and keep what does not cost more; what was gained, and how many.

    It ends where `most` work was done in all.
    """
    gained = np.int64(0)
    inside = np.zeros(len(groups.sizes), np.bool_)
    for number in range(rounds):
        if pace.work[0] >= most:
            return gained, number
        alive = np.flatnonzero(groups.sizes > 0)
        total = neighbourhood(problem, groups, alive, reach, rng, inside)
        if total == 0:
            continue
        old = np.int64(0)
        for a in alive:
            if inside[a]:
                old += groups.costs[a]
        if problem.metric == DISCERNIBILITY and old == even_squares(total, problem.k):
            continue
        count = 0
        for t in range(len(groups.of)):
            if inside[groups.of[t]]:
                order[count] = t
                count += 1
        own = Pace(pace.broad, pace.small, pace.noise, pace.fine, rng.integers(0, LARGEST), pace.work)
        new = play(problem, order, begins, 0, count, total, own)
        if new > old:
            continue
        for a in alive:
            if inside[a]:
                groups.sizes[a] = 0
                groups.costs[a] = 0
        gained += old - measure(problem, groups, order, begins, count, 0)
    return gained, rounds
