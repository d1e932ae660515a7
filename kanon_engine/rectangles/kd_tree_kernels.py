"""Grow a tree of cuts from the top."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit

BALANCED, LONGEST_SIDE, CYCLIC, LEAST_OVERFULL, EQUAL_PARTS = 0, 1, 2, 3, 4
EQUALLY_BALANCED = 64  # lighter parts that differ by at most a 64th of the whole count as equal
ALL_LINES = 1 << 16  # equal parts: with more points, only lines near the wanted weights are examined
TRIES = 5  # how many wanted weights


class Settings(NamedTuple):
    """How a tree is grown."""

    k: int
    goal: int  # a largest class that is good enough, for the rules that use it
    rule: int  # one of the five above
    open_size: int  # parts of up to this many points stay uncut for now
    stretch: float  # how much longer a step in x is than one in y


class CutLine(NamedTuple):
    """A line across a part; `lighter` is 0 if there is none."""

    worth: int  # see `worth_of`; less is better
    lighter: int  # weight of the lighter side
    low: int  # weight of the low side
    at: float


@njit(cache=True, nogil=True)
def worth_of(low, total, settings):
    """How bad a line is that leaves the weight `low` on its low side; NOTHING if a side weighs less than k.

    The least possible largest class of the worse side, but no less than the goal; of equals,
    for equal parts, a line that costs a class is worse. The rules that only look for balance call all lines equal.
    """
    k, goal, rule = settings.k, settings.goal, settings.rule
    if low < k or total - low < k:
        return NOTHING
    if rule < LEAST_OVERFULL:
        return 0
    worse = 2 * max(goal, class_weight(low, k), class_weight(total - low, k))
    return worse + (total // k - low // k - (total - low) // k if rule == EQUAL_PARTS else 0)


@njit(cache=True, nogil=True)
def ideal_worth(total, settings):
    """The least worth that any line can have."""
    return 2 * max(settings.goal, class_weight(total, settings.k)) if settings.rule >= LEAST_OVERFULL else 0


@njit(cache=True, nogil=True)
def line_near(points, span, total, target, settings):
    """The better of the two lines around the weight `target`, after `select`."""
    (start, stop), key = span, points.key
    left, right, below, same = select(points, start, stop, target)
    best = CutLine(NOTHING, 0, 0, 0.0)
    for after in range(2):
        low = below + after * same
        lighter = min(low, total - low)
        worth = worth_of(low, total, settings)
        if worth == NOTHING or worth > best.worth or (worth == best.worth and lighter <= best.lighter):
            continue
        if after:
            line = between(key[left], key[right:stop].min())
        else:
            line = between(key[start:left].max(), key[left])
        best = CutLine(worth, lighter, low, line)
    return best


@njit(cache=True, nogil=True)
def best_line(points, span, total, settings):
    """The best of all lines across sorted points."""
    (start, stop), key, load, k = span, points.key, points.load, settings.k
    worth, lighter, weight, line = NOTHING, 0, 0, 0.0
    low = 0
    for place in range(start, stop - 1):
        low += load[place]
        if key[place] == key[place + 1] or low < k:
            continue
        if total - low < k:
            break
        mine = worth_of(low, total, settings)
        if mine < worth or (mine == worth and min(low, total - low) > lighter):
            worth, lighter, weight = mine, min(low, total - low), low
            line = between(key[place], key[place + 1])
    return CutLine(worth, lighter, weight, line)


@njit(cache=True, nogil=True)
def cut_axis(points, span, total, settings):
    """The best line across one axis: its worth (less is better), then the weight of the lighter part, decide.

    Points are rearranged.
    """
    (start, stop), rule = span, settings.rule
    best = CutLine(NOTHING, 0, 0, 0.0)
    scan = rule == LEAST_OVERFULL
    if rule == EQUAL_PARTS:
        most = total // settings.k
        ideal = ideal_worth(total, settings)
        for attempt in range(TRIES):
            step = (attempt + 1) // 2
            classes = most // 2 + (step if attempt % 2 else -step)
            if 0 < classes < most:
                target = total // most * classes + total % most * classes // most
                line = line_near(points, span, total, target, settings)
                if line.worth < best.worth:
                    best = line
            if best.worth <= ideal:
                break
        scan = best.worth > ideal and stop - start <= ALL_LINES
    if scan:
        arrange(points, start, stop)
        return best_line(points, span, total, settings)
    if best.worth == NOTHING:
        best = line_near(points, span, total, total // 2, settings)
    return best


@njit(cache=True, nogil=True)
def _copy_row(target, row, source, other):
    for side in range(4):
        target[row, side] = source[other, side]


@njit(cache=True, nogil=True)
def grow(points, span, turn, box, settings):
    """Cut the points order[start:stop], span = (start, stop), while the rule finds a line with k on both sides.

    `turn` is the axis whose turn it is. Returns the tree with every node before its low, then its high part: axis (-1
    and -2: an uncut part, at the turn of x or y), line, number of points of an uncut part. The points of uncut parts
    follow each other in `order`.
    """
    k, rule = settings.k, settings.rule
    total = 0
    for point in points.order[span[0] : span[1]]:
        total += points.weights[point]
    most = 2 * max(min(span[1] - span[0], total // k), 1) - 1
    axes, lines, sizes = np.empty(most, np.int8), np.empty(most), np.empty(most, np.int32)
    waiting, boxes = np.empty((most // 2 + 2, 4), np.int64), np.empty((most // 2 + 2, 4))
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = span[0], span[1], total, turn
    for side in range(4):
        boxes[0, side] = box[side]
    depth, count = 1, 0
    while depth > 0:
        depth -= 1
        start, stop, total, turn = waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3]
        here = (start, stop)
        axes[count], lines[count], sizes[count] = -1 - turn, 0.0, stop - start
        count += 1
        if total < 2 * k or stop - start <= settings.open_size:
            continue
        longer = 0 if settings.stretch * (boxes[depth, 2] - boxes[depth, 0]) >= boxes[depth, 3] - boxes[depth, 1] else 1
        axis = turn if rule == CYCLIC else longer
        arranged = axis
        gather(points, start, stop, axis)
        best = cut_axis(points, here, total, settings)
        ideal = ideal_worth(total, settings)
        margin = total // EQUALLY_BALANCED
        looks = best.worth > ideal or (rule != EQUAL_PARTS and best.lighter + margin < total // 2)
        if best.lighter == 0 or (looks and rule != LONGEST_SIDE and rule != CYCLIC):
            arranged = 1 - axis
            gather(points, start, stop, arranged)
            line = cut_axis(points, here, total, settings)
            clearly = line.worth == best.worth and line.lighter > best.lighter + margin
            if line.lighter > 0 and (line.worth < best.worth or clearly):
                axis, best = arranged, line
        if best.lighter == 0:
            continue
        if arranged != axis:
            gather(points, start, stop, axis)
        middle = divide(points, start, stop, best.at)[0]
        axes[count - 1], lines[count - 1] = axis, best.at
        _copy_row(boxes, depth + 1, boxes, depth)
        boxes[depth, axis] = best.at  # the high part waits below the low one
        boxes[depth + 1, 2 + axis] = best.at
        waiting[depth, 0], waiting[depth, 2], waiting[depth, 3] = middle, total - best.low, 1 - axis
        waiting[depth + 1, 0], waiting[depth + 1, 1] = start, middle
        waiting[depth + 1, 2], waiting[depth + 1, 3] = best.low, 1 - axis
        depth += 2
    return axes[:count], lines[:count], sizes[:count]


@njit(cache=True, nogil=True)
def unfold(axes, lines, sizes, box):
    """The boxes of the uncut parts, in their order, and the cuts level by level as `RectangleDetails.splits`."""
    nodes = len(axes)
    after = np.empty(nodes, np.int64)  # position of the node after a node's last descendant
    for node in range(nodes - 1, -1, -1):
        after[node] = node + 1 if axes[node] < 0 else after[after[node + 1]]
    queue, boxes = np.empty(nodes, np.int64), np.empty((nodes, 4))
    splits, leaves = np.empty((nodes // 2, 3)), np.empty(nodes, np.int64)
    queue[0] = 0
    for side in range(4):
        boxes[0, side] = box[side]
    filled, cuts = 1, 0
    for part in range(nodes):
        node = queue[part]
        leaves[node] = part
        axis = axes[node]
        if axis < 0:
            continue
        splits[cuts, 0], splits[cuts, 1], splits[cuts, 2] = part, axis, lines[node]
        cuts += 1
        queue[filled], queue[filled + 1] = node + 1, after[node + 1]
        _copy_row(boxes, filled, boxes, part)
        _copy_row(boxes, filled + 1, boxes, part)
        boxes[filled, 2 + axis] = lines[node]
        boxes[filled + 1, axis] = lines[node]
        filled += 2
    leaf_boxes = np.empty((nodes // 2 + 1, 4))
    count = 0
    for node in range(nodes):
        if axes[node] < 0:
            _copy_row(leaf_boxes, count, boxes, leaves[node])
            count += 1
    return leaf_boxes, splits


# ---------------------------------------------------------------------------------------------------------------------
# Selection and partition of points in place, on index arrays: what every cut is made of.
# ---------------------------------------------------------------------------------------------------------------------


NOTHING = 2**62  # heavier than all points together


class Arranged(NamedTuple):
    """Points and the order that they are put into; key and load are read sequentially, points are not."""

    xy: np.ndarray  # (n, 2) float64
    weights: np.ndarray  # (n,) int64
    order: np.ndarray  # (n,) int32
    key: np.ndarray  # (n,) float64: by place in the order, the current coordinate; scratch
    load: np.ndarray  # (n,) int64: by place in the order, the weight; scratch


@njit(cache=True, nogil=True)
def between(a, b):
    """A number c with a < c <= b for a < b: their middle, or b if rounding leaves none between them."""
    middle = 0.5 * a + 0.5 * b  # the sum a + b could overflow
    return middle if a < middle < b else b


@njit(cache=True, nogil=True)
def class_weight(weight, k):
    """The least possible largest class of points of this weight: the average over the largest possible number of
    classes."""
    most = weight // k
    return NOTHING if most == 0 else -(-weight // most)


@njit(cache=True, nogil=True)
def gather(points, start, stop, axis):
    """Put coordinates and weights of order[start:stop] side by side, so that later steps read them sequentially."""
    xy, weights, order, key, load = points
    for place in range(start, stop):
        point = order[place]
        key[place] = xy[point, axis]
        load[place] = weights[point]


@njit(cache=True, nogil=True)
def divide(points, start, stop, bound):
    """Move the keys below `bound` to the front; returns where the others begin, and the weight of those in front."""
    order, key, load = points.order, points.key, points.load
    low, high, weight = start, stop - 1, 0
    while True:
        while low <= high and key[low] < bound:
            weight += load[low]
            low += 1
        while low < high and key[high] >= bound:
            high -= 1
        if low >= high:
            return low, weight
        key[low], key[high] = key[high], key[low]
        load[low], load[high] = load[high], load[low]
        order[low], order[high] = order[high], order[low]


@njit(cache=True, nogil=True)
def select(points, start, stop, target):
    """Arrange the keys around the value v that holds the weight `target`: those below, v itself, those above.

    0 <= target < total weight. Returns where v begins and ends, the weight below it, and its own. Pivots are medians
    of three at pseudo-random places, so that no common order of the points is a bad case.
    """
    key, low, high, below = points.key, start, stop, 0
    state = stop - start
    while True:
        a, b, c = key[low], key[low], key[low]
        if high - low > 3:
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            third = (high - low) // 3
            shift = (state >> 8) % third
            a, b, c = key[low + shift], key[low + shift + third], key[low + shift + 2 * third]
        pivot = max(min(a, b), min(max(a, b), c))
        left, lighter = divide(points, low, high, pivot)
        if target < below + lighter:
            high = left
            continue
        below += lighter
        right, same = divide(points, left, high, np.nextafter(pivot, np.inf))
        if target < below + same:
            return left, right, below, same
        below += same
        low = right


@njit(cache=True, nogil=True)
def arrange(points, start, stop):
    """Sort by key."""
    order, key, load = points.order, points.key, points.load
    places = np.argsort(key[start:stop])
    keys, loads, before = key[start:stop].copy(), load[start:stop].copy(), order[start:stop].copy()
    for place in range(stop - start):
        key[start + place] = keys[places[place]]
        load[start + place] = loads[places[place]]
        order[start + place] = before[places[place]]
