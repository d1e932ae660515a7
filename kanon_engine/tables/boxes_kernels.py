"""Boxes of a set of records: what they span, what they cost, whether they meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.cuts_kernels import commonest
from kanon_engine.tables.metrics_kernels import AVERAGE, CLASSIFICATION, DISCERNIBILITY, LOSS, class_cost
from kanon_engine.tables.requirements_kernels import Required, add_records, all_hold


class BoxProblem(NamedTuple):
    """A table as arrays: t distinct tuples, q columns, at most d values in each, c class labels, at most l levels."""

    codes: np.ndarray  # (t, q) int32: positions among the values that occur
    weights: np.ndarray  # (t,) int64: records of each tuple
    labels: np.ndarray  # (t, c) int64: records of each class label; c is 0 where the metric counts none
    # (q, d) int64: what the loss counts a position as; the loss of an interval is the difference of its ends
    places: np.ndarray
    units: np.ndarray  # (q,) float64: what a step in a column counts in distances: 1 / (values - 1)
    levels: np.ndarray  # (q,) int64: of the tree of a column; 0 where intervals may end anywhere
    # starts, ends: (q, l, d) int32: first and last position of the node that a position lies in, by level; level 0 has
    # single values
    starts: np.ndarray
    ends: np.ndarray
    k: int
    metric: int
    required: Required  # the requirements on every class besides k


@njit(cache=True, nogil=True)
def even_squares(weight, k):
    """The least sum of squares of parts of a weight >= k that are at least k each: even, and as many as possible."""
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


# ---------------------------------------------------------------------------------------------------------------------
# The cuts of a set of records from side to side, best first, and what each leaves on its sides.
# ---------------------------------------------------------------------------------------------------------------------


NODE = -1  # the place of a cut that divides a node of a tree into all its children
MASK = (1 << 31) - 1
FINE = 72.0  # values of a column that count as one k squared


@njit(cache=True, nogil=True)
def impurity(votes, size):
    """Records times the chance that two of them differ in their label."""
    same = 0.0
    for count in votes:
        same += count * count
    return size - same / size


@njit(cache=True, nogil=True)
def as_class(problem, size, votes, loss):
    """What a side costs if it stays one class."""
    return class_cost(problem.metric, size, commonest(votes), loss, problem.k)


@njit(cache=True, nogil=True)
def at_least(problem, size):
    """The least cost of a side, however it is cut."""
    if problem.metric == DISCERNIBILITY:
        return even_squares(size, problem.k)
    if problem.metric == AVERAGE:
        return size % problem.k
    return 0


@njit(cache=True, nogil=True)
def score_of(problem, size, votes, loss):
    """The expected cost of a side; less is better."""
    if problem.metric == LOSS:
        return float(size * loss)
    if problem.metric == CLASSIFICATION:
        return impurity(votes, size)
    return float(even_squares(size, problem.k))


@njit(cache=True, nogil=True)
def tally_of(problem, order, begin, end, column, base, wide):
    """The tally of so many values of a column in order[begin:end]; boxes where the metric looks at them."""
    q = problem.codes.shape[1]
    boxes = wide if problem.metric == LOSS else 0
    weight = np.zeros(wide, np.int64)
    votes = np.zeros((wide, problem.labels.shape[1]), np.int64)
    low, high = np.zeros((boxes, q), np.int32), np.full((boxes, q), -1, np.int32)
    for i in range(begin, end):
        t = order[i]
        value = problem.codes[t, column] - base
        if boxes:
            if weight[value] == 0:
                low[value] = problem.codes[t]
                high[value] = problem.codes[t]
            for c in range(q):
                low[value, c] = min(low[value, c], problem.codes[t, c])
                high[value, c] = max(high[value, c], problem.codes[t, c])
        weight[value] += problem.weights[t]
        for label in range(votes.shape[1]):
            votes[value, label] += problem.labels[t, label]
    return Tally(base, weight, votes, low, high)


@njit(cache=True, nogil=True)
def join(low, high, other_low, other_high):
    """Widen a box to hold another; a box whose `high` is -1 holds nothing."""
    if high[0] < 0:
        low[:] = other_low
        high[:] = other_high
        return
    for c in range(len(low)):
        low[c] = min(low[c], other_low[c])
        high[c] = max(high[c], other_high[c])


@njit(cache=True, nogil=True)
def side_loss(problem, low, high, side_low, side_high):
    """The loss of a record in a side; `side_low` and `side_high` are written over."""
    side_low[:] = low
    side_high[:] = high
    widen(problem, side_low, side_high)
    return loss_of(problem, side_low, side_high)


class Cuts(NamedTuple):
    """Room for cuts, of which the first are written."""

    scores: np.ndarray  # (n,) float64
    # columns, places: (n,) int64: what is below the place goes to the left; `NODE` takes the node of a tree apart
    columns: np.ndarray
    places: np.ndarray
    # alone, least: (n,) int64: what the sides cost as one class each, and however they are cut
    alone: np.ndarray
    least: np.ndarray


class Tally(NamedTuple):
    """Of a column's values from `base` on: weight, votes of class labels, and the box of the tuples that have them."""

    base: int
    weight: np.ndarray
    votes: np.ndarray
    low: np.ndarray
    high: np.ndarray


@njit(cache=True, nogil=True)
def put(cuts, count, column, place, cut):
    """Write the cut of this number: its score, and what its sides cost."""
    cuts.columns[count], cuts.places[count] = column, place
    cuts.scores[count], cuts.alone[count], cuts.least[count] = cut


@njit(cache=True, nogil=True)
def node_cut(problem, tally, column, high):
    """Score and costs of dividing the smallest node around a column's values; a score below 0 where that is impossible.

    Every child that holds records has to hold k.
    """
    q = problem.codes.shape[1]
    low_box, high_box = np.empty(q, np.int32), np.empty(q, np.int32)
    side_low, side_high = np.empty(q, np.int32), np.empty(q, np.int32)
    wide = len(tally.weight)
    level = level_of(problem, column, tally.base, high) - 1
    score, alone, least, start = 0.0, np.int64(0), np.int64(0), 0
    while start < wide:
        stop = min(problem.ends[column, level, tally.base + start] - tally.base + 1, wide)
        size, loss = np.int64(0), np.int64(0)
        votes = np.zeros(tally.votes.shape[1], np.int64)
        high_box[:] = -1
        for value in range(start, stop):
            if tally.weight[value] > 0:
                size += tally.weight[value]
                votes += tally.votes[value]
                if problem.metric == LOSS:
                    join(low_box, high_box, tally.low[value], tally.high[value])
        start = stop
        if size == 0:
            continue
        if size < problem.k:
            return -1.0, np.int64(0), np.int64(0)
        if problem.metric == LOSS:
            loss = side_loss(problem, low_box, high_box, side_low, side_high)
        score += score_of(problem, size, votes, loss)
        alone += as_class(problem, size, votes, loss)
        least += at_least(problem, size)
    return score, alone, least


@njit(cache=True, nogil=True)
def losses_from(problem, tally, low, high, side_low, side_high):
    """The loss of a record in what lies at each value of a column and above; the boxes are written over."""
    wide = len(tally.weight)
    losses = np.zeros(wide, np.int64)
    high[:] = -1
    for value in range(wide - 1, 0, -1):
        if tally.weight[value] > 0:
            join(low, high, tally.low[value], tally.high[value])
            losses[value] = side_loss(problem, low, high, side_low, side_high)
        elif value + 1 < wide:
            losses[value] = losses[value + 1]
    return losses


@njit(cache=True, nogil=True)
def line_cuts(problem, tally, column, size, cuts, count):
    """Write the cuts between the values of a column; how many cuts there are then."""
    q, wide = problem.codes.shape[1], len(tally.weight)
    low, high = np.empty(q, np.int32), np.empty(q, np.int32)
    side_low, side_high = np.empty(q, np.int32), np.empty(q, np.int32)
    beyond = np.zeros(wide, np.int64)
    if problem.metric == LOSS:
        beyond = losses_from(problem, tally, low, high, side_low, side_high)
    before, after = np.zeros(tally.votes.shape[1], np.int64), tally.votes.sum(axis=0)
    high[:] = -1
    left, loss = np.int64(0), np.int64(0)
    for value in range(wide - 1):
        if tally.weight[value] == 0:
            continue
        left += tally.weight[value]
        before += tally.votes[value]
        after -= tally.votes[value]
        if problem.metric == LOSS:
            join(low, high, tally.low[value], tally.high[value])
        if left < problem.k:
            continue
        right = size - left
        if right < problem.k:
            break
        if problem.metric == LOSS:
            loss = side_loss(problem, low, high, side_low, side_high)
        score = score_of(problem, left, before, loss) + score_of(problem, right, after, beyond[value + 1])
        alone = as_class(problem, left, before, loss) + as_class(problem, right, after, beyond[value + 1])
        put(
            cuts,
            count,
            column,
            tally.base + value + 1,
            (score, alone, at_least(problem, left) + at_least(problem, right)),
        )
        count += 1
    return count


@njit(cache=True, nogil=True)
def cuts_of(problem, order, begin, end, size, low, high, noise, fine, salt):
    """Every cut of order[begin:end], in the box from `low` to `high`, that leaves at least k on each side, best first.

    Sets of fewer than 3 k records end with one cut, so theirs go by what the sides cost; all others by score, with
    noise and a penalty for columns with many values, which are needed when the last pieces are cut to size.
    The same set with the same salt has the same noise, so earlier results for it are among its cuts again.
    """
    most = len(low)
    for column in range(len(low)):
        most += high[column] - low[column]
    cuts = Cuts(
        np.empty(most, np.float64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
        np.empty(most, np.int64),
    )
    count = 0
    for column in range(len(low)):
        if low[column] == high[column]:
            continue
        tally = tally_of(problem, order, begin, end, column, low[column], high[column] - low[column] + 1)
        kinds = np.count_nonzero(tally.weight)
        first = count
        if problem.levels[column] > 0:
            cut = node_cut(problem, tally, column, high[column])
            if cut[0] >= 0:
                put(cuts, count, column, NODE, cut)
                count += 1
        else:
            count = line_cuts(problem, tally, column, size, cuts, count)
        for i in range(first, count):
            chance = drawn(salt, size, column, cuts.places[i])
            cuts.scores[i] = noisy(problem, cuts.scores[i], fine * kinds / FINE, noise * chance)
            if size < 3 * problem.k:
                cuts.scores[i] = cuts.alone[i] + 0.25 * chance
    best = np.argsort(cuts.scores[:count], kind="mergesort")
    return Cuts(cuts.scores[best], cuts.columns[best], cuts.places[best], cuts.alone[best], cuts.least[best])


@njit(cache=True, nogil=True)
def drawn(salt, size, column, place):
    """A random number from 0 to 1 for this cut, the same at every call."""
    word = (salt ^ (size * 73856093) ^ (column * 19349663) ^ (place * 83492791)) & MASK
    word = ((word ^ (word >> 15)) * 739982445) & MASK  # below 2^62
    word = ((word ^ (word >> 12)) * 695872825) & MASK
    return (word ^ (word >> 15)) / MASK


@njit(cache=True, nogil=True)
def noisy(problem, score, shift, chance):
    """A score with noise and a penalty for fine columns."""
    if problem.metric == LOSS:
        return score * (1 + chance)
    if problem.metric == CLASSIFICATION:
        return score + problem.k * chance + 1e-3 * shift
    return score + problem.k * problem.k * (chance + shift)


@njit(cache=True, nogil=True)
def divide(problem, order, begin, end, column, place, low, high, stops, sizes):
    """Put what lies on each side of a cut together in order[begin:end]; the number of sides.

    `stops` gets the end of each side, `sizes` its weight.
    """
    if place != NODE:
        a, b = begin, end - 1
        left = np.int64(0)
        right = np.int64(0)
        while a <= b:
            t = order[a]
            if problem.codes[t, column] < place:
                left += problem.weights[t]
                a += 1
            else:
                right += problem.weights[t]
                order[a] = order[b]
                order[b] = t
                b -= 1
        stops[0], stops[1], sizes[0], sizes[1] = a, end, left, right
        return 2
    level = level_of(problem, column, low, high) - 1
    sides, a, first = 0, begin, low
    while a < end:
        last = problem.ends[column, level, first]
        size, start = np.int64(0), a
        for i in range(a, end):
            t = order[i]
            if first <= problem.codes[t, column] <= last:
                size += problem.weights[t]
                order[i] = order[a]
                order[a] = t
                a += 1
        if a > start:
            stops[sides], sizes[sides] = a, size
            sides += 1
        first = last + 1
    return sides
