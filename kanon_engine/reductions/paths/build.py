"""The construction as Figure 2 has it: elements, triangles, and connectors that may cross."""

from __future__ import annotations

from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.paths.sketch import Part, Sketch
from kanon_engine.reductions.problems.matching import AXES, Element, Triples, Wire, element_name, triple_name

HEIGHT = 4.0  # from the tuples to the elements
LEGS = ((-0.5, 0.4), (0.5, 0.4), (0.0, -0.4))  # of a tuple, from its middle
ASIDE = 0.25  # from a connector to its pendant


def plain(source: Triples, mutation: str | None = None) -> Carried:
    """Elements, triangles and connectors as an instance."""
    return plain_sketch(source, mutation).carried()


def plain_sketch(source: Triples, mutation: str | None = None) -> Sketch:
    """The same before it is an instance."""
    sketch = Sketch(mutation or "")
    wide = 3.0 * max(len(source.triples), 2) / source.size
    elements = {}
    for number in range(source.size):
        for axis, share, up in (("x", 0.25, HEIGHT), ("y", 0.75, HEIGHT), ("z", 0.5, -HEIGHT)):
            place = ((number + share) * wide - 1.5, up)
            elements[axis, number] = sketch.vertex(element_name((axis, number)), element_part((axis, number)), place)
    for number, triple in enumerate(source.triples):
        places = [(3.0 * number + x, y) for x, y in LEGS]
        for axis, leg in zip(AXES, sketch.triangle(f"t{number + 1}", tuple_part(triple), places), strict=True):
            to = source.element((number, "y" if axis == "z" and sketch.mutation == "z to y" else axis))
            sketch.connector(leg, elements[to], wire_part(source, (number, axis)), aside=ASIDE)
    return sketch


def element_part(element: Element) -> Part:
    """The gadget of an element."""
    name = element_name(element)
    return Part(f"element {name}", "element", f"the element {element[1] + 1} of {element[0].upper()}")


def tuple_part(triple: tuple[int, ...]) -> Part:
    """The gadget of a triple."""
    name = triple_name(triple)
    return Part(f"tuple {name}", "tuple", f"the triple {name}: one class where it is chosen")


def wire_part(source: Triples, wire: Wire) -> Part:
    """The connectors between a triple and one of its elements."""
    name = element_name(source.element(wire))
    return Part(f"connector of t{wire[0] + 1} and {name}", "connector", f"takes {name}, or a vertex of the tuple")
