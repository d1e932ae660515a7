"""A cubic graph as a table of three columns."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd

from kanon_engine.reductions.model import Carried, Gadget
from kanon_engine.reductions.problems.vertex_cover import CubicGraph
from kanon_engine.tables.instance import Table

K = 7
EQUAL, CRITICAL, LOOSE, WITH_Z, Z_WITH, EDGE, DUMMY = "0 u u", "critical", "? u ?", "0 u Z", "0 Z u", "edge", "dummy"
SPECIAL = "?"  # a symbol that occurs nowhere else
TIMES = {EQUAL: 6, CRITICAL: 1, LOOSE: 7, WITH_Z: 3, Z_WITH: 3}  # rows of each kind that a vertex has
CELLS = {  # of these rows, where u is the vertex
    EQUAL: ("0", "u", "u"),
    CRITICAL: (SPECIAL, "u", "u"),
    LOOSE: (SPECIAL, "u", SPECIAL),
    WITH_Z: ("0", "u", "Z"),
    Z_WITH: ("0", "Z", "u"),
}
WORDS = {
    EQUAL: "six rows that need a seventh: the critical one, or others",
    CRITICAL: "pays one cell more where its vertex is in the cover",
    LOOSE: "seven rows that are a group by themselves, or take the critical row in",
    WITH_Z: "three rows that fill a group of edges in the second column",
    Z_WITH: "three rows that fill a group of edges in the third column",
    EDGE: "an edge, in this order of its ends",
    DUMMY: "seven rows that take in what a vertex outside the cover leaves",
}
BLOCK = (9.5, 5.0)  # from one vertex to the next in a picture
IN_BLOCK = {EQUAL: (0.0, 0.0), CRITICAL: (7.0, 0.0), WITH_Z: (0.0, -1.0), Z_WITH: (3.5, -1.0), LOOSE: (0.5, -2.0)}
# mutation → (kind, how many rows of it there are)
OTHER_TIMES = {
    "five rows 0 u u": (EQUAL, 5),
    "seven rows 0 u u": (EQUAL, 7),
    "no critical row": (CRITICAL, 0),
    "two critical rows": (CRITICAL, 2),
    "six rows ? u ?": (LOOSE, 6),
    "no row 0 u Z": (WITH_Z, 0),
    "four rows 0 u Z": (WITH_Z, 4),
    "no row 0 Z u": (Z_WITH, 0),
    "four rows 0 Z u": (Z_WITH, 4),
    "no dummy row": (DUMMY, 0),
}
# what more can be left out without breaking anything; see docs/reductions.md
ONE_ROW = "one row an edge"
SPARED = {"one row 0 u Z": (WITH_Z, 1), "one row 0 Z u": (Z_WITH, 1), "four dummy rows": (DUMMY, 4)}


@dataclass(frozen=True)
class Row:
    """A row of the table, and what it is there for.

    Attributes
    ----------
    kind : str
    of : str
        The vertex as "v1", the edge as "v1-v2", or which dummy rows.
    cells : tuple of str
    """

    kind: str
    of: str
    cells: tuple[str, str, str]

    @property
    def base(self) -> int:
        """Cells that it loses in every solution: its special symbols, at least one."""
        return 2 if self.kind == LOOSE else 1


def rows_of(source: CubicGraph, mutation: str | None = None) -> list[Row]:
    """The rows in the paper's order: of each vertex 20, of each edge two, and 14 dummy rows."""
    kind, times = (OTHER_TIMES | SPARED).get(mutation or "", ("", 0))
    counts = {**TIMES, DUMMY: 7, kind: times}
    rows = []
    for vertex in range(source.size):
        name = f"v{vertex + 1}"
        for own, cells in CELLS.items():
            if own == CRITICAL and mutation == "critical row ? u ?":
                cells = CELLS[LOOSE]
            if own == CRITICAL and mutation == "critical row 0 u u":
                cells = CELLS[EQUAL]
            filled = tuple(name if cell == "u" else cell for cell in cells)
            rows += [Row(own, name, filled)] * counts[own]  # type: ignore[arg-type]
    for one, other in source.edges:
        ends = f"v{one + 1}", f"v{other + 1}"
        rows.append(Row(EDGE, "-".join(ends), ("0", *ends)))
        if mutation == "edge rows alike":
            rows.append(rows[-1])
        elif mutation != ONE_ROW:
            rows.append(Row(EDGE, "-".join(ends), ("0", ends[1], ends[0])))
    rows += [Row(DUMMY, "0 ? Z", ("0", SPECIAL, "Z"))] * counts[DUMMY]
    rows += [Row(DUMMY, "0 Z ?", ("0", "Z", SPECIAL))] * counts[DUMMY]
    return rows


def build(source: CubicGraph, mutation: str | None = None) -> Carried:
    """The table, k = 7, and as threshold the base cost of all rows and t."""
    rows = rows_of(source, mutation)
    number = 0
    filled = []
    for row in rows:
        cells = []
        for cell in row.cells:
            if cell == SPECIAL and mutation != "one special symbol":
                number += 1
                cell = f"s{number}"
            cells.append(cell)
        filled.append(cells)
    table = Table(pd.DataFrame(filled, columns=["first", "second", "third"]), ["first", "second", "third"])
    k = K + {"k is 6": -1, "k is 8": 1}.get(mutation or "", 0)
    most = sum(row.base for row in rows) + source.most
    most += {"K is one less": -1, "K is one more": 1}.get(mutation or "", 0)
    return Carried(table, k, most, _gadgets(rows), _places(rows))


def _gadgets(rows: list[Row]) -> tuple[Gadget, ...]:
    """The rows of one kind and vertex, edge or dummy together."""
    items: dict[tuple[str, str], list[int]] = {}
    for item, row in enumerate(rows):
        items.setdefault((row.kind, row.of), []).append(item)
    return tuple(Gadget(f"{kind} of {of}", kind, WORDS[kind], tuple(own)) for (kind, of), own in items.items())


def _places(rows: list[Row]) -> np.ndarray:
    """(n, 2) where a picture draws them: vertices as blocks, edges above all of them, dummy rows below."""
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
