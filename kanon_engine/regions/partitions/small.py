"""The best partition of a small connected graph, over all its connected sets."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.partitions.kernels import weigh_sets
from kanon_engine.regions.partitions.rules import Rules
from kanon_engine.search.set_kernels import best_classes

NO_RULES = Rules()
SMALL = 14  # vertices up to which all sets are looked at


def best_partition(
    edges: np.ndarray, weights: np.ndarray, k: int, cap: int = 0, rules: Rules = NO_RULES
) -> np.ndarray | None:
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
    rules : Rules

    Returns
    -------
    (n,) int64 array or None
        A class number for each vertex; None where there is no partition.

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
    best = best_classes(sums, usable & rules.of_all_sets(n), k, cap, labels)
    return labels if best < np.inf else None
