"""Solutions carried to and fro: chosen triples are the triangles that are one class."""

from __future__ import annotations

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.reductions.connected import classes_of, fault
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.paths.build import plain_sketch
from kanon_engine.reductions.paths.planar import planar_sketch
from kanon_engine.reductions.paths.sketch import Sketch
from kanon_engine.reductions.problems.matching import Triples


def plain_forth(source: Triples, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """The classes that a matching stands for in the graph of `plain`."""
    return forced(plain_sketch(source), len(source.triples), solution)


def planar_forth(source: Triples, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """The same in that of `planar`."""
    return forced(planar_sketch(source, cubic=False), len(source.triples), solution)


def cubic_forth(source: Triples, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """The same in that of `cubic`."""
    return forced(planar_sketch(source, cubic=True), len(source.triples), solution)


def forced(sketch: Sketch, count: int, solution: tuple[int, ...]) -> np.ndarray:
    """Classes where of the tuples t1 … t`count` those of a matching are one class each; all else is forced by that.

    A vertex of a triangle is taken by its connector unless the triangle is one class. Any other vertex is taken by one
    of its connectors.
    """
    whole = {name: number in solution for number, name in enumerate(f"t{number + 1}" for number in range(count))}
    triangle = {vertex: name for name, vertices in sketch.triangles.items() for vertex in vertices}
    around: dict[int, list[int]] = {}
    for number, connector in enumerate(sketch.connectors):
        for end in connector.ends:
            around.setdefault(end, []).append(number)
    takes: dict[int, int] = {}
    known = -1
    while known < len(takes) + len(whole):
        known = len(takes) + len(whole)
        for vertex, numbers in around.items():
            taken = any(takes.get(number) == vertex for number in numbers)
            open_ones = [number for number in numbers if number not in takes]
            if vertex in triangle:
                name = triangle[vertex]
                if not open_ones:
                    whole.setdefault(name, not taken)
                needed = None if name not in whole else not whole[name]
            else:
                needed = True
            if needed is None or not open_ones:
                continue
            if taken or not needed:
                takes.update((number, _other_end(sketch, number, vertex)) for number in open_ones)
            elif len(open_ones) == 1:
                takes[open_ones[0]] = vertex
    classes = [(takes[number], one.middle, one.pendant) for number, one in enumerate(sketch.connectors)]
    classes += [sketch.triangles[name] for name, alone in whole.items() if alone]
    return classes_of([*classes, *sketch.capped], len(sketch.ids))


def _other_end(sketch: Sketch, number: int, vertex: int) -> int:
    one, other = sketch.connectors[number].ends
    return other if vertex == one else one


def back(source: Triples, carried: Carried, assignment: np.ndarray) -> tuple[int, ...]:
    """The triples whose triangles are one class each."""
    reason = fault(carried, assignment)
    if reason:
        raise InvalidInput(reason)
    return chosen_triples(carried, assignment)


def chosen_triples(carried: Carried, assignment: np.ndarray) -> tuple[int, ...]:
    """Positions of the tuples whose items are one class."""
    tuples = [gadget.items for gadget in carried.gadgets if gadget.kind == "tuple"]
    return tuple(number for number, items in enumerate(tuples) if len(set(assignment[list(items)].tolist())) == 1)
