"""Lower bounds on the largest class of any tiling by rectangles of weight >= k."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.rectangles.bounds.location_cells import cells
from kanon_engine.rectangles.bounds.small import small_bounds
from kanon_engine.rectangles.instance import Points

SUMS = 10**9  # cells times k (in units of weight) up to which sums of cells are looked at: about 0.1 s
MOST_BITS = 1 << 25  # k, in units of weight, up to which there is a table of sums: 8 MB
LISTED = 16  # cells of which every sum is looked at


def lower_bound(points: Points, k: int) -> Bound:
    """The best of the family's bounds.

    Parameters
    ----------
    points : Points
        They weigh at least k together.
    k : int

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
    O(n) and sorting what lies near the sides, once the locations are known; the sums of cells and the rectangles of
    small sets have budgets of about 0.1 s.

    Example
    -------
    The third point lies in a class with the second or with the last.

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
    """The least sum of some of the weights that is at least k; where finding out takes too long, the least
    multiple of their common divisor.

    Example
    -------
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

    For i = 1, where the rest does not reach k, the bound is 1; so some i always gives one of at least 1. As the bound
    is never below i, none above `most`, a bound known already, is worth a look.
    """
    n = len(weights)
    sums = np.concatenate([[0], np.cumsum(np.sort(weights)[::-1])])
    excluded = np.arange(min(n, most + 1))
    needed = np.searchsorted(sums, sums[excluded] + k) - excluded  # beyond n - i where the rest does not reach k
    fewest = excluded + (n - excluded) // needed
    best = int(np.argmin(fewest))
    return best, max(int(fewest[best]), 1)
