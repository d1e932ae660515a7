"""Partition: can numbers be put into two halves of equal sum?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kanon_engine.errors import InvalidInput
from kanon_engine.model.lazy import Lazy
from kanon_engine.reductions.model import Problem
from kanon_engine.reductions.problems.reading import whole_numbers

LARGEST_TOTAL = 12  # of the tiny instances
MOST_NUMBERS = 16  # that a person may type
HEAVIEST = 1_000_000


@dataclass(frozen=True)
class Numbers:
    """Numbers of at least 1 with an even sum; with an odd one there are no halves.

    Attributes
    ----------
    numbers : tuple of int

    Raises
    ------
    InvalidInput
        No numbers, a number below 1, or an odd sum.

    Example
    -------
    >>> Numbers((3, 2, 2, 1)).half
    4
    """

    numbers: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.numbers or min(self.numbers) < 1:
            raise InvalidInput("Give numbers of at least 1, as in 3 2 2 1.")
        if sum(self.numbers) % 2:
            raise InvalidInput(f"The sum {sum(self.numbers)} is odd, so there are no halves; give an even one.")

    @property
    def half(self) -> int:
        """What each half has to add up to."""
        return sum(self.numbers) // 2


def parse(text: str) -> Numbers:
    """Numbers of a line such as "3 2 2 1".

    Example
    -------
    >>> parse("3 2 2 1").numbers
    (3, 2, 2, 1)
    """
    numbers = whole_numbers(text)
    if len(numbers) > MOST_NUMBERS or max(numbers, default=0) > HEAVIEST:
        raise InvalidInput(f"{MOST_NUMBERS} numbers of at most {HEAVIEST:,} are the most here.")
    return Numbers(numbers)


def text(instance: Numbers) -> str:
    """The line that `parse` reads."""
    return " ".join(str(number) for number in instance.numbers)


def solve(instance: Numbers) -> tuple[int, ...] | None:
    """Positions of numbers that add up to half of all, or None; the sums that can be reached, number after number.

    Example
    -------
    >>> solve(parse("3 2 2 1")), solve(parse("5 2 1"))
    ((1, 2), None)
    """
    reached: dict[int, tuple[int, ...]] = {0: ()}
    for place, number in enumerate(instance.numbers):
        for total, chosen in list(reached.items()):
            if total + number <= instance.half:
                reached.setdefault(total + number, (*chosen, place))
    return reached.get(instance.half)


def check(instance: Numbers, solution: tuple[int, ...]) -> bool:
    """Whether these positions, each once, add up to half of all."""
    return len(set(solution)) == len(solution) and sum(instance.numbers[place] for place in solution) == instance.half


def tiny() -> Iterator[Numbers]:
    """All ways to write 2, 4 … 12 as a sum, in descending order.

    Example
    -------
    >>> from itertools import islice
    >>> [text(instance) for instance in islice(tiny(), 5)]
    ['2', '1 1', '4', '3 1', '2 2']
    """
    for total in range(2, LARGEST_TOTAL + 1, 2):
        yield from (Numbers(parts) for parts in _sums(total, total))


def _sums(total: int, most: int) -> Iterator[tuple[int, ...]]:
    """All ways to write a total as a sum of numbers up to a largest one, in descending order."""
    if total == 0:
        yield ()
    for number in range(min(most, total), 0, -1):
        yield from ((number, *rest) for rest in _sums(total - number, number))


HALVES = Problem(
    name="partition",
    title="Partition",
    asks="Can the numbers be put into two halves of equal sum?",
    tiny=tiny,
    solve=solve,
    check=check,
    parse=parse,
    text=text,
    example="9 7 5 4 4 3",
    picture=Lazy("kanon_engine.reductions.plot.weights:halves_figure"),
)
