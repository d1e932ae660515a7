"""Grow a tree of cuts from the top."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.rectangles.kd_tree.selection_kernels import (
    NOTHING,
    arrange,
    between,
    class_weight,
    divide,
    gather,
    select,
)

BALANCED, LONGEST_SIDE, CYCLIC, LEAST_OVERFULL, EQUAL_PARTS = 0, 1, 2, 3, 4
EQUALLY_BALANCED = 64  # lighter parts that differ by at most a 64th of the whole count as equal
ALL_LINES = 1 << 16  # equal parts: with more points, only lines near the wanted weights are looked at
TRIES = 5  # how many wanted weights


@njit(cache=True, nogil=True)
def worth_of(low, total, limits):
    """How bad a line is that leaves the weight `low` on its low side; NOTHING where a side weighs less than k.

    limits: k, goal, rule. The least possible largest class of the worse side, but no less than the goal; of equals,
    for equal parts, a line that costs a class is worse. The rules that only look for balance call all lines equal.
    """
    k, goal, rule = limits
    if low < k or total - low < k:
        return NOTHING
    if rule < LEAST_OVERFULL:
        return 0
    worse = 2 * max(goal, class_weight(low, k), class_weight(total - low, k))
    return worse + (total // k - low // k - (total - low) // k if rule == EQUAL_PARTS else 0)


@njit(cache=True, nogil=True)
def ideal_worth(total, limits):
    """The least worth that any line can have."""
    return 2 * max(limits[1], class_weight(total, limits[0])) if limits[2] >= LEAST_OVERFULL else 0


@njit(cache=True, nogil=True)
def line_near(key, load, order, span, total, target, limits):
    """The better of the two lines around the weight `target`, after `select`.

    Returns its worth (see `worth_of`), the weight of the lighter part, that of the low part, and the line.
    """
    start, stop = span
    left, right, below, same = select(key, load, order, start, stop, target)
    best = (NOTHING, 0, 0, 0.0)
    for after in range(2):
        low = below + after * same
        lighter = min(low, total - low)
        worth = worth_of(low, total, limits)
        if worth == NOTHING or worth > best[0] or (worth == best[0] and lighter <= best[1]):
            continue
        if after:
            line = between(key[left], key[right:stop].min())
        else:
            line = between(key[start:left].max(), key[left])
        best = (worth, lighter, low, line)
    return best


@njit(cache=True, nogil=True)
def best_line(key, load, start, stop, total, limits):
    """The best of all lines across sorted points, as `line_near`."""
    worth, lighter, weight, line = NOTHING, 0, 0, 0.0
    low = 0
    for place in range(start, stop - 1):
        low += load[place]
        if key[place] == key[place + 1] or low < limits[0]:
            continue
        if total - low < limits[0]:
            break
        mine = worth_of(low, total, limits)
        if mine < worth or (mine == worth and min(low, total - low) > lighter):
            worth, lighter, weight = mine, min(low, total - low), low
            line = between(key[place], key[place + 1])
    return worth, lighter, weight, line


@njit(cache=True, nogil=True)
def cut_axis(key, load, order, span, total, limits):
    """The best line across one axis: its worth (less is better), then the weight of the lighter part, decide.

    Points are rearranged.
    """
    (start, stop), rule = span, limits[2]
    best = (NOTHING, 0, 0, 0.0)
    scan = rule == LEAST_OVERFULL
    if rule == EQUAL_PARTS:
        most = total // limits[0]
        ideal = ideal_worth(total, limits)
        for attempt in range(TRIES):
            step = (attempt + 1) // 2
            classes = most // 2 + (step if attempt % 2 else -step)
            if 0 < classes < most:
                target = total // most * classes + total % most * classes // most
                found = line_near(key, load, order, span, total, target, limits)
                if found[0] < best[0]:
                    best = found
            if best[0] <= ideal:
                break
        scan = best[0] > ideal and stop - start <= ALL_LINES
    if scan:
        arrange(key, load, order, start, stop)
        return best_line(key, load, start, stop, total, limits)
    if best[0] == NOTHING:
        best = line_near(key, load, order, span, total, total // 2, limits)
    return best


@njit(cache=True, nogil=True)
def _copy_row(target, row, source, other):
    for side in range(4):
        target[row, side] = source[other, side]


@njit(cache=True, nogil=True)
def grow(xy, weights, order, key, load, span, settings, frame):
    """Cut the points order[start:stop], span = (start, stop), while the rule finds a line with k on both sides.

    key and load are room to work in. settings: k, rule, goal, size up to which parts stay uncut for now, axis whose
    turn it is. frame: the box, and how much longer a step in x is than one in y.
    Returns the tree with every node before its low, then its high part: axis (-1 and -2: an uncut part, at the turn of
    x or y), line, number of points of an uncut part. The points of uncut parts follow each other in `order`.
    """
    k, rule, goal, open_size = settings[0], settings[1], settings[2], settings[3]
    limits = (k, goal, rule)
    total = 0
    for place in range(span[0], span[1]):
        total += weights[order[place]]
    most = 2 * max(min(span[1] - span[0], total // k), 1) - 1
    axes, lines, sizes = np.empty(most, np.int8), np.empty(most), np.empty(most, np.int32)
    waiting, boxes = np.empty((most // 2 + 2, 4), np.int64), np.empty((most // 2 + 2, 4))
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = span[0], span[1], total, settings[4]
    for side in range(4):
        boxes[0, side] = frame[side]
    depth, count = 1, 0
    while depth > 0:
        depth -= 1
        start, stop, total, turn = waiting[depth, 0], waiting[depth, 1], waiting[depth, 2], waiting[depth, 3]
        here = (start, stop)
        axes[count], lines[count], sizes[count] = -1 - turn, 0.0, stop - start
        count += 1
        if total < 2 * k or stop - start <= open_size:
            continue
        longer = 0 if frame[4] * (boxes[depth, 2] - boxes[depth, 0]) >= boxes[depth, 3] - boxes[depth, 1] else 1
        axis = turn if rule == CYCLIC else longer
        arranged = axis
        gather(xy, weights, order, key, load, start, stop, axis)
        worth, lighter, low, line = cut_axis(key, load, order, here, total, limits)
        ideal = ideal_worth(total, limits)
        margin = total // EQUALLY_BALANCED
        looks = worth > ideal or (rule != EQUAL_PARTS and lighter + margin < total // 2)
        if lighter == 0 or (looks and rule != LONGEST_SIDE and rule != CYCLIC):
            arranged = 1 - axis
            gather(xy, weights, order, key, load, start, stop, arranged)
            found = cut_axis(key, load, order, here, total, limits)
            if found[1] > 0 and (found[0] < worth or (found[0] == worth and found[1] > lighter + margin)):
                axis, (worth, lighter, low, line) = arranged, found
        if lighter == 0:
            continue
        if arranged != axis:
            gather(xy, weights, order, key, load, start, stop, axis)
        middle = divide(key, load, order, start, stop, line)[0]
        axes[count - 1], lines[count - 1] = axis, line
        _copy_row(boxes, depth + 1, boxes, depth)
        boxes[depth, axis] = line  # the high part waits below the low one
        boxes[depth + 1, 2 + axis] = line
        waiting[depth, 0], waiting[depth, 2], waiting[depth, 3] = middle, total - low, 1 - axis
        waiting[depth + 1, 0], waiting[depth + 1, 1] = start, middle
        waiting[depth + 1, 2], waiting[depth + 1, 3] = low, 1 - axis
        depth += 2
    return axes[:count], lines[:count], sizes[:count]


@njit(cache=True, nogil=True)
def unfold(axes, lines, sizes, box):
    """The boxes of the uncut parts, in their order, and the cuts level by level as `RectangleDetails.splits`."""
    nodes = len(axes)
    after = np.empty(nodes, np.int64)  # where the node after a node's last descendant stands
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
    found = np.empty((nodes // 2 + 1, 4))
    count = 0
    for node in range(nodes):
        if axes[node] < 0:
            _copy_row(found, count, boxes, leaves[node])
            count += 1
    return found, splits
