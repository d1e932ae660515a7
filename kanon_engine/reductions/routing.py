"""Tuples in a row, elements above and below, between them wires that cross in pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from kanon_engine.reductions.problems.matching import AXES, Element, Triples, Wire


@dataclass(frozen=True)
class Side:
    """The wires above the tuples, or those below.

    Attributes
    ----------
    wires : tuple of (int, str)
        From left to right where they leave the tuples.
    elements : tuple of (str, int)
        From left to right where they end, those without a wire included.
    swaps : tuple of tuples of int
        Level by level, the columns j whose wire crosses that of column j + 1.
    """

    wires: tuple[Wire, ...]
    elements: tuple[Element, ...]
    swaps: tuple[tuple[int, ...], ...]

    @property
    def crossings(self) -> int:
        """How many pairs of wires cross."""
        return sum(map(len, self.swaps))


@dataclass(frozen=True)
class Routing:
    """Where tuples and elements stand, and which wires cross.

    Attributes
    ----------
    order : tuple of int
        Positions of the tuples, from left to right.
    above : Side
        With two wires of each tuple.
    below : Side
        With one.

    Example
    -------
    >>> from kanon_engine.reductions.problems.matching import parse
    >>> found = routed(parse("1 1 1; 1 2 2; 2 1 2; 2 2 1"))
    >>> found.order, found.above.crossings, found.below.crossings
    ((2, 1, 0, 3), 3, 2)
    """

    order: tuple[int, ...]
    above: Side
    below: Side

    @property
    def crossings(self) -> int:
        """How many pairs of wires cross."""
        return self.above.crossings + self.below.crossings


def routed(source: Triples) -> Routing:
    """A routing with few crossings: the best of those with the elements of X, of Y or of Z below."""
    return min((_improved(source, below) for below in AXES), key=lambda found: found.crossings)


def _improved(source: Triples, below: str) -> Routing:
    """Any two tuples change places, as long as that saves a crossing."""
    above = AXES.replace(below, "")
    current = _at(source, sorted(range(len(source.triples)), key=source.triples.__getitem__), above, below)
    while True:
        changed = (_at(source, order, above, below) for order in _exchanged(current.order))
        better = next((found for found in changed if found.crossings < current.crossings), None)
        if better is None:
            return current
        current = better


def _exchanged(order: Sequence[int]) -> Iterator[list[int]]:
    """Orders where two have changed places."""
    for one, other in combinations(range(len(order)), 2):
        changed = list(order)
        changed[one], changed[other] = changed[other], changed[one]
        yield changed


def _at(source: Triples, order: Sequence[int], above: str, below: str) -> Routing:
    return Routing(tuple(order), _side(source, order, above), _side(source, order, below))


def _side(source: Triples, order: Sequence[int], axes: str) -> Side:
    """Elements by the mean place of their tuples, then in the order in which the fewest wires cross."""
    ends: dict[Element, list[int]] = {(axis, element): [] for axis in axes for element in range(source.size)}
    for place, number in enumerate(order):
        for axis in axes:
            ends[source.element((number, axis))].append(place)
    elements = sorted(ends, key=lambda element: (not ends[element], _mean(ends[element]), element))
    for _ in elements:
        for left in range(len(elements) - 1):
            one, other = ends[elements[left]], ends[elements[left + 1]]
            if other and _inverted(one, other) > _inverted(other, one):
                elements[left], elements[left + 1] = elements[left + 1], elements[left]
    rank = {element: number for number, element in enumerate(elements)}

    def target(wire: Wire) -> int:
        return rank[source.element(wire)]

    wires = tuple(wire for number in order for wire in sorted(((number, axis) for axis in axes), key=target))
    return Side(wires, tuple(elements), _levels([target(wire) for wire in wires]))


def _mean(places: list[int]) -> float:
    return sum(places) / len(places) if places else 0.0


def _inverted(left: list[int], right: list[int]) -> int:
    """How many wires cross if the first element stands left of the second."""
    return sum(one > other for one in left for other in right)


def _levels(targets: list[int]) -> tuple[tuple[int, ...], ...]:
    """Neighbouring wires that must cross do so, as early as they can."""
    current = list(targets)
    levels: list[tuple[int, ...]] = []
    while True:
        level, column = [], 0
        while column < len(current) - 1:
            if current[column] > current[column + 1]:
                current[column], current[column + 1] = current[column + 1], current[column]
                level.append(column)
                column += 1
            column += 1
        if not level:
            return tuple(levels)
        levels.append(tuple(level))
