"""Hot loops of the kd-tree, on arrays."""

from __future__ import annotations

import numpy as np
from numba import njit

BALANCED, LONGEST_SIDE, CYCLIC = 0, 1, 2
EQUALLY_BALANCED = 64  # lighter parts that differ by at most a 64th of the whole count as equal


@njit(cache=True, nogil=True)
def between(a, b):
    """A number c with a < c <= b for a < b: their middle, or b where rounding leaves none between them."""
    middle = 0.5 * a + 0.5 * b  # the sum a + b could overflow
    return middle if a < middle < b else b


@njit(cache=True, nogil=True)
def best_cut(values, weights, order, total, k):
    """The most balanced cut of sorted points into a low and a high part of weight >= k each, equal values together.

    Returns how many points lie below it (0 if there is no such cut) and the weight of the lighter part.
    """
    below, lighter = 0, -1
    low = 0
    for place in range(len(order) - 1):
        low += weights[order[place]]
        if total - low < k or total - low < lighter:
            break
        if low >= k and values[order[place]] < values[order[place + 1]] and min(low, total - low) > lighter:
            below, lighter = place + 1, min(low, total - low)
    return below, lighter


@njit(cache=True, nogil=True)
def split_all(xy, weights, order, k, rule, box, stretch):
    """Cut the box and its parts until no cut leaves weight >= k on both sides; parts are cut in the order they arise.

    xy is (2, n); order is (2, n), all points sorted by x and by y, and is rearranged: part p holds
    order[:, ranges[p, 0]:ranges[p, 1]]. A step in x is `stretch` times as long as one in y.
    Returns ranges (parts, 2), boxes (parts, 4) and splits (cuts, 3): part, axis, position.
    """
    n = len(weights)
    total = weights.sum()
    most = 2 * min(n, total // k) - 1
    ranges = np.empty((most, 2), np.int64)
    boxes = np.empty((most, 4))
    heavy = np.empty(most, np.int64)
    turn = np.zeros(most, np.int64)  # the axis whose turn it is under the cyclic rule
    splits = np.empty((most // 2, 3))
    spare = np.empty(n, np.int64)
    ranges[0, 0], ranges[0, 1] = 0, n
    boxes[0] = box
    heavy[0] = total
    count, cuts, part = 1, 0, 0
    while part < count:
        start, stop = ranges[part, 0], ranges[part, 1]
        mine = boxes[part]
        longer = 0 if stretch * (mine[2] - mine[0]) >= mine[3] - mine[1] else 1
        axis = turn[part] if rule == CYCLIC else longer
        below, lighter = best_cut(xy[axis], weights, order[axis, start:stop], heavy[part], k)
        if below == 0 or rule == BALANCED:
            other, least = best_cut(xy[1 - axis], weights, order[1 - axis, start:stop], heavy[part], k)
            margin = heavy[part] // EQUALLY_BALANCED if below > 0 else 0
            if other > 0 and least > lighter + margin:
                axis, below = 1 - axis, other
        if below > 0:
            middle = start + below
            line = between(xy[axis, order[axis, middle - 1]], xy[axis, order[axis, middle]])
            low = 0
            for place in range(start, middle):
                low += weights[order[axis, place]]
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
            boxes[count], boxes[count + 1] = mine, mine
            boxes[count, 2 + axis] = line
            boxes[count + 1, axis] = line
            ranges[count, 0], ranges[count, 1] = start, middle
            ranges[count + 1, 0], ranges[count + 1, 1] = middle, stop
            heavy[count], heavy[count + 1] = low, heavy[part] - low
            turn[count], turn[count + 1] = 1 - axis, 1 - axis
            count += 2
        part += 1
    return ranges[:count], boxes[:count], splits[:cuts]
