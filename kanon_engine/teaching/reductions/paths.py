"""3-dimensional matching → partition into paths of length 2 (Du et al. 2009, section 2.1 and Figures 2 to 5)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

import numpy as np

from kanon_engine.regions.instance import Regions
from kanon_engine.teaching.reductions.matching import (
    AXES,
    MATCHING,
    Element,
    Side,
    Triples,
    Wire,
    classes_of,
    element_name,
    fault,
    partition,
    routed,
    triple_name,
    wires_words,
)
from kanon_engine.teaching.reductions.model import Carried, Part, Reduction, gadgets_of

HEIGHT = 4.0  # from the triples to the elements
LEGS = ((-0.5, 0.4), (0.5, 0.4), (0.0, -0.4))  # of a triple, from its center
ASIDE = 0.25  # from a connector to its pendant


def plain_sketch(source: Triples, mutation: str | None = None) -> GraphSketch:
    """Elements, triangles and connectors."""
    sketch = GraphSketch(mutation or "")
    wide = 3.0 * max(len(source.triples), 2) / source.size
    elements = {}
    for number in range(source.size):
        for axis, share, up in (("x", 0.25, HEIGHT), ("y", 0.75, HEIGHT), ("z", 0.5, -HEIGHT)):
            place = ((number + share) * wide - 1.5, up)
            elements[axis, number] = sketch.vertex(element_name((axis, number)), element_part((axis, number)), place)
    for number, triple in enumerate(source.triples):
        places = [(3.0 * number + x, y) for x, y in LEGS]
        for axis, leg in zip(AXES, sketch.triangle(f"t{number + 1}", triple_part(triple), places), strict=True):
            to = source.element(
                (
                    number,
                    "y"
                    if axis == "z"
                    and sketch.mutation == "connectors for elements of the set Z lead to elements of the set Y"
                    else axis,
                )
            )
            sketch.connector(leg, elements[to], wire_part(source, (number, axis)), aside=ASIDE)
    return sketch


def element_part(element: Element) -> Part:
    """The gadget of an element."""
    name = element_name(element)
    return (f"element {name}", "element", f"element {element[1] + 1} of the set {element[0].upper()}")


def triple_part(triple: tuple[int, ...]) -> Part:
    """The gadget of a triple."""
    name = triple_name(triple)
    return (f"triple {name}", "triple", f"if the triple {name} is chosen, its vertices are one group")


def wire_part(source: Triples, wire: Wire) -> Part:
    """The connectors between a triple and one of its elements."""
    name = element_name(source.element(wire))
    return (
        f"connector from triple {wire[0] + 1} to {name}",
        "connector",
        f"the groups of the connector take either the vertex of element {name} or one vertex of the triple",
    )


# ---------------------------------------------------------------------------------------------------------------------
# The construction in the plane: crossings replaced by cross-over gadgets, then every degree made 3.
# ---------------------------------------------------------------------------------------------------------------------


COLUMN = 16.0  # between wires above; twice as much below
BOX = 8.0  # half the height of a cross-over
LEVEL = 26.0  # from one level of crossings to the next
PLANAR_ASIDE = 0.9  # from a connector to its pendant


def planar_sketch(source: Triples, mutation: str | None = None, *, cubic: bool = False) -> GraphSketch:
    """The same in the plane, with a cross-over at each crossing (Figure 3).

    If it must be cubic, fan-outs and caps give every vertex degree 3 (Figure 4).
    """
    sketch = GraphSketch(mutation or "", caps=cubic)
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
        legs = sketch.triangle(f"t{number + 1}", triple_part(triple), [spots[axis] for axis in AXES])
        ends.update(((number, axis), leg) for axis, leg in zip(AXES, legs, strict=True))
    for side, scale in (
        (routing.above, Scale(0.0, 0.0, COLUMN, 1)),
        (routing.below, Scale(COLUMN / 2, -4.0, 2 * COLUMN, -1)),
    ):
        _draw_side(sketch, source, side, scale, ends)
    return sketch


@dataclass(frozen=True)
class Scale:
    """Positions of the columns and levels of a side."""

    # left, base, width: x of the first column, y of the triples, and distance between columns
    left: float
    base: float
    width: float
    sign: int  # 1 above the triples, -1 below

    def at(self, column: float, up: float) -> Place:
        """The place at a column, given its distance from the triples."""
        return self.left + column * self.width, self.base + self.sign * up


def _draw_side(sketch: GraphSketch, source: Triples, side: Side, scale: Scale, ends: dict[Wire, int]) -> None:
    """Wires from the triples through their crossings to the elements."""
    current, last = list(side.wires), {wire: ends[wire] for wire in side.wires}
    parts = {wire: wire_part(source, wire) for wire in current}
    for level, columns in enumerate(side.swaps):
        for column in columns:
            left, right = current[column], current[column + 1]
            current[column], current[column + 1] = right, left
            if sketch.mutation == "wires that should cross do not cross":
                last[left], last[right] = last[right], last[left]
                continue
            before = last[left], last[right]
            corners = _cross_over(sketch, (left, right), scale, column + 0.5, LEVEL * (level + 0.75))
            for wire, vertex, corner in zip((left, right), before, corners[:2], strict=True):
                sketch.connector(vertex, corner, parts[wire], aside=PLANAR_ASIDE)
            last[left], last[right] = corners[2:]
    top = LEVEL * (len(side.swaps) + 0.5)
    alone = len(current) + 1
    for element in side.elements:
        wires = [(column, wire) for column, wire in enumerate(current) if source.element(wire) == element]
        vertices = _element(sketch, element, [column for column, _ in wires], alone, scale, top + LEVEL / 2)
        alone += not wires
        for (column, wire), vertex in zip(wires, vertices, strict=True):
            sketch.connector(last[wire], vertex, parts[wire], scale.at(column, top), PLANAR_ASIDE)


def _element(
    sketch: GraphSketch, element: Element, columns: list[int], alone: int, scale: Scale, up: float
) -> list[int]:
    """The ends of an element's wires: its one vertex, or a row of vertices if there are more than three wires."""
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
        sketch.vertex(f"{name}{chr(97 + number)}", part, scale.at(sum(group) / len(group), up))
        for number, group in enumerate(groups)
    ]
    fan = (
        f"branches of element {name}",
        "branches",
        f"lets {degree} wires end at the element {name} although each vertex has only three edges",
    )
    for one, other in pairwise(row):
        if sketch.mutation == "the vertices of an element are joined by single edges instead of connectors":
            sketch.edges.append((one, other))
        else:
            sketch.connector(one, other, fan, aside=scale.sign * PLANAR_ASIDE)
    return [vertex for vertex, group in zip(row, groups, strict=True) for _ in group]


def _cross_over(
    sketch: GraphSketch, wires: tuple[Wire, Wire], scale: Scale, column: float, up: float
) -> tuple[int, int, int, int]:
    """Four corners in order around the gadget, from the lower left; opposite corners belong to the same wire."""
    number = 1 + len({part for part in sketch.parts if part[1] == "crossing"})
    part = (f"crossing {number}", "crossing", f"lets the wires {wires_words(wires)} cross each other")

    def at(right: float, further: float) -> Place:
        return scale.at(column + right / 2, up + BOX * further)

    around = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    if sketch.mutation == "wires that cross share one vertex":
        return (sketch.vertex(f"k{number}", part, at(0, 0)),) * 4
    corners = [
        sketch.vertex(f"k{number}-{place + 1}", part, at(right, further))
        for place, (right, further) in enumerate(around)
    ]
    halves = ((-0.12, -0.12), (0.12, 0.12)) if sketch.caps else ((0.0, 0.0),)
    middle = [sketch.vertex(f"k{number}{name}", part, at(*half)) for name, half in zip("mn", halves, strict=False)]
    if len(middle) == 2:
        sketch.connector(middle[0], middle[1], part, aside=PLANAR_ASIDE)
    for place, (name, (right, further)) in enumerate(zip("SENW", ((0, -1), (1, 0), (0, 1), (-1, 0)), strict=True)):
        if name == "N" and sketch.mutation == "where two wires cross, there are only three triangles instead of four":
            continue
        spots = [
            at(*(0.5 * right, 0.5 * further)),
            at(0.7 * right + 0.2 * further, 0.7 * further - 0.2 * right),
            at(0.7 * right - 0.2 * further, 0.7 * further + 0.2 * right),
        ]
        inner, first, second = sketch.triangle(f"k{number}{name}", part, spots)
        if sketch.mutation != "where two wires cross, the vertex in the middle is not joined to the triangles":
            sketch.connector(inner, middle[-1 if name in "EN" else 0], part, aside=PLANAR_ASIDE)
        sketch.connector(first, corners[place], part, aside=PLANAR_ASIDE)
        sketch.connector(second, corners[(place + 1) % 4], part, aside=PLANAR_ASIDE)
    return corners[0], corners[1], corners[2], corners[3]


# ---------------------------------------------------------------------------------------------------------------------
# A graph assembled from gadgets.
# ---------------------------------------------------------------------------------------------------------------------


Place = tuple[float, float]
CAP = 0.25  # drawn size of caps


@dataclass(frozen=True)
class Connector:
    """A vertex between two others, with a pendant: the two together take one of the ends."""

    ends: tuple[int, int]
    middle: int
    pendant: int


@dataclass(frozen=True)
class CapForm:
    """A cap: its first vertices are joined to the capped vertex."""

    places: tuple[Place, ...]  # along the direction away from that vertex, and across
    edges: tuple[tuple[int, int], ...]
    classes: tuple[tuple[int, ...], ...]  # its own partition into paths of length 2


PRISM = CapForm(
    ((1.0, -0.6), (1.0, 0.6), (2.0, -0.4), (2.0, 0.4), (3.0, -1.0), (3.0, 1.0)),
    ((0, 2), (0, 4), (2, 4), (1, 3), (1, 5), (3, 5), (2, 3), (4, 5)),
    ((0, 2, 4), (1, 3, 5)),
)
CUBE = CapForm(
    (
        *((1.0, 0.0), (1.0, -1.5), (1.0, 1.5), (4.0, 1.5), (4.0, -1.5)),
        *((2.0, -0.7), (2.0, 0.7), (3.0, 0.7), (3.0, -0.7)),
    ),
    (*((0, 1), (0, 2), (2, 3), (3, 4), (4, 1)), *((5, 6), (6, 7), (7, 8), (8, 5), (1, 5), (2, 6), (3, 7), (4, 8))),
    ((0, 1, 2), (3, 4, 7), (5, 6, 8)),
)
PATH = CapForm(PRISM.places[:5], ((0, 2), (0, 4), (2, 4), (1, 3), (2, 3)), ())
CAPS = {(2, False): PRISM, (1, False): CUBE, (2, True): PATH, (1, True): CUBE}


@dataclass
class GraphSketch:
    """Vertices, edges and their purpose."""

    mutation: str = ""  # the name of a change of the construction, or ""
    # ids, places, weights, parts: of each vertex
    ids: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    # triple, or a triangle that acts like one → its three vertices
    triangles: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    connectors: list[Connector] = field(default_factory=list)
    caps: bool = False  # whether vertices of degree 1 and 2 get caps
    capped: list[tuple[int, ...]] = field(default_factory=list)  # the classes of the caps

    def vertex(self, name: str, part: Part, place: Place, weight: int = 1) -> int:
        """Add a vertex and return its position."""
        self.ids.append(name)
        self.places.append(place)
        self.weights.append(weight)
        self.parts.append(part)
        return len(self.ids) - 1

    def triangle(self, name: str, part: Part, places: Iterable[Place]) -> tuple[int, int, int]:
        """Add three vertices that are in one class or in three."""
        places = list(places)
        one, two, three = (self.vertex(f"{name}{axis}", part, place) for axis, place in zip("xyz", places, strict=True))
        if self.mutation == "the vertices of a triangle are joined to a fourth vertex, not to each other":
            middle = self.vertex(f"{name}*", part, _mean(places))
            self.edges += [(one, middle), (two, middle), (three, middle)]
        elif self.mutation == "only one of the three edges of each triangle is kept":
            self.edges.append((one, two))
        else:
            self.edges += [(one, two), (two, three), (three, one)]
        self.triangles[name] = (one, two, three)
        return one, two, three

    def connector(self, one: int, other: int, part: Part, through: Place | None = None, aside: float = 0.25) -> None:
        """Join two vertices by a connector, with its pendant to the left on the way from `one` to `other`.

        `through` is the position of its middle vertex, halfway by default; `aside` is the distance from there to the
        pendant, to the right if negative.
        """
        if self.mutation == "vertices are joined by single edges instead of connectors":
            self.edges.append((one, other))
            return
        place = _mean([self.places[one], self.places[other]]) if through is None else through
        (x, y), (x_middle, y_middle) = self.places[one], place
        length = float(np.hypot(x_middle - x, y_middle - y))
        left = 1 if aside > 0 else -1
        across = (left * (y - y_middle) / length, left * (x_middle - x) / length)
        number = len(self.connectors) + 1
        middle = self.vertex(f"c{number}", part, place)
        self.edges += [(one, middle), (middle, other)]
        pendant = -1
        sides = {
            "connectors lack the extra vertex at their side": (),
            "connectors have two extra vertices at their sides instead of one": (1, -1),
        }.get(self.mutation, (1,))
        for side in sides:
            weight = 2 if self.mutation == "the extra vertex at the side of each connector has a weight of 2" else 1
            end = (place[0] + side * abs(aside) * across[0], place[1] + side * abs(aside) * across[1])
            pendant = self.vertex(f"d{number}" if side == 1 else f"e{number}", part, end, weight)
            self.edges.append((middle, pendant))
            if self.caps:
                self.cap(pendant, across if side == 1 else (-across[0], -across[1]), 2)
        self.connectors.append(Connector((one, other), middle, pendant))

    def cap(self, vertex: int, toward: Place, missing: int) -> None:
        """Give a vertex of degree 1 or 2 its missing edges, to a subgraph with its own partition (Figure 4).

        `toward` is the unit direction in which it is drawn.
        """
        form = CAPS[missing, self.mutation == "an end piece for two missing edges has five vertices instead of six"]
        edges = f"gives the vertex {self.ids[vertex]} its missing edges, so that it has three"
        meaning = f"{edges}; this never changes the answer"
        part = (f"end piece of {self.ids[vertex]}", "end piece", meaning)
        x, y = self.places[vertex]
        u, v = toward[0] * CAP, toward[1] * CAP
        first = len(self.ids)
        for number, (along, across) in enumerate(form.places):
            name = f"{self.ids[vertex]}-{missing}{number + 1}"
            self.vertex(name, part, (x + along * u - across * v, y + along * v + across * u))
        self.edges += [(vertex, first + offset) for offset in range(missing)]
        self.edges += [(first + one, first + other) for one, other in form.edges]
        self.capped += [tuple(first + member for member in members) for members in form.classes]

    def carried(self) -> Carried:
        """The instance, with the k and the threshold of Theorem 3."""
        k = {"k is 2": 2, "k is 4": 4}.get(self.mutation, 3)
        threshold = 4 if self.mutation == "K is 4" else 3
        instance = Regions(
            np.array(self.ids), np.array(self.weights), np.array(self.edges, dtype=np.int64).reshape(-1, 2)
        )
        return Carried(instance, k, threshold, gadgets_of(self.parts), np.array(self.places, dtype=float))


def _mean(places: list[Place]) -> Place:
    x, y = np.mean(places, axis=0).tolist()
    return x, y


def forth(
    sketched: Callable[[Triples, str | None], GraphSketch], source: Triples, carried: Carried, solution: tuple[int, ...]
) -> np.ndarray:
    """Classes in which each triple of a matching is a class; this forces everything else.

    A vertex of a triangle is taken by its connector unless the triangle is one class. Any other vertex is taken by one
    of its connectors.
    """
    sketch = sketched(source, None)
    whole = {f"t{number + 1}": number in solution for number in range(len(source.triples))}
    triangle = {vertex: name for name, vertices in sketch.triangles.items() for vertex in vertices}
    around: dict[int, list[int]] = {}
    for number, connector in enumerate(sketch.connectors):
        for end in connector.ends:
            around.setdefault(end, []).append(number)
    takes: dict[int, int] = {}
    count = -1
    while count < len(takes) + len(whole):
        count = len(takes) + len(whole)
        for vertex, numbers in around.items():
            used = any(takes.get(number) == vertex for number in numbers)
            open_ones = [number for number in numbers if number not in takes]
            if vertex in triangle:
                name = triangle[vertex]
                if not open_ones:
                    whole.setdefault(name, not used)
                needed = None if name not in whole else not whole[name]
            else:
                needed = True
            if needed is None or not open_ones:
                continue
            if used or not needed:  # the others take their opposite end
                takes.update((number, sum(sketch.connectors[number].ends) - vertex) for number in open_ones)
            elif len(open_ones) == 1:
                takes[open_ones[0]] = vertex
    classes = [(takes[number], one.middle, one.pendant) for number, one in enumerate(sketch.connectors)]
    classes += [sketch.triangles[name] for name, alone in whole.items() if alone]
    return classes_of([*classes, *sketch.capped], len(sketch.ids))


def read(source: Triples, carried: Carried, assignment: np.ndarray) -> tuple[int, ...]:
    """Positions of the triples whose items are one class: triangles of areas, or three records in one rectangle."""
    triples = [gadget.items for gadget in carried.gadgets if gadget.kind == "triple"]
    return tuple(number for number, items in enumerate(triples) if len(set(assignment[list(items)].tolist())) == 1)


TO_PATHS = Reduction.of(
    "matching-to-paths",
    "graph_figure",
    source=MATCHING,
    family="regions",
    build=lambda source, mutation=None: plain_sketch(source, mutation).carried(),
    forth=partial(forth, plain_sketch),
    read=read,
    decide=partition,
    fault=fault,
)
TO_PLANAR_PATHS = TO_PATHS.variant(
    "matching-to-planar-paths",
    build=lambda source, mutation=None: planar_sketch(source, mutation).carried(),
    forth=partial(forth, planar_sketch),
)
TO_REGIONS = TO_PATHS.variant(
    "matching-to-regions",
    build=lambda source, mutation=None: planar_sketch(source, mutation, cubic=True).carried(),
    forth=partial(forth, partial(planar_sketch, cubic=True)),
)
