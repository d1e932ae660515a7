"""Neighborhoods of classes that are re-cut."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.boxes_kernels import (
    all_satisfied,
    cuts_of,
    divide,
    even_squares,
    group_cost,
    meet,
    span,
    widen,
)
from kanon_engine.tables.metrics_kernels import DISCERNIBILITY, LOSS

FAILURES = 3  # neighbors that would be too many, before a neighborhood stops growing
LARGEST = 1 << 62
DRAWS = 3  # classes of which the costliest begins a neighborhood


class Groups(NamedTuple):
    """Classes with their boxes; a class without records does not count."""

    of: np.ndarray  # (t,) int64: the class of each tuple
    # low, high: (m, q) int32
    low: np.ndarray
    high: np.ndarray
    # sizes, costs: (m,) int64: records, and what the class costs
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
    """Add every class whose box meets the box around those inside, until none does; their weight, or -1 above."""
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
def neighborhood(problem, groups, alive, reach, rng, inside):
    """Choose classes of up to reach * k records around a costly one; their weight, 0 where it has no neighbors.

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
    total, added, failures = groups.sizes[seed], 0, 0
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
        added += 1
    return total if added > 0 else np.int64(0)


@njit(cache=True, nogil=True)
def recut(problem, groups, order, begins, rounds, most, reach, pace, rng):
    """Re-cut up to `rounds` neighborhoods, and keep what does not cost more; the gain, and how many.

    It ends once `most` work was done in all.
    """
    gained = np.int64(0)
    inside = np.zeros(len(groups.sizes), np.bool_)
    for number in range(rounds):
        if pace.work[0] >= most:
            return gained, number
        alive = np.flatnonzero(groups.sizes > 0)
        total = neighborhood(problem, groups, alive, reach, rng, inside)
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
        fresh_pace = Pace(pace.broad, pace.small, pace.noise, pace.fine, rng.integers(0, LARGEST), pace.work)
        new = play(problem, order, begins, 0, count, total, fresh_pace)
        if new > old:
            continue
        for a in alive:
            if inside[a]:
                groups.sizes[a] = 0
                groups.costs[a] = 0
        gained += old - measure(problem, groups, order, begins, count, 0)
    return gained, rounds


# ---------------------------------------------------------------------------------------------------------------------
# Cuts upon cuts: each only by its score, or the best of several that are played out.
#
# Nothing here is recursive because numba cannot cache recursive functions: open sets are on stacks.
# ---------------------------------------------------------------------------------------------------------------------


OVERHEAD = 200  # of work, for a column of a set
FEW = 6  # k: sets of fewer records are small; their cuts are tried one within the other
WITHIN = FEW - 3  # sets of at least 3 k within a small one, each in the one before
CHOICES = 16  # cuts of a small set that may be examined


class Pace(NamedTuple):
    """How thoroughly recursive cuts search."""

    broad: int  # cuts of a set that are played out
    small: int  # the same where a set has fewer than `FEW` k records
    # noise, fine: what chance adds to a score, and what a column with many values in the set does, in k squared
    noise: float
    fine: float
    salt: int  # decides chance
    # (1,) int64: counts about how often a value was looked at, so that a budget is the same on every machine
    work: np.ndarray


@njit(cache=True, nogil=True)
def as_one(begins, begin, end):
    """Make order[begin:end] one class."""
    begins[begin:end] = False
    begins[begin] = True


@njit(cache=True, nogil=True)
def looked_at(problem, order, begin, end, size, low, high, pace):
    """The cost of order[begin:end] as one class, whose box is written into `low` and `high`, and its cuts."""
    span(problem, order, begin, end, low, high)
    whole = group_cost(problem, order, begin, end, size, low, high)
    cuts = cuts_of(problem, order, begin, end, size, low, high, pace.noise, pace.fine, pace.salt)
    wide = 0
    for column in range(len(low)):
        wide += high[column] - low[column]
    each = len(low) if problem.metric == LOSS else 1
    pace.work[0] += len(low) * (OVERHEAD + (end - begin + wide) * each)
    return whole, cuts


@njit(cache=True, nogil=True)
def last_cut(problem, order, begins, begin, end, size, pace):
    """Cut order[begin:end], of fewer than 3 k records, at most once; its cost."""
    low, high = np.empty(problem.codes.shape[1], np.int32), np.empty(problem.codes.shape[1], np.int32)
    as_one(begins, begin, end)
    if size < 2 * problem.k:
        span(problem, order, begin, end, low, high)
        return group_cost(problem, order, begin, end, size, low, high)
    whole, cuts = looked_at(problem, order, begin, end, size, low, high, pace)
    stops, sizes = np.empty(end - begin, np.int64), np.empty(end - begin, np.int64)
    for i in range(len(cuts.columns)):
        c = cuts.columns[i]
        sides = divide(problem, order, begin, end, c, cuts.places[i], low[c], high[c], stops, sizes)
        if all_satisfied(problem, order, begin, stops, sides):
            for side in range(sides - 1):
                begins[stops[side]] = True
            return cuts.alone[i]
    return whole


class Frames(NamedTuple):
    """Small sets, each within a side of the one before, and the cut that is tried of each."""

    ends: np.ndarray  # (f, 2) int64: where the set begins and ends in the order
    # (f, c, 4) int64: column, place, and the set's first and last position in that column, of each cut
    choices: np.ndarray
    least: np.ndarray  # (f, c) int64: what its sides cost at least
    # (f, 7) int64: cuts there are, the next one, cuts that were played, the least cost, that of the sides so far, the
    # side that is next, how many sides there are
    state: np.ndarray
    # stops, sizes: (f, c) int64: of the sides
    stops: np.ndarray
    sizes: np.ndarray
    # kept, begins: (f, n) int64 and bool: the best order and its classes
    kept: np.ndarray
    begins: np.ndarray


COUNT, NEXT, PLAYED, BEST, COST, SIDE, SIDES = 0, 1, 2, 3, 4, 5, 6


@njit(cache=True, nogil=True)
def open_frame(problem, frames, depth, order, begins, begin, end, size, pace):
    """Put a set of at least 3 k records on the stack; it is one class as long as no cut of it was played."""
    q = problem.codes.shape[1]
    low, high = np.empty(q, np.int32), np.empty(q, np.int32)
    whole, cuts = looked_at(problem, order, begin, end, size, low, high, pace)
    frames.ends[depth, 0], frames.ends[depth, 1] = begin, end
    count = min(len(cuts.columns), CHOICES)
    for i in range(count):
        c = cuts.columns[i]
        frames.choices[depth, i, 0], frames.choices[depth, i, 1] = c, cuts.places[i]
        frames.choices[depth, i, 2], frames.choices[depth, i, 3] = low[c], high[c]
        frames.least[depth, i] = cuts.least[i]
    frames.state[depth] = 0
    frames.state[depth, COUNT], frames.state[depth, BEST] = count, whole
    as_one(begins, begin, end)
    keep(frames, depth, order, begins)


@njit(cache=True, nogil=True)
def keep(frames, depth, order, begins):
    """Keep the set's current state."""
    begin, end = frames.ends[depth, 0], frames.ends[depth, 1]
    frames.kept[depth, : end - begin] = order[begin:end]
    frames.begins[depth, : end - begin] = begins[begin:end]


@njit(cache=True, nogil=True)
def next_cut(problem, frames, depth, order, tries):
    """Make the next cut of a set that may be better; False where there is none, or enough were tried."""
    begin, end = frames.ends[depth, 0], frames.ends[depth, 1]
    state = frames.state[depth]
    while state[NEXT] < state[COUNT] and state[PLAYED] < tries:
        i = state[NEXT]
        state[NEXT] += 1
        if state[PLAYED] > 0 and frames.least[depth, i] >= state[BEST]:
            continue
        cut = frames.choices[depth, i]
        stops, sizes = frames.stops[depth], frames.sizes[depth]
        sides = divide(problem, order, begin, end, cut[0], cut[1], cut[2], cut[3], stops, sizes)
        if all_satisfied(problem, order, begin, stops, sides):
            state[PLAYED] += 1
            state[COST], state[SIDE], state[SIDES] = 0, 0, sides
            return True
    return False


@njit(cache=True, nogil=True)
def frames_for(problem, count, size):
    """Room for the small sets of `count` tuples of weight `size`."""
    most = min(count, min(size, FEW * problem.k))
    return Frames(
        np.empty((WITHIN, 2), np.int64),
        np.empty((WITHIN, CHOICES, 4), np.int64),
        np.empty((WITHIN, CHOICES), np.int64),
        np.empty((WITHIN, 7), np.int64),
        np.empty((WITHIN, CHOICES), np.int64),
        np.empty((WITHIN, CHOICES), np.int64),
        np.empty((WITHIN, most), np.int64),
        np.empty((WITHIN, most), np.bool_),
    )


@njit(cache=True, nogil=True)
def solve_small(problem, order, begins, begin, end, size, pace, frames):
    """Cut order[begin:end], of fewer than `FEW` k records, by the best of `pace.small` cuts; its cost.

    Sides of at least 3 k are cut in the same way, so cuts are tried within cuts.
    """
    if size < 3 * problem.k:
        return last_cut(problem, order, begins, begin, end, size, pace)
    depth = 0
    open_frame(problem, frames, depth, order, begins, begin, end, size, pace)
    while True:
        state = frames.state[depth]
        if state[SIDE] == state[SIDES] and not next_cut(problem, frames, depth, order, pace.small):
            first, last = frames.ends[depth, 0], frames.ends[depth, 1]
            order[first:last] = frames.kept[depth, : last - first]
            begins[first:last] = frames.begins[depth, : last - first]
            if depth == 0:
                return state[BEST]
            depth -= 1
            frames.state[depth, COST] += state[BEST]
            frames.state[depth, SIDE] += 1
        else:
            side = state[SIDE]
            start = frames.ends[depth, 0] if side == 0 else frames.stops[depth, side - 1]
            stop, weight = frames.stops[depth, side], frames.sizes[depth, side]
            if weight >= 3 * problem.k:
                depth += 1
                open_frame(problem, frames, depth, order, begins, start, stop, weight, pace)
                continue
            state[COST] += last_cut(problem, order, begins, start, stop, weight, pace)
            state[SIDE] += 1
        state = frames.state[depth]
        if state[SIDE] == state[SIDES] and (state[COST] < state[BEST] or state[PLAYED] == 1):
            state[BEST] = state[COST]
            keep(frames, depth, order, begins)
        elif state[COST] >= state[BEST] and state[PLAYED] > 1:
            state[SIDE] = state[SIDES]  # no cheaper any more


@njit(cache=True, nogil=True)
def open_at_once(size, k, count):
    """The most sets that may still be cut: each weighs at least k and has a tuple of its own."""
    return min(2 * (size // k), count) + 2


@njit(cache=True, nogil=True)
def solve(problem, order, begins, begin, end, size, pace, frames):
    """Cut order[begin:end], of weight `size` >= k, into classes by the cuts of the best scores; their cost.

    The classes are runs of `order` afterwards, and `begins` is True where one begins.
    """
    k, q = problem.k, problem.codes.shape[1]
    low, high = np.empty(q, np.int32), np.empty(q, np.int32)
    stack = np.empty((open_at_once(size, k, end - begin), 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = begin, end, size
    open_sets, total = 1, np.int64(0)
    while open_sets > 0:
        open_sets -= 1
        begin, end, size = stack[open_sets, 0], stack[open_sets, 1], stack[open_sets, 2]
        if size < FEW * k:
            total += solve_small(problem, order, begins, begin, end, size, pace, frames)
            continue
        whole, cuts = looked_at(problem, order, begin, end, size, low, high, pace)
        stops, sizes = np.empty(end - begin, np.int64), np.empty(end - begin, np.int64)
        sides = 0
        for i in range(len(cuts.columns)):
            c = cuts.columns[i]
            sides = divide(problem, order, begin, end, c, cuts.places[i], low[c], high[c], stops, sizes)
            if all_satisfied(problem, order, begin, stops, sides):
                break
            sides = 0
        if sides == 0:
            as_one(begins, begin, end)
            total += whole
            continue
        for side in range(sides):
            stack[open_sets, 0], stack[open_sets, 1], stack[open_sets, 2] = begin, stops[side], sizes[side]
            begin = stops[side]
            open_sets += 1
    return total


@njit(cache=True, nogil=True)
def play(problem, order, begins, begin, end, size, pace):
    """Like `solve`, but by the best of `pace.broad` cuts, each played out, and likewise for the sides; the cost."""
    q = problem.codes.shape[1]
    low, high = np.empty(q, np.int32), np.empty(q, np.int32)
    frames = frames_for(problem, end - begin, size)
    stack = np.empty((open_at_once(size, problem.k, end - begin), 4), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = begin, end, size
    stack[0, 3] = solve(problem, order, begins, begin, end, size, pace, frames)
    open_sets, total = 1, np.int64(0)
    while open_sets > 0:
        open_sets -= 1
        begin, end, size, cost = stack[open_sets, 0], stack[open_sets, 1], stack[open_sets, 2], stack[open_sets, 3]
        if size < 4 * problem.k:
            total += cost
            continue
        _, cuts = looked_at(problem, order, begin, end, size, low, high, pace)
        stops, sizes = np.empty(end - begin, np.int64), np.empty(end - begin, np.int64)
        costs = np.empty(end - begin, np.int64)
        best_order, best_begins = order[begin:end].copy(), begins[begin:end].copy()
        played, sides, best = 0, 0, cost
        best_stops, best_sizes, best_costs = stops[:0].copy(), stops[:0].copy(), stops[:0].copy()
        for i in range(len(cuts.columns)):
            if played == pace.broad:
                break
            if cuts.least[i] > best:
                continue
            c = cuts.columns[i]
            sides = divide(problem, order, begin, end, c, cuts.places[i], low[c], high[c], stops, sizes)
            if not all_satisfied(problem, order, begin, stops, sides):
                continue
            played += 1
            start, total_cost = begin, np.int64(0)
            for side in range(sides):
                costs[side] = solve(problem, order, begins, start, stops[side], sizes[side], pace, frames)
                start = stops[side]
                total_cost += costs[side]
            if total_cost < best or (total_cost == best and len(best_stops) == 0):
                best = total_cost
                best_order[:] = order[begin:end]
                best_begins[:] = begins[begin:end]
                best_stops, best_sizes, best_costs = stops[:sides].copy(), sizes[:sides].copy(), costs[:sides].copy()
        order[begin:end] = best_order
        begins[begin:end] = best_begins
        if len(best_stops) == 0:
            total += cost
        for side in range(len(best_stops)):
            stack[open_sets, 0], stack[open_sets, 1] = begin, best_stops[side]
            stack[open_sets, 2], stack[open_sets, 3] = best_sizes[side], best_costs[side]
            begin = best_stops[side]
            open_sets += 1
    return total
