"""Which spanning trees the tree split is to cut, and what the paper's Theorem 3 says about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.model.run import Run
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.trees.degree_three import degree_three_tree
from kanon_engine.regions.trees.hamiltonian import hamiltonian_path, path_by_rotations
from kanon_engine.regions.trees.planar import PlaneGraph, Shape, crossing_edge, shape_of
from kanon_engine.regions.trees.spanning_tree import low_degree_tree, random_tree
from kanon_engine.search.parts import parts_of

TRIES = 8  # spanning trees that "auto" compares where Theorem 3 applies
MOST_TRIES, TRIED_AREAS = 64, 66_000  # where it does not: as many as these areas make, two at least
TRIES_SIZE = 5_000  # above this many areas it is not asked whether Theorem 3 applies

FOUR_CONNECTED = "Theorem 3: 4-connected planar, d = 2, ratio 3"
THREE_CONNECTED = "Theorem 3: 3-connected planar, d = 3, ratio 4"
ANY_GRAPH = "Lemma 2: any graph, ratio 1 + d"

Grow = Callable[[Run, np.random.Generator], np.ndarray | None]


@dataclass(frozen=True)
class Plan:
    """Spanning trees to compare.

    Attributes
    ----------
    grow : tuple of callable
        One for each tree: ``grow(run, generator)`` returns (n - parts, 2) pairs, or None when a search gave up.
    theorem, heuristic : str
        What is proven of these trees, and how they are found, in words.
    otherwise : Plan or None
        What to do when no tree was found; None where that cannot be.
    """

    grow: tuple[Grow, ...]
    theorem: str
    heuristic: str
    otherwise: Plan | None = None


def plan_trees(regions: Regions, tree: str) -> Plan:
    """The trees for one choice of the option `tree`.

    Raises
    ------
    InvalidInput
        "degree-3" on a graph that is not 3-connected and planar, "hamiltonian" on one that is not 4-connected and
        planar; the message names what cuts the graph.
    """
    if tree == "random":
        return Plan(
            (lambda run, generator: random_tree(regions.edges, len(regions), generator),), ANY_GRAPH, "a random tree"
        )
    if tree == "low-degree":
        return _low_degree(regions, 1, "a tree of degree at most one above the smallest possible")
    if tree == "auto":
        return _best(regions)
    wanted = {"degree-3": 3, "hamiltonian": 4}[tree]
    shape = shape_of(regions.edges, len(regions))
    if shape.plane is None or shape.connectivity < wanted:
        raise InvalidInput(
            f"A tree of the kind “{tree}” needs a planar graph that no {('two', 'three')[wanted - 3]} areas cut, but "
            f"{why_not(regions, shape, wanted)}",
            parameter="tree",
            value=tree,
            remedy=Remedy("let the best kind be chosen", "tree", "auto"),
        )
    return _degree_three(regions, shape.plane, 1) if tree == "degree-3" else _hamiltonian(regions, shape.plane)


def _best(regions: Regions) -> Plan:
    """Hamiltonian paths where Theorem 3 promises one, else trees of degree 3 where it does, else of low degree."""
    words = "the best of several trees of degree at most one above the smallest possible"
    tries = min(max(TRIED_AREAS // len(regions), 2), MOST_TRIES)
    if len(regions) > TRIES_SIZE:
        unasked = f"above {TRIES_SIZE:,} areas it is not asked whether Theorem 3 applies"
        return _low_degree(regions, tries, f"{words}; {unasked}")
    shape = shape_of(regions.edges, len(regions))
    if shape.plane is None or shape.connectivity < 3:
        return _low_degree(regions, tries, f"{words}; Theorem 3 does not apply, for {why_not(regions, shape, 3)}")
    if shape.connectivity == 3:
        return _degree_three(regions, shape.plane, TRIES)

    def rotations(run: Run, generator: np.random.Generator) -> np.ndarray | None:
        return path_by_rotations(regions.edges, len(regions), generator)

    otherwise = _degree_three(regions, shape.plane, TRIES)
    return Plan((rotations,) * TRIES, FOUR_CONNECTED, "the best of several Hamiltonian paths", otherwise)


def _low_degree(regions: Regions, tries: int, words: str) -> Plan:
    def grow(run: Run, generator: np.random.Generator) -> np.ndarray:
        return low_degree_tree(regions.edges, len(regions), generator)

    return Plan((grow,) * tries, ANY_GRAPH, words)


def _degree_three(regions: Regions, plane: PlaneGraph, tries: int) -> Plan:
    """Several: every other one of low degree, which is often 3 as well; the construction never fails."""

    def construct(run: Run, generator: np.random.Generator) -> np.ndarray:
        return degree_three_tree(plane, generator)

    if tries == 1:
        return Plan((construct,), THREE_CONNECTED, "a tree of degree at most three")
    grow = (construct, *_low_degree(regions, 1, "").grow) * (tries // 2)
    return Plan(grow, THREE_CONNECTED, "the best of several trees of degree at most three")


def _hamiltonian(regions: Regions, plane: PlaneGraph) -> Plan:
    def grow(run: Run, generator: np.random.Generator) -> np.ndarray | None:
        return hamiltonian_path(regions.edges, len(regions), run, generator)

    def construct(run: Run, generator: np.random.Generator) -> np.ndarray:
        return degree_three_tree(plane, generator)

    words = (
        "a tree of degree at most three, for the search for a Hamiltonian path ended before it found the one there is"
    )
    return Plan((grow,), FOUR_CONNECTED, "a Hamiltonian path", Plan((construct,), THREE_CONNECTED, words))


def why_not(regions: Regions, shape: Shape, wanted: int) -> str:
    """Why a graph is not planar and so many times connected, in words."""
    n = len(regions)
    parts = len(regions.component_weights)
    if parts > 1:
        first, other = regions.label(0), regions.label(int(np.flatnonzero(regions.components == 1)[0]))
        return f"the areas fall into {parts:,} parts ({other} cannot be reached from {first})"
    if shape.plane is None:
        a, b = (regions.label(int(v)) for v in regions.edges[crossing_edge(regions.edges, n)])
        return f"its edges cannot be drawn without crossings (that from {a} to {b} among them)"
    if n <= wanted:
        return f"that takes at least {wanted + 1} areas and there are {n}"
    label = parts_of(regions.edges[~np.isin(regions.edges, shape.separator).any(axis=1)], n)
    rest = np.setdiff1d(np.arange(n), shape.separator)
    numbers, sizes = np.unique(label[rest], return_counts=True)
    part = rest[label[rest] == numbers[np.argmin(sizes)]]
    heaviest = regions.label(int(part[np.argmax(regions.weights[part])]))
    gone = [regions.label(v) for v in shape.separator]
    names = " and ".join([", ".join(gone[:-1]), gone[-1]] if len(gone) > 1 else gone)
    cut_off = f"{heaviest} is" if len(part) == 1 else f"the {len(part):,} areas around {heaviest} are"
    return f"without {names}, {cut_off} cut off"
