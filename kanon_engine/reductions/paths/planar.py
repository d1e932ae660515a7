"""The construction in the plane: crossings replaced by cross-over gadgets, then every degree made 3."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.paths.build import element_part, tuple_part, wire_part
from kanon_engine.reductions.paths.sketch import Part, Place, Sketch
from kanon_engine.reductions.problems.matching import AXES, Element, Triples, Wire, element_name
from kanon_engine.reductions.routing import Side, routed

COLUMN = 16.0  # between wires above; twice as much below
BOX = 8.0  # half the height of a cross-over
LEVEL = 26.0  # from one level of crossings to the next
ASIDE = 0.9  # from a connector to its pendant


def planar(source: Triples, mutation: str | None = None) -> Carried:
    """A planar graph: what `plain` makes, with a cross-over at each crossing (Figure 3)."""
    return planar_sketch(source, mutation, cubic=False).carried()


def cubic(source: Triples, mutation: str | None = None) -> Carried:
    """A planar graph where every vertex has degree 3: fan-outs and caps besides (Figure 4)."""
    return planar_sketch(source, mutation, cubic=True).carried()


def planar_sketch(source: Triples, mutation: str | None = None, *, cubic: bool) -> Sketch:
    """The same before it is an instance."""
    sketch = Sketch(mutation or "", caps=cubic)
    routing = routed(source)
    ends: dict[Wire, int] = {}
    for number, triple in enumerate(source.triples):
        place = routing.order.index(number)
        above = [wire[1] for wire in routing.above.wires if wire[0] == number]
        below = routing.below.wires[place][1]
        spots = {
            above[0]: (2 * place * COLUMN, 0.0),
            above[1]: ((2 * place + 1) * COLUMN, 0.0),
            below: ((2 * place + 0.5) * COLUMN, -4.0),
        }
        legs = sketch.triangle(f"t{number + 1}", tuple_part(triple), [spots[axis] for axis in AXES])
        ends.update(((number, axis), leg) for axis, leg in zip(AXES, legs, strict=True))
    for side, scale in (
        (routing.above, Scale(0.0, 0.0, COLUMN, 1)),
        (routing.below, Scale(COLUMN / 2, -4.0, 2 * COLUMN, -1)),
    ):
        _draw_side(sketch, source, side, scale, ends)
    return sketch


@dataclass(frozen=True)
class Scale:
    """Where columns and levels of a side lie.

    Attributes
    ----------
    left, base, width : float
        x of the first column, y of the tuples, and from column to column.
    sign : int
        1 above the tuples, -1 below.
    """

    left: float
    base: float
    width: float
    sign: int

    def at(self, column: float, up: float) -> Place:
        """The place at a column, so far from the tuples."""
        return self.left + column * self.width, self.base + self.sign * up


def _draw_side(sketch: Sketch, source: Triples, side: Side, scale: Scale, ends: dict[Wire, int]) -> None:
    """Wires from the tuples through their crossings to the elements."""
    current, last = list(side.wires), {wire: ends[wire] for wire in side.wires}
    parts = {wire: wire_part(source, wire) for wire in current}
    for level, columns in enumerate(side.swaps):
        for column in columns:
            left, right = current[column], current[column + 1]
            current[column], current[column + 1] = right, left
            if sketch.mutation == "no cross-over":
                last[left], last[right] = last[right], last[left]
                continue
            before = last[left], last[right]
            corners = _cross_over(sketch, (left, right), scale, column + 0.5, LEVEL * (level + 0.75))
            for wire, vertex, corner in zip((left, right), before, corners[:2], strict=True):
                sketch.connector(vertex, corner, parts[wire], aside=ASIDE)
            last[left], last[right] = corners[2:]
    top = LEVEL * (len(side.swaps) + 0.5)
    alone = len(current) + 1
    for element in side.elements:
        own = [(column, wire) for column, wire in enumerate(current) if source.element(wire) == element]
        vertices = _element(sketch, element, [column for column, _ in own], alone, scale, top + LEVEL / 2)
        alone += not own
        for (column, wire), vertex in zip(own, vertices, strict=True):
            sketch.connector(last[wire], vertex, parts[wire], scale.at(column, top), ASIDE)


def _element(sketch: Sketch, element: Element, columns: list[int], alone: int, scale: Scale, up: float) -> list[int]:
    """Where the wires of an element end, each at the one vertex, or at one of a row where they are more than three.

    Every two neighbours in that row are joined by a connector, so that of all wires one takes a vertex of the row,
    whichever.
    """
    part, degree, name = element_part(element), len(columns), element_name(element)
    if degree <= 3 or not sketch.caps:
        vertex = sketch.vertex(name, part, scale.at(sum(columns) / degree if columns else alone, up))
        if sketch.caps and degree in (0, 1):
            sketch.cap(vertex, (0.0, float(scale.sign)), 2)
        if sketch.caps and degree in (0, 2):
            sketch.cap(vertex, (0.0, float(scale.sign if degree else -scale.sign)), 1)
        return [vertex] * degree
    groups = [columns[:2], *([column] for column in columns[2:-2]), columns[-2:]]
    row = [
        sketch.vertex(f"{name}{chr(97 + number)}", part, scale.at(sum(own) / len(own), up))
        for number, own in enumerate(groups)
    ]
    fan = Part(f"fan-out of {name}", "fan-out", f"lets {degree} wires end at {name} where no degree is above 3")
    for one, other in pairwise(row):
        if sketch.mutation == "fan-out by edges":
            sketch.edges.append((one, other))
        else:
            sketch.connector(one, other, fan, aside=scale.sign * ASIDE)
    return [vertex for vertex, own in zip(row, groups, strict=True) for _ in own]


def _cross_over(
    sketch: Sketch, wires: tuple[Wire, Wire], scale: Scale, column: float, up: float
) -> tuple[int, int, int, int]:
    """Four corners, of which those across from each other belong to one wire; as one goes round, from the lower left.

    Between every two neighbouring corners stands a triangle like a tuple's, with connectors to both and to the middle.
    The middle is taken once, so one triangle is a class of its own, and its connectors take its two corners.
    """
    number = 1 + len({part for part in sketch.parts if part.kind == "cross-over"})
    told = " and ".join(f"t{tuple_ + 1}{axis}" for tuple_, axis in wires)
    part = Part(f"cross-over {number}", "cross-over", f"lets the wires of {told} cross")

    def at(right: float, further: float) -> Place:
        return scale.at(column + right / 2, up + BOX * further)

    around = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    if sketch.mutation == "crossing as a vertex":
        return (sketch.vertex(f"k{number}", part, at(0, 0)),) * 4
    corners = [
        sketch.vertex(f"k{number}-{place + 1}", part, at(right, further))
        for place, (right, further) in enumerate(around)
    ]
    halves = ((-0.12, -0.12), (0.12, 0.12)) if sketch.caps else ((0.0, 0.0),)
    middle = [sketch.vertex(f"k{number}{name}", part, at(*half)) for name, half in zip("mn", halves, strict=False)]
    if len(middle) == 2:
        sketch.connector(middle[0], middle[1], part, aside=ASIDE)
    for place, (name, (right, further)) in enumerate(zip("SENW", ((0, -1), (1, 0), (0, 1), (-1, 0)), strict=True)):
        if name == "N" and sketch.mutation == "three ways":
            continue
        spots = [
            at(*(0.5 * right, 0.5 * further)),
            at(0.7 * right + 0.2 * further, 0.7 * further - 0.2 * right),
            at(0.7 * right - 0.2 * further, 0.7 * further + 0.2 * right),
        ]
        inner, first, second = sketch.triangle(f"k{number}{name}", part, spots)
        if sketch.mutation != "no middle":
            sketch.connector(inner, middle[-1 if name in "EN" else 0], part, aside=ASIDE)
        sketch.connector(first, corners[place], part, aside=ASIDE)
        sketch.connector(second, corners[(place + 1) % 4], part, aside=ASIDE)
    return corners[0], corners[1], corners[2], corners[3]
