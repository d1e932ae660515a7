"""Vertex cover on cubic graphs: can few vertices touch every edge, where each vertex has three?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from kanon_engine.errors import InvalidInput
from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Problem

Edge = tuple[int, int]
LARGEST_TINY = 8  # vertices of the tiny graphs
LARGEST = 12  # vertices that a person may type


@dataclass(frozen=True)
class CubicGraph:
    """A graph in which every vertex has three edges, and how many vertices a cover may have.

    Attributes
    ----------
    edges : tuple of (int, int)
        Of vertices 0 … n - 1, the lesser first; in ascending order.
    most : int
        t: the most vertices of a cover.

    Raises
    ------
    InvalidInput
        No edge, a loop, an edge twice, a vertex that has not three edges, or a negative t.

    Example
    -------
    >>> CubicGraph(((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)), 3).size
    4
    """

    edges: tuple[Edge, ...]
    most: int

    def __post_init__(self) -> None:
        degrees: dict[int, int] = {}
        for one, other in self.edges:
            if not 0 <= one < other:
                raise InvalidInput(f"{one + 1}-{other + 1} is no edge; name two vertices, the lesser first.")
            for vertex in (one, other):
                degrees[vertex] = degrees.get(vertex, 0) + 1
        if not self.edges or len(set(self.edges)) < len(self.edges):
            raise InvalidInput("Give edges, each once, as in 3: 1-2 1-3 1-4 2-3 2-4 3-4.")
        for vertex in range(max(degrees) + 1):
            if degrees.get(vertex, 0) != 3:
                raise InvalidInput(f"Vertex {vertex + 1} has {degrees.get(vertex, 0)} edges; every vertex needs three.")
        if self.most < 0:
            raise InvalidInput(f"A cover of at most {self.most} vertices cannot be; give 0 or more.")
        object.__setattr__(self, "edges", tuple(sorted(self.edges)))

    @property
    def size(self) -> int:
        """How many vertices there are."""
        return 2 * len(self.edges) // 3


def parse(text: str) -> CubicGraph:
    """Edges of a line such as "3: 1-2 1-3 1-4 2-3 2-4 3-4", vertices from 1; before the colon the size of a cover.

    Example
    -------
    >>> parse("3: 1-2 1-3 1-4 2-3 2-4 3-4").most
    3
    """
    head, colon, rest = text.partition(":")
    if not colon or not re.fullmatch(r"\s*[0-9]{1,3}\s*", head):
        raise InvalidInput("Begin with how many vertices a cover may have, as in 3: 1-2 1-3 1-4 2-3 2-4 3-4.")
    edges = []
    for word in rest.replace(",", " ").split():
        ends = re.fullmatch(r"([0-9]{1,3})-([0-9]{1,3})", word)
        if ends is None:
            raise InvalidInput(f"“{word}” is no edge; write two vertices, as in 1-2.")
        one, other = sorted(int(end) - 1 for end in ends.groups())
        edges.append((one, other))
    if max((other for _, other in edges), default=0) >= LARGEST:
        raise InvalidInput(f"{LARGEST} vertices are the most here.")
    return CubicGraph(tuple(edges), int(head))


def text(instance: CubicGraph) -> str:
    """The line that `parse` reads."""
    return f"{instance.most}: {' '.join(f'{one + 1}-{other + 1}' for one, other in instance.edges)}"


def solve(instance: CubicGraph) -> tuple[int, ...] | None:
    """At most t vertices that touch every edge, or None; of an open edge first one end, then the other.

    Example
    -------
    >>> solve(parse("3: 1-2 1-3 1-4 2-3 2-4 3-4")), solve(parse("2: 1-2 1-3 1-4 2-3 2-4 3-4"))
    ((0, 1, 2), None)
    """

    def extended(chosen: tuple[int, ...], open_edges: tuple[Edge, ...]) -> tuple[int, ...] | None:
        if not open_edges:
            return chosen
        if len(chosen) == instance.most or len(open_edges) > 3 * (instance.most - len(chosen)):
            return None
        for vertex in open_edges[0]:
            found = extended((*chosen, vertex), tuple(edge for edge in open_edges if vertex not in edge))
            if found is not None:
                return found
        return None

    return extended((), instance.edges)


def check(instance: CubicGraph, solution: tuple[int, ...]) -> bool:
    """Whether these are at most t vertices, and every edge has one of them."""
    chosen = set(solution)
    return len(chosen) <= instance.most and all(chosen & set(edge) for edge in instance.edges)


def tiny() -> Iterator[CubicGraph]:
    """All connected cubic graphs of up to 8 vertices, each with every t that can matter.

    That is from half of the vertices, the fewest that can touch all edges, less one, to all of them less one.

    Example
    -------
    >>> from itertools import islice
    >>> [(instance.size, instance.most) for instance in islice(tiny(), 5)]
    [(4, 1), (4, 2), (4, 3), (6, 2), (6, 3)]
    """
    for size in range(4, LARGEST_TINY + 1, 2):
        for edges in cubic_graphs(size):
            yield from (CubicGraph(edges, most) for most in range(size // 2 - 1, size))


@cache
def cubic_graphs(size: int) -> tuple[tuple[Edge, ...], ...]:
    """The connected cubic graphs of so many vertices, one of those that differ in the names of vertices alone.

    Example
    -------
    >>> [len(cubic_graphs(size)) for size in (4, 6, 8)]
    [1, 2, 5]
    """
    import networkx  # which knowing of the problem does not need

    found: list[networkx.Graph] = []
    for edges in _grown(size, ()):
        graph = networkx.Graph(edges)
        if not any(networkx.is_isomorphic(graph, known) for known in found):
            found.append(graph)
    return tuple(tuple(sorted((min(edge), max(edge)) for edge in graph.edges)) for graph in found)


def _grown(size: int, edges: tuple[Edge, ...]) -> Iterator[tuple[Edge, ...]]:
    """Connected cubic graphs that have these edges, one edge more at a time: at the first vertex with fewer than three.

    A vertex without edges is joined only where all before it have one, for they are alike.
    """
    degrees = [sum(vertex in edge for edge in edges) for vertex in range(size)]
    if min(degrees) == 3:
        yield edges
        return
    first = next(vertex for vertex in range(size) if degrees[vertex] < 3)
    if first > 0 and degrees[first] == 0:
        return  # the others are complete without it
    last = max((other for one, other in edges if one == first), default=first)
    fresh = next((vertex for vertex in range(size) if degrees[vertex] == 0 and vertex != first), size)
    for other in range(last + 1, min(fresh + 1, size)):
        if degrees[other] < 3:
            yield from _grown(size, (*edges, (first, other)))


VERTEX_COVER = Problem(
    name="vertex-cover",
    title="Vertex cover on cubic graphs",
    asks="Can at most t vertices touch every edge of a graph in which each vertex has three?",
    tiny=tiny,
    solve=solve,
    check=check,
    parse=parse,
    text=text,
    example="4: 1-2 1-3 2-3 1-4 2-5 3-6 4-5 4-6 5-6",
    picture=Lazy("kanon_engine.reductions.plot.sources:cover_figure"),
)
