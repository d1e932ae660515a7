"""Solutions carried to and fro: chosen triples are those whose three records are one rectangle."""

from __future__ import annotations

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.reductions.connected import classes_of
from kanon_engine.reductions.corridors.build import corridor_grid, element_part, wire_part
from kanon_engine.reductions.corridors.grid import WALL, Cell, Corridor, Grid
from kanon_engine.reductions.corridors.tiles import fault, rectangles
from kanon_engine.reductions.exact_cover import exact_cover
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.paths.carry import chosen_triples
from kanon_engine.reductions.problems.matching import AXES, Element, Triples, element_name


def forth(source: Triples, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """The rectangles that a matching stands for.

    Along the wires of a chosen triple every corridor takes its further end, along the others its nearer one. Of a
    cross-over's ports the block takes those that no corridor does.
    """
    grid = corridor_grid(source)
    tiles: list[list[Cell]] = []
    taken: set[Cell] = set()

    def cut(corridor: Corridor, further: bool) -> None:
        end = corridor.ends[further]
        taken.add(end)
        tiles.extend(_tiles(grid, [*corridor.cells, end] if further else [end, *corridor.cells]))

    for number in range(len(source.triples)):
        for axis in AXES:
            for corridor in grid.corridors[wire_part(source, (number, axis))[0]]:
                cut(corridor, number in solution)
    for axis in AXES:
        for element in range(source.size):
            for number, corridor in enumerate(grid.corridors.get(f"fan-out of {element_name((axis, element))}", [])):
                cut(corridor, number >= _first_taken(grid, (axis, element), taken))
    triples: dict[str, list[Cell]] = {}
    for cell, part in grid.parts.items():
        if part[1] == "tuple":
            triples.setdefault(part[0], []).append(cell)
    tiles += [cells for number, cells in enumerate(triples.values()) if number in solution]
    for block, ports in grid.crossings:
        tiles += _covered(grid, [*block, *(port for port in ports if port not in taken)])
    numbers = {(int(x), int(y)): number for number, (x, y) in enumerate(carried.instance.xy.tolist())}
    walls = [(number,) for cell, number in numbers.items() if grid.weights.get(cell, WALL) == WALL]
    classes = [tuple(sorted(numbers[cell] for cell in tile)) for tile in tiles]
    return classes_of([*classes, *walls], len(numbers))


def _first_taken(grid: Grid, element: Element, taken: set[Cell]) -> int:
    """Which of the choosers of an element a wire takes; corridors of the row before it take what is before them."""
    cells = [cell for cell, part in grid.parts.items() if part == element_part(element)]
    return next((number for number, cell in enumerate(cells) if cell in taken), len(cells))


def _tiles(grid: Grid, cells: list[Cell]) -> list[list[Cell]]:
    """A way cut after every three records."""
    tiles: list[list[Cell]] = [[]]
    for cell in cells:
        if sum(grid.weights[one] for one in tiles[-1]) == WALL:
            tiles.append([])
        tiles[-1].append(cell)
    return tiles


def _covered(grid: Grid, cells: list[Cell]) -> list[list[Cell]]:
    """Rectangles of three records that are these cells."""
    inside = np.array(cells) - np.min(cells, axis=0)
    weights = np.full(np.max(inside, axis=0) + 1, WALL + 1)
    places = np.full(weights.shape, -1)
    for number, ((x, y), cell) in enumerate(zip(inside.tolist(), cells, strict=True)):
        weights[x, y], places[x, y] = grid.weights[cell], number
    found = rectangles(weights, WALL, WALL)
    sets = [places[top:bottom, left:right].ravel().tolist() for top, bottom, left, right in found]
    return [[cells[number] for number in sets[chosen]] for chosen in exact_cover(len(cells), sets) or ()]


def back(source: Triples, carried: Carried, assignment: np.ndarray) -> tuple[int, ...]:
    """The triples whose three records are one rectangle."""
    reason = fault(carried, assignment)
    if reason:
        raise InvalidInput(reason)
    return chosen_triples(carried, assignment)
