"""Vertex cover on cubic graphs → suppressed cells in three columns (Chakaravarthy et al., section 3)."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.model.words import counted
from kanon_engine.tables.instance import Table
from kanon_engine.teaching.reductions.model import Carried, Reduction, SourceProblem, decided, gadgets_of

K = 7
EQUAL, CRITICAL, LOOSE, WITH_Z, Z_WITH, EDGE, DUMMY = "0 u u", "critical", "? u ?", "0 u Z", "0 Z u", "edge", "dummy"
SPECIAL = "?"  # a symbol that occurs nowhere else
TIMES = {EQUAL: 6, CRITICAL: 1, LOOSE: 7, WITH_Z: 3, Z_WITH: 3}  # rows of each kind per vertex
CELLS = {  # cells of these rows, where u is the vertex
    EQUAL: ("0", "u", "u"),
    CRITICAL: (SPECIAL, "u", "u"),
    LOOSE: (SPECIAL, "u", SPECIAL),
    WITH_Z: ("0", "u", "Z"),
    Z_WITH: ("0", "Z", "u"),
}
# names of the parts besides rows that are named by their cells
NAMES = {
    CRITICAL: "critical row of",
    LOOSE: "rows with unique symbols around",
    EDGE: "rows of edge",
    DUMMY: "dummy rows",
}
WORDS = {
    EQUAL: "six rows that form one group with the critical row, or are divided between two groups that also hold rows "
    "of edges",
    CRITICAL: "if the vertex is in the cover, one more cell of this row is hidden",
    LOOSE: "seven rows that are a group, alone or together with the critical row",
    WITH_Z: "three extra rows for a group whose rows all have the vertex in the second column",
    Z_WITH: "three extra rows for a group whose rows all have the vertex in the third column",
    EDGE: "rows that stand for an edge; the second and third columns show the two ends of the edge",
    DUMMY: "seven rows that are a group; the rows with Z join this group if their vertex is not in the cover",
}
BLOCK = (9.5, 5.0)  # from one vertex to the next in a picture
IN_BLOCK = {EQUAL: (0.0, 0.0), CRITICAL: (7.0, 0.0), WITH_Z: (0.0, -1.0), Z_WITH: (3.5, -1.0), LOOSE: (0.5, -2.0)}
# mutation → (kind, number of rows of this kind)
OTHER_TIMES = {
    "each vertex u has only five rows with the cells 0, u, u": (EQUAL, 5),
    "each vertex u has seven rows with the cells 0, u, u": (EQUAL, 7),
    "no vertex has a critical row": (CRITICAL, 0),
    "each vertex has two critical rows": (CRITICAL, 2),
    "each vertex u has only six rows with u between two unique symbols": (LOOSE, 6),
    "no vertex u has a row with the cells 0, u, Z": (WITH_Z, 0),
    "each vertex u has four rows with the cells 0, u, Z": (WITH_Z, 4),
    "no vertex u has a row with the cells 0, Z, u": (Z_WITH, 0),
    "each vertex u has four rows with the cells 0, Z, u": (Z_WITH, 4),
    "the table has no dummy rows": (DUMMY, 0),
}
# more that can be left out without breaking anything; see docs/reductions.md
ONE_ROW = "each edge has only one row"
SPARED = {
    "each vertex u has only one row with the cells 0, u, Z": (WITH_Z, 1),
    "each vertex u has only one row with the cells 0, Z, u": (Z_WITH, 1),
    "there are only four dummy rows of each kind": (DUMMY, 4),
}


@dataclass(frozen=True)
class TableRow:
    """A row of the table, and its purpose."""

    kind: str
    of: str  # the vertex as in "v1", the edge as in "v1-v2", or the kind of dummy rows
    cells: tuple[str, str, str]

    @property
    def base(self) -> int:
        """Cells that it loses in every solution: its special symbols, at least one."""
        return 2 if self.kind == LOOSE else 1


def rows_of(source: CubicGraph, mutation: str | None = None) -> list[TableRow]:
    """The rows in the paper's order: 20 per vertex, two per edge, and 14 dummy rows."""
    counts = TIMES | {DUMMY: 7} | dict([(OTHER_TIMES | SPARED).get(mutation or "", ("", 0))])
    rows = []
    for vertex in range(source.size):
        name = f"v{vertex + 1}"
        for kind, cells in CELLS.items():
            if kind == CRITICAL and mutation == "the critical row of a vertex u has u between two unique symbols":
                cells = CELLS[LOOSE]
            if kind == CRITICAL and mutation == "the critical row of a vertex u has the cells 0, u, u":
                cells = CELLS[EQUAL]
            filled = tuple(name if cell == "u" else cell for cell in cells)
            rows += [TableRow(kind, name, filled)] * counts[kind]  # type: ignore[arg-type]
    for one, other in source.edges:
        ends = f"v{one + 1}", f"v{other + 1}"
        rows.append(TableRow(EDGE, "-".join(ends), ("0", *ends)))
        if mutation == "the two rows of each edge are equal":
            rows.append(rows[-1])
        elif mutation != ONE_ROW:
            rows.append(TableRow(EDGE, "-".join(ends), ("0", ends[1], ends[0])))
    rows += [TableRow(DUMMY, "with Z in the third column", ("0", SPECIAL, "Z"))] * counts[DUMMY]
    rows += [TableRow(DUMMY, "with Z in the second column", ("0", "Z", SPECIAL))] * counts[DUMMY]
    return rows


def build(source: CubicGraph, mutation: str | None = None) -> Carried:
    """The table, k = 7, and the base cost of all rows plus t as the threshold."""
    rows = rows_of(source, mutation)
    number = 0
    filled = []
    for row in rows:
        cells = []
        for cell in row.cells:
            if cell == SPECIAL and mutation != "all symbols that should be unique are the same":
                number += 1
                cell = f"s{number}"
            cells.append(cell)
        filled.append(cells)
    table = Table(pd.DataFrame(filled, columns=["first", "second", "third"]), ["first", "second", "third"])
    k = K + {"k is 6": -1, "k is 8": 1}.get(mutation or "", 0)
    most = sum(row.base for row in rows) + source.most
    most += {"one fewer hidden cell is allowed": -1, "one more hidden cell is allowed": 1}.get(mutation or "", 0)
    gadgets = gadgets_of((_name_of(row), row.kind, WORDS[row.kind]) for row in rows)
    return Carried(table, k, most, gadgets, _places(rows))


def _name_of(row: TableRow) -> str:
    return f"{NAMES[row.kind]} {row.of}" if row.kind in NAMES else f"rows with the cells {', '.join(row.cells)}"


def _places(rows: list[TableRow]) -> np.ndarray:
    """(n, 2) positions in a picture: vertices as blocks, edges above all of them, dummy rows below."""
    vertices = list(dict.fromkeys(row.of for row in rows if row.kind in CELLS))
    wide = math.ceil(math.sqrt(len(vertices)))
    edges = sum(row.kind == EDGE for row in rows)
    before: Counter[tuple[str, str]] = Counter()  # rows of the same kind and gadget
    places = []
    for row in rows:
        of = row.of if row.kind in CELLS or row.kind == DUMMY else EDGE
        place = before[row.kind, of]
        before[row.kind, of] += 1
        if row.kind == EDGE:
            places.append((place * (wide * BLOCK[0] - 3) / edges, BLOCK[1] / 2))
        elif row.kind == DUMMY:
            down = math.ceil(len(vertices) / wide)
            places.append((place + BLOCK[0] * (row.cells[1] == "Z"), -BLOCK[1] * down))
        else:
            number = vertices.index(row.of)
            x, y = IN_BLOCK[row.kind]
            places.append((number % wide * BLOCK[0] + x + place, -(number // wide) * BLOCK[1] + y))
    return np.array(places)


def forth(source: CubicGraph, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """The classes of Claim 1: a vertex of the cover takes in the edges charged to it."""
    charged = {edge: min(set(edge) & set(solution)) for edge in source.edges}
    cover = set(charged.values())  # a vertex without charged edges is not needed
    names: dict[tuple[str, ...], int] = {}
    assignment = []
    equal = dict.fromkeys(range(source.size), 0)
    for row in rows_of(source):
        if row.kind == DUMMY:
            key = ("Z third", "") if row.cells[2] == "Z" else ("Z second", "")
        elif row.kind == EDGE:
            one, other = (int(end[1:]) - 1 for end in row.of.split("-"))
            vertex = charged[one, other]
            key = ("second" if row.cells[1] == f"v{vertex + 1}" else "third", f"v{vertex + 1}")
        else:
            vertex = int(row.of[1:]) - 1
            inside = vertex in cover
            half = "second" if equal[vertex] < 3 else "third"
            equal[vertex] += row.kind == EQUAL
            of_cover = {EQUAL: half, CRITICAL: "loose", LOOSE: "loose", WITH_Z: "second", Z_WITH: "third"}
            of_others = {EQUAL: "equal", CRITICAL: "equal", LOOSE: "loose", WITH_Z: "Z third", Z_WITH: "Z second"}
            place = (of_cover if inside else of_others)[row.kind]
            key = (place, "" if place.startswith("Z") else row.of)
        assignment.append(names.setdefault(key, len(names)))
    return np.array(assignment, dtype=np.int32)


def extra_costs(source: CubicGraph, carried: Carried, assignment: np.ndarray) -> np.ndarray:
    """(n,) int64: the number of cells that each row loses above its base cost."""
    base = np.array([row.base for row in rows_of(source)])
    return _stars(carried, assignment)[assignment] - base


def read(source: CubicGraph, carried: Carried, assignment: np.ndarray) -> tuple[int, ...]:
    """The cover of Claim 4: vertices with a row that pays extra, and one end of every edge that they do not touch."""
    extra = extra_costs(source, carried, assignment)
    paying = {row.of for row, more in zip(rows_of(source), extra.tolist(), strict=True) if more > 0}
    cover = {vertex for vertex in range(source.size) if f"v{vertex + 1}" in paying}
    for edge in source.edges:
        if not cover & set(edge):
            cover.add(edge[0])
    return tuple(sorted(cover))


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """The class that is too small, or the excess of lost cells; "" if the classes meet k and the threshold."""
    if name := carried.unassigned(assignment):
        return f"A row of the part “{name}” is in no group."
    sizes = np.bincount(assignment)
    for members in members_of(assignment, len(sizes)):
        if len(members) < carried.k:
            of = carried.gadget_of(int(members[0])).name if len(members) else "none"
            return f"The group with a row of the part “{of}” has {counted(len(members), 'row')}, below k = {carried.k}."
    stars = _stars(carried, assignment)
    cost = int(sizes @ stars)
    if cost > carried.threshold:
        worst = int(members_of(assignment, len(sizes))[int(stars.argmax())][0])
        return (
            f"The groups hide {cost} cells, but at most {carried.threshold:g} are allowed. The group with a row of "
            f"the part “{carried.gadget_of(worst).name}” hides {counted(int(stars.max()), 'cell')} in every row."
        )
    return ""


def _stars(carried: Carried, assignment: np.ndarray) -> np.ndarray:
    """(m,) int64: the number of columns in which the rows of each class differ."""
    frame = carried.instance.frame[list(carried.instance.quasi_identifiers)]
    kinds = frame.groupby(assignment).nunique()
    return (kinds.to_numpy() > 1).sum(axis=1)


# ---------------------------------------------------------------------------------------------------------------------
# Vertex cover on cubic graphs: can a few vertices touch every edge if each vertex has three?
# ---------------------------------------------------------------------------------------------------------------------


Edge = tuple[int, int]
LARGEST_TINY = 8  # vertices of the tiny graphs
LARGEST = 12  # vertices that a person may enter


@dataclass(frozen=True)
class CubicGraph:
    """A graph in which every vertex has three edges, and the maximum number of vertices in a cover.

    >>> CubicGraph(((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)), 3).size
    4
    """

    edges: tuple[Edge, ...]  # of vertices 0 … n - 1, the smaller one first; in ascending order
    most: int  # t: maximum number of vertices in a cover

    def __post_init__(self) -> None:
        for one, other in self.edges:
            if not 0 <= one < other:
                raise InvalidInput(
                    f"{one + 1}-{other + 1} is not an edge; give two different vertices, the smaller number first."
                )
        degrees = Counter(vertex for edge in self.edges for vertex in edge)
        if not self.edges or len(set(self.edges)) < len(self.edges):
            raise InvalidInput("Give each edge exactly once, for example 3: 1-2 1-3 1-4 2-3 2-4 3-4.")
        for vertex in range(max(degrees) + 1):
            if degrees[vertex] != 3:
                raise InvalidInput(
                    f"Vertex {vertex + 1} has {degrees[vertex]} edges, but every vertex needs exactly three."
                )
        if self.most < 0:
            raise InvalidInput(f"A cover cannot be limited to {self.most} vertices; give 0 or more.")
        object.__setattr__(self, "edges", tuple(sorted(self.edges)))

    @property
    def size(self) -> int:
        """The number of vertices."""
        return 2 * len(self.edges) // 3


def parse(text: str) -> CubicGraph:
    """Parse edges from a line such as "3: 1-2 1-3 1-4 2-3 2-4 3-4", vertices from 1; the largest cover is first.

    >>> parse("3: 1-2 1-3 1-4 2-3 2-4 3-4").most
    3
    """
    head, colon, rest = text.partition(":")
    if not colon or not re.fullmatch(r"\s*[0-9]{1,3}\s*", head):
        raise InvalidInput(
            "Begin with the maximum number of vertices in a cover, then give the edges, for example 3: 1-2 1-3 1-4 2-3 "
            "2-4 3-4."
        )
    edges = []
    for word in rest.replace(",", " ").split():
        ends = re.fullmatch(r"([0-9]{1,3})-([0-9]{1,3})", word)
        if ends is None:
            raise InvalidInput(f"“{word}” is not an edge; write two vertices, for example 1-2.")
        one, other = sorted(int(end) - 1 for end in ends.groups())
        edges.append((one, other))
    if max((other for _, other in edges), default=0) >= LARGEST:
        raise InvalidInput(f"At most {LARGEST} vertices are allowed.")
    return CubicGraph(tuple(edges), int(head))


def text(instance: CubicGraph) -> str:
    """The line that `parse` reads."""
    return f"{instance.most}: {' '.join(f'{one + 1}-{other + 1}' for one, other in instance.edges)}"


def solve(instance: CubicGraph) -> tuple[int, ...] | None:
    """At most t vertices that touch every edge, or None; branches on the two ends of an untouched edge.

    >>> solve(parse("3: 1-2 1-3 1-4 2-3 2-4 3-4")), solve(parse("2: 1-2 1-3 1-4 2-3 2-4 3-4"))
    ((0, 1, 2), None)
    """

    def covers(chosen: tuple[int, ...], open_edges: tuple[Edge, ...]) -> Iterator[tuple[int, ...]]:
        if not open_edges:
            yield chosen
        elif len(open_edges) <= 3 * (instance.most - len(chosen)):
            for vertex in open_edges[0]:
                yield from covers((*chosen, vertex), tuple(edge for edge in open_edges if vertex not in edge))

    return next(covers((), instance.edges), None)


def check(instance: CubicGraph, solution: tuple[int, ...]) -> bool:
    """Whether these are at most t vertices and touch every edge."""
    chosen = set(solution)
    return len(chosen) <= instance.most and all(chosen & set(edge) for edge in instance.edges)


def tiny() -> Iterator[CubicGraph]:
    """All connected cubic graphs of up to 8 vertices, each with every relevant t.

    These range from half of the vertices, the fewest that can touch all edges, minus one, to all of them minus one.

    >>> from itertools import islice
    >>> [(instance.size, instance.most) for instance in islice(tiny(), 5)]
    [(4, 1), (4, 2), (4, 3), (6, 2), (6, 3)]
    """
    for size in range(4, LARGEST_TINY + 1, 2):
        for edges in cubic_graphs(size):
            yield from (CubicGraph(edges, most) for most in range(size // 2 - 1, size))


@cache
def cubic_graphs(size: int) -> tuple[tuple[Edge, ...], ...]:
    """The connected cubic graphs of a given size, one of those that differ only in vertex names.

    >>> [len(cubic_graphs(size)) for size in (4, 6, 8)]
    [1, 2, 5]
    """
    import networkx  # loaded here because listing the problem does not need it

    graphs: list[networkx.Graph] = []
    for edges in _grown(size, ()):
        graph = networkx.Graph(edges)
        if not any(networkx.is_isomorphic(graph, other) for other in graphs):
            graphs.append(graph)
    return tuple(tuple(sorted((min(edge), max(edge)) for edge in graph.edges)) for graph in graphs)


def _grown(size: int, edges: tuple[Edge, ...]) -> Iterator[tuple[Edge, ...]]:
    """Connected cubic graphs with these edges, adding one edge at a time at the first vertex with fewer than three.

    A vertex without edges is joined only if all before it have one, because they are interchangeable.
    """
    degrees = [sum(vertex in edge for edge in edges) for vertex in range(size)]
    if min(degrees) == 3:
        yield edges
        return
    first = next(vertex for vertex in range(size) if degrees[vertex] < 3)
    if first > 0 and degrees[first] == 0:
        return  # the other vertices are complete without it
    last = max((other for one, other in edges if one == first), default=first)
    fresh = next((vertex for vertex in range(size) if degrees[vertex] == 0 and vertex != first), size)
    for other in range(last + 1, min(fresh + 1, size)):
        if degrees[other] < 3:
            yield from _grown(size, (*edges, (first, other)))


VERTEX_COVER = SourceProblem.of(
    "vertex-cover", "cover_figure", tiny=tiny, solve=solve, check=check, parse=parse, text=text
)

TO_TABLE = Reduction.of(
    "vertex-cover-to-table",
    "items_figure",
    source=VERTEX_COVER,
    family="tables",
    build=build,
    forth=forth,
    read=read,
    decide=partial(decided, algorithm="cell-suppression"),
    fault=fault,
)
