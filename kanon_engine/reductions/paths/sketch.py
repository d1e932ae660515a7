"""A graph put together from gadgets, as it grows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from kanon_engine.reductions.model import Carried, Gadget
from kanon_engine.regions.instance import Regions

Place = tuple[float, float]


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
    """

    mutation: str = ""
    ids: list[str] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    weights: list[int] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    triangles: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    connectors: list[Connector] = field(default_factory=list)

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

    def connector(self, one: int, other: int, part: Part, aside: float = 0.25) -> None:
        """Join two vertices by a connector, its pendant to the left as one goes from `one` to `other`."""
        if self.mutation == "no connector":
            self.edges.append((one, other))
            return
        (x, y), (x_other, y_other) = self.places[one], self.places[other]
        length = float(np.hypot(x_other - x, y_other - y))
        across = ((y - y_other) * aside / length, (x_other - x) * aside / length)
        number = len(self.connectors) + 1
        place = _mean([self.places[one], self.places[other]])
        middle = self.vertex(f"c{number}", part, place)
        self.edges += [(one, middle), (middle, other)]
        pendant = -1
        sides = {"no pendant": (), "two pendants": (1, -1)}.get(self.mutation, (1,))
        for side in sides:
            weight = 2 if self.mutation == "heavy pendant" else 1
            end = (place[0] + side * across[0], place[1] + side * across[1])
            pendant = self.vertex(f"d{number}" if side == 1 else f"e{number}", part, end, weight)
            self.edges.append((middle, pendant))
        self.connectors.append(Connector((one, other), middle, pendant))

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
