"""The best cuts of a few points, decided for one cap after the other by a table of all rectangles."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.rectangles.balanced_kd_tree.group_kernels import add_up, decided, grouped, price, table_of
from kanon_engine.rectangles.bit_table_kernels import has
from kanon_engine.rectangles.kd_tree.selection_kernels import between

SLENDER = 16  # a cut across the shorter side counts as less balanced by this share of the weight
FOUND, NONE, TOO_DEAR = 1, 0, -1


@njit(cache=True, nogil=True)
def weight_of(sums, a, b, c, d):
    """Weight of columns a … c - 1 and rows b … d - 1."""
    return sums[c, d] - sums[a, d] - sums[c, b] + sums[a, b]


@njit(cache=True, nogil=True)
def best_cut(group, table, k, box, slender):
    """Axis of the grid and line of the best cut of a rectangle into two whose bits are set; line 0 where there is none.

    The most balanced one; `slender` is the axis of its shorter side.
    """
    sums, (a, b, c, d) = group.sums, box
    shape = sums.shape[0] - 1, sums.shape[1] - 1
    total = weight_of(sums, a, b, c, d)
    axis, line, best = 0, 0, np.inf
    for x in range(a + 1, c):
        low = weight_of(sums, a, b, x, d)
        if low >= k and total - low >= k and has(table, (a, b, x, d), shape) and has(table, (x, b, c, d), shape):
            score = abs(total - 2 * low) + (total / SLENDER if slender == 0 else 0.0)
            if score < best:
                axis, line, best = 0, x, score
    for y in range(b + 1, d):
        low = weight_of(sums, a, b, c, y)
        if low >= k and total - low >= k and has(table, (a, b, c, y), shape) and has(table, (a, y, c, d), shape):
            score = abs(total - 2 * low) + (total / SLENDER if slender == 1 else 0.0)
            if score < best:
                axis, line, best = 1, y, score
    return axis, line


@njit(cache=True, nogil=True)
def carve(group, table, k, members, code):
    """Cut along set bits until no line can cut; `members` is rearranged, `code` takes the tree; returns its nodes."""
    axes, lines, sizes = code
    keys, ranks = group.keys, group.ranks
    waiting = np.empty((len(axes) + 1, 6), np.int64)
    waiting[0] = np.array([0, len(members), 0, 0, group.sums.shape[0] - 1, group.sums.shape[1] - 1])
    depth, count = 1, 0
    while depth > 0:
        depth -= 1
        start, stop, a, b, c, d = waiting[depth]
        extents = np.empty(2)
        for axis in range(2):
            least, most = np.inf, -np.inf
            for point in members[start:stop]:
                least, most = min(least, keys[axis, point]), max(most, keys[axis, point])
            extents[axis] = most - least
        slender = 0 if extents[0] < extents[1] else 1 if extents[1] < extents[0] else -1
        axis, line = best_cut(group, table, k, (a, b, c, d), slender)
        axes[count], lines[count], sizes[count] = -1, 0.0, stop - start
        if line > 0:
            part = members[start:stop].copy()
            low, high, below, above = start, stop, -np.inf, np.inf
            for point in part:
                if ranks[axis, point] < line:
                    members[low], low, below = point, low + 1, max(below, keys[axis, point])
            middle = low
            for point in part:
                if ranks[axis, point] >= line:
                    members[low], low, above = point, low + 1, min(above, keys[axis, point])
            axes[count], lines[count] = group.axes[axis], between(below, above)
            waiting[depth] = np.array([middle, high, line if axis == 0 else a, line if axis == 1 else b, c, d])
            waiting[depth + 1] = np.array([start, middle, a, b, line if axis == 0 else c, line if axis == 1 else d])
            depth += 2
        count += 1
    return count


@njit(cache=True, nogil=True)
def settle(xy, weights, order, limits):
    """Cut the points `order`, which are rearranged, so that the heaviest part is as light as it can be.

    limits: k, the cap, a weight that is light enough, and the most steps. Returns FOUND where there are cuts with no
    part above the cap, NONE where there are none, TOO_DEAR where finding out takes too many steps; how many it took;
    and the tree as in `grow`.
    """
    k, cap, enough, steps = limits
    group, spent = grouped(xy, weights, order, k), 2 * len(order)
    asks, gap = 1, cap - enough
    while gap > 0:
        asks, gap = asks + 1, gap // 2
    most = 2 * max(min(len(order), group.loads.sum() // k), 1) - 1
    axes, lines, sizes = np.empty(most, np.int8), np.empty(most), np.empty(most, np.int32)
    if price(group) > steps // asks:
        return TOO_DEAR, spent, axes[:0], lines[:0], sizes[:0]
    add_up(group)
    table, other, low = table_of(group), table_of(group), enough
    spent += price(group)
    if not decided(group, table, k, cap):
        return NONE, spent, axes[:0], lines[:0], sizes[:0]
    while low < cap:
        middle = (low + cap) // 2
        spent += price(group)
        if decided(group, other, k, middle):
            cap, table, other = middle, other, table
        else:
            low = middle + 1
    members = np.arange(len(order))
    count = carve(group, table, k, members, (axes, lines, sizes))
    order[:] = order[members]
    return FOUND, spent, axes[:count], lines[:count], sizes[:count]
