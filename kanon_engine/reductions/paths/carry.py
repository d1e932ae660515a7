"""Solutions carried to and fro: chosen triples are the triangles that are one class."""

from __future__ import annotations

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.reductions.connected import classes_of, fault
from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.paths.build import plain_sketch
from kanon_engine.reductions.paths.sketch import Sketch
from kanon_engine.reductions.problems.matching import Triples


def forth(source: Triples, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """The classes that a matching stands for: what it leaves open is forced, vertex after vertex."""
    return _forced(plain_sketch(source), {f"t{number + 1}" for number in solution})


def _forced(sketch: Sketch, whole: set[str]) -> np.ndarray:
    """Classes where these triangles, and of the tuples no others, are one class each."""
    classes = [vertices for name, vertices in sketch.triangles.items() if name in whole]
    in_triangle = {vertex for vertices in sketch.triangles.values() for vertex in vertices}
    taken = {vertex for vertices in classes for vertex in vertices}
    for connector in sketch.connectors:
        leg, element = connector.ends if connector.ends[0] in in_triangle else connector.ends[::-1]
        end = element if leg in taken else leg
        classes.append((end, connector.middle, connector.pendant))
    return classes_of(classes, len(sketch.ids))


def back(source: Triples, carried: Carried, assignment: np.ndarray) -> tuple[int, ...]:
    """The triples whose triangles are one class each."""
    reason = fault(carried, assignment)
    if reason:
        raise InvalidInput(reason)
    triangles = [gadget.items for gadget in carried.gadgets if gadget.kind == "tuple"]
    return tuple(number for number, items in enumerate(triangles) if len(set(assignment[list(items)].tolist())) == 1)
