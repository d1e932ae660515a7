"""Corridors on a grid of locations: cells that hold one or two records, and walls that hold three."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.rectangles.instance import Points
from kanon_engine.reductions.model import Carried, Gadget

Cell = tuple[int, int]
WALL = 3  # records at a location that is not inside
SHIFT = (1, 1, 1, 1)  # in place of one record: three more cells, and the same two ways to cover the corridor


@dataclass(frozen=True)
class Corridor:
    """A way between two cells of one record: it takes one of them.

    Attributes
    ----------
    ends : (Cell, Cell)
    cells : tuple of Cell
        Between the ends, in order.
    """

    ends: tuple[Cell, Cell]
    cells: tuple[Cell, ...]


@dataclass
class Grid:
    """Cells inside the polygon, and what they are there for.

    Attributes
    ----------
    mutation : str
        The name of a change of the construction, or "".
    weights : dict
        Cell → records, of all cells inside.
    parts : dict
        Cell → name, kind and meaning of its gadget.
    corridors : dict
        Name of a wire or a fan-out → its corridors, in order.
    crossings : list
        For each cross-over its block of nine cells, and its ports: of one wire, then of the other.
    """

    mutation: str = ""
    weights: dict[Cell, int] = field(default_factory=dict)
    parts: dict[Cell, tuple[str, str, str]] = field(default_factory=dict)
    corridors: dict[str, list[Corridor]] = field(default_factory=dict)
    crossings: list[tuple[tuple[Cell, ...], tuple[Cell, Cell, Cell, Cell]]] = field(default_factory=list)

    def cell(self, cell: Cell, weight: int, part: tuple[str, str, str]) -> Cell:
        """Make a cell a location inside; the cell."""
        if cell in self.weights:
            raise InvalidInput(f"Two gadgets share the location {cell}.")
        self.weights[cell], self.parts[cell] = weight, part
        return cell

    def corridor(self, way: Sequence[Cell], part: tuple[str, str, str]) -> None:
        """Dig from the first of these corners to the last, which are cells of one record already.

        Pairs and single records alternate and begin and end with a pair. Where the way has an even number of cells,
        four single records in a line stand in the place of one.
        """
        cells = _cells(way)[1:-1]
        weights = [2 - number % 2 for number in range(len(cells))]
        if self.mutation == "single records at the doors":
            weights = [3 - weight for weight in weights]
        if len(cells) % 2 == 0 and self.mutation != "no shift":
            first = _straight(cells)
            weights = [*weights[:first], *SHIFT, *weights[first + 1 : len(cells) - 3]]
        for cell, weight in zip(cells, weights, strict=True):
            self.cell(cell, weight, part)
        self.corridors.setdefault(part[0], []).append(Corridor((way[0], way[-1]), tuple(cells)))

    def carried(self, square: bool = False) -> Carried:
        """As points, with a margin of walls, which makes them as wide as high where that is asked."""
        inside = np.array(list(self.weights))
        (west, south), (east, north) = inside.min(axis=0) - 1, inside.max(axis=0) + 1
        if square:
            side = max(east - west, north - south)
            east, north = west + side, south + side
        cells = [(x, y) for y in range(south, north + 1) for x in range(west, east + 1)]
        wall = {"walls of two": 2, "walls of one": 1}.get(self.mutation, WALL)
        weights = [self.weights.get(cell, wall) for cell in cells]
        items: dict[tuple[str, str, str], list[int]] = {}
        outside = ("wall", "wall", "keeps rectangles inside: three records, a group of their own")
        for number, cell in enumerate(cells):
            items.setdefault(self.parts.get(cell, outside), []).append(number)
        order = list(dict.fromkeys([*self.parts.values(), outside]))
        gadgets = tuple(Gadget(*part, tuple(items[part])) for part in order)
        k = {"k is 2": 2, "k is 4": 4}.get(self.mutation, 3)
        instance = Points(np.array(cells, dtype=float), np.array(weights), np.array([f"{x}, {y}" for x, y in cells]))
        return Carried(instance, k, 4 if self.mutation == "K is 4" else 3, gadgets, instance.xy)


def _cells(way: Sequence[Cell]) -> list[Cell]:
    """All cells of a way with these corners."""
    cells = [way[0]]
    for (x, y), (x_next, y_next) in pairwise(way):
        steps = max(abs(x_next - x), abs(y_next - y))
        across, up = np.sign(x_next - x), np.sign(y_next - y)
        cells += [(int(x + step * across), int(y + step * up)) for step in range(1, steps + 1)]
    return cells


def _straight(cells: list[Cell]) -> int:
    """Where the place of a single record is followed by three more cells in a line, and then by a pair's."""
    for first in range(1, len(cells) - 4, 2):
        four = np.array(cells[first : first + 4])
        if np.ptp(four, axis=0).min() == 0:
            return first
    raise InvalidInput(f"The corridor from {cells[0]} has no four cells in a line to change its parity.")
