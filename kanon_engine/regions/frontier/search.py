"""Connected classes between two weights: found, or proven impossible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.regions.frontier.layers import Layers
from kanon_engine.regions.frontier.orders import Order, order_of, steps_of
from kanon_engine.regions.frontier.state_kernels import Rule, Step
from kanon_engine.regions.trees.kernels import Graph

ANY = 1 << 62  # of states that are alike all are kept


@dataclass(frozen=True)
class Answer:
    """What a search along a frontier found out.

    Attributes
    ----------
    verdict : str
        "found"; "impossible", which is proven; or "open".
    labels : (n,) int64 array or None
        The class of each vertex, numbered from 0, where classes were found.
    states : int
        The work: how often a vertex was added to a state in one way.
    """

    verdict: str
    labels: np.ndarray | None
    states: int


def classes_between(
    graph: Graph,
    k: int,
    cap: int,
    *,
    least: int = 0,
    limit: int,
    beam: bool = False,
    order: Order | None = None,
    generator: np.random.Generator | None = None,
    chain: int = ANY,
    most: int = ANY,
) -> Answer:
    """Connected classes that weigh k to the cap each, by dynamic programming along a vertex order.

    Guarantee: classes that are found are connected, weigh k to the cap and are at least `least`; "impossible" is exact.
    Proof: docs/proofs/regions/frontier.md.

    Parameters
    ----------
    graph : Graph
    k, cap : int
    least : int
        How many classes there must be at least.
    limit : int
        States that are kept after a vertex.
    beam : bool
        Where there are more: go on with some of them, chosen by `generator` (or the first), instead of ending.
    order : Order, optional
        That of `order_of` where none is given.
    generator : Generator, optional
    chain : int
        How many states are kept that differ in loads above k alone, and none of which is better than another.
    most : int
        The work, after which the answer is "open".

    Returns
    -------
    Answer

    Complexity
    ----------
    For each vertex at most `limit` states times 2^a, a being its neighbours before it. Frontiers of more than `WIDEST`
    vertices are not tried: "open".

    References
    ----------
    J. Kawahara, T. Inoue, H. Iwashita, S. Minato, "Frontier-Based Search for Enumerating All Constrained Subgraphs with
    Compressed Representation", IEICE Trans. Fundamentals E100-A (2017); Y. Nakahata, J. Kawahara, S. Kasahara,
    "Enumerating Graph Partitions Without Too Small Connected Components Using Zero-suppressed Binary and Ternary
    Decision Diagrams", SEA 2018.

    Example
    -------
    A ring of six: three classes of 4; none of 4 where the areas weigh 13 together.

    >>> ring = Graph(2 * np.arange(7), np.array([1, 5, 0, 2, 1, 3, 2, 4, 3, 5, 0, 4]), np.array([3, 1, 3, 1, 3, 1]))
    >>> classes_between(ring, 4, 4, limit=100).labels
    array([2, 0, 0, 1, 1, 2])
    >>> classes_between(ring._replace(weights=np.array([4, 1, 3, 1, 3, 1])), 4, 4, limit=100).verdict
    'impossible'
    """
    order = order or order_of(graph)
    steps = steps_of(graph, order.vertices)
    total = int(graph.weights.sum())
    if total < least * k:
        return Answer("impossible", None, 0)
    if steps is None:
        return Answer("open", None, 0)
    rule = Rule(k, cap, total - least * k if least else -1, cap < total)
    layers = Layers(rule, order.width, chain)
    history: list[tuple[np.ndarray, np.ndarray]] = []
    whole = True
    for step in steps:
        if layers.work + layers.cost(step) > most:
            return Answer("open", None, layers.work)
        whole &= layers.extend(step)
        count = len(layers.states)
        if count == 0:
            return Answer("impossible" if whole else "open", None, layers.work)
        if count > limit:
            if not beam:
                return Answer("open", None, layers.work)
            whole = False
            layers.keep(np.arange(limit) if generator is None else generator.permutation(count)[:limit])
        history.append((layers.origin.astype(np.int32), layers.choice.astype(np.int32)))
    return Answer("found", _labels(order.vertices, steps, history), layers.work)


def _labels(order: np.ndarray, steps: list[Step], history: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The classes of the first state that is left at the end."""
    state, choices = 0, []
    for origin, choice in reversed(history):
        choices.append(int(choice[state]))
        state = int(origin[state])
    labels = np.arange(len(order))
    waiting: list[int] = []
    for v, step, choice in zip(order.tolist(), steps, reversed(choices), strict=True):
        around = list(dict.fromkeys(int(labels[waiting[place]]) for place in step.around.tolist()))
        for bit, other in enumerate(around):
            if choice >> bit & 1:
                labels[labels == other] = labels[v]
        waiting = [u for u, stays in zip([*waiting, v], step.kept.tolist(), strict=True) if stays]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
