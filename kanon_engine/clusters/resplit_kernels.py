"""The cheapest division of a few points into one cluster or two."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from kanon_engine.kernel_cache import njit

# one cluster around `center` where `other` is -1; else the first `size` of `order` are around `center`
Division = namedtuple("Division", "cost center other size order steps")


@njit(cache=True, nogil=True)
def divided(matrix, weights, points, k, facility_cost, must_split):
    """Points as one cluster of at least k records or as two, whichever costs less.

    Of two, one holds the points nearest to its center, and the other the rest; where `must_split` is true
    only two are tried.
    """
    m = len(points)
    total = 0
    for i in range(m):
        total += weights[points[i]]
    near = np.empty((m, m))
    reach = np.empty(m)  # what a cluster of k around the point needs at least
    orders = np.empty((m, m), np.int64)
    best = np.inf
    center = other = -1
    size = m
    chosen = np.arange(m)
    for a in range(m):
        for i in range(m):
            near[a, i] = matrix[points[a], points[i]]
        orders[a] = np.argsort(near[a], kind="mergesort")
        load = 0
        for place in range(m):
            load += weights[points[orders[a, place]]]
            if load >= k:
                reach[a] = near[a, orders[a, place]]
                break
        cost = total * near[a, orders[a, m - 1]] + facility_cost
        if cost < best and not must_split:
            best = cost
            center = a
    steps = m * m
    if total < 2 * k:
        return Division(best, center, other, size, chosen, steps)
    for a in range(m):
        for b in range(m):
            # a cluster of k records around a point costs at least k times its reach: no such pair is cheaper
            if b == a or (reach[a] + reach[b]) * k + 2 * facility_cost >= best:
                continue
            steps += m
            far = 0.0
            rest = 0
            # the points farthest from a go to b, one more each time
            for place in range(m - 1, 0, -1):
                i = orders[a, place]
                rest += weights[points[i]]
                far = max(far, near[b, i])
                if total - rest < k:
                    break
                if rest < k:
                    continue
                cost = (total - rest) * near[a, orders[a, place - 1]] + rest * far + 2 * facility_cost
                if cost < best:
                    best = cost
                    center = a
                    other = b
                    size = place
    if other >= 0:
        chosen = orders[center].copy()
    return Division(best, center, other, size, chosen, steps)


@njit(cache=True, nogil=True)
def cheapest_center(matrix, points, candidates):
    """The candidate whose farthest point is nearest, and how far that is."""
    best = np.inf
    center = -1
    for v in candidates:
        far = 0.0
        for i in points:
            far = max(far, matrix[v, i])
            if far >= best:
                break
        if far < best:
            best = far
            center = v
    return center, best
