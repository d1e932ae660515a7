"""The construction, stage by stage."""

from __future__ import annotations

from kanon_engine.reductions.model import Carried
from kanon_engine.reductions.paths.sketch import Part, Sketch
from kanon_engine.reductions.problems.matching import AXES, Triples

HEIGHT = 4.0  # from the tuples to the elements
LEGS = ((-0.5, 0.4), (0.5, 0.4), (0.0, -0.4))  # of a tuple, from its middle


def plain(source: Triples, mutation: str | None = None) -> Carried:
    """Elements, triangles and connectors, which may cross (Figure 2)."""
    return plain_sketch(source, mutation).carried()


def plain_sketch(source: Triples, mutation: str | None = None) -> Sketch:
    """The same before it is an instance."""
    sketch = Sketch(mutation or "")
    wide = 3.0 * max(len(source.triples), 2)
    elements = {}
    for axis in AXES:
        for number in range(source.size):
            place = (2 * number + AXES.index(axis) + 0.5) * wide / (2 * source.size) - 1.5
            if axis == "z":
                place = (number + 0.5) * wide / source.size - 1.5
            part = Part(f"element {axis}{number + 1}", "element", f"the element {number + 1} of {axis.upper()}")
            elements[axis, number] = sketch.vertex(
                f"{axis}{number + 1}", part, (place, -HEIGHT if axis == "z" else HEIGHT)
            )
    for number, triple in enumerate(source.triples):
        spelled = ", ".join(f"{axis}{element + 1}" for axis, element in zip(AXES, triple, strict=True))
        part = Part(f"tuple ({spelled})", "tuple", f"the triple ({spelled}): one class where it is chosen")
        legs = sketch.triangle(f"t{number + 1}", part, [(3.0 * number + x, y) for x, y in LEGS])
        for axis, element, leg in zip(AXES, triple, legs, strict=True):
            to = elements[axis, element]
            if axis == "z" and sketch.mutation == "z to y":
                to = elements["y", triple[1]]
            name = f"connector of t{number + 1} and {axis}{element + 1}"
            sketch.connector(leg, to, Part(name, "connector", f"takes {axis}{element + 1}, or a vertex of the tuple"))
    return sketch
