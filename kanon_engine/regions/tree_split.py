"""The paper's algorithm for zip codes: cut a spanning tree of low degree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.model.run import Outcome, Run
from kanon_engine.model.wishes import parts_of
from kanon_engine.regions.instance import Regions, TreeDetails
from kanon_engine.regions.trees import (
    Shape,
    crossing_edge,
    degree_three_tree,
    hamiltonian_path,
    low_degree_tree,
    neighbor_lists,
    path_by_rotations,
    random_tree,
    shape_of,
)
from kanon_engine.regions.trees_kernels import Graph, peel_tree


def tree_split(regions: Regions, k: int, run: Run, *, tree: str) -> Outcome:
    """Connected classes from a spanning tree, by repeatedly cutting off the lightest subtree of weight >= k.

    Guarantee: cost <= h + d (k - 1), where h is the heaviest area and d the tree's largest degree; never above 1 + d
    times the best possible, which is at least k and at least h. Proof: docs/proofs/regions/tree_split.md. Among equally
    light subtrees the inclusion-minimal one is taken, which settles the ties that the proof of Lemma 2 does not
    address.

    `tree`: "hamiltonian": one path, on a 4-connected planar graph (d = 2); "degree-3": one tree of degree at most 3, on
        a 3-connected planar graph; "low-degree": one tree of nearly least degree; "random": one random tree, whatever
        its degree; "auto": several trees of the first of these kinds that the graph admits; among those of degree 3 or
        less (otherwise of the least degree), the one that gives the smallest largest class (ties: the smallest sum of
        squared class weights).
    Returns: `details` is a `TreeDetails`.
    Raises `InvalidInput`: "hamiltonian" or "degree-3" on a graph that is not planar or that two or three areas
    disconnect.
    Complexity: O(n log n) per tree for the cuts, plus the search for the tree.
    References: Du, Eppstein, Goodrich, Lueker (2009), section 2, Lemmas 1 and 2, Theorem 3.

    A path of unit weights splits into classes of k exactly.

    >>> path = Regions(range(6), [1] * 6, [(i, i + 1) for i in range(5)])
    >>> tree_split(path, 2, Run(), tree="auto").assignment.tolist()
    [0, 0, 1, 1, 2, 2]
    """
    generator = run.generator()
    plan: TreePlan | None = plan_trees(regions, tree)
    best: Any = None
    while plan is not None and best is None:
        chosen, plan = plan, plan.otherwise
        for attempt, grow in enumerate(chosen.grow):
            pairs = grow(run, generator)
            if pairs is None:
                break
            degree = int(np.bincount(pairs.ravel()).max()) if len(pairs) else 0
            roots, cuts = peel_tree(Graph(*neighbor_lists(pairs, len(regions)), regions.weights), k)
            loads = np.bincount(roots, weights=regions.weights)
            # trees of degree 3 and less compete by their classes alone, as the docstring says
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
    """Classes 0, 1, … from the heaviest to the lightest, so that their numbers do not reveal the order of the file.

    `labels`: (n,) int. Any numbers, one for each class. `weights`: (n,) int64.
    Returns (n,) int32 array.

    >>> numbered(np.array([7, 7, 3]), np.array([1, 2, 9])).tolist()
    [1, 1, 0]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    loads = np.bincount(inverse, weights=weights)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.lexsort((first, -loads))] = np.arange(len(first))
    return rank[inverse]


TRIES = 8  # spanning trees that "auto" compares where Theorem 3 applies
MOST_TRIES, TRIED_AREAS = 64, 66_000  # where it does not: as many as this number of areas allows, at least two
TRIES_SIZE = 5_000  # Theorem 3 is not considered above this many areas

FOUR_CONNECTED = "Theorem 3: 4-connected planar, d = 2, ratio 3"
THREE_CONNECTED = "Theorem 3: 3-connected planar, d = 3, ratio 4"
ANY_GRAPH = "Lemma 2: any graph, ratio 1 + d"
FEW_BRANCHES = "in which the largest number of branches at an area is at most one above the lowest possible"
# those names, which certificates hold, as a person reads them
IN_WORDS = {
    FOUR_CONNECTED: "Theorem 3 of the paper: a map that has no crossing edges and stays connected when any three areas "
    "are removed has a path through all areas",
    THREE_CONNECTED: "Theorem 3 of the paper: a map that has no crossing edges and stays connected when any two areas "
    "are removed has a tree with at most three branches at each area",
    ANY_GRAPH: "Lemma 2 of the paper, for any map",
}

Grow = Callable[[Run, np.random.Generator], np.ndarray | None]


@dataclass(frozen=True)
class TreePlan:
    """Spanning trees to compare."""

    # one for each tree: ``grow(run, generator)`` returns (n - parts, 2) pairs, or None when a search gave up
    grow: tuple[Grow, ...]
    # theorem, heuristic: what is proven about these trees, and how they are found, in words
    theorem: str
    heuristic: str
    otherwise: TreePlan | None = None  # what to do if no tree was found; None if that cannot happen


def plan_trees(regions: Regions, tree: str) -> TreePlan:
    """The trees for one choice of the option `tree`.

    "auto": Hamiltonian paths if Theorem 3 guarantees one; otherwise, if it guarantees trees of degree 3, those
    alternating with trees of low degree, which is often 3 as well; otherwise trees of low degree.
    """
    edges, n = regions.edges, len(regions)

    def low_degree(run: Run, generator: np.random.Generator) -> np.ndarray:
        return low_degree_tree(edges, n, generator)

    if tree == "random":
        return TreePlan((lambda run, generator: random_tree(edges, n, generator),), ANY_GRAPH, "a random tree")
    if tree == "low-degree":
        return TreePlan((low_degree,), ANY_GRAPH, f"a tree {FEW_BRANCHES}")
    several = (low_degree,) * min(max(TRIED_AREAS // n, 2), MOST_TRIES)
    words = f"the best of several trees, each {FEW_BRANCHES}"
    if tree == "auto" and n > TRIES_SIZE:
        unasked = f"Theorem 3 of the paper is not considered above {TRIES_SIZE:,} areas"
        return TreePlan(several, ANY_GRAPH, f"{words}; {unasked}")
    least = 4 if tree == "hamiltonian" else 3
    shape = shape_of(edges, n)
    plane = shape.plane
    if plane is None or shape.connectivity < least:
        reason = why_not(regions, shape, least)
        if tree == "auto":
            return TreePlan(several, ANY_GRAPH, f"{words}; Theorem 3 of the paper does not apply because {reason}")
        raise InvalidInput(
            f"A tree of the kind “{tree}” needs a map that has no crossing edges and stays connected when any "
            f"{('two', 'three')[least - 3]} areas are removed, but {reason}",
            parameter="tree",
            value=tree,
            remedy=Remedy("have kanon choose the best kind", "tree", "auto"),
        )

    def construct(run: Run, generator: np.random.Generator) -> np.ndarray:
        return degree_three_tree(plane, generator)

    if tree == "degree-3":
        return TreePlan((construct,), THREE_CONNECTED, "a tree with at most three branches at each area")
    if tree == "hamiltonian":
        ended = "because the search for a path through all areas ended before it found one"
        words = f"a tree with at most three branches at each area, {ended}"
        otherwise = TreePlan((construct,), THREE_CONNECTED, words)
        return TreePlan(
            (lambda run, generator: hamiltonian_path(edges, n, run, generator),),
            FOUR_CONNECTED,
            "a path through all areas",
            otherwise,
        )
    trees = "the best of several trees with at most three branches at each area"
    otherwise = TreePlan((construct, low_degree) * (TRIES // 2), THREE_CONNECTED, trees)
    if shape.connectivity == 3:
        return otherwise
    paths = (lambda run, generator: path_by_rotations(edges, n, generator),) * TRIES
    return TreePlan(paths, FOUR_CONNECTED, "the best of several paths through all areas", otherwise)


def why_not(regions: Regions, shape: Shape, least: int) -> str:
    """Why a graph is not planar or not as many times connected as needed, in words."""
    n = len(regions)
    parts = len(regions.component_weights)
    if parts > 1:
        first, other = regions.label(0), regions.label(int(np.flatnonzero(regions.components == 1)[0]))
        return f"the areas fall into {parts:,} parts ({other} cannot be reached from {first})"
    if shape.plane is None:
        a, b = (regions.label(int(v)) for v in regions.edges[crossing_edge(regions.edges, n)])
        return f"the edges cannot be drawn without crossings (one of them joins {a} and {b})"
    if n <= least:
        return f"at least {least + 1} areas are needed, and there are {n}"
    label = parts_of(regions.edges[~np.isin(regions.edges, shape.separator).any(axis=1)], n)
    rest = np.setdiff1d(np.arange(n), shape.separator)
    numbers, sizes = np.unique(label[rest], return_counts=True)
    part = rest[label[rest] == numbers[np.argmin(sizes)]]
    heaviest = regions.label(int(part[np.argmax(regions.weights[part])]))
    separator = [regions.label(v) for v in shape.separator]
    names = " and ".join([", ".join(separator[:-1]), separator[-1]] if len(separator) > 1 else separator)
    cut_off = f"{heaviest} is" if len(part) == 1 else f"the {len(part):,} areas around {heaviest} are"
    return f"without {names}, {cut_off} cut off"
