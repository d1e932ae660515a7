"""3-Partition and Partition → unordered labels (Du et al. 2009, section 4: Theorem 5, Theorem 6)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.labels.instance import Labels
from kanon_engine.model.generalization import members_of
from kanon_engine.teaching.reductions.model import (
    Carried,
    Gadget,
    Reduction,
    SourceProblem,
    decided,
    whole_numbers,
)


def exact_groups(source: Weights, mutation: str | None = None) -> Carried:
    """A label for each weight, k = K = B (Theorem 5)."""
    bound = source.bound
    k = {"k is B + 1": bound + 1, "k is B - 1 and K is B + 1": bound - 1, "k and K are 2 B": 2 * bound}.get(
        mutation or "", bound
    )
    most = {
        "K is B - 1": bound - 1,
        "k is B - 1 and K is B + 1": bound + 1,
        "K is 2 B": 2 * bound,
        "k and K are 2 B": 2 * bound,
    }
    return _labels(source.weights, source.weights, k, most.get(mutation or "", bound), mutation)


def raised(source: Weights) -> int:
    """M: the amount added to every weight for Theorem 6, so large that four raised weights are 4/3 of three.

    >>> raised(Weights(13, (4, 4, 5)))
    169
    """
    return source.bound**2


def raised_labels(source: Weights, mutation: str | None = None) -> Carried:
    """A label of weight + M for each weight, k = 3 M + B, K = 4 M + B: a “no” costs more than K (Theorem 6, unary)."""
    more, bound = raised(source), source.bound
    counts = [more + weight for weight in source.weights]
    counts[0] += {
        "every weight except the first is raised by the number M": -more,
        "the first weight is raised twice by the number M": more,
    }.get(mutation or "", 0)
    times = {"k is 2 M + B": 2, "k is 4 M + B": 4, "k is B": 0}.get(mutation or "", 3)
    most = {"K is 6 M + 2 B": 6 * more + 2 * bound, "K is 2 M + B": 2 * more + bound}
    return _labels(source.weights, counts, times * more + bound, most.get(mutation or "", 4 * more + bound), mutation)


def two_bins(source: Numbers, mutation: str | None = None) -> Carried:
    """A label for each number, k = K = S, half of all: a “no” costs 2 S (Theorem 6, binary)."""
    half = source.half
    k = half + {"k is S + 1": 1, "k is S - 1": -1, "k is S - 1 and K is S + 1": -1}.get(mutation or "", 0)
    most = half + {"K is S + 1": 1, "K is S - 1": -1, "k is S - 1 and K is S + 1": 1, "K is 2 S": half}.get(
        mutation or "", 0
    )
    return _labels(source.numbers, source.numbers, max(k, 1), most, mutation)


def _labels(numbers: Sequence[int], counts: Sequence[int], k: int, most: int, mutation: str | None) -> Carried:
    """Labels with these counts, changed by the mutation."""
    names = [f"w{place + 1}" for place in range(len(numbers))]
    meanings = [f"the weight {weight}" for weight in numbers]
    counts = list(counts)
    if mutation == "the last weight has no label" and len(counts) > 1:
        counts.pop()
    elif mutation == "the last weight has two labels":
        names.append(f"{names[-1]} again")
        meanings.append(meanings[-1])
        counts.append(counts[-1])
    elif mutation == "the last label has one record too many":
        counts[-1] += 1
    elif mutation == "the heaviest label has one record too few":
        counts[counts.index(max(counts))] -= max(counts) > 1
    elif mutation == "equal weights share one label":
        kinds = list(dict.fromkeys(counts))
        counts = [kind * counts.count(kind) for kind in kinds]
    gadgets = [
        Gadget(f"label {name} ({count})", "weight", meaning, (place,))
        for place, (name, count, meaning) in enumerate(zip(names, counts, meanings, strict=False))
    ]
    return Carried(Labels(np.array(names[: len(counts)]), np.array(counts)), k, most, tuple(gadgets))


def groups_forth(source: Any, carried: Carried, solution: tuple[tuple[int, ...], ...]) -> np.ndarray:
    """Each group of weights is a class."""
    assignment = np.empty(len(carried.instance), dtype=np.int32)
    for number, group in enumerate(sorted(solution)):
        assignment[list(group)] = number
    return assignment


def groups_read(source: Any, carried: Carried, assignment: np.ndarray) -> tuple[tuple[int, ...], ...]:
    """Each class is a group of weights."""
    return tuple(tuple(members.tolist()) for members in members_of(assignment, int(assignment.max()) + 1))


def halves_forth(source: Numbers, carried: Carried, solution: tuple[int, ...]) -> np.ndarray:
    """Each half is a class."""
    chosen = np.isin(np.arange(len(source.numbers)), solution)
    return (chosen != chosen[0]).astype(np.int32)


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """The class that weighs less than k or more than the threshold, with one of its labels; "" if there is none."""
    if name := carried.unassigned(assignment):
        return f"{name} is in no group."
    weights = np.bincount(assignment, carried.instance.counts).astype(int)
    for item, number in enumerate(assignment.tolist()):
        if not carried.k <= weights[number] <= carried.threshold:
            below = weights[number] < carried.k
            limit = f"below k = {carried.k}" if below else f"above K = {carried.threshold:g}"
            return f"The group with {carried.gadget_of(item).name} weighs {weights[number]}, {limit}."
    return ""


# ---------------------------------------------------------------------------------------------------------------------
# 3-Partition: can 3m weights be put into m groups of three, each of the same sum?
# ---------------------------------------------------------------------------------------------------------------------


LARGEST_BOUND = {1: 10, 2: 20, 3: 19, 4: 13}  # of the tiny instances, by number of groups
MOST_WEIGHTS = 18  # that a person may enter
HEAVIEST_WEIGHT = 1000


@dataclass(frozen=True)
class Weights:
    """3m weights, each between a quarter and half of a bound B, with a total of m times B.

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
                raise InvalidInput(
                    f"The weight {weight} is not between a quarter and a half of {self.bound}, the sum of each group."
                )
        total = sum(self.weights)
        if total != self.groups * self.bound:
            raise InvalidInput(
                f"The weights add up to {total}, but {self.groups} groups that each have the sum {self.bound} need "
                f"{self.groups * self.bound} in total."
            )

    @property
    def groups(self) -> int:
        """m: the number of groups."""
        return len(self.weights) // 3


def parse_three_partition(text: str) -> Weights:
    """Parse weights from a line such as "13: 4 4 4 4 4 6", the bound first.

    >>> parse_three_partition("13: 4 4 5").bound
    13
    """
    head, colon, rest = text.partition(":")
    bounds = whole_numbers(head)
    if not colon or len(bounds) != 1:
        raise InvalidInput("Begin with the sum of each group, then give the weights, for example 13: 4 4 5.")
    weights = whole_numbers(rest)
    if len(weights) > MOST_WEIGHTS or bounds[0] > HEAVIEST_WEIGHT:
        raise InvalidInput(
            f"Give at most {MOST_WEIGHTS} weights, and a sum of at most {HEAVIEST_WEIGHT} for each group."
        )
    return Weights(bounds[0], weights)


def three_partition_text(instance: Weights) -> str:
    """The line that `parse` reads."""
    return f"{instance.bound}: {' '.join(str(weight) for weight in instance.weights)}"


def solve_three_partition(instance: Weights) -> tuple[tuple[int, ...], ...] | None:
    """Groups of three positions, or None; backtracking over the pairs for the first free weight.

    >>> for line in ("13: 4 4 4 4 5 5", "13: 4 4 4 4 4 6"):
    ...     print(solve_three_partition(parse_three_partition(line)))
    ((0, 1, 4), (2, 3, 5))
    None
    """

    def groupings(free: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ...]]:
        if not free:
            yield ()
            return
        first, *others = free
        tried = set()
        for pair in combinations(others, 2):
            weights = tuple(instance.weights[place] for place in pair)
            if instance.weights[first] + sum(weights) == instance.bound and weights not in tried:
                tried.add(weights)
                rests = groupings(tuple(place for place in others if place not in pair))
                yield from (((first, *pair), *rest) for rest in rests)

    return next(groupings(tuple(range(len(instance.weights)))), None)


def check_three_partition(instance: Weights, solution: tuple[tuple[int, ...], ...]) -> bool:
    """Whether these groups hold every weight once and each adds up to the bound."""
    positions = sorted(place for group in solution for place in group)
    sums = {sum(instance.weights[place] for place in group) for group in solution}
    return positions == list(range(len(instance.weights))) and sums == {instance.bound}


def tiny_three_partition() -> Iterator[Weights]:
    """Instances of up to 4 groups: fewer groups first, then a smaller bound; weights in descending order.

    >>> from itertools import islice
    >>> [three_partition_text(instance) for instance in islice(tiny_three_partition(), 4)]
    ['3: 1 1 1', '6: 2 2 2', '7: 3 2 2', '9: 3 3 3']
    """
    for groups, largest in LARGEST_BOUND.items():
        for bound in range(3, largest + 1):
            for weights in _descending(3 * groups, groups * bound, bound // 4 + 1, (bound - 1) // 2):
                yield Weights(bound, weights)


def _descending(count: int, total: int, least: int, most: int) -> Iterator[tuple[int, ...]]:
    """A given number of values from least to most, in descending order, that add up to a total."""
    if count == 0:
        if total == 0:
            yield ()
        return
    for number in range(min(most, total - (count - 1) * least), least - 1, -1):
        if number * count < total:
            return
        yield from ((number, *rest) for rest in _descending(count - 1, total - number, least, number))


THREE_PARTITION = SourceProblem.of(
    "3-partition",
    "groups_figure",
    tiny=tiny_three_partition,
    solve=solve_three_partition,
    check=check_three_partition,
    parse=parse_three_partition,
    text=three_partition_text,
)


# ---------------------------------------------------------------------------------------------------------------------
# Partition: can numbers be put into two halves of equal sum?
# ---------------------------------------------------------------------------------------------------------------------


LARGEST_TOTAL = 12  # of the tiny instances
MOST_NUMBERS = 16  # that a person may enter
HEAVIEST_NUMBER = 1_000_000


@dataclass(frozen=True)
class Numbers:
    """Numbers of at least 1 with an even sum; an odd sum has no halves.

    >>> Numbers((3, 2, 2, 1)).half
    4
    """

    numbers: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.numbers or min(self.numbers) < 1:
            raise InvalidInput("Give whole numbers of at least 1, for example 3 2 2 1.")
        if sum(self.numbers) % 2:
            raise InvalidInput(
                f"The numbers add up to {sum(self.numbers)}, which is odd; give numbers with an even sum."
            )

    @property
    def half(self) -> int:
        """The sum of each half."""
        return sum(self.numbers) // 2


def parse_halves(text: str) -> Numbers:
    """Parse numbers from a line such as "3 2 2 1".

    >>> parse_halves("3 2 2 1").numbers
    (3, 2, 2, 1)
    """
    numbers = whole_numbers(text)
    if len(numbers) > MOST_NUMBERS or max(numbers, default=0) > HEAVIEST_NUMBER:
        raise InvalidInput(f"Give at most {MOST_NUMBERS} numbers, none above {HEAVIEST_NUMBER:,}.")
    return Numbers(numbers)


def halves_text(instance: Numbers) -> str:
    """The line that `parse` reads."""
    return " ".join(str(number) for number in instance.numbers)


def solve_halves(instance: Numbers) -> tuple[int, ...] | None:
    """Positions of numbers that add up to half of all, or None; a table of reachable sums.

    >>> solve_halves(parse_halves("3 2 2 1")), solve_halves(parse_halves("5 2 1"))
    ((1, 2), None)
    """
    reached: dict[int, tuple[int, ...]] = {0: ()}
    for place, number in enumerate(instance.numbers):
        for total, chosen in list(reached.items()):
            if total + number <= instance.half:
                reached.setdefault(total + number, (*chosen, place))
    return reached.get(instance.half)


def check_halves(instance: Numbers, solution: tuple[int, ...]) -> bool:
    """Whether these positions, each once, add up to half of all."""
    return len(set(solution)) == len(solution) and sum(instance.numbers[place] for place in solution) == instance.half


def tiny_halves() -> Iterator[Numbers]:
    """All ways to write 2, 4 … 12 as a sum, in descending order.

    >>> from itertools import islice
    >>> [halves_text(instance) for instance in islice(tiny_halves(), 5)]
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


HALVES = SourceProblem.of(
    "partition",
    "halves_figure",
    tiny=tiny_halves,
    solve=solve_halves,
    check=check_halves,
    parse=parse_halves,
    text=halves_text,
)

TO_EXACT_GROUPS = Reduction.of(
    "3-partition-to-labels",
    "bins_figure",
    source=THREE_PARTITION,
    family="labels",
    build=exact_groups,
    forth=groups_forth,
    read=groups_read,
    decide=partial(decided, algorithm="exact"),
    fault=fault,
)
TO_FAR_APART = TO_EXACT_GROUPS.variant("3-partition-to-raised-labels", build=raised_labels)
TO_TWO_BINS = TO_EXACT_GROUPS.variant(
    "partition-to-labels",
    source=HALVES,
    build=two_bins,
    forth=halves_forth,
    read=lambda source, carried, assignment: groups_read(source, carried, assignment)[0],
)
