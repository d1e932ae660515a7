"""All ways in which sensitive values can lie among the people of classes, and which of them an algorithm would release.

The names are those of docs/proofs/release/minimality.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import factorial, prod

Vector = tuple[int, ...]
CUTS = 8  # so many finer releases make a world count for one more


@dataclass(frozen=True)
class People:
    """What is known of the people of one class.

    Attributes
    ----------
    sizes : tuple of int
        How many people have each tuple of quasi-identifiers in it.
    counts : tuple of int
        How often the class has each sensitive value.
    sides : tuple of tuples of tuples of int
        For each finer release the tuples on each side, where it cuts the class.
    """

    sizes: tuple[int, ...]
    counts: Vector
    sides: tuple[tuple[tuple[int, ...], ...], ...]


class TooMany(Exception):
    """There are more worlds than are looked at."""


def worlds(sizes: Sequence[int], counts: Vector) -> Iterator[tuple[Vector, ...]]:
    """For each tuple how many of its people have each value, in every way.

    Example
    -------
    >>> list(worlds([1, 2], (2, 1)))
    [((0, 1), (2, 0)), ((1, 0), (1, 1))]
    """
    if not sizes:
        yield ()
        return
    for own in vectors(sizes[0], counts):
        rest = tuple(have - taken for have, taken in zip(counts, own, strict=True))
        for others in worlds(sizes[1:], rest):
            yield (own, *others)


def vectors(size: int, most: Vector) -> Iterator[Vector]:
    """Whole numbers with this sum, none above `most`."""
    if not most:
        if size == 0:
            yield ()
        return
    for first in range(max(0, size - sum(most[1:])), min(size, most[0]) + 1):
        for rest in vectors(size - first, most[1:]):
            yield (first, *rest)


def ways(world: Sequence[Vector]) -> int:
    """In how many ways the people can have these values."""
    return prod(factorial(sum(own)) // prod(map(factorial, own)) for own in world)


def allowed(people: People, world: Sequence[Vector], holds: Callable[[Vector], bool]) -> int:
    """The finer releases, as bits, whose sides of this class all satisfy what is required."""
    bits = 0
    for number, sides in enumerate(people.sides):
        summed = (tuple(map(sum, zip(*(world[at] for at in side), strict=True))) for side in sides)
        if all(map(holds, summed)):
            bits |= 1 << number
    return bits


def beliefs(
    block: Sequence[People], holds: Callable[[Vector], bool], most: int
) -> tuple[list[list[list[Fraction]]], int]:
    """For each class, tuple and value the share of people who have it, over all worlds that fit the release.

    A world fits if no finer release satisfies in all classes what is required. Each way in which people can have values
    counts the same.

    Parameters
    ----------
    block : sequence of People
        The classes that finer releases cut together; one class where each is cut by itself.
    holds : callable
        Whether a class with these counts satisfies what is required.
    most : int
        Worlds of all classes together, one by one, that are looked at; with many finer releases each counts for more.

    Returns
    -------
    beliefs, worlds
        And how many worlds of single classes were looked at.

    Raises
    ------
    TooMany

    Example
    -------
    Wong, Fu, Wang and Pei: two people q1, five q2, two of these seven have HIV, and at most half of a class may.

    >>> wong = People((2, 5), (2, 5), (((0,), (1,)),))
    >>> beliefs([wong], lambda own: 2 * own[0] <= sum(own), 100)[0][0][0]
    [Fraction(1, 1), Fraction(0, 1)]
    """
    looked = 0
    tables: list[dict[int, int]] = []
    shares: list[dict[int, list[list[int]]]] = []
    for people in block:
        weights: dict[int, int] = {}
        sums: dict[int, list[list[int]]] = {}
        for world in worlds(people.sizes, people.counts):
            looked += 1 + len(people.sides) // CUTS
            if looked > most:
                raise TooMany
            bits, many = allowed(people, world, holds), ways(world)
            weights[bits] = weights.get(bits, 0) + many
            own = sums.setdefault(bits, [[0] * len(people.counts) for _ in people.sizes])
            for row, vector in zip(own, world, strict=True):
                for value, count in enumerate(vector):
                    row[value] += many * count
        tables.append(weights)
        shares.append(sums)
    found = []
    for number, people in enumerate(block):
        others = _together([table for at, table in enumerate(tables) if at != number])
        fitting = {bits: sum(weight for rest, weight in others.items() if not bits & rest) for bits in tables[number]}
        total = sum(tables[number][bits] * many for bits, many in fitting.items())
        found.append(
            [
                [
                    Fraction(
                        sum(many * shares[number][bits][at][value] for bits, many in fitting.items()), total * size
                    )
                    if total
                    else Fraction()
                    for value in range(len(people.counts))
                ]
                for at, size in enumerate(people.sizes)
            ]
        )
    return found, looked


def _together(tables: Sequence[dict[int, int]]) -> dict[int, int]:
    """Ways of several classes together by the finer releases that all of them allow; without classes one way."""
    found = {-1: 1}
    for table in tables:
        after: dict[int, int] = {}
        for bits, many in found.items():
            for own, ways_of in table.items():
                after[bits & own] = after.get(bits & own, 0) + many * ways_of
        found = after
    return found
