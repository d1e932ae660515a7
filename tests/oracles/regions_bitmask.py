"""Brute force for regions on bit masks, fast enough for thousands of graphs; imports nothing from the engine."""

import numpy as np
from numba import njit

NONE = 1 << 40


def optimum(weights, edges, k):
    """(smallest possible largest class, smallest sum of squared class weights for it), or None."""
    near = np.zeros(len(weights), dtype=np.int64)
    for a, b in edges:
        near[a] |= 1 << b
        near[b] |= 1 << a
    largest, squares = _optimum(near, np.array(weights, dtype=np.int64), k)
    return None if largest == NONE else (int(largest), int(squares))


@njit
def _optimum(near, weights, k):
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
