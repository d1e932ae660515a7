"""Hot loops of cutting along a grid, on arrays."""

from __future__ import annotations

import numpy as np
from numba import njit

NO_CUT = -1


@njit(cache=True, nogil=True)
def line_between(low, high, snap, taken):
    """The number i of the free grid line i * snap nearest to the middle between two coordinates, and whether one is.

    `taken` holds the numbers, in rising order, of the grid lines that are some point's coordinate.
    """
    first, last = int(np.floor(low / snap)), int(np.ceil(high / snap))
    while first * snap <= low:
        first += 1
    while last * snap >= high:
        last -= 1
    if first > last:
        return 0, False
    middle = first + (last - first) // 2
    for away in range(last - first + 1):
        for line in (middle + away, middle - away):
            if first <= line <= last:
                place = np.searchsorted(taken, line)
                if place == len(taken) or taken[place] != line:
                    return line, True
    return 0, False


@njit(cache=True, nogil=True)
def grid_cut(values, weights, order, needs, target, snap, taken):
    """The free grid line that leaves needs[0] below and needs[1] above it, with the weight below nearest to the target.

    Returns how many of the sorted points lie below it (0 if there is no such line), the weight below, and its number.
    """
    total = 0
    for place in range(len(order)):
        total += weights[order[place]]
    below, weight, number = 0, 0, 0
    low = 0
    for place in range(len(order) - 1):
        low += weights[order[place]]
        if total - low < needs[1] or (below > 0 and low > target and abs(low - target) >= abs(weight - target)):
            break
        here, after = values[order[place]], values[order[place + 1]]
        if low >= needs[0] and here < after and (below == 0 or abs(low - target) < abs(weight - target)):
            line, found = line_between(here, after, snap, taken)
            if found:
                below, weight, number = place + 1, low, line
    return below, weight, number


@njit(cache=True, nogil=True)
def own_cut(xy, weights, order, k, snap, taken):
    """The most balanced cut across either axis along a free grid line: axis, points below it, weight, line number."""
    total = 0
    for place in range(order.shape[1]):
        total += weights[order[0, place]]
    needs = (k, k)
    axis, below, weight, number = 0, 0, 0, 0
    for across in range(2):
        found, low, line = grid_cut(xy[across], weights, order[across], needs, 0.5 * total, snap, taken[across])
        if found > 0 and (below == 0 or min(low, total - low) > min(weight, total - weight)):
            axis, below, weight, number = across, found, low, line
    return axis, below, weight, number


@njit(cache=True, nogil=True)
def snap_all(xy, weights, order, k, snap, box, tree, taken):
    """Cut the box along free grid lines, after the model of a tree where it has a cut that works.

    tree is (parts, 4), a row a part of the model: axis of its cut or NO_CUT, the part on its low side (the high side's
    follows), how many leaves it has, their weight. order is (2, n), sorted by x and by y, and is rearranged.
    Returns ranges (parts, 2), boxes (parts, 4) and splits (cuts, 3), as `split_all` does.
    """
    n = len(weights)
    most = 2 * min(n, weights.sum() // k) - 1
    ranges = np.empty((most, 2), np.int64)
    boxes = np.empty((most, 4))
    model = np.empty(most, np.int64)
    splits = np.empty((most // 2, 3))
    spare = np.empty(n, order.dtype)
    ranges[0, 0], ranges[0, 1] = 0, n
    boxes[0] = box
    model[0] = 0
    count, cuts, part = 1, 0, 0
    while part < count:
        start, stop = ranges[part, 0], ranges[part, 1]
        mine = order[:, start:stop]
        axis, below, number, low_model = 0, 0, 0, NO_CUT
        if model[part] != NO_CUT and tree[model[part], 0] != NO_CUT:
            axis, low_model = tree[model[part], 0], tree[model[part], 1]
            total = 0
            for place in range(stop - start):
                total += weights[mine[0, place]]
            target = total * (tree[low_model, 3] / tree[model[part], 3])
            needs = (k * tree[low_model, 2], k * tree[low_model + 1, 2])  # room for as many classes as in the model
            below, _, number = grid_cut(xy[axis], weights, mine[axis], needs, target, snap, taken[axis])
            if below == 0:
                below, _, number = grid_cut(xy[axis], weights, mine[axis], (k, k), target, snap, taken[axis])
        if below == 0:
            low_model = NO_CUT
            axis, below, _, number = own_cut(xy, weights, mine, k, snap, taken)
        if below > 0:
            line, middle = number * snap, start + below
            to_low, kept = start, 0
            for place in range(start, stop):
                point = order[1 - axis, place]
                if xy[axis, point] < line:
                    order[1 - axis, to_low] = point
                    to_low += 1
                else:
                    spare[kept] = point
                    kept += 1
            order[1 - axis, middle:stop] = spare[:kept]
            splits[cuts, 0], splits[cuts, 1], splits[cuts, 2] = part, axis, line
            cuts += 1
            boxes[count], boxes[count + 1] = boxes[part], boxes[part]
            boxes[count, 2 + axis] = line
            boxes[count + 1, axis] = line
            ranges[count, 0], ranges[count, 1] = start, middle
            ranges[count + 1, 0], ranges[count + 1, 1] = middle, stop
            model[count] = low_model
            model[count + 1] = low_model + 1 if low_model != NO_CUT else NO_CUT
            count += 2
        part += 1
    return ranges[:count], boxes[:count], splits[:cuts]
