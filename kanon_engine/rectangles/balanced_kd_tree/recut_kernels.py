"""Search for a tree of cuts with no part above a cap, trying again where a cut leads nowhere."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.rectangles.kd_tree.selection_kernels import between, class_weight

SLENDER = 16  # a cut across the shorter side counts as less balanced by this share of the weight


@njit(cache=True, nogil=True)
def candidates(xy, weights, sorted_points, total, state):
    """The lines that leave two parts which may still end below the cap, most classes, then most balanced first.

    sorted_points (2, n): by x and by y. Returns for each line its axis and how many points lie before it.
    """
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
            if class_weight(low, state[0]) > state[1] or class_weight(total - low, state[0]) > state[1]:
                continue
            found[count, 0], found[count, 1] = axis, place + 1
            scores[count] = abs(total - 2 * low) + (total / SLENDER if extents[axis] < extents[1 - axis] else 0.0)
            if low // state[0] + (total - low) // state[0] < total // state[0]:
                scores[count] += total  # costs a class
            count += 1
    return found[np.argsort(scores[:count], kind="mergesort")]


@njit(cache=True, nogil=True)
def search(xy, weights, order, state, axes, lines, sizes):
    """Write the tree of the points `order` behind what is written; False where none was found.

    state: k, cap, steps left (a point looked at is one), nodes written. An attempt gets a third of the steps that are
    left. Only parts that no line can cut stay uncut.
    """
    n, total, node = len(order), 0, state[3]
    for point in order:
        total += weights[point]
    if class_weight(total, state[0]) > state[1]:
        return False
    axes[node], lines[node], sizes[node] = -1, 0.0, n
    state[3] = node + 1
    if total < 2 * state[0]:
        return True
    state[2] -= n
    sorted_points = np.empty((2, n), order.dtype)
    for axis in range(2):
        sorted_points[axis] = order[np.argsort(xy[order, axis])]
    ways = candidates(xy, weights, sorted_points, total, state)
    if len(ways) == 0:
        return total <= state[1]
    left = state[2]
    for way in range(len(ways)):
        if left <= 0:
            break
        axis, middle = ways[way, 0], ways[way, 1]
        order[:] = sorted_points[axis]
        axes[node], state[3] = axis, node + 1
        lines[node] = between(xy[order[middle - 1], axis], xy[order[middle], axis])
        share = left // 3 + n
        state[2] = share
        if search(xy, weights, order[:middle], state, axes, lines, sizes) and search(
            xy, weights, order[middle:], state, axes, lines, sizes
        ):
            state[2] += left - share
            return True
        left -= share - state[2]
    state[2] = left
    return False


@njit(cache=True, nogil=True)
def recut(xy, weights, order, k, cap, steps):
    """Cut the points `order`, which are rearranged, so that no part exceeds the cap.

    Returns whether that worked, the steps it took, and the tree as in `grow`.
    """
    total = 0
    for point in order:
        total += weights[point]
    most = 2 * max(min(len(order), total // k), 1) - 1
    axes, lines, sizes = np.empty(most, np.int8), np.empty(most), np.empty(most, np.int32)
    state = np.array([k, cap, steps, 0])
    found = search(xy, weights, order, state, axes, lines, sizes)
    count = state[3] if found else 0
    return found, steps - state[2], axes[:count], lines[:count], sizes[:count]


@njit(cache=True, nogil=True)
def relations(axes, sizes):
    """Of each node: parent, low part, high part (-1: none), and where its points start and stop in the order."""
    nodes = len(axes)
    found = np.full((5, nodes), -1, np.int64)
    path, depth, placed = np.empty(nodes + 1, np.int64), 0, 0
    for node in range(nodes):
        if depth > 0:
            parent = path[depth - 1]
            found[0, node] = parent
            if found[1, parent] < 0:
                found[1, parent] = node
            else:
                found[2, parent] = node
        found[3, node] = placed
        path[depth] = node
        depth += 1
        if axes[node] < 0:
            placed += sizes[node]
            while depth > 0 and (axes[path[depth - 1]] < 0 or found[2, path[depth - 1]] >= 0):
                found[4, path[depth - 1]] = placed
                depth -= 1
    return found
