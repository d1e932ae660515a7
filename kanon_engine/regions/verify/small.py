"""The independent look at all partitions of few areas, where a bound is a search's word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kanon_engine.regions.instance import Regions
from kanon_engine.regions.verify.wishes import Ground

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MOST = 60  # areas
WORK = 200_000  # connected sets looked at, in all tries together


class _TooMuch(Exception):
    pass


def beaten(regions: Regions, g: Generalization) -> bool | None:
    """Whether a partition into connected classes has every class below the claimed bound; None if there are too many.

    An area of each part gets every class that it could have, and what is left beside that is divided likewise, part by
    part. What was found out about a part is remembered. Sets of areas are the bits of a number.
    """
    if len(regions) > MOST:
        return None
    near = [0] * len(regions)
    for a, b in (Ground(regions, g).edges() if regions.wished else regions.edges).tolist():
        near[a] |= 1 << b
        near[b] |= 1 << a
    try:
        return _Partitions(near, regions.weights.tolist(), g, _Allowed(regions, g)).all_of((1 << len(near)) - 1)
    except _TooMuch:
        return None


class _Allowed:
    """Whether a set of areas may be a class, by all that is asked besides its weight and that it is connected."""

    def __init__(self, regions: Regions, g: Generalization) -> None:
        place = {name: 1 << number for number, name in enumerate(regions.ids.tolist())}
        self.together = [sum(place[name] for name in own) for own in regions.together]
        self.apart = [sum(place[name] for name in own) for own in regions.apart]
        self.minima = [(regions.columns[required.column].tolist(), required.m) for required in g.require]

    def __call__(self, members: int) -> bool:
        return (
            all(members & own in (0, own) for own in self.together)
            and all((members & own).bit_count() < 2 for own in self.apart)
            and all(sum(values[v] for v in _bits(members)) >= least for values, least in self.minima)
        )


class _Partitions:
    def __init__(self, near: list[int], weights: list[int], g: Generalization, allowed: _Allowed) -> None:
        self.near, self.weights, self.k, self.cap, self.allowed = near, weights, g.k, g.lower_bound - 1, allowed
        self.work = WORK
        self.known: dict[int, bool] = {}

    def all_of(self, areas: int) -> bool:
        """Whether every part of these areas can be divided into classes of k to the cap."""
        parts = list(self.parts(areas))
        if self.cap < self.k or any(-(-weight // self.cap) > weight // self.k or not weight for _, weight in parts):
            return False
        return all(self.divided(part) for part, _ in sorted(parts, key=lambda one: one[1]))

    def divided(self, part: int) -> bool:
        if part not in self.known:
            first = max(_bits(part), key=lambda v: (self.weights[v], -(self.near[v] & part).bit_count()))
            self.known[part] = any(self.all_of(part & ~own) for own in self.classes(first, part))
        return self.known[part]

    def parts(self, areas: int) -> Iterator[tuple[int, int]]:
        """The connected parts with their weights."""
        while areas:
            part = fresh = areas & -areas
            weight = 0
            while fresh:
                around = 0
                for v in _bits(fresh):
                    around |= self.near[v]
                    weight += self.weights[v]
                fresh = around & areas & ~part
                part |= fresh
            areas &= ~part
            yield part, weight

    def classes(self, first: int, part: int) -> Iterator[int]:
        """Every connected set of k to the cap in the part that holds the first area, once."""
        waiting = [(1 << first, self.weights[first], self.near[first] & part, 1 << first)]
        while waiting:
            members, weight, around, decided = waiting.pop()
            self.work -= 1
            if self.work < 0:
                raise _TooMuch
            if weight > self.cap:
                continue
            if weight >= self.k and self.allowed(members):
                yield members
            for v in _bits(around & ~decided):
                decided |= 1 << v
                waiting.append((members | 1 << v, weight + self.weights[v], around | self.near[v] & part, decided))


def _bits(areas: int) -> Iterator[int]:
    while areas:
        lowest = areas & -areas
        yield lowest.bit_length() - 1
        areas ^= lowest
