"""A spanning forest that shows any partition into connected classes: cut some edges, and the classes are left."""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree

from kanon_engine.regions.instance import Regions, TreeDetails


def forest_of_classes(regions: Regions, assignment: np.ndarray, heuristic: str) -> TreeDetails:
    """The record of a partition that was not made by cutting a tree.

    Edges inside classes weigh less than edges between them, so a spanning forest of least weight spans every class by
    itself; its edges between classes are the cut edges, in ascending order.

    Parameters
    ----------
    regions : Regions
    assignment : (n,) int array
        Connected classes.
    heuristic : str
        How the partition was found, in words.

    Returns
    -------
    TreeDetails

    Example
    -------
    >>> square = Regions(range(4), [1] * 4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    >>> forest_of_classes(square, np.array([0, 0, 1, 1]), "by hand").cut_edges.tolist()
    [[0, 3]]
    """
    edges = regions.edges
    between = assignment[edges[:, 0]] != assignment[edges[:, 1]]
    weights = 1.0 + np.arange(len(edges)) + between * (len(edges) + 1.0)
    tree = forest_of(edges, len(regions), weights)
    cut = tree[assignment[tree[:, 0]] != assignment[tree[:, 1]]]
    degree = int(np.bincount(tree.ravel()).max()) if len(tree) else 0
    return TreeDetails(tree, degree, cut, regions.added_edges, heuristic)


def forest_of(edges: np.ndarray, count: int, weights: np.ndarray) -> np.ndarray:
    """The edges of a spanning forest of least weight, sorted: (count - parts, 2) int32.

    Example
    -------
    >>> forest_of(np.array([(0, 1), (1, 2), (0, 2)]), 4, np.array([1.0, 3.0, 2.0])).tolist()
    [[0, 1], [0, 2]]
    """
    forest = minimum_spanning_tree(coo_array((weights, edges.T), shape=(count, count))).tocoo()
    tree = np.sort(np.column_stack([forest.row, forest.col]), axis=1).astype(np.int32).reshape(-1, 2)
    return np.unique(tree, axis=0)
