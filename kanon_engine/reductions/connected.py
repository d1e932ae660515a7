"""Connected classes of a graph within two weights: all of them, a partition into them, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import networkx
import numpy as np

from kanon_engine.model.classes import members_of
from kanon_engine.reductions.exact_cover import exact_cover
from kanon_engine.reductions.model import Carried


def connected_sets(neighbours: list[list[int]], weights: list[int], low: int, high: int) -> Iterator[tuple[int, ...]]:
    """Every connected set of vertices of weight low … high, once; weights are at least 1.

    Example
    -------
    >>> list(connected_sets([[1], [0, 2], [1]], [1, 1, 1], 2, 2))
    [(0, 1), (1, 2)]
    """

    def grown(
        members: tuple[int, ...], total: int, border: list[int], seen: frozenset[int]
    ) -> Iterator[tuple[int, ...]]:
        if total >= low:
            yield members
        for place, vertex in enumerate(border):
            heavier = total + weights[vertex]
            seen |= {vertex}
            if heavier <= high:
                fresh = [
                    one for one in neighbours[vertex] if one not in seen and one > members[0] and one not in border
                ]
                yield from grown((*members, vertex), heavier, [*border[place + 1 :], *fresh], seen)

    for first in range(len(neighbours)):
        if weights[first] <= high:
            border = [one for one in neighbours[first] if one > first]
            yield from grown((first,), weights[first], border, frozenset({first}))


def partition(carried: Carried) -> np.ndarray | None:
    """Connected classes of weight k … threshold that hold every area once, as (n,) int32; None where there are none."""
    regions = carried.instance
    neighbours: list[list[int]] = [[] for _ in range(len(regions))]
    for one, other in regions.edges.tolist():
        neighbours[one].append(other)
        neighbours[other].append(one)
    sets = list(connected_sets(neighbours, regions.weights.tolist(), carried.k, int(carried.threshold)))
    chosen = exact_cover(len(regions), sets)
    return None if chosen is None else classes_of([sets[number] for number in chosen], len(regions))


def classes_of(classes: Sequence[tuple[int, ...]], count: int) -> np.ndarray:
    """(count,) int32: the class of each item."""
    assignment = np.full(count, -1, dtype=np.int32)
    for number, members in enumerate(sorted(classes)):
        assignment[list(members)] = number
    return assignment


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """Why classes are not connected, or not of weight k … threshold, with the gadget; "" where they are."""
    regions = carried.instance
    loose = np.flatnonzero(assignment < 0)
    if len(loose):
        return f"{regions.ids[loose[0]]} of the {carried.gadget_of(int(loose[0])).name} is in no class."
    graph = networkx.Graph(regions.edges.tolist())
    graph.add_nodes_from(range(len(regions)))
    for members in members_of(assignment, int(assignment.max()) + 1):
        total = int(regions.weights[members].sum())
        where = carried.gadget_of(int(members[0])).name if len(members) else ""
        if not carried.k <= total <= carried.threshold:
            return f"A class at the {where} weighs {total} where {carried.asked} is asked."
        if not networkx.is_connected(graph.subgraph(members.tolist())):
            return f"A class at the {where} is not connected."
    return ""
