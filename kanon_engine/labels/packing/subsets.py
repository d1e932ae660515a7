"""The best partition of few labels, by looking at all sets of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kanon_engine.search.set_kernels import best_classes, sums_of_sets

SMALL = 16  # labels up to which all sets are looked at


def all_sets(weights: np.ndarray, k: int, conflicts: Iterable[tuple[int, int]] = ()) -> tuple[int, np.ndarray | None]:
    """The least largest class, and the class of each label with the least sum of squares; at most `SMALL` labels.

    Parameters
    ----------
    weights : (n,) int64 array
    k : int
    conflicts : pairs of places
        Labels that may not share a class.

    Returns
    -------
    best : int
    bins : (n,) int64 array, or None
        None, with a best of 0, where there is no such partition.

    Example
    -------
    >>> best, bins = all_sets(np.array([6, 5, 4, 3]), 8)
    >>> best, bins.tolist()
    (9, [0, 1, 1, 0])
    >>> best, bins = all_sets(np.array([6, 5, 4, 3]), 8, [(0, 3)])
    >>> best, bins.tolist()
    (10, [0, 1, 0, 1])
    """
    bins = np.zeros(len(weights), dtype=np.int64)
    sums = sums_of_sets(np.ascontiguousarray(weights))
    masks = np.arange(len(sums))
    allowed = np.ones(len(sums), dtype=np.bool_)
    for one, other in conflicts:
        allowed &= (masks >> one & masks >> other & 1) == 0
    best = best_classes(sums, allowed, k, 0, bins)
    if not np.isfinite(best):
        return 0, None
    best_classes(sums, allowed, k, int(best), bins)
    return int(best), bins
