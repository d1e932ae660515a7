"""The paper's algorithm for zip codes: cut a spanning tree of low degree."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_engine.regions.instance import Regions, TreeDetails
from kanon_engine.regions.kernels import peel_tree
from kanon_engine.regions.spanning_tree import low_degree_tree, neighbour_lists, random_tree
from kanon_engine.run import Outcome, Run

TRIES = 8  # spanning trees that "auto" compares
TRIES_SIZE = 5_000  # above this many areas it compares two


def tree_split(regions: Regions, k: int, run: Run, *, tree: str) -> Outcome:
    """Connected classes from a spanning tree, by cutting off the lightest subtree of weight >= k again and again.

    Guarantee: cost <= kappa + d (k - 1), where kappa = max(k, heaviest area) and d is the tree's largest degree. A
    subtree that is cut off hangs on one edge and has at most d - 1 branches at the vertex of that edge, each below k
    (else a lighter cut existed; of equally light ones the inclusion-minimal is taken, which settles the ties that the
    proof of Lemma 2 passes over): at most kappa + (d - 1)(k - 1). In the tree that is left no edge has k on both
    sides; a vertex with all its branches below k exists (orient every edge to its heavier side, ties to one fixed
    end; a path along the orientation cannot return, so some vertex has no edge out of it): at most kappa + d (k - 1).

    How the cheapest cut is found: a leaf below k can never be cut off, nor can any part of the tree hanging on the far
    side of it alone, so it is merged into its neighbour. When no leaf is below k, both sides of every remaining edge
    contain a leaf and weigh at least k, and the lightest side of all is the lightest leaf. Cutting only lightens
    sides, so nothing merged has to be undone.

    Parameters
    ----------
    regions : Regions
    k : int
    run : Run
    tree : str
        "low-degree": one tree of nearly least degree; "random": one random tree, whatever its degree; "auto": several
        low-degree trees, of those with the least degree the one that gives the smallest largest class (ties: the
        smallest sum of squared class weights).

    Returns
    -------
    Outcome
        `details` is a `TreeDetails`.

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
    tries = 1 if tree != "auto" else TRIES if len(regions) <= TRIES_SIZE else 2
    grow = random_tree if tree == "random" else low_degree_tree
    best: Any = None
    for attempt in range(tries):
        pairs = grow(regions.edges, len(regions), generator)
        degree = int(np.bincount(pairs.ravel()).max()) if len(pairs) else 0
        roots, cuts = peel_tree(*neighbour_lists(pairs, len(regions)), regions.weights, k)
        loads = np.bincount(roots, weights=regions.weights)
        rank = (degree, loads.max(), float(np.square(loads).sum()))
        if best is None or rank < best[0]:
            best = (rank, pairs, degree, roots, cuts)
        if not run.goes_on((attempt + 1) / tries, int(best[0][1]), None, "comparing spanning trees"):
            break
    _, pairs, degree, roots, cuts = best
    return Outcome(
        assignment=numbered(roots, regions.weights),
        details=TreeDetails(pairs, degree, cuts.astype(np.int32).reshape(-1, 2), regions.added_edges, HEURISTICS[tree]),
        guarantee=max(k, int(regions.weights.max())) + degree * (k - 1),
    )


HEURISTICS = {
    "auto": "the best of several trees of degree at most one above the smallest possible",
    "low-degree": "a tree of degree at most one above the smallest possible",
    "random": "a random tree",
}


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
