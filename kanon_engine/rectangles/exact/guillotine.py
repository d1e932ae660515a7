"""The best partition that cuts from side to side can make, over all rectangles of a grid."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.rectangles.exact.kernels import Classes, interval, widen
from kanon_engine.rectangles.grid import Grid, intervals


def best_cuts(
    grid: Grid, k: int, cap: int, squares: bool, goes_on: Callable[[float], bool] = lambda done: True
) -> np.ndarray | None:
    """The guillotine partition of the grid with the smallest largest class, or the least sum of squares.

    Dynamic programming: a rectangle is one class, or the best of its cuts into two rectangles.

    Parameters
    ----------
    grid : Grid
    k, cap : int
        Least and greatest weight of a class.
    squares : bool
        Whether to minimise the sum of squared class weights instead of the largest. They are computed in float64, so
        above 2^53 this is right up to rounding.
    goes_on : callable
        Told the share of the work that is done; returns False to stop.

    Returns
    -------
    (m, 4) int64 array or None
        First column, first row, end column and end row of each tile; None where there is no such partition, or the work
        was stopped.

    Complexity
    ----------
    O(C^2 R^2 (C + R)) time and O(C^2 R^2) space for C columns and R rows.

    References
    ----------
    S. Muthukrishnan, V. Poosala, T. Suel, "On rectangular partitionings in two dimensions" (1999): the same dynamic
    program for partitions without a least weight, there called hierarchical.
    """
    wide, high = grid.shape
    best = np.empty((intervals(wide), intervals(high)))
    for width in range(1, wide + 1):
        if not goes_on((width - 1) / wide):
            return None
        widen(best, grid.sums, width, Classes(k, cap, squares))

    def value(a: int, b: int, c: int, d: int) -> float:
        return float(best[interval(a, c - a, wide), interval(b, d - b, high)])

    if not np.isfinite(value(0, 0, wide, high)):
        return None
    tiles, waiting = [], [(0, 0, wide, high)]
    while waiting:
        a, b, c, d = waiting.pop()
        aim = value(a, b, c, d)
        weight = int(grid.weights_of(np.array([[a, b, c, d]]))[0])
        if k <= weight <= cap and (float(weight) * float(weight) if squares else weight) == aim:
            tiles.append((a, b, c, d))
            continue
        halves = [((a, b, x, d), (x, b, c, d)) for x in range(a + 1, c)]
        halves += [((a, b, c, y), (a, y, c, d)) for y in range(b + 1, d)]
        for one, two in halves:
            first, second = value(*one), value(*two)
            if (first + second if squares else max(first, second)) == aim:
                waiting += [two, one]
                break
    return np.array(tiles, dtype=np.int64)
