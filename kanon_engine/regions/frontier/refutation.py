"""Proofs that no connected classes exist between two weights, by states of which each stands for many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kanon_engine.regions.frontier.layers import Layers
from kanon_engine.regions.frontier.orders import Order, order_of, steps_of
from kanon_engine.regions.frontier.search import ANY
from kanon_engine.regions.frontier.state_kernels import Rule
from kanon_engine.regions.trees.kernels import Graph

FINENESS = 2_000  # states are merged at first where their loads differ by less than this part of k
ALIKE = 100  # states that are alike and none better than another, above which it ends: the check goes no further


@dataclass(frozen=True)
class Refutation:
    """What proves that some class weighs more than the cap, or less than k.

    Attributes
    ----------
    areas : tuple of int
        Vertices, in the order in which they come.
    k, cap : int
    limit : int
        States that are kept after a vertex.
    work : int
        How much there is to repeat.
    """

    areas: tuple[int, ...]
    k: int
    cap: int
    limit: int
    work: int


def refuted(
    graph: Graph,
    k: int,
    cap: int,
    *,
    limit: int,
    order: Order | None = None,
    rim: np.ndarray | None = None,
    spare: int = -1,
    most: int = ANY,
    most_a_step: int = ANY,
) -> tuple[bool, int]:
    """Whether it is proven that no partition into connected classes of weight k to the cap exists; False says nothing.

    As `classes_between`, but where there are more than `limit` states, those with equal parts and similar loads become
    one that stands for all of them. What is refuted for a part of a graph, with `rim`, is refuted for the graph.
    Definition and proof: docs/proofs/regions/frontier.md; the check of a result does the same again.

    Parameters
    ----------
    graph : Graph
    k, cap : int
    limit : int
        States that are kept after a vertex.
    order : Order, optional
        That of `order_of` where none is given.
    rim : (n,) bool array, optional
        Vertices with neighbours outside the graph: a class that holds one may go on there.
    spare : int
        The most that all classes together weigh above k; negative where that is not known.
    most, most_a_step : int
        The work in all and of one step, after which it ends.

    Returns
    -------
    bool
    int
        The work done.

    References
    ----------
    D. Bergman, A. Cire, W.-J. van Hoeve, J. Hooker, "Decision Diagrams for Optimization" (2016), relaxed diagrams.

    Example
    -------
    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.array([2, 2, 3, 2]))
    >>> refuted(path, 3, 4, limit=1)
    (True, 455)
    >>> refuted(path, 3, 5, limit=1)
    (False, 455)
    """
    order = order or order_of(graph)
    steps = steps_of(graph, order.vertices, rim)
    if steps is None:
        return False, 0
    layers = Layers(Rule(k, cap, spare, True), order.width, ALIKE)
    for step in steps:
        cost = layers.cost(step)
        if cost > most_a_step or layers.work + cost > most:
            return False, layers.work
        if not layers.extend(step):
            return False, layers.work
        if len(layers.states) == 0:
            return True, layers.work
        if len(layers.states) > limit and not layers.merge(limit, max(1, k // FINENESS)):
            return False, layers.work
    return False, layers.work


def refuted_near(
    graph: Graph,
    k: int,
    cap: int,
    centre: np.ndarray,
    *,
    size: int = 45,
    limit: int = 5_000,
    spare: int = -1,
    most: int = ANY,
) -> Refutation | None:
    """A few areas round some that prove that no partition into connected classes of weight k to the cap exists.

    Parameters
    ----------
    graph : Graph
    k, cap : int
    centre : int array
        Vertices to begin with.
    size : int
        How many vertices are taken, the nearest ones.
    limit, spare, most : int
        As in `refuted`.

    Returns
    -------
    Refutation or None

    Example
    -------
    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.array([1, 1, 3, 9]))
    >>> refuted_near(path, 3, 4, np.array([0]), size=3)
    Refutation(areas=(0, 1, 2), k=3, cap=4, limit=5000, work=325)
    """
    return surroundings(graph, ball(graph, centre, size)).tried(k, cap, limit, spare, most)[0]


@dataclass(frozen=True)
class Surroundings:
    """Some areas of a graph, in an order.

    Attributes
    ----------
    areas : tuple of int
    graph : Graph
        What they are to each other; `order` and `rim` refer to it.
    order : Order
    rim : (n,) bool array
        Which have neighbours among the others.
    """

    areas: tuple[int, ...]
    graph: Graph
    order: Order
    rim: np.ndarray

    def tried(
        self, k: int, cap: int, limit: int, spare: int = -1, most: int = ANY, most_a_step: int = ANY
    ) -> tuple[Refutation | None, int]:
        """What they prove, and the work that it took; see `refuted`."""
        asked: dict[str, Any] = {"limit": limit, "spare": spare, "most": most, "most_a_step": most_a_step}
        proven, work = refuted(self.graph, k, cap, order=self.order, rim=self.rim, **asked)
        return Refutation(self.areas, k, cap, limit, work) if proven else None, work


def surroundings(graph: Graph, areas: np.ndarray) -> Surroundings:
    """Some areas of a graph, in the cheapest order that is found."""
    inside, rim = part_of(graph, areas)
    order = order_of(inside)
    return Surroundings(tuple(areas[order.vertices].tolist()), inside, order, rim)


def ball(graph: Graph, centre: np.ndarray, size: int) -> np.ndarray:
    """The centre and the vertices nearest to it, up to `size`, as they are reached."""
    start, neighbours, _ = graph
    found = list(dict.fromkeys(centre.tolist()))[:size]
    seen = set(found)
    for v in found:  # it grows meanwhile
        for u in neighbours[start[v] : start[v + 1]].tolist():
            if u not in seen and len(found) < size:
                seen.add(u)
                found.append(u)
    return np.array(found, dtype=np.int64)


def part_of(graph: Graph, areas: np.ndarray) -> tuple[Graph, np.ndarray]:
    """The graph of some vertices, numbered as they are listed, and which of them have neighbours outside."""
    start, neighbours, weights = graph
    place = np.full(len(weights), -1, dtype=np.int64)
    place[areas] = np.arange(len(areas))
    counts = start[areas + 1] - start[areas]
    owner = np.repeat(np.arange(len(areas)), counts)
    first = np.cumsum(counts) - counts
    ends = place[neighbours[np.arange(len(owner)) - first[owner] + start[areas][owner]]]
    within = ends >= 0
    rim = np.zeros(len(areas), dtype=np.bool_)
    rim[owner[~within]] = True
    begin = np.zeros(len(areas) + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner[within], minlength=len(areas)), out=begin[1:])
    return Graph(begin, ends[within], weights[areas]), rim
