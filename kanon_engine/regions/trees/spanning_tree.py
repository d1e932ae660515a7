"""Spanning trees of low degree: every branch at a vertex costs the tree split up to k - 1."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from kanon_engine.regions.trees.kernels import depth_first_forest, depths, improving_edge


def neighbour_lists(
    edges: np.ndarray, n: int, generator: np.random.Generator | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """CSR neighbour lists of an undirected graph, each list in random order when a generator is given.

    Returns
    -------
    start : (n + 1,) int64
    neighbours : (2 e,) int64
    """
    tails = np.concatenate([edges[:, 0], edges[:, 1]]).astype(np.int64)
    heads = np.concatenate([edges[:, 1], edges[:, 0]]).astype(np.int64)
    order = np.lexsort((heads, tails)) if generator is None else np.lexsort((generator.random(len(tails)), tails))
    start = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(np.bincount(tails, minlength=n), out=start[1:])
    return start, heads[order]


def random_tree(edges: np.ndarray, n: int, generator: np.random.Generator) -> np.ndarray:
    """Spanning forest of least weight for random edge weights, (n - parts, 2) int32."""
    weights = generator.permutation(len(edges)) + 1.0
    tree = minimum_spanning_tree(coo_array((weights, edges.T), shape=(n, n))).tocoo()
    pairs = np.column_stack([np.minimum(tree.row, tree.col), np.maximum(tree.row, tree.col)])
    return np.unique(pairs.astype(np.int32).reshape(-1, 2), axis=0)


def low_degree_tree(edges: np.ndarray, n: int, generator: np.random.Generator) -> np.ndarray:
    """Spanning forest whose largest degree is at most one above the smallest possible.

    Starts from a random depth-first forest by Warnsdorff's rule, which has very few branches, and lowers vertices of
    the largest degree d by exchanging edges: a graph edge whose ends have degree <= d - 2 closes a cycle through such
    a vertex, from which one of the vertex's two cycle edges is dropped. Ends of degree d - 1 are lowered first, by the
    edges that the search found for them. The degrees are those of the largest over all parts of the graph.

    Parameters
    ----------
    edges : (e, 2) int array
    n : int
    generator : Generator

    Returns
    -------
    (n - parts, 2) int32 array
        Sorted pairs.

    Complexity
    ----------
    O(e α(e)) a phase; each phase lowers one vertex of the largest degree, of which a start by that rule has hardly any
    on maps: the forest of a Delaunay graph has degree 3 at once, and one phase shows that 2 is out of reach.

    References
    ----------
    M. Fürer, B. Raghavachari, "Approximating the Minimum-Degree Steiner Tree to within One of Optimal", J. Algorithms
    17 (1994), Theorem 1.1.

    Example
    -------
    >>> wheel = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (2, 3), (3, 4), (1, 4)])
    >>> tree = low_degree_tree(wheel, 5, np.random.default_rng(0))
    >>> int(np.bincount(tree.ravel()).max())
    2
    """
    start, neighbours = neighbour_lists(edges, n, generator)
    parent = depth_first_forest(start, neighbours, generator.permutation(n))
    pairs = edges.astype(np.int64)
    degree = _degrees(parent)
    improver = np.full(n, -1, dtype=np.int64)
    while n > 1 and degree.max() > 2:
        improver[:] = -1
        edge, vertex = improving_edge(pairs, parent, depths(parent), degree, improver)
        if edge < 0:
            break
        _exchange(parent, pairs, improver, edge, vertex)
        degree = _degrees(parent)
    children = np.flatnonzero(parent >= 0)
    tree = np.column_stack([np.minimum(children, parent[children]), np.maximum(children, parent[children])])
    return np.unique(tree.astype(np.int32).reshape(-1, 2), axis=0)


def _degrees(parent: np.ndarray) -> np.ndarray:
    children = parent >= 0
    return np.bincount(parent[children], minlength=len(parent)) + children


def _exchange(parent: np.ndarray, edges: np.ndarray, improver: np.ndarray, edge: int, vertex: int) -> None:
    """Add the edge, drop one of the vertex's edges on its cycle; before that, lower ends that must be lowered."""
    waiting = [(edge, vertex, False)]
    while waiting:
        edge, vertex, ready = waiting.pop()
        u, v = (int(end) for end in edges[edge])
        if not ready:
            waiting.append((edge, vertex, True))
            for end in (u, v):
                if improver[end] >= 0:
                    waiting.append((int(improver[end]), end, False))
                    improver[end] = -1
            continue
        path = _path(parent, u, v)
        place = path.index(vertex)
        _replace(parent, u, v, path[place], path[place + 1])


def _path(parent: np.ndarray, u: int, v: int) -> list[int]:
    """The tree path from u to v."""
    up = [u]
    while parent[up[-1]] >= 0:
        up.append(int(parent[up[-1]]))
    place = {vertex: position for position, vertex in enumerate(up)}
    down = [v]
    while down[-1] not in place:
        down.append(int(parent[down[-1]]))
    return up[: place[down[-1]]] + down[::-1]


def _replace(parent: np.ndarray, u: int, v: int, a: int, b: int) -> None:
    """Drop the tree edge a–b and join u to v instead; a–b lies on the path from u to v."""
    child = a if parent[a] == b else b
    for inner, outer in ((u, v), (v, u)):
        line = [inner]
        while line[-1] != child and parent[line[-1]] >= 0:
            line.append(int(parent[line[-1]]))
        if line[-1] == child:  # `inner` hangs below the dropped edge: turn its line round and hang it on `outer`
            for lower, upper in zip(line[-2::-1], line[:0:-1], strict=True):
                parent[upper] = lower
            parent[inner] = outer
            return
