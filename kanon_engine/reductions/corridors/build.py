"""Tuples, corridors, cross-overs and choosers on the grid (Du et al. 2009, section 3.1 and Figure 6)."""

from __future__ import annotations

from dataclasses import dataclass

from kanon_engine.reductions.corridors.grid import Cell, Grid
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.problems.matching import Element, Triples, Wire, element_name, triple_name
from kanon_engine.reductions.routing import Side, routed

COLUMN = 8  # between wires above; twice as much below
LEVEL = 16  # from one level of crossings to the next
RECORDS = ((1, 1, 1), (1, 2, 1), (1, 1, 1))  # of a cross-over, found by search
PORTS = ((-1, 2), (3, 0), (0, -1), (2, 3))  # of one wire, where it comes and goes, then of the other

Part = tuple[str, str, str]


@dataclass(frozen=True)
class Frame:
    """Where columns and levels of a side lie.

    Attributes
    ----------
    left, width : int
        x of the first column, and from column to column.
    sign : int
        1 above the tuples, -1 below.
    """

    left: int
    width: int
    sign: int

    def at(self, column: int, up: int, right: int = 0) -> Cell:
        """The cell at a column, so far from the tuples, so far to the right."""
        return self.left + column * self.width + right, self.sign * up


def corridors(source: Triples, mutation: str | None = None) -> Carried:
    """Points whose rectangles of three records are the matchings."""
    return corridor_grid(source, mutation).carried()


def corridor_grid(source: Triples, mutation: str | None = None) -> Grid:
    """The same before it is an instance."""
    grid, routing = Grid(mutation or ""), routed(source)
    ends: dict[Wire, list[Cell]] = {}
    for number in range(len(source.triples)):
        place = routing.order.index(number)
        middle = 2 * place * COLUMN + COLUMN // 2
        left, right = (wire for wire in routing.above.wires if wire[0] == number)
        for across, wire in ((-1, left), (0, routing.below.wires[place]), (1, right)):
            cell = (middle + across, 0)
            weight = 2 if grid.mutation == "pair in a tuple" and not across else 1
            ends[wire] = [grid.cell(cell, weight, tuple_part(source, number))]
            if across:
                ends[wire].append((middle + across * COLUMN // 2, 0))
    _dig_side(grid, source, routing.above, Frame(0, COLUMN, 1), ends)
    _dig_side(grid, source, routing.below, Frame(COLUMN // 2, 2 * COLUMN, -1), ends)
    return grid


def _dig_side(grid: Grid, source: Triples, side: Side, frame: Frame, ends: dict[Wire, list[Cell]]) -> None:
    """Wires from the tuples through their crossings to the elements; `ends` are the corners of what is not yet dug."""
    current = list(side.wires)
    for level, columns in enumerate(side.swaps):
        for column in columns:
            left, right = current[column], current[column + 1]
            current[column], current[column + 1] = right, left
            _cross(grid, source, (left, right), frame, column, LEVEL * level + LEVEL // 2 + 2, ends)
    row = LEVEL * len(side.swaps) + LEVEL // 2
    alone = len(current) + 1
    for element in side.elements:
        own = [(column, wire) for column, wire in enumerate(current) if source.element(wire) == element]
        if not own:
            grid.cell(frame.at(alone, row), 1, element_part(element))
            alone += 1
        else:
            _choose(grid, source, element, own, frame, row, ends)


def _cross(
    grid: Grid,
    source: Triples,
    wires: tuple[Wire, Wire],
    frame: Frame,
    column: int,
    up: int,
    ends: dict[Wire, list[Cell]],
) -> None:
    """Let the wires of two columns cross: the left one enters a block from the left, the other from below."""
    left, right = wires
    number = len(grid.crossings) + 1
    told = " and ".join(f"t{tuple_ + 1}{axis}" for tuple_, axis in wires)
    part = (f"cross-over {number}", "cross-over", f"lets the wires of {told} cross")

    def at(x: int, y: int) -> Cell:
        return frame.at(column, up + y, 3 + x)

    if grid.mutation == "no cross-over":
        ends[left], ends[right] = ends[right], ends[left]
        grid.crossings.append(((), ((0, 0),) * 4))
        return
    inner = {"single record in the middle": 1, "wall in the middle": 3}.get(grid.mutation, RECORDS[1][1])
    block = tuple(
        grid.cell(at(x, y), inner if (x, y) == (1, 1) else RECORDS[y][x], part) for y in range(3) for x in range(3)
    )
    ports = tuple(grid.cell(at(*port), 1, part) for port in PORTS)
    grid.crossings.append((block, ports))  # type: ignore[arg-type]
    far = frame.width - 3
    grid.corridor([*ends[left], at(-3, 2), ports[0]], wire_part(source, left))
    grid.corridor([*ends[right], at(far, -3), at(0, -3), ports[2]], wire_part(source, right))
    ends[left], ends[right] = [ports[1], at(far, 0)], [ports[3], at(2, 5), at(-3, 5)]


def _choose(
    grid: Grid,
    source: Triples,
    element: Element,
    own: list[tuple[int, Wire]],
    frame: Frame,
    row: int,
    ends: dict[Wire, list[Cell]],
) -> None:
    """Choosers in a row, each a single record where corridors meet, for one wire to take one of them."""
    columns, part, name = [column for column, _ in own], element_part(element), element_name(element)
    fan = (f"fan-out of {name}", "fan-out", f"lets {len(own)} wires end at {name} where at most three corridors meet")
    weight = 2 if grid.mutation == "pair at an element" else 1
    inner = columns[1:-1] or columns[-1:]
    cells = [grid.cell(frame.at(column, row), weight, part) for column in inner]
    for place in range(len(cells) - 1):
        if grid.mutation != "cut fan-out":
            grid.corridor(cells[place : place + 2], fan)
    for column, wire in own:
        to = min(cells, key=lambda cell: abs(cell[0] - frame.at(column, row)[0]))
        turn = [] if frame.at(column, row) == to else [frame.at(column, row)]
        grid.corridor([*ends[wire], *turn, to], wire_part(source, wire))


def tuple_part(source: Triples, number: int) -> Part:
    """The gadget of a triple."""
    name = triple_name(source.triples[number])
    return f"tuple {name}", "tuple", f"the triple {name}: one rectangle where it is chosen"


def element_part(element: Element) -> Part:
    """The gadget of an element."""
    name = element_name(element)
    return f"element {name}", "element", f"the element {element[1] + 1} of {element[0].upper()}, where corridors meet"


def wire_part(source: Triples, wire: Wire) -> Part:
    """The corridors between a triple and one of its elements."""
    name = element_name(source.element(wire))
    return f"corridor of t{wire[0] + 1} and {name}", "corridor", f"takes {name}, or a record of the tuple"
