"""3-dimensional matching → points and rectangles (Du et al. 2009, section 3.1 and Figure 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.rectangles.instance import Points
from kanon_engine.teaching.reductions.matching import (
    AXES,
    MATCHING,
    Element,
    Side,
    Triples,
    Wire,
    classes_of,
    element_name,
    exact_cover,
    routed,
    triple_name,
    wires_words,
)
from kanon_engine.teaching.reductions.model import Carried, Gadget, Part, Reduction
from kanon_engine.teaching.reductions.paths import read

COLUMN = 8  # between wires above; twice as much below
LEVEL = 16  # from one level of crossings to the next
RECORDS = ((1, 1, 1), (1, 2, 1), (1, 1, 1))  # of a cross-over, found by search
PORTS = ((-1, 2), (3, 0), (0, -1), (2, 3))  # entry and exit of one wire, then of the other


def corridor_grid(source: Triples, mutation: str | None = None) -> CorridorGrid:
    """Corridors whose rectangles of three records are the matchings."""
    grid, routing = CorridorGrid(mutation or ""), routed(source)
    ends: dict[Wire, list[Cell]] = {}
    for number in range(len(source.triples)):
        place = routing.order.index(number)
        middle = 2 * place * COLUMN + COLUMN // 2
        left, right = (wire for wire in routing.above.wires if wire[0] == number)
        for across, wire in ((-1, left), (0, routing.below.wires[place]), (1, right)):
            cell = (middle + across, 0)
            weight = 2 if grid.mutation == "a triple has two records in the middle" and not across else 1
            ends[wire] = [grid.cell(cell, weight, triple_part(source, number))]
            if across:
                ends[wire].append((middle + across * COLUMN // 2, 0))
    _Digging(grid, source, ends, 0, COLUMN, 1).side(routing.above)
    _Digging(grid, source, ends, COLUMN // 2, 2 * COLUMN, -1).side(routing.below)
    return grid


@dataclass(frozen=True)
class _Digging:
    """Wires on one side, from the triples through their crossings to the elements."""

    grid: CorridorGrid
    source: Triples
    ends: dict[Wire, list[Cell]]  # the corners of the part that is not dug yet
    left: int  # x of the first column
    width: int  # from column to column
    sign: int  # 1 above the triples, -1 below

    def at(self, column: int, up: int, right: int = 0) -> Cell:
        """The cell at a column, given its distance from the triples and its shift to the right."""
        return self.left + column * self.width + right, self.sign * up

    def side(self, side: Side) -> None:
        """Dig all of them."""
        current = list(side.wires)
        for level, columns in enumerate(side.swaps):
            for column in columns:
                left, right = current[column], current[column + 1]
                current[column], current[column + 1] = right, left
                self._cross(left, right, column, LEVEL * level + LEVEL // 2 + 2)
        row = LEVEL * len(side.swaps) + LEVEL // 2
        alone = len(current) + 1
        for element in side.elements:
            wires = [(column, wire) for column, wire in enumerate(current) if self.source.element(wire) == element]
            if wires:
                self._choose(element, wires, row)
            else:
                self.grid.cell(self.at(alone, row), 1, element_part(element))
                alone += 1

    def _cross(self, left: Wire, right: Wire, column: int, up: int) -> None:
        """Cross the wires of two columns: the left one enters a block from the left, the other from below."""
        grid, ends = self.grid, self.ends
        names = wires_words((left, right))
        part = (
            f"crossing {len(grid.crossings) + 1}",
            "crossing",
            f"lets the corridors {names} cross each other",
        )

        def at(x: int, y: int) -> Cell:
            return self.at(column, up + y, 3 + x)

        if grid.mutation == "corridors that should cross do not cross":
            ends[left], ends[right] = ends[right], ends[left]
            grid.crossings.append(((), ((0, 0),) * 4))
            return
        inner = {
            "where two corridors cross, the middle holds only one record": 1,
            "where two corridors cross, there is a wall in the middle": 3,
        }.get(grid.mutation, RECORDS[1][1])
        block = tuple(
            grid.cell(at(x, y), inner if (x, y) == (1, 1) else RECORDS[y][x], part) for y in range(3) for x in range(3)
        )
        ports = tuple(grid.cell(at(*port), 1, part) for port in PORTS)
        grid.crossings.append((block, ports))  # type: ignore[arg-type]
        far = self.width - 3
        grid.corridor([*ends[left], at(-3, 2), ports[0]], wire_part(self.source, left))
        grid.corridor([*ends[right], at(far, -3), at(0, -3), ports[2]], wire_part(self.source, right))
        ends[left], ends[right] = [ports[1], at(far, 0)], [ports[3], at(2, 5), at(-3, 5)]

    def _choose(self, element: Element, wires: list[tuple[int, Wire]], row: int) -> None:
        """A row of choosers, each a single record where corridors meet, so that exactly one wire takes one of them."""
        grid, name = self.grid, element_name(element)
        columns = [column for column, _ in wires]
        meets = f"lets {len(wires)} corridors end at the element {name} although only three can meet at a record"
        weight = 2 if grid.mutation == "an element has two records instead of one" else 1
        inner = columns[1:-1] or columns[-1:]
        cells = [grid.cell(self.at(column, row), weight, element_part(element)) for column in inner]
        if grid.mutation != "no corridors join the records of an element":
            for pair in pairwise(cells):
                grid.corridor(pair, (f"branches of element {name}", "branches", meets))
        for column, wire in wires:
            end = self.at(column, row)
            to = min(cells, key=lambda cell: abs(cell[0] - end[0]))
            grid.corridor([*self.ends[wire], *([] if end == to else [end]), to], wire_part(self.source, wire))


def triple_part(source: Triples, number: int) -> Part:
    """The gadget of a triple."""
    name = triple_name(source.triples[number])
    return f"triple {name}", "triple", f"if the triple {name} is chosen, its records are one rectangle"


def element_part(element: Element) -> Part:
    """The gadget of an element."""
    name = element_name(element)
    return (
        f"element {name}",
        "element",
        f"element {element[1] + 1} of the set {element[0].upper()}; corridors meet here",
    )


def wire_part(source: Triples, wire: Wire) -> Part:
    """The corridors between a triple and one of its elements."""
    name = element_name(source.element(wire))
    return (
        f"corridor from triple {wire[0] + 1} to {name}",
        "corridor",
        f"the groups in the corridor take either the record of element {name} or one record of the triple",
    )


# ---------------------------------------------------------------------------------------------------------------------
# Corridors on a grid of locations: cells that hold one or two records, and walls that hold three.
# ---------------------------------------------------------------------------------------------------------------------


Cell = tuple[int, int]
WALL = 3  # records at a location that is outside
SHIFT = (1, 1, 1, 1)  # replaces one record: three more cells, and the same two ways to cover the corridor


@dataclass(frozen=True)
class Corridor:
    """A path between two single-record cells; it takes one of them."""

    ends: tuple[Cell, Cell]
    cells: tuple[Cell, ...]  # cells between the ends, in order


@dataclass
class CorridorGrid:
    """Cells inside the polygon, and their purpose."""

    mutation: str = ""  # the name of a change of the construction, or ""
    weights: dict[Cell, int] = field(default_factory=dict)  # cell → records, of all cells inside
    parts: dict[Cell, Part] = field(default_factory=dict)  # cell → name, kind and meaning of its gadget
    # name of a wire or a fan-out → its corridors, in order
    corridors: dict[str, list[Corridor]] = field(default_factory=dict)
    # for each cross-over its block of nine cells and its ports, one wire after the other
    crossings: list[tuple[tuple[Cell, ...], tuple[Cell, Cell, Cell, Cell]]] = field(default_factory=list)

    def cell(self, cell: Cell, weight: int, part: Part) -> Cell:
        """Make a cell an inside location and return it."""
        if cell in self.weights:
            raise InvalidInput(f"Two parts of the construction share the location {cell}.")
        self.weights[cell], self.parts[cell] = weight, part
        return cell

    def corridor(self, way: Sequence[Cell], part: Part) -> None:
        """Dig from the first of these corners to the last, which are already single-record cells.

        Pairs and single records alternate, beginning and ending with a pair. If the number of cells is even, four
        single records in a line replace one.
        """
        cells = _cells(way)[1:-1]
        weights = [2 - number % 2 for number in range(len(cells))]
        if self.mutation == "corridors begin and end with a single record":
            weights = [3 - weight for weight in weights]
        if len(cells) % 2 == 0 and self.mutation != "no corridor has four single records in a line":
            first = _straight(cells)
            weights = [*weights[:first], *SHIFT, *weights[first + 1 : len(cells) - 3]]
        for cell, weight in zip(cells, weights, strict=True):
            self.cell(cell, weight, part)
        self.corridors.setdefault(part[0], []).append(Corridor((way[0], way[-1]), tuple(cells)))

    def carried(self, square: bool = False) -> Carried:
        """The cells as points with a margin of walls, which can make them square."""
        inside = np.array(list(self.weights))
        (west, south), (east, north) = inside.min(axis=0) - 1, inside.max(axis=0) + 1
        if square:
            side = max(east - west, north - south)
            east, north = west + side, south + side
        cells = [(x, y) for y in range(south, north + 1) for x in range(west, east + 1)]
        wall = {"a wall has two records at each location": 2, "a wall has one record at each location": 1}.get(
            self.mutation, WALL
        )
        weights = [self.weights.get(cell, wall) for cell in cells]
        items: dict[Part, list[int]] = {}
        outside = (
            "wall",
            "wall",
            "each location of the wall is a group of its own, so all other groups stay in the corridors",
        )
        for number, cell in enumerate(cells):
            items.setdefault(self.parts.get(cell, outside), []).append(number)
        order = list(dict.fromkeys([*self.parts.values(), outside]))
        gadgets = tuple(Gadget(*part, tuple(items[part])) for part in order)
        k = {"k is 2": 2, "k is 4": 4}.get(self.mutation, 3)
        instance = Points(np.array(cells, dtype=float), np.array(weights), np.array([f"{x}, {y}" for x, y in cells]))
        return Carried(instance, k, 4 if self.mutation == "K is 4" else 3, gadgets, instance.xy)


def _cells(way: Sequence[Cell]) -> list[Cell]:
    """All cells of a path with these corners."""
    cells = [way[0]]
    for (x, y), (x_next, y_next) in pairwise(way):
        steps = max(abs(x_next - x), abs(y_next - y))
        across, up = np.sign(x_next - x), np.sign(y_next - y)
        cells += [(int(x + step * across), int(y + step * up)) for step in range(1, steps + 1)]
    return cells


def _straight(cells: list[Cell]) -> int:
    """The position of a single record that is followed by three more cells in a line and then by a pair."""
    for first in range(1, len(cells) - 4, 2):
        four = np.array(cells[first : first + 4])
        if np.ptp(four, axis=0).min() == 0:
            return first
    raise InvalidInput(
        f"The corridor from {cells[0]} has an even number of locations, so it needs four single records in a line, but "
        "no part of this corridor is straight enough for them."
    )


def forth(source: Triples, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """The rectangles that represent a matching.

    Along the wires of a chosen triple every corridor takes its farther end, along the others its nearer one. A
    cross-over block takes the ports that no corridor takes.
    """
    grid = corridor_grid(source)
    tiles: list[list[Cell]] = []
    used: set[Cell] = set()

    def cut(corridor: Corridor, further: bool) -> None:
        end = corridor.ends[further]
        used.add(end)
        tiles.extend(_tiles(grid, [*corridor.cells, end] if further else [end, *corridor.cells]))

    for number in range(len(source.triples)):
        for axis in AXES:
            for corridor in grid.corridors[wire_part(source, (number, axis))[0]]:
                cut(corridor, number in solution)
    for axis in AXES:
        for element in range(source.size):
            # in a row of choosers, corridors before the one that a wire takes take the chooser before them
            choosers = [cell for cell, part in grid.parts.items() if part == element_part((axis, element))]
            first = next((number for number, cell in enumerate(choosers) if cell in used), len(choosers))
            for number, corridor in enumerate(
                grid.corridors.get(f"branches of element {element_name((axis, element))}", [])
            ):
                cut(corridor, number >= first)
    triples: dict[str, list[Cell]] = {}
    for cell, part in grid.parts.items():
        if part[1] == "triple":
            triples.setdefault(part[0], []).append(cell)
    tiles += [cells for number, cells in enumerate(triples.values()) if number in solution]
    for block, ports in grid.crossings:
        tiles += _covered(grid, [*block, *(port for port in ports if port not in used)])
    numbers = {(int(x), int(y)): number for number, (x, y) in enumerate(carried.instance.xy.tolist())}
    walls = [(number,) for cell, number in numbers.items() if grid.weights.get(cell, WALL) == WALL]
    classes = [tuple(sorted(numbers[cell] for cell in tile)) for tile in tiles]
    return classes_of([*classes, *walls], len(numbers))


def _tiles(grid: CorridorGrid, cells: list[Cell]) -> list[list[Cell]]:
    """A path cut after every three records."""
    tiles: list[list[Cell]] = [[]]
    for cell in cells:
        if sum(grid.weights[one] for one in tiles[-1]) == WALL:
            tiles.append([])
        tiles[-1].append(cell)
    return tiles


def _covered(grid: CorridorGrid, cells: list[Cell]) -> list[list[Cell]]:
    """Rectangles of three records made of these cells."""
    inside = np.array(cells) - np.min(cells, axis=0)
    weights = np.full(np.max(inside, axis=0) + 1, WALL + 1)
    places = np.full(weights.shape, -1)
    for number, ((x, y), cell) in enumerate(zip(inside.tolist(), cells, strict=True)):
        weights[x, y], places[x, y] = grid.weights[cell], number
    boxes = rectangles(weights, WALL, WALL)
    sets = [places[top:bottom, left:right].ravel().tolist() for top, bottom, left, right in boxes]
    return [[cells[number] for number in sets[chosen]] for chosen in exact_cover(len(cells), sets) or ()]


# ---------------------------------------------------------------------------------------------------------------------
# Rectangles of cells between two weights: all of them, a tiling with them, and the faults of a tiling.
# ---------------------------------------------------------------------------------------------------------------------


def as_grid(carried: Carried) -> np.ndarray:
    """(rows, columns) positions of the points, which are at every place of a grid with distance 1, from below."""
    x, y = (carried.instance.xy - carried.instance.xy.min(axis=0)).astype(np.int64).T
    grid = np.full((y.max() + 1, x.max() + 1), -1)
    grid[y, x] = np.arange(len(x))
    return grid


def rectangles(weights: np.ndarray, low: int, high: int) -> Iterator[tuple[int, int, int, int]]:
    """Every rectangle of cells of weight low … high: start and end of rows, then of columns; ends are exclusive.

    Weights are at least 1, so few are tried.

    >>> list(rectangles(np.array([[1, 2, 1]]), 3, 3))
    [(0, 1, 0, 2), (0, 1, 1, 3)]
    """
    rows, columns = weights.shape
    for top in range(rows):
        for left in range(columns):
            widest = columns
            for bottom in range(top + 1, rows + 1):
                if left + 1 > widest or weights[top:bottom, left].sum() > high:
                    break
                for right in range(left + 1, widest + 1):
                    total = weights[top:bottom, left:right].sum()
                    if total > high:
                        widest = right - 1
                        break
                    if total >= low:
                        yield top, bottom, left, right


def tiling(carried: Carried) -> np.ndarray | None:
    """Classes of weight k … threshold whose rectangles tile the plane, as (n,) int32; None if there are none.

    The slack of m classes below the threshold adds up to m times the threshold minus all records, so a limit on the
    number of classes limits their total slack.
    """
    grid = as_grid(carried)
    weights = carried.instance.weights[grid]
    sets = [
        tuple(grid[top:bottom, left:right].ravel().tolist())
        for top, bottom, left, right in rectangles(weights, carried.k, int(carried.threshold))
    ]
    shared = np.zeros(len(carried.instance), dtype=bool)
    for members in sets:
        if len(members) > 1:
            shared[list(members)] = True
    alone = [members for members in sets if len(members) == 1 and not shared[members[0]]]
    left = [members for members in sets if len(members) > 1 or shared[members[0]]]
    open_cells = np.setdiff1d(np.arange(len(shared)), [members[0] for members in alone])
    place = {cell: number for number, cell in enumerate(open_cells.tolist())}
    lacking: list[int] = []
    budget = 0
    if carried.most is not None:
        high, counts = int(carried.threshold), carried.instance.weights
        lacking = [high - int(counts[list(members)].sum()) for members in left]
        budget = carried.most * high - carried.instance.total - sum(high - int(counts[one].sum()) for (one,) in alone)
        if budget < 0:
            return None
    chosen = exact_cover(len(place), [[place[cell] for cell in members] for members in left], lacking, budget)
    return None if chosen is None else classes_of([*alone, *(left[number] for number in chosen)], len(shared))


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """Why classes are not valid: no rectangles, too many, or wrong weight, with the gadget; "" if they are valid."""
    points = carried.instance
    classes = int(assignment.max()) + 1
    if carried.most is not None and classes > carried.most:
        return f"There are {classes} rectangles, but only {carried.most} are allowed."
    loose = np.flatnonzero(assignment < 0)
    if len(loose):
        return f"The location {points.ids[loose[0]]} of the {carried.gadget_of(int(loose[0])).name} is in no group."
    for members in members_of(assignment, classes):
        total = int(points.weights[members].sum())
        where = carried.gadget_of(int(members[0])).name if len(members) else "end"
        if not carried.k <= total <= carried.threshold:
            return f"A group at the {where} holds {total} records, but {carried.asked} are required."
        if np.prod(np.ptp(points.xy[members], axis=0) + 1) != len(members):
            return f"A group at the {where} does not fill a rectangle."
    return ""


# ---------------------------------------------------------------------------------------------------------------------
# RTILE (Khanna, Muthukrishnan, Paterson 1998): few rectangles over a square of numbers, with small sums.
# ---------------------------------------------------------------------------------------------------------------------


MORE = {"one more rectangle is allowed": 1, "one fewer rectangle is allowed": -1}


def squared(source: Triples, mutation: str | None = None) -> Carried:
    """A square of numbers as points; k is 1 because rectangles have no minimum sum. p is a third of all records."""
    carried = corridor_grid(source, mutation).carried(square=True)
    return replace(carried, k=1, most=carried.instance.total // 3 + MORE.get(mutation or "", 0))


TO_RECTANGLES = Reduction.of(
    "matching-to-rectangles",
    "grid_figure",
    source=MATCHING,
    family="rectangles",
    build=lambda source, mutation=None: corridor_grid(source, mutation).carried(),
    forth=forth,
    read=read,
    decide=tiling,
    fault=fault,
)
TO_RTILE = TO_RECTANGLES.variant("matching-to-rtile", build=squared)
