"""The best partition of a small connected graph, over all its connected sets."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.exact.kernels import weigh_sets
from kanon_engine.search.set_kernels import best_classes

SMALL = 14  # vertices up to which all sets are looked at


def best_partition(edges: np.ndarray, weights: np.ndarray, k: int, cap: int = 0) -> np.ndarray:
    """Connected classes of weight >= k with the smallest largest class.

    Dynamic programming over all sets of vertices: a best partition of a set is the class of its lowest vertex, any
    connected subset that weighs at least k, with a best partition of the rest.

    Parameters
    ----------
    edges : (e, 2) int array
    weights : (n,) int64 array
        n <= SMALL; at least k together.
    k : int
    cap : int
        Above 0: the smallest sum of squared class weights instead, with no class above the cap.

    Returns
    -------
    (n,) int64 array
        A class number for each vertex.

    Complexity
    ----------
    O(3^n).

    Example
    -------
    >>> best_partition(np.array([(0, 1), (1, 2), (2, 3)]), np.array([3, 1, 2, 2]), 3).tolist()
    [0, 0, 1, 1]
    """
    n = len(weights)
    near = np.zeros(n, dtype=np.int64)
    for a, b in edges.tolist():
        near[a] |= 1 << b
        near[b] |= 1 << a
    sums, usable = weigh_sets(near, weights, k)
    labels = np.zeros(n, dtype=np.int64)
    best_classes(sums, usable, k, cap, labels)
    return labels
