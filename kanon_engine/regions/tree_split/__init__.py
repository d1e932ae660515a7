"""The paper's algorithm for zip codes: cut a spanning tree of low degree."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_engine.model.run import Outcome, Run
from kanon_engine.regions.instance import Regions, TreeDetails
from kanon_engine.regions.tree_split.tree_plan import Plan, plan_trees
from kanon_engine.regions.trees.kernels import Graph, peel_tree
from kanon_engine.regions.trees.spanning_tree import neighbour_lists


def tree_split(regions: Regions, k: int, run: Run, *, tree: str) -> Outcome:
    """Connected classes from a spanning tree, by cutting off the lightest subtree of weight >= k again and again.

    Guarantee: cost <= h + d (k - 1), where h is the heaviest area and d the tree's largest degree; never above 1 + d
    times the best possible, which is at least k and at least h. Proof: docs/proofs/regions/tree_split.md. Of equally
    light subtrees the inclusion-minimal is taken, which settles the ties that the proof of Lemma 2 passes over.

    Parameters
    ----------
    regions : Regions
    k : int
    run : Run
    tree : str
        "hamiltonian": one path, on a 4-connected planar graph (d = 2); "degree-3": one tree of degree at most 3, on a
        3-connected planar graph; "low-degree": one tree of nearly least degree; "random": one random tree, whatever
        its degree; "auto": several trees of the first of these kinds that the graph admits, of those of degree 3 or
        less, or else the least, the one that gives the smallest largest class (ties: the smallest sum of squared class
        weights).

    Returns
    -------
    Outcome
        `details` is a `TreeDetails`.

    Raises
    ------
    InvalidInput
        "hamiltonian" or "degree-3" on a graph that two or three areas cut, or that is not planar.

    Complexity
    ----------
    O(n log n) a tree for the cuts, besides the search for the tree.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 2, Lemmas 1 and 2, Theorem 3.

    Example
    -------
    A path of unit weights splits into classes of k exactly.

    >>> path = Regions(range(6), [1] * 6, [(i, i + 1) for i in range(5)])
    >>> tree_split(path, 2, Run(), tree="auto").assignment.tolist()
    [0, 0, 1, 1, 2, 2]
    """
    generator = run.generator()
    plan: Plan | None = plan_trees(regions, tree)
    best: Any = None
    while plan is not None and best is None:
        chosen, plan = plan, plan.otherwise
        for attempt, grow in enumerate(chosen.grow):
            pairs = grow(run, generator)
            if pairs is None:
                break
            degree = int(np.bincount(pairs.ravel()).max()) if len(pairs) else 0
            roots, cuts = peel_tree(Graph(*neighbour_lists(pairs, len(regions)), regions.weights), k)
            loads = np.bincount(roots, weights=regions.weights)
            rank = (max(degree, 3), loads.max(), float(np.square(loads).sum()))
            if best is None or rank < best[0]:
                best = (rank, pairs, degree, roots, cuts)
            if not run.goes_on((attempt + 1) / len(chosen.grow), int(best[0][1]), None, "comparing spanning trees"):
                break
    _, pairs, degree, roots, cuts = best
    cuts = cuts.astype(np.int32).reshape(-1, 2)
    return Outcome(
        assignment=numbered(roots, regions.weights),
        details=TreeDetails(pairs, degree, cuts, regions.added_edges, chosen.heuristic, chosen.theorem),
        guarantee=int(regions.weights.max()) + degree * (k - 1),
    )


def numbered(labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Classes 0, 1, … from the heaviest to the lightest, so that their numbers do not tell the order of the file.

    Parameters
    ----------
    labels : (n,) int array
        Any numbers, one for each class.
    weights : (n,) int64 array

    Returns
    -------
    (n,) int32 array

    Example
    -------
    >>> numbered(np.array([7, 7, 3]), np.array([1, 2, 9])).tolist()
    [1, 1, 0]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    loads = np.bincount(inverse, weights=weights)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.lexsort((first, -loads))] = np.arange(len(first))
    return rank[inverse]
