"""Set cover: do few of the sets hold every element?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

from kanon_engine.errors import InvalidInput
from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Problem
from kanon_engine.reductions.problems.reading import whole_numbers

MOST_SETS = {1: 3, 2: 4, 3: 3, 4: 3}  # of the tiny instances, by their number of elements
LARGEST = 9  # elements and sets that a person may type


@dataclass(frozen=True)
class Sets:
    """Sets of elements 0 … size - 1, and how many of them a cover may have.

    Attributes
    ----------
    size : int
    sets : tuple of frozenset of int
    most : int

    Raises
    ------
    InvalidInput
        No element or set, an element that is in no set, for then nothing covers it, one that is not there, or a
        negative number of sets.

    Example
    -------
    >>> Sets(2, (frozenset({0}), frozenset({1})), 1).most
    1
    """

    size: int
    sets: tuple[frozenset[int], ...]
    most: int

    def __post_init__(self) -> None:
        if self.size < 1 or not self.sets:
            raise InvalidInput("There is nothing to cover; give sets of elements, as in 2: 1 2; 2 3; 3.")
        for own in self.sets:
            if not own <= set(range(self.size)):
                raise InvalidInput(f"A set holds {max(own) + 1}, where the elements are 1 to {self.size}.")
        for element in range(self.size):
            if not any(element in own for own in self.sets):
                raise InvalidInput(f"Element {element + 1} is in no set, so nothing can cover it; add it to one.")
        if self.most < 0:
            raise InvalidInput(f"A cover of at most {self.most} sets cannot be; give 0 or more.")


def parse(text: str) -> Sets:
    """Sets of a line such as "2: 1 2; 2 3; 3", elements from 1; before the colon how many sets a cover may have.

    Example
    -------
    >>> parse("2: 1 2; 2 3; 3").size
    3
    """
    head, colon, rest = text.partition(":")
    if not colon or not re.fullmatch(r"\s*[0-9]{1,3}\s*", head):
        raise InvalidInput("Begin with how many sets a cover may have, as in 2: 1 2; 2 3; 3.")
    sets = [frozenset(number - 1 for number in whole_numbers(part)) for part in rest.split(";")]
    size = max((max(own) + 1 for own in sets if own), default=0)
    if any(min(own, default=0) < 0 for own in sets):
        raise InvalidInput("There is no element 0; elements begin at 1.")
    if size > LARGEST or len(sets) > LARGEST:
        raise InvalidInput(f"{LARGEST} elements and {LARGEST} sets are the most here.")
    return Sets(size, tuple(sets), int(head))


def text(instance: Sets) -> str:
    """The line that `parse` reads."""
    return f"{instance.most}: " + "; ".join(" ".join(str(one + 1) for one in sorted(own)) for own in instance.sets)


def solve(instance: Sets) -> tuple[int, ...] | None:
    """Positions of at most so many sets that hold every element, or None; of an open element each set that holds it.

    Example
    -------
    >>> solve(parse("2: 1 2; 2 3; 3")), solve(parse("1: 1 2; 2 3; 3"))
    ((0, 1), None)
    """

    def extended(chosen: tuple[int, ...], lacking: frozenset[int]) -> tuple[int, ...] | None:
        if not lacking:
            return chosen
        if len(chosen) == instance.most:
            return None
        for number, own in enumerate(instance.sets):
            if min(lacking) in own:
                found = extended((*chosen, number), lacking - own)
                if found is not None:
                    return found
        return None

    return extended((), frozenset(range(instance.size)))


def check(instance: Sets, solution: tuple[int, ...]) -> bool:
    """Whether these are at most so many sets, and hold every element."""
    held = frozenset().union(*(instance.sets[number] for number in solution))
    return len(set(solution)) <= instance.most and len(held) == instance.size


def tiny() -> Iterator[Sets]:
    """Up to 4 elements and few sets, none of them empty, with every number of sets from none to one less than all.

    All of the sets are always a cover. Of instances that differ only in the names of elements one is told.

    Example
    -------
    >>> from itertools import islice
    >>> [text(instance) for instance in islice(tiny(), 5)]
    ['0: 1', '0: 1; 1', '1: 1; 1', '0: 1; 1; 1', '1: 1; 1; 1']
    """
    for size, most in MOST_SETS.items():
        every = [frozenset(own) for held in range(1, size + 1) for own in combinations(range(size), held)]
        level: set[tuple[tuple[int, ...], ...]] = {()}
        for count in range(1, most + 1):
            grown = {(*(frozenset(own) for own in sets), one) for sets in level for one in every}
            level = {_first_name(sets, size) for sets in grown}
            for sets in sorted(level):
                if len({element for own in sets for element in own}) == size:
                    yield from (Sets(size, tuple(map(frozenset, sets)), few) for few in range(count))


def _first_name(sets: tuple[frozenset[int], ...], size: int) -> tuple[tuple[int, ...], ...]:
    """The least of what the sets are called with other names of the elements."""
    return min(
        tuple(sorted(tuple(sorted(names[element] for element in own)) for own in sets))
        for names in permutations(range(size))
    )


SET_COVER = Problem(
    name="set-cover",
    title="Set cover",
    asks="Do at most so many of the sets hold every element?",
    tiny=tiny,
    solve=solve,
    check=check,
    parse=parse,
    text=text,
    example="2: 1 2 3; 1 4; 3 4 5; 2 5",
    picture=Lazy("kanon_engine.reductions.plot.sources:sets_figure"),
)
