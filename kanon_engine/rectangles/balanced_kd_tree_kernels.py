"""A few points as a grid of all lines that cuts may use, and whether cuts can divide it below a cap."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.rectangles.bit_table_kernels import fill, has, table_shape, work
from kanon_engine.rectangles.kd_tree_kernels import NOTHING, between, class_weight

MOST_LINES = 256  # along an axis, for 34 MB a table
CHEAP = 256  # words of a table that take as long as examining a point


class Group(NamedTuple):
    """Points as cells of the grid of all lines that cuts may use."""

    keys: np.ndarray  # (2, n) float64: coordinates along both axes of the grid, the one with fewer lines first
    ranks: np.ndarray  # (2, n) int64: column and row of each point
    loads: np.ndarray  # (n,) int64
    axes: np.ndarray  # (2,) int8: which coordinates they are, 0 for x and 1 for y
    sums: np.ndarray  # (columns + 1, rows + 1) int64: weight of the first columns and rows


@njit(cache=True, nogil=True)
def rank(keys, loads, total, k, ranks):
    """Number the points between lines with weight >= k on both sides; returns how many such intervals there are."""
    places = np.argsort(keys)
    low, number = 0, 0
    for place in range(len(places)):
        point = places[place]
        if place > 0 and keys[point] != keys[places[place - 1]] and k <= low <= total - k:
            number += 1
        ranks[point] = number
        low += loads[point]
    return number + 1


@njit(cache=True, nogil=True)
def grouped(xy, weights, order, k):
    """The points `order` as a `Group`."""
    n, total = len(order), 0
    keys, ranks, loads = np.empty((2, n)), np.empty((2, n), np.int64), np.empty(n, np.int64)
    for place in range(n):
        loads[place] = weights[order[place]]
        total += loads[place]
        keys[0, place], keys[1, place] = xy[order[place], 0], xy[order[place], 1]
    axes = np.zeros(2, np.int8)
    axes[1] = 1
    wide, high = rank(keys[0], loads, total, k, ranks[0]), rank(keys[1], loads, total, k, ranks[1])
    if wide > high:
        axes[0], axes[1] = 1, 0
        keys, ranks, wide, high = keys[::-1].copy(), ranks[::-1].copy(), high, wide
    sums = np.zeros((wide + 1, high + 1), np.int64)
    return Group(keys, ranks, loads, axes, sums)


@njit(cache=True, nogil=True)
def add_up(group):
    """Fill the sums of a group."""
    sums = group.sums
    for point in range(len(group.loads)):
        sums[group.ranks[0, point] + 1, group.ranks[1, point] + 1] += group.loads[point]
    for c in range(1, sums.shape[0]):
        upto = 0
        for d in range(1, sums.shape[1]):
            upto += sums[c, d]
            sums[c, d] = sums[c - 1, d] + upto


@njit(cache=True, nogil=True)
def table_of(group):
    """Room for the bits of a group."""
    wide, high = group.sums.shape[0] - 1, group.sums.shape[1] - 1
    return np.empty(table_shape(wide, high), np.uint64)


@njit(cache=True, nogil=True)
def price(group):
    """How many steps one table of a group takes; more than allowed if it has too many lines."""
    wide, high = group.sums.shape[0] - 1, group.sums.shape[1] - 1
    return NOTHING if high > MOST_LINES else len(group.loads) + work(wide, high) // CHEAP


@njit(cache=True, nogil=True)
def decided(group, table, k, cap):
    """Whether cuts can divide a group into classes of weight k to the cap; fills the table."""
    fill(table, group.sums, k, cap)
    wide, high = group.sums.shape[0] - 1, group.sums.shape[1] - 1
    return has(table, (0, 0, wide, high), (wide, high))


# ---------------------------------------------------------------------------------------------------------------------
# Search for a tree of cuts with no part above a cap, backtracking if a cut leads nowhere.
# ---------------------------------------------------------------------------------------------------------------------


SMALL = 512  # points of a part up to which a table of all its rectangles may decide


class RecutLimits(NamedTuple):
    """Limits of a search."""

    k: int
    cap: int
    steps: int  # examining a point is one
    table: int  # the share of them that the table of a small part may take


class RecutSearch(NamedTuple):
    """What is searched, and the tree found so far, as in `grow`."""

    xy: np.ndarray  # (n, 2) float64
    weights: np.ndarray  # (n,) int64
    k: int
    cap: int
    table: int
    axes: np.ndarray  # (2 m - 1,) int8
    lines: np.ndarray  # (2 m - 1,) float64
    sizes: np.ndarray  # (2 m - 1,) int32
    nodes: np.ndarray  # (1,) int64: how many of them are written
    left: np.ndarray  # (1,) int64: steps left


class Relations(NamedTuple):
    """Relations between the nodes of a tree, each (2 m - 1,) int64; -1: none."""

    parent: np.ndarray
    low: np.ndarray
    high: np.ndarray
    start: np.ndarray  # where the node's points start in the order
    stop: np.ndarray  # and stop


@njit(cache=True, nogil=True)
def candidates(search, sorted_points, total):
    """The lines that leave two parts which may still end below the cap, the most balanced first.

    sorted_points (2, n): by x and by y. Returns for each line its axis and how many points lie before it.
    """
    xy, weights, k, cap = search.xy, search.weights, search.k, search.cap
    n = sorted_points.shape[1]
    cuts, scores, count = np.empty((2 * n, 2), np.int64), np.empty(2 * n), 0
    extents = np.empty(2)
    for axis in range(2):
        extents[axis] = xy[sorted_points[axis, n - 1], axis] - xy[sorted_points[axis, 0], axis]
    for axis in range(2):
        low = 0
        for place in range(n - 1):
            point = sorted_points[axis, place]
            low += weights[point]
            if xy[point, axis] == xy[sorted_points[axis, place + 1], axis]:
                continue
            if class_weight(low, k) > cap or class_weight(total - low, k) > cap:
                continue
            cuts[count, 0], cuts[count, 1] = axis, place + 1
            scores[count] = abs(total - 2 * low) + (total / SLENDER if extents[axis] < extents[1 - axis] else 0.0)
            count += 1
    return cuts[np.argsort(scores[:count], kind="mergesort")]


@njit(cache=True, nogil=True)
def grown(search, order):
    """Append the tree of the points `order`; False if none was found.

    An attempt gets a third of the remaining steps. A small part is decided by the table of all its rectangles. Only
    parts that no line can cut stay uncut.
    """
    xy, k, cap, nodes = search.xy, search.k, search.cap, search.nodes
    n, total, node = len(order), 0, nodes[0]
    for point in order:
        total += search.weights[point]
    if class_weight(total, k) > cap:
        return False
    search.axes[node], search.lines[node], search.sizes[node] = -1, 0.0, n
    nodes[0] = node + 1
    if total < 2 * k:
        return True
    search.left[0] -= n
    if n <= SMALL:
        group = grouped(xy, search.weights, order, k)
        if price(group) <= search.table:
            search.left[0] -= price(group)
            add_up(group)
            table, members = table_of(group), np.arange(n)
            if not decided(group, table, k, cap):
                return False
            code = search.axes[node:], search.lines[node:], search.sizes[node:]
            nodes[0] = node + carve(group, table, k, members, code)
            order[:] = order[members]
            return True
    sorted_points = np.empty((2, n), order.dtype)
    for axis in range(2):
        sorted_points[axis] = order[np.argsort(xy[order, axis])]
    ways = candidates(search, sorted_points, total)
    if len(ways) == 0:
        return total <= cap
    left = search.left[0]
    for way in range(len(ways)):
        if left <= 0:
            break
        axis, middle = ways[way, 0], ways[way, 1]
        order[:] = sorted_points[axis]
        search.axes[node], nodes[0] = axis, node + 1
        search.lines[node] = between(xy[order[middle - 1], axis], xy[order[middle], axis])
        share = left // 3 + n
        search.left[0] = share
        if grown(search, order[:middle]) and grown(search, order[middle:]):
            search.left[0] += left - share
            return True
        left -= share - search.left[0]
    search.left[0] = left
    return False


@njit(cache=True, nogil=True)
def recut(xy, weights, order, limits):
    """Cut the points `order`, which are rearranged, so that no part exceeds the cap.

    Returns whether that worked, the steps it took, and the tree as in `grow`.
    """
    k, cap, steps, table = limits
    total = 0
    for point in order:
        total += weights[point]
    most = 2 * max(min(len(order), total // k), 1) - 1
    axes, lines, sizes = np.empty(most, np.int8), np.empty(most), np.empty(most, np.int32)
    nodes, left = np.zeros(1, np.int64), np.full(1, steps, np.int64)
    success = grown(RecutSearch(xy, weights, k, cap, table, axes, lines, sizes, nodes, left), order)
    count = nodes[0] if success else 0
    return success, steps - left[0], axes[:count], lines[:count], sizes[:count]


@njit(cache=True, nogil=True)
def relations(axes, sizes):
    """Parents and parts of the nodes of a tree, and where their points lie in the order."""
    nodes = len(axes)
    parent, low, high = np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64)
    start, stop = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    path, depth, position = np.empty(nodes + 1, np.int64), 0, 0
    for node in range(nodes):
        if depth > 0:
            above = path[depth - 1]
            parent[node] = above
            if low[above] < 0:
                low[above] = node
            else:
                high[above] = node
        start[node] = position
        path[depth] = node
        depth += 1
        if axes[node] < 0:
            position += sizes[node]
            while depth > 0 and (axes[path[depth - 1]] < 0 or high[path[depth - 1]] >= 0):
                stop[path[depth - 1]] = position
                depth -= 1
    return Relations(parent, low, high, start, stop)


# ---------------------------------------------------------------------------------------------------------------------
# The best cuts of a few points, decided for one cap after another by a table of all rectangles.
# ---------------------------------------------------------------------------------------------------------------------


SLENDER = 16  # a cut across the shorter side counts as less balanced by this share of the weight
FOUND, NONE, TOO_DEAR = 1, 0, -1


@njit(cache=True, nogil=True)
def weight_of(sums, a, b, c, d):
    """Weight of columns a … c - 1 and rows b … d - 1."""
    return sums[c, d] - sums[a, d] - sums[c, b] + sums[a, b]


@njit(cache=True, nogil=True)
def best_cut(group, table, k, box, slender):
    """Axis of the grid and line of the best cut of a rectangle into two whose bits are set; line 0 if there is none.

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
    """Cut the points `order`, which are rearranged, so that the heaviest part is as light as possible.

    limits: k, the cap, a weight that is light enough, and the most steps. Returns FOUND if there are cuts with no part
    above the cap, NONE if there are none, or TOO_DEAR if deciding takes too many steps; the steps used; and the tree as
    in `grow`.
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
