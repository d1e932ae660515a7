"""The connected parts of a graph."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


def parts_of(edges: np.ndarray, count: int) -> np.ndarray:
    """(n,) int32: the number of the connected part that each vertex lies in, parts numbered by their first vertex.

    Parameters
    ----------
    edges : (e, 2) int array
    count : int
        Number of vertices n.

    Example
    -------
    >>> parts_of(np.array([(0, 3), (2, 4)]), 5).tolist()
    [0, 1, 2, 0, 2]
    """
    graph = coo_array((np.ones(len(edges), dtype=np.int8), edges.T), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int32, copy=False)


def sums_of(values: np.ndarray, part: np.ndarray) -> np.ndarray:
    """(parts,) int64: the sum of the values in each part.

    Example
    -------
    >>> sums_of(np.array([5, 1, 2]), np.array([1, 0, 1])).tolist()
    [1, 7]
    """
    sums = np.zeros(int(part.max()) + 1, dtype=np.int64)
    np.add.at(sums, part, values)
    return sums
