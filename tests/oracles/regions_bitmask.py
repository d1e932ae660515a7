"""Brute force for regions on bit masks, fast enough for thousands of graphs; imports nothing from the engine."""

import numpy as np
from numba import njit

NONE = 1 << 40


def optimum(weights, edges, k):
    """(smallest possible largest class, smallest sum of squared class weights for it), or None."""
    largest, squares = _optimum(*_classes(_near(edges, len(weights)), np.array(weights, dtype=np.int64), k))
    return None if largest == NONE else (int(largest), int(squares))


def most_classes(weights, edges, k, cap):
    """The most classes of a partition into connected classes of weight k to the cap; 0 where there is none."""
    sums, usable = _classes(_near(edges, len(weights)), np.array(weights, dtype=np.int64), k)
    return int(_most(usable & (sums <= cap)))


def _near(edges, n):
    near = np.zeros(n, dtype=np.int64)
    for a, b in edges:
        near[a] |= 1 << b
        near[b] |= 1 << a
    return near


@njit
def _classes(near, weights, k):
    """Of each set its weight, and whether it is connected and weighs k."""
    n = len(near)
    size = 1 << n
    sums = np.zeros(size, np.int64)
    usable = np.zeros(size, np.bool_)
    for members in range(1, size):
        reached = members & -members
        grown = True
        while grown:
            grown = False
            for v in range(n):
                if reached >> v & 1 and near[v] & members & ~reached:
                    reached |= near[v] & members
                    grown = True
        for v in range(n):
            sums[members] += weights[v] * (members >> v & 1)
        usable[members] = reached == members and sums[members] >= k
    return sums, usable


@njit
def _most(usable):
    most = np.zeros(len(usable), np.int64)
    for members in range(1, len(usable)):
        for part in range(members, 0, -1):
            rest = members & ~part
            fits = part & ~members == 0 and part & members & -members and usable[part]
            if fits and (rest == 0 or most[rest]):
                most[members] = max(most[members], most[rest] + 1)
    return most[len(most) - 1]


@njit
def _optimum(sums, usable):
    size = len(sums)
    best = np.full(size, NONE, np.int64)
    best[0] = 0
    for members in range(1, size):
        for part in range(members, 0, -1):
            if part & ~members == 0 and part & members & -members and usable[part]:
                best[members] = min(best[members], max(sums[part], best[members & ~part]))
    squares = np.full(size, NONE, np.int64)
    squares[0] = 0
    for members in range(1, size):
        for part in range(members, 0, -1):
            if part & ~members == 0 and part & members & -members and usable[part] and sums[part] <= best[size - 1]:
                squares[members] = min(squares[members], sums[part] ** 2 + squares[members & ~part])
    return best[size - 1], squares[size - 1]
