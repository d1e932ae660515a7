"""Lower bounds on the largest class of any tiling by rectangles of weight >= k."""

from __future__ import annotations

import numpy as np

from kanon_engine.bound import Bound
from kanon_engine.rectangles.instance import Points


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
        `name` is "k", "heaviest location" (witness: the position of one of its points), "average class", or "locations
        per class" (witness: the number i of set-aside locations).

    Notes
    -----
    A location lies in one class. With U classes at most, the largest weighs at least W / U, rounded up. "Average
    class": a class still weighs k when every location's weight is lowered to k at most, so U = floor(sum of
    min(w, k) / k), which is at most floor(W / k). "Locations per class": set the i heaviest locations aside; at most i
    classes hold one of them, and every other class needs at least c of the n - i others, the fewest that reach k
    together: U = i + floor((n - i) / c).

    Example
    -------
    >>> lower_bound(Points([(0, 0), (1, 0), (2, 0)], [3, 3, 3]), 4)
    Bound(value=9, name='locations per class', kind='checked', witness=(0,))
    """
    heaviest = int(np.argmax(points.location_weights[points.locations]))
    most = int(np.minimum(points.location_weights, k).sum()) // k
    aside, fewest = _locations_per_class(points.location_weights, k)
    candidates = [
        Bound(k, "k"),
        Bound(int(points.location_weights[points.locations[heaviest]]), "heaviest location", witness=(heaviest,)),
        Bound(-(-points.total // most), "average class"),
        Bound(-(-points.total // fewest), "locations per class", witness=(aside,)),
    ]
    return max(candidates, key=lambda bound: bound.value)


def _locations_per_class(weights: np.ndarray, k: int) -> tuple[int, int]:
    """The number i of set-aside locations that bounds the number of classes best, and that bound.

    For i = 1, where the rest does not reach k, the bound is 1; so some i always gives one of at least 1.
    """
    n = len(weights)
    sums = np.concatenate([[0], np.cumsum(np.sort(weights)[::-1])])
    aside = np.arange(n)
    needed = np.searchsorted(sums, sums[:-1] + k) - aside  # beyond n - i where the rest does not reach k
    most = aside + (n - aside) // needed
    best = int(np.argmin(most))
    return best, int(most[best])
