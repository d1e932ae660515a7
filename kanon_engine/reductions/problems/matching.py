"""3-dimensional matching: choose triples so that every element is in exactly one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product

from kanon_engine.errors import InvalidInput
from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Problem

MOST_SIDE = 3  # of the tiny instances
MOST_TRIPLES = {1: 1, 2: 8, 3: 5}  # of those of each size
LARGEST = 12  # elements of a side, and triples, that a person may type
AXES = "xyz"
Element = tuple[str, int]  # axis and number
Wire = tuple[int, str]  # position of a triple, and axis: what joins it to its element there


@dataclass(frozen=True)
class Triples:
    """Triples of elements 0 … size - 1 of three sets X, Y and Z of one size.

    Attributes
    ----------
    size : int
        Elements of X, and of Y, and of Z.
    triples : tuple of tuples of three
        No two are equal.

    Raises
    ------
    InvalidInput
        No element, an element that is not there, or a triple twice.

    Example
    -------
    >>> Triples(2, ((0, 0, 1), (1, 1, 0))).of_element("x", 1)
    (1,)
    """

    size: int
    triples: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InvalidInput(f"Each set needs an element, and has {self.size}.")
        for triple in self.triples:
            if len(triple) != 3 or not all(0 <= element < self.size for element in triple):
                spelled = " ".join(str(element + 1) for element in triple)
                raise InvalidInput(f"“{spelled}” is no triple of numbers from 1 to {self.size}.")
        if len(set(self.triples)) < len(self.triples):
            raise InvalidInput("A triple stands there twice; name each once.")

    def element(self, wire: Wire) -> Element:
        """The element at the other end of a wire."""
        return wire[1], self.triples[wire[0]][AXES.index(wire[1])]

    def of_element(self, axis: str, element: int) -> tuple[int, ...]:
        """Positions of the triples that an element is in."""
        place = AXES.index(axis)
        return tuple(number for number, triple in enumerate(self.triples) if triple[place] == element)


def element_name(element: Element) -> str:
    """As x1."""
    return f"{element[0]}{element[1] + 1}"


def triple_name(triple: tuple[int, ...]) -> str:
    """A triple by the names of its elements.

    Example
    -------
    >>> triple_name((0, 0, 1))
    '(x1, y1, z2)'
    """
    return f"({', '.join(map(element_name, zip(AXES, triple, strict=True)))})"


def parse(text: str) -> Triples:
    """Triples of a line such as "1 1 2; 1 2 1", numbers from 1; "3: 1 1 2" says that each set has 3 elements.

    Example
    -------
    >>> parse("1 1 2; 1 2 1").size, parse("3: 1 1 2").triples
    (2, ((0, 0, 1),))
    """
    head, colon, rest = text.rpartition(":")
    triples = []
    for part in filter(str.strip, rest.split(";")):
        numbers = re.fullmatch(r"\s*\(?\s*(\d{1,9})[\s,]+(\d{1,9})[\s,]+(\d{1,9})\s*\)?\s*", part)
        if numbers is None:
            raise InvalidInput(f"“{part.strip()}” is no triple; write three numbers, as in 1 1 2; 1 2 1.")
        triples.append(tuple(int(number) - 1 for number in numbers.groups()))
    if colon and not re.fullmatch(r"\s*\d{1,9}\s*", head):
        raise InvalidInput(f"“{head.strip()}” is no number of elements; begin as in 3: 1 1 2.")
    size = int(head) if colon else max((max(triple) + 1 for triple in triples), default=0)
    if size > LARGEST or len(triples) > LARGEST:
        raise InvalidInput(f"There are {size} elements a set and {len(triples)} triples; {LARGEST} is the most here.")
    return Triples(size, tuple(triples))


def text(instance: Triples) -> str:
    """The line that `parse` reads."""
    return f"{instance.size}: " + "; ".join(" ".join(str(number + 1) for number in one) for one in instance.triples)


def solve(instance: Triples) -> tuple[int, ...] | None:
    """Positions of triples that hold every element once, or None; element after element of X by backtracking.

    Example
    -------
    >>> solve(parse("1 1 2; 1 2 1; 2 2 1")), solve(parse("1 1 2; 2 1 1"))
    ((0, 2), None)
    """

    def extended(chosen: tuple[int, ...], used: frozenset[tuple[str, int]]) -> tuple[int, ...] | None:
        if len(chosen) == instance.size:
            return chosen
        for number in instance.of_element("x", len(chosen)):
            _, y, z = instance.triples[number]
            if not used & {("y", y), ("z", z)}:
                found = extended((*chosen, number), used | {("y", y), ("z", z)})
                if found is not None:
                    return found
        return None

    return extended((), frozenset())


def check(instance: Triples, solution: tuple[int, ...]) -> bool:
    """Whether every element is in exactly one of these triples."""
    chosen = [instance.triples[number] for number in solution]
    return all(sorted(triple[place] for triple in chosen) == list(range(instance.size)) for place in range(3))


def tiny() -> Iterator[Triples]:
    """Instances with up to 3 elements a set: fewer elements first, then fewer triples.

    Of those that differ only in the names of elements, and of X, Y and Z, one is told.

    Example
    -------
    >>> from itertools import islice
    >>> [text(instance) for instance in islice(tiny(), 4)]
    ['1: ', '1: 1 1 1', '2: ', '2: 1 1 1']
    """
    for size in range(1, MOST_SIDE + 1):
        orders = list(permutations(range(size)))
        renamings = [(places, names) for places in permutations(range(3)) for names in product(orders, orders, orders)]
        every = list(product(range(size), repeat=3))
        images = [
            {one: tuple(names[new][one[old]] for new, old in enumerate(places)) for one in every}
            for places, names in renamings
        ]
        level: set[tuple[tuple[int, ...], ...]] = {()}
        for count in range(MOST_TRIPLES[size] + 1):
            yield from (Triples(size, triples) for triples in sorted(level))
            if count < MOST_TRIPLES[size]:
                grown = {frozenset((*triples, one)) for triples in level for one in every if one not in triples}
                level = {min(tuple(sorted(image[one] for one in triples)) for image in images) for triples in grown}


MATCHING = Problem(
    name="3-dimensional-matching",
    title="3-dimensional matching",
    asks="Can triples be chosen so that every element of X, Y and Z is in exactly one of them?",
    tiny=tiny,
    solve=solve,
    check=check,
    parse=parse,
    text=text,
    example="1 1 1; 1 2 2; 2 2 2; 2 1 1",
    picture=Lazy("kanon_engine.reductions.plot.matching:matching_figure"),
)
