"""Orders of vertices that keep the frontier small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.regions.frontier.order_kernels import greedy, walk
from kanon_engine.regions.frontier.state_kernels import WIDEST, Step
from kanon_engine.regions.trees.kernels import Graph

TRIES = 60  # first vertices that are tried


@dataclass(frozen=True)
class Order:
    """An order in which vertices come.

    Attributes
    ----------
    vertices : (n,) int64 array
    width : int
        The most vertices that ever wait for a neighbour.
    """

    vertices: np.ndarray
    width: int


def order_of(graph: Graph, tries: int = TRIES, random: np.random.Generator | None = None) -> Order:
    """The cheapest of greedy orders from several first vertices: next comes what leaves the smallest frontier.

    Parameters
    ----------
    graph : Graph
    tries : int
        How many first vertices are tried, at even distances; with `random` any ones, and equals are chosen from by it.
    random : Generator, optional

    Returns
    -------
    Order

    Complexity
    ----------
    O(n (width + degree)) a try.

    Example
    -------
    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.ones(4, dtype=np.int64))
    >>> order_of(path)
    Order(vertices=array([0, 1, 2, 3]), width=1)
    """
    n = len(graph.weights)
    if random is None:
        firsts = np.unique(np.linspace(0, n - 1, min(tries, n)).astype(np.int64))
    else:
        firsts = random.integers(0, n, tries)
    quiet = np.zeros(n)
    best, width, vertices = np.inf, n, np.arange(n)  # of prices beyond every number none is the least
    order = np.empty(n, dtype=np.int64)
    for first in firsts.tolist():
        price, widest = greedy(graph, first, quiet if random is None else 0.5 * random.random(n), order)
        if price < best:
            best, width, vertices = price, int(widest), order.copy()
    return Order(vertices, width)


def steps_of(graph: Graph, order: np.ndarray, rim: np.ndarray | None = None) -> list[Step] | None:
    """What each vertex of the order does to the frontier; None where that has more than `WIDEST` vertices.

    Parameters
    ----------
    graph : Graph
    order : (n,) int64 array
    rim : (n,) bool array, optional
        Vertices with neighbours outside the graph.
    """
    sizes, around, ends, kept = walk(graph, order, WIDEST)
    if len(sizes) < len(order):
        return None
    outside = np.zeros(len(order), dtype=np.bool_) if rim is None else rim[order]
    before = np.concatenate([[0], ends[:-1]])
    return [
        Step(weight, open_, around[first:end], kept[t, : size + 1])
        for t, (weight, open_, first, end, size) in enumerate(
            zip(
                graph.weights[order].tolist(),
                outside.tolist(),
                before.tolist(),
                ends.tolist(),
                sizes.tolist(),
                strict=True,
            )
        )
    ]
