"""3-Partition: can 3m weights be put into m groups of three, each of the same sum?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from kanon_engine.errors import InvalidInput
from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Problem
from kanon_engine.reductions.problems.reading import whole_numbers

LARGEST_BOUND = {1: 10, 2: 20, 3: 19, 4: 13}  # of the tiny instances, by their number of groups
MOST_WEIGHTS = 18  # that a person may type
HEAVIEST = 1000


@dataclass(frozen=True)
class Weights:
    """3m weights, each between a quarter and half of a bound B, that weigh m times B together.

    Attributes
    ----------
    bound : int
    weights : tuple of int

    Raises
    ------
    InvalidInput
        The number of weights is not 3, 6, 9 …, a weight is not between B/4 and B/2, or the sum is not m B.

    Example
    -------
    >>> Weights(13, (4, 4, 4, 4, 4, 6)).groups
    2
    """

    bound: int
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.weights or len(self.weights) % 3:
            raise InvalidInput(f"There are {len(self.weights)} weights; give 3, 6, 9 or another multiple of three.")
        for weight in self.weights:
            if not self.bound < 4 * weight < 2 * self.bound:
                raise InvalidInput(f"{weight} is not between a quarter and half of {self.bound}.")
        total = sum(self.weights)
        if total != self.groups * self.bound:
            raise InvalidInput(f"The weights add up to {total}, not to {self.groups} times {self.bound}.")

    @property
    def groups(self) -> int:
        """m: how many groups there have to be."""
        return len(self.weights) // 3


def parse(text: str) -> Weights:
    """Weights of a line such as "13: 4 4 4 4 4 6", the bound first.

    Example
    -------
    >>> parse("13: 4 4 5").bound
    13
    """
    head, colon, rest = text.partition(":")
    bounds = whole_numbers(head)
    if not colon or len(bounds) != 1:
        raise InvalidInput("Begin with the sum that each group must have, as in 13: 4 4 5.")
    weights = whole_numbers(rest)
    if len(weights) > MOST_WEIGHTS or bounds[0] > HEAVIEST:
        raise InvalidInput(f"{MOST_WEIGHTS} weights and a sum of {HEAVIEST} are the most here.")
    return Weights(bounds[0], weights)


def text(instance: Weights) -> str:
    """The line that `parse` reads."""
    return f"{instance.bound}: {' '.join(str(weight) for weight in instance.weights)}"


def solve(instance: Weights) -> tuple[tuple[int, ...], ...] | None:
    """Groups of three positions, or None; the first free weight with each pair, by backtracking.

    Example
    -------
    >>> solve(parse("13: 4 4 4 4 5 5")), solve(parse("13: 4 4 4 4 4 6"))
    (((0, 1, 4), (2, 3, 5)), None)
    """

    def grouped(free: tuple[int, ...]) -> tuple[tuple[int, ...], ...] | None:
        if not free:
            return ()
        first, *others = free
        tried = set()
        for pair in combinations(others, 2):
            weights = tuple(instance.weights[place] for place in pair)
            if instance.weights[first] + sum(weights) == instance.bound and weights not in tried:
                tried.add(weights)
                rest = grouped(tuple(place for place in others if place not in pair))
                if rest is not None:
                    return ((first, *pair), *rest)
        return None

    return grouped(tuple(range(len(instance.weights))))


def check(instance: Weights, solution: tuple[tuple[int, ...], ...]) -> bool:
    """Whether these groups hold every weight once, and each adds up to the bound."""
    held = sorted(place for group in solution for place in group)
    sums = {sum(instance.weights[place] for place in group) for group in solution}
    return held == list(range(len(instance.weights))) and sums == {instance.bound}


def tiny() -> Iterator[Weights]:
    """Instances of up to 4 groups: fewer groups first, then a smaller bound; weights in descending order.

    Example
    -------
    >>> from itertools import islice
    >>> [text(instance) for instance in islice(tiny(), 4)]
    ['3: 1 1 1', '6: 2 2 2', '7: 3 2 2', '9: 3 3 3']
    """
    for groups, largest in LARGEST_BOUND.items():
        for bound in range(3, largest + 1):
            for weights in _descending(3 * groups, groups * bound, bound // 4 + 1, (bound - 1) // 2):
                yield Weights(bound, weights)


def _descending(count: int, total: int, least: int, most: int) -> Iterator[tuple[int, ...]]:
    """So many numbers from least to most in descending order that add up to a total."""
    if count == 0:
        if total == 0:
            yield ()
        return
    for number in range(min(most, total - (count - 1) * least), least - 1, -1):
        if number * count < total:
            return
        yield from ((number, *rest) for rest in _descending(count - 1, total - number, least, number))


THREE_PARTITION = Problem(
    name="3-partition",
    title="3-Partition",
    asks="Can the weights be put into groups of three that all add up to the same sum?",
    tiny=tiny,
    solve=solve,
    check=check,
    parse=parse,
    text=text,
    example="15: 7 6 5 5 4 4 4 5 5",
    picture=Lazy("kanon_engine.reductions.plot.weights:groups_figure"),
)
