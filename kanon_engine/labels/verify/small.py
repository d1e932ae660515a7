"""The independent look at all packings of few labels, where a bound is a search's word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.verify.constraints import as_items

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MOST = 60  # labels
WORK = 300_000  # labels put into a class, in all tries together


class _TooMuch(Exception):
    pass


def beaten(labels: Labels, g: Generalization) -> bool | None:
    """Whether a packing has every class below the claimed bound; None where there are too many to look at.

    The heaviest label that is left gets every class that it could have, and the rest is packed likewise. Labels of one
    weight that nothing keeps apart are alike. What was found impossible to pack is remembered.
    """
    labels, g = as_items(labels, g)
    if len(labels) > MOST:
        return None
    try:
        return _Packings(labels, g.k, g.lower_bound - 1).possible()
    except _TooMuch:
        return None


class _Packings:
    def __init__(self, labels: Labels, k: int, cap: int) -> None:
        place = {name: number for number, name in enumerate(labels.names.tolist())}
        rules = [{place[name] for name in members} for members in labels.apart]
        counts = labels.counts.tolist()
        kinds: dict[tuple[int, int], list[int]] = {}
        for number, count in enumerate(counts):
            lone = any(number in rule for rule in rules)
            kinds.setdefault((-count, number if lone else -1), []).append(number)
        members = [kinds[kind] for kind in sorted(kinds)]
        self.weights = [counts[own[0]] for own in members]
        self.start = tuple(len(own) for own in members)
        self.conflicts = [
            {i for i, one in enumerate(members) for rule in rules if {own[0], one[0]} <= rule} for own in members
        ]
        self.k, self.cap, self.work = k, cap, WORK
        self.impossible: set[tuple[int, ...]] = set()

    def possible(self) -> bool:
        return self.packs(self.start, sum(w * n for w, n in zip(self.weights, self.start, strict=True)))

    def packs(self, left: tuple[int, ...], weight: int) -> bool:
        """Whether these labels can be packed into classes of k to the cap."""
        if weight == 0:
            return True
        if self.cap < self.k or -(-weight // self.cap) > weight // self.k or left in self.impossible:
            return False
        first = next(kind for kind, number in enumerate(left) if number)
        taken = list(left)
        taken[first] -= 1
        for rest, load in self.classes(taken, first, self.weights[first], {first}):
            if self.packs(rest, weight - load):
                return True
        self.impossible.add(left)
        return False

    def classes(self, left: list[int], kind: int, load: int, inside: set[int]) -> Iterator[tuple[tuple[int, ...], int]]:
        """What is left after each class that holds what is inside, and more of this kind and later ones."""
        self.work -= 1 + len(left) // 8
        if self.work < 0:
            raise _TooMuch
        if self.k <= load <= self.cap:
            yield tuple(left), load
        for other in range(kind, len(left)):
            weight = self.weights[other]
            if left[other] == 0 or load + weight > self.cap or self.meets(other, inside):
                continue
            left[other] -= 1
            yield from self.classes(left, other, load + weight, inside | {other})
            left[other] += 1

    def meets(self, kind: int, inside: set[int]) -> bool:
        return bool(self.conflicts[kind]) and not (self.conflicts[kind] - {kind}).isdisjoint(inside)
