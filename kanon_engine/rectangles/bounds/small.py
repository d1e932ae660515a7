"""Lower bounds for small sets, from the weights of all rectangles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.rectangles.bounds.kernels import least_rectangles, next_weight
from kanon_engine.rectangles.grid import Grid, grid_of, intervals
from kanon_engine.rectangles.instance import Points

SMALL = intervals(80) ** 2  # rectangles up to which all are weighed: about 0.05 s
SHARE = 1 << 128  # what shares are counted in, rounded up: the exact sum of many fractions takes minutes


def small_bounds(points: Points, k: int) -> Iterator[Bound]:
    """Bounds from the least weight m(p) >= k of a rectangle that holds p, for every cell p.

    Proof: docs/proofs/rectangles/bounds.md, least rectangle and shares of rectangles.

    Parameters
    ----------
    points : Points
    k : int

    Yields
    ------
    Bound
        None for sets with more than 80 useful columns and rows, or as many rectangles.

    Example
    -------
    The middle has to join one of the sides.

    >>> [bound.value for bound in small_bounds(Points([(0, 0), (1, 0), (2, 0)], [6, 1, 7]), 5)]
    [7, 7]
    """
    if len(points.location_weights) > 80 * 80:
        return
    grid = grid_of(points, k, SMALL)
    if not grid.whole:
        return
    columns, rows = grid.cells.T
    least = least_rectangles(grid.sums, np.ascontiguousarray(columns), np.ascontiguousarray(rows), k)
    worst = int(np.argmax(least))
    position = int(np.argmax((grid.places == grid.cells[worst]).all(axis=1)))
    yield Bound(int(least[worst]), "least rectangle", witness=(position,))
    yield Bound(_largest_share(grid, least), "shares of rectangles")


def _largest_share(grid: Grid, least: np.ndarray) -> int:
    weights = grid.weights_of(np.column_stack([grid.cells, grid.cells + 1]))
    sums: dict[int, int] = {}
    for weight, rectangle in zip(weights.tolist(), least.tolist(), strict=True):
        sums[rectangle] = sums.get(rectangle, 0) + weight
    most = sum(-(-weight * SHARE // rectangle) for rectangle, weight in sums.items()) // SHARE
    total = int(grid.sums[-1, -1])
    return int(next_weight(grid.sums, -(-total // most)))
