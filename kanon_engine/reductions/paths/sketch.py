"""A graph put together from gadgets, as it grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from kanon_engine.reductions.model import Carried, Gadget
from kanon_engine.regions.instance import Regions

Place = tuple[float, float]
CAP = 0.25  # the size that caps are drawn in


@dataclass(frozen=True)
class Connector:
    """A vertex between two others with one that hangs on it: both together take one of the ends.

    Attributes
    ----------
    ends : (int, int)
    middle, pendant : int
    """

    ends: tuple[int, int]
    middle: int
    pendant: int


@dataclass(frozen=True)
class Part:
    """A gadget before its vertices are known."""

    name: str
    kind: str
    stands_for: str


@dataclass(frozen=True)
class CapForm:
    """A cap: the first vertices are joined to the one that it is for.

    Attributes
    ----------
    places : tuple of (float, float)
        Along the direction away from that vertex, and across.
    edges : tuple of (int, int)
    classes : tuple of tuples of int
        Its own partition into paths of length 2.
    """

    places: tuple[Place, ...]
    edges: tuple[tuple[int, int], ...]
    classes: tuple[tuple[int, ...], ...]


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
    (
        *((0, 1), (0, 2), (2, 3), (3, 4), (4, 1)),
        *((5, 6), (6, 7), (7, 8), (8, 5), (1, 5), (2, 6), (3, 7), (4, 8)),
    ),
    ((0, 1, 2), (3, 4, 7), (5, 6, 8)),
)
PATH = CapForm(PRISM.places[:5], ((0, 2), (0, 4), (2, 4), (1, 3), (2, 3)), ())
CAPS = {(2, False): PRISM, (1, False): CUBE, (2, True): PATH, (1, True): CUBE}


@dataclass
class Sketch:
    """Vertices, edges and what they are there for.

    Attributes
    ----------
    mutation : str
        The name of a change of the construction, or "".
    ids, places, weights, parts : list
        Of each vertex.
    edges : list of (int, int)
    triangles : dict
        Tuple, or what acts like one → its three vertices.
    connectors : list of Connector
    caps : bool
        Whether vertices of degree 1 and 2 are given caps.
    capped : list of tuples of int
        The classes of the caps.
    """

    mutation: str = ""
    ids: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    triangles: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    connectors: list[Connector] = field(default_factory=list)
    caps: bool = False
    capped: list[tuple[int, ...]] = field(default_factory=list)

    def vertex(self, name: str, part: Part, place: Place, weight: int = 1) -> int:
        """Add a vertex; its position."""
        self.ids.append(name)
        self.places.append(place)
        self.weights.append(weight)
        self.parts.append(part)
        return len(self.ids) - 1

    def triangle(self, name: str, part: Part, places: Iterable[Place]) -> tuple[int, int, int]:
        """Add three vertices that are one class, or in three."""
        places = list(places)
        one, two, three = (self.vertex(f"{name}{axis}", part, place) for axis, place in zip("xyz", places, strict=True))
        if self.mutation == "star for triangle":
            middle = self.vertex(f"{name}*", part, _mean(places))
            self.edges += [(one, middle), (two, middle), (three, middle)]
        elif self.mutation == "open triangle":
            self.edges.append((one, two))
        else:
            self.edges += [(one, two), (two, three), (three, one)]
        self.triangles[name] = (one, two, three)
        return one, two, three

    def connector(self, one: int, other: int, part: Part, through: Place | None = None, aside: float = 0.25) -> None:
        """Join two vertices by a connector, its pendant to the left as one goes from `one` to `other`.

        `through` is where its middle vertex is drawn, half way where that is not said; `aside` is how far from it the
        pendant is, to the right where it is below 0.
        """
        if self.mutation == "no connector":
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
        sides = {"no pendant": (), "two pendants": (1, -1)}.get(self.mutation, (1,))
        for side in sides:
            weight = 2 if self.mutation == "heavy pendant" else 1
            end = (place[0] + side * abs(aside) * across[0], place[1] + side * abs(aside) * across[1])
            pendant = self.vertex(f"d{number}" if side == 1 else f"e{number}", part, end, weight)
            self.edges.append((middle, pendant))
            if self.caps:
                self.cap(pendant, across if side == 1 else (-across[0], -across[1]), 2)
        self.connectors.append(Connector((one, other), middle, pendant))

    def cap(self, vertex: int, towards: Place, missing: int) -> None:
        """Give a vertex of degree 1 or 2 its missing edges, to a subgraph that is partitioned on its own (Figure 4).

        `towards` is the direction, of length 1, in which it is drawn.
        """
        form = CAPS[missing, self.mutation == "small cap"]
        part = Part(
            f"cap of {self.ids[vertex]}", "cap", f"makes the degree of {self.ids[vertex]} 3, and changes nothing"
        )
        x, y = self.places[vertex]
        u, v = towards[0] * CAP, towards[1] * CAP
        first = len(self.ids)
        for number, (along, across) in enumerate(form.places):
            name = f"{self.ids[vertex]}-{missing}{number + 1}"
            self.vertex(name, part, (x + along * u - across * v, y + along * v + across * u))
        self.edges += [(vertex, first + joined) for joined in range(missing)]
        self.edges += [(first + one, first + other) for one, other in form.edges]
        self.capped += [tuple(first + member for member in members) for members in form.classes]

    def carried(self) -> Carried:
        """As an instance, with the k and the threshold of Theorem 3."""
        items: dict[Part, list[int]] = {}
        for number, part in enumerate(self.parts):
            items.setdefault(part, []).append(number)
        gadgets = tuple(Gadget(part.name, part.kind, part.stands_for, tuple(own)) for part, own in items.items())
        k = {"k is 2": 2, "k is 4": 4}.get(self.mutation, 3)
        threshold = 4 if self.mutation == "K is 4" else 3
        instance = Regions(
            np.array(self.ids), np.array(self.weights), np.array(self.edges, dtype=np.int64).reshape(-1, 2)
        )
        return Carried(instance, k, threshold, gadgets, np.array(self.places, dtype=float))


def _mean(places: list[Place]) -> Place:
    x, y = np.mean(places, axis=0).tolist()
    return x, y
