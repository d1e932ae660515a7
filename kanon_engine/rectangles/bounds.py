"""Lower bounds on the largest class of any tiling by rectangles of weight >= k."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.rectangles.bounds_kernels import least_rectangles, next_weight
from kanon_engine.rectangles.grid import grid_of, inner_span, intervals
from kanon_engine.rectangles.instance import Points

SUMS = 10**9  # cells times k (in units of weight) up to which sums of cells are examined: about 0.1 s
MOST_BITS = 1 << 25  # k, in units of weight, up to which there is a table of sums: 8 MB
LISTED = 16  # cells up to which every sum is examined


def lower_bound(points: Points, k: int) -> Bound:
    """The best of the family's bounds.

    Parameters
    ----------
    points : They weigh at least k together.

    Returns
    -------
    Bound
        `name` and, in brackets, what the witness holds: "k"; "least sum" (s); "heaviest location" or "points that no
        cut can split" (the position of one of its points); "average class" (s); "locations per class" (the number i of
        heaviest cells, s); "least rectangle" (the position of a point); "shares of rectangles" (nothing).

    Notes
    -----
    Cells are groups of points that no tiling separates, see `cells`, and s is the least sum of cells that is at least
    k. Definitions and proofs: docs/proofs/rectangles/bounds.md.

    Complexity
    ----------
    O(n), plus sorting the points near the sides, once the locations are known; the sums of cells and the rectangles of
    small sets have budgets of about 0.1 s.

    The third point shares a class with the second or with the last.

    >>> lower_bound(Points([(0, 0), (1, 0), (2, 0), (3, 0)], [3, 3, 3, 5]), 4)
    Bound(value=8, name='least rectangle', kind='checked', witness=(2,))
    """
    weights, heaviest, alone = cells(points, k)
    name = "heaviest location" if alone else "points that no cut can split"
    candidates = [Bound(k, "k"), Bound(int(weights.max()), name, witness=(heaviest,))]
    if len(weights) > 1:
        least = least_sum(weights, k)
        most = int(np.minimum(weights, least).sum()) // least
        excluded, fewest = _locations_per_class(weights, least, most)
        candidates += [
            Bound(least, "least sum", witness=(least,)),
            Bound(-(-points.total // most), "average class", witness=(least,)),
            Bound(-(-points.total // fewest), "locations per class", witness=(excluded, least)),
            *small_bounds(points, k),
        ]
    return max(candidates, key=lambda bound: bound.value)


def least_sum(weights: np.ndarray, k: int) -> int:
    """The least sum of some of the weights that is at least k; if computing it takes too long, the least multiple of
    their common divisor.

    >>> least_sum(np.array([3, 3, 7]), 4)
    6
    """
    unit = int(np.gcd.reduce(weights))
    aim = -(-k // unit)
    heavy = weights[weights >= k]
    least = int(heavy.min()) // unit if len(heavy) else int(weights.sum()) // unit
    light = weights[weights < k] // unit
    if np.count_nonzero(light == 1) >= aim:
        return aim * unit
    if len(light) <= LISTED:
        sums = np.zeros(1, dtype=np.int64)
        for weight in light.tolist():
            sums = np.concatenate([sums, sums + weight])
        return min(least, int(sums[sums >= aim].min(initial=least))) * unit
    if aim > MOST_BITS:
        return aim * unit
    reached = 1  # bit number s: some of the weights so far sum to s
    for weight in light[: max(SUMS // aim, 1)].tolist():
        reached |= reached << weight
        above = reached >> aim
        if above:
            least = min(least, aim + (above & -above).bit_length() - 1)
        if least == aim:
            return aim * unit
        reached &= (1 << aim) - 1
    return (least if len(light) * aim <= SUMS else aim) * unit


def _locations_per_class(weights: np.ndarray, k: int, most: int) -> tuple[int, int]:
    """The number i of heaviest cells excluded that bounds the number of classes best, and that bound.

    For i = 1, where the rest does not reach k, the bound is 1; so some i always gives one of at least 1. Because the
    bound is never below i, no i above `most`, an already known bound, needs to be tried.
    """
    n = len(weights)
    sums = np.concatenate([[0], np.cumsum(np.sort(weights)[::-1])])
    excluded = np.arange(min(n, most + 1))
    needed = np.searchsorted(sums, sums[excluded] + k) - excluded  # beyond n - i if the rest does not reach k
    fewest = excluded + (n - excluded) // needed
    best = int(np.argmin(fewest))
    return best, max(int(fewest[best]), 1)


LARGEST_STRIPS = 200_000  # points near the sides up to which they are grouped; part of what "cells" means


def collapsed(values: np.ndarray, span: tuple[float, float] | None) -> np.ndarray:
    """Coordinates, made equal where no useful line separates them."""
    return np.zeros(len(values)) if span is None else np.clip(values, *span)


def cells(points: Points, k: int) -> tuple[np.ndarray, int, bool]:
    """Weights of the cells: groups of points that lie in one class of every tiling with classes of weight >= k.

    Why no tiling separates them: docs/proofs/rectangles/bounds.md, cells. The lines that separate nothing are those
    near the sides of the bounding box.

    Returns
    -------
    weights : (c,) int64 array
        Weights of the cells, in no particular order. If more than 200,000 points lie near the sides, every location is
        a cell.
    heaviest : int
        Position of a point in the heaviest cell.
    alone : bool
        Whether that cell is a single location.

    The paper's degenerate case: no line leaves k = 3 on both sides.

    >>> cells(Points([(0, 1), (1, 0), (0, -1), (-1, 0), (0, 0)], [2, 2, 2, 2, 3]), 3)
    (array([11]), 0, False)
    """
    spans = [inner_span(points.xy[:, axis], points.weights, k) for axis in range(2)]
    loads, place = points.location_weights, points.locations
    if spans[0] is None and spans[1] is None:
        return np.array([points.total]), 0, len(loads) == 1
    outer = np.zeros(len(points), dtype=bool)
    for axis, span in enumerate(spans):
        outer |= True if span is None else (points.xy[:, axis] <= span[0]) | (points.xy[:, axis] >= span[1])
    near = np.flatnonzero(outer)
    if len(near) > LARGEST_STRIPS:
        heaviest = int(np.argmax(loads))
        return loads, int(np.argmax(place == heaviest)), True
    x, y = (collapsed(points.xy[near, axis], spans[axis]) for axis in range(2))
    group = np.unique(x + 1j * y, return_inverse=True)[1]
    group_weights = np.bincount(group, weights=points.weights[near]).astype(np.int64)
    separate = np.ones(len(loads), dtype=bool)
    separate[place[near]] = False
    if separate.any() and int(loads[separate].max()) >= int(group_weights.max()):
        number = int(np.flatnonzero(separate)[np.argmax(loads[separate])])
        return np.concatenate([group_weights, loads[separate]]), int(np.argmax(place == number)), True
    heaviest = int(near[np.argmax(group == np.argmax(group_weights))])
    alone = int(loads[place[heaviest]]) == int(group_weights.max())
    return np.concatenate([group_weights, loads[separate]]), heaviest, alone


SMALL = intervals(80) ** 2  # rectangles up to which all are weighed: about 0.05 s
SHARE = 1 << 128  # unit of shares, rounded up: the exact sum of many fractions takes minutes


def small_bounds(points: Points, k: int) -> Iterator[Bound]:
    """Bounds from the least weight m(p) >= k of a rectangle that holds p, for every cell p.

    Proof: docs/proofs/rectangles/bounds.md, least rectangle and shares of rectangles.

    Yields
    ------
    Bound : None for sets with more than 80 useful columns and rows, or as many rectangles.

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
    weights = grid.weights_of(np.column_stack([grid.cells, grid.cells + 1]))
    sums: dict[int, int] = {}
    for weight, rectangle in zip(weights.tolist(), least.tolist(), strict=True):
        sums[rectangle] = sums.get(rectangle, 0) + weight
    most = sum(-(-weight * SHARE // rectangle) for rectangle, weight in sums.items()) // SHARE
    yield Bound(int(next_weight(grid.sums, -(-points.total // most))), "shares of rectangles")
