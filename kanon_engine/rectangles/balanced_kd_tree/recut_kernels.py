"""Search for a tree of cuts with no part above a cap, trying again where a cut leads nowhere."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.rectangles.balanced_kd_tree.group_kernels import add_up, decided, grouped, price, table_of
from kanon_engine.rectangles.balanced_kd_tree.settle_kernels import SLENDER, carve
from kanon_engine.rectangles.kd_tree.selection_kernels import between, class_weight

SMALL = 512  # points of a part up to which a table of all its rectangles may decide


class Limits(NamedTuple):
    """What a search may do."""

    k: int
    cap: int
    steps: int  # a point looked at is one
    table: int  # of these, what the table of a small part may take


class Search(NamedTuple):
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
    """How the nodes of a tree lie to each other, each (2 m - 1,) int64; -1: none."""

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
    found, scores, count = np.empty((2 * n, 2), np.int64), np.empty(2 * n), 0
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
            found[count, 0], found[count, 1] = axis, place + 1
            scores[count] = abs(total - 2 * low) + (total / SLENDER if extents[axis] < extents[1 - axis] else 0.0)
            count += 1
    return found[np.argsort(scores[:count], kind="mergesort")]


@njit(cache=True, nogil=True)
def grown(search, order):
    """Write the tree of the points `order` behind what is written; False where none was found.

    An attempt gets a third of the steps that are left. A small part is decided by the table of all its rectangles. Only
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
    found = grown(Search(xy, weights, k, cap, table, axes, lines, sizes, nodes, left), order)
    count = nodes[0] if found else 0
    return found, steps - left[0], axes[:count], lines[:count], sizes[:count]


@njit(cache=True, nogil=True)
def relations(axes, sizes):
    """Parents and parts of the nodes of a tree, and where their points lie in the order."""
    nodes = len(axes)
    parent, low, high = np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64), np.full(nodes, -1, np.int64)
    start, stop = np.empty(nodes, np.int64), np.empty(nodes, np.int64)
    path, depth, placed = np.empty(nodes + 1, np.int64), 0, 0
    for node in range(nodes):
        if depth > 0:
            above = path[depth - 1]
            parent[node] = above
            if low[above] < 0:
                low[above] = node
            else:
                high[above] = node
        start[node] = placed
        path[depth] = node
        depth += 1
        if axes[node] < 0:
            placed += sizes[node]
            while depth > 0 and (axes[path[depth - 1]] < 0 or high[path[depth - 1]] >= 0):
                stop[path[depth - 1]] = placed
                depth -= 1
    return Relations(parent, low, high, start, stop)
