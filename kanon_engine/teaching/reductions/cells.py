"""Set cover → cellular clustering with facility costs (Aggarwal et al., Theorem 3.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, permutations

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.model.words import counted
from kanon_engine.search.solvers import solved, solver_for
from kanon_engine.teaching.reductions.model import (
    Carried,
    Gadget,
    Reduction,
    SourceProblem,
    up_to_names,
    whole_numbers,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class WithCosts(Carried):
    """A target in which each center has its own facility cost, which no algorithm of the engine supports."""

    opening: tuple[int, ...]  # cost of a cluster around each point, besides its points times its radius


# changes that break nothing; see docs/reductions.md
SPARED = ("sets are at distance 2 from each other", "elements are at distance 3 from each other")


def build(source: SetSystem, mutation: str | None = None) -> WithCosts:
    """A point for each set and each element; a set costs 1 to open, an element more than the budget."""
    sets, size = len(source.sets), source.size
    spent = source.most + sets + size
    prices = [
        {"a set costs 0 if it is a center": 0, "a set costs 2 if it is a center": 2}.get(mutation or "", 1)
    ] * sets
    prices += [
        {"an element costs 0 if it is a center": 0, "an element costs 1 if it is a center": 1}.get(
            mutation or "", spent + 1
        )
    ] * size
    most = spent + {"the budget K is too small by one": -1, "the budget K is too large by one": 1}.get(
        mutation or "", 0
    )
    ids = [f"set {number + 1}" for number in range(sets)] + [f"element {number + 1}" for number in range(size)]
    meanings = ["if this set is chosen, it is the center of a cluster"] * sets + [
        "this element is at distance 1 from every set that contains it"
    ] * size
    kinds = ["set"] * sets + ["element"] * size
    gadgets = tuple(Gadget(ids[place], kinds[place], meanings[place], (place,)) for place in range(sets + size))
    places = [(number + 0.5, 1.0) for number in range(sets)]
    places += [((number + 0.5) * sets / size, 0.0) for number in range(size)]
    space = MetricSpace(_distances(source, mutation), "precomputed", ids=ids)
    k = 3 if mutation == "each cluster needs at least three points" else 1
    return WithCosts(space, k, most, gadgets, np.array(places), opening=tuple(prices))


def _distances(source: SetSystem, mutation: str | None) -> np.ndarray:
    """(n, n) sets before elements: 1 between sets and from an element to the sets that contain it, 2 otherwise."""
    sets, size = len(source.sets), source.size
    holds = np.array([[element in members for element in range(size)] for members in source.sets])
    if mutation == "the first element is left out of a set":
        holds[int(holds[:, 0].argmax()), 0] = False
    elif mutation == "the last element is added to the first set":
        holds[0, size - 1] = True
    elif mutation == "every element is at distance 1 from every set":
        holds[:] = True
    distances = np.full((sets + size, sets + size), 2.0)
    distances[:sets, :sets] = 2.0 if mutation == "sets are at distance 2 from each other" else 1.0
    distances[sets:, sets:] = 3.0 if mutation == "elements are at distance 3 from each other" else 2.0
    distances[:sets, sets:] = np.where(holds, 1.0, 2.0)
    distances[sets:, :sets] = distances[:sets, sets:].T
    np.fill_diagonal(distances, 0.0)
    return distances


def forth(source: SetSystem, carried: WithCosts, solution: tuple[int, ...]) -> np.ndarray:
    """A class for each chosen set: itself and its elements in no earlier one; other sets are with the first."""
    chosen = sorted(set(solution))
    owners = [chosen.index(number) if number in chosen else 0 for number in range(len(source.sets))]
    owners += [next(place for place, one in enumerate(chosen) if e in source.sets[one]) for e in range(source.size)]
    return np.array(owners, dtype=np.int32)


def read(source: SetSystem, carried: WithCosts, assignment: np.ndarray) -> tuple[int, ...]:
    """The centers of all clusters except lone sets, and a set for each element that these do not contain.

    There are at most t: an element outside its center's set is at distance 2 and pays one more.
    """
    sets = len(source.sets)
    cover: set[int] = set()
    for members in members_of(assignment):
        center, _ = _center(carried, members)
        if len(members) > 1 or members[0] != center:
            cover.add(center)
    for element in range(source.size):
        holding = [number for number in range(sets) if element in source.sets[number]]
        if not cover & set(holding):
            cover.add(holding[0])
    return tuple(sorted(cover))


def decide(carried: WithCosts) -> np.ndarray | None:
    """Classes whose cost is at most the threshold, or None; CP-SAT chooses clusters by the program of section 3."""
    from ortools.sat.python import cp_model

    distances = _apart(carried)
    count = len(distances)
    balls = [
        (center, radius)
        for center in range(count)
        for radius in np.unique(distances[center]).tolist()
        if carried.opening[center] <= carried.threshold
    ]
    model = cp_model.CpModel()
    opened = [model.new_bool_var("") for _ in balls]
    within = {
        (point, number): model.new_bool_var("")
        for number, (center, radius) in enumerate(balls)
        for point in range(count)
        if distances[center, point] <= radius
    }
    for point in range(count):
        model.add_exactly_one(included for (position, _), included in within.items() if position == point)
    for number, ball in enumerate(opened):
        inside = [one for (_, position), one in within.items() if position == number]
        model.add(sum(inside) >= carried.k * ball)
        model.add(sum(inside) <= count * ball)
    paid = sum(int(balls[number][1]) * included for (_, number), included in within.items())
    built = sum(carried.opening[center] * ball for (center, _), ball in zip(balls, opened, strict=True))
    model.add(paid + built <= int(carried.threshold))
    solver = solver_for(seed=0)
    if solved(solver, model, lambda: True) != "found":
        return None
    owners = np.empty(count, dtype=np.int32)
    for (point, number), included in within.items():
        if solver.boolean_value(included):
            owners[point] = number
    return np.unique(owners, return_inverse=True)[1].astype(np.int32)


def fault(carried: WithCosts, assignment: np.ndarray) -> str:
    """The class that is too small, or the excess cost; "" if the classes meet k and the threshold."""
    if name := carried.unassigned(assignment):
        return f"{name} is in no group."
    costs = []
    for members in members_of(assignment):
        if len(members) < carried.k:
            return f"A group has {counted(len(members), 'point')}, below k = {carried.k}."
        costs.append(_center(carried, members)[1])
    if sum(costs) > carried.threshold:
        worst = members_of(assignment)[int(np.argmax(costs))]
        return (
            f"All groups together cost {sum(costs)}, but at most {carried.threshold:g} is allowed. The group with "
            f"{carried.gadget_of(int(worst[0])).name} costs the most: {max(costs)}."
        )
    return ""


def _apart(carried: WithCosts) -> np.ndarray:
    """(n, n) int64: the distances."""
    return carried.instance.between(np.arange(len(carried.instance))).astype(np.int64)


def _center(carried: WithCosts, members: np.ndarray) -> tuple[int, int]:
    """The cheapest center of a class, the first one in a tie, and the cost of the class around it."""
    costs = np.array(carried.opening) + len(members) * _apart(carried)[:, members].max(axis=1)
    return int(costs.argmin()), int(costs.min())


# ---------------------------------------------------------------------------------------------------------------------
# Set cover: do a few of the sets contain every element?
# ---------------------------------------------------------------------------------------------------------------------


MOST_SETS = {1: 3, 2: 4, 3: 3, 4: 3}  # of the tiny instances, by number of elements
LARGEST = 9  # elements and sets that a person may enter


@dataclass(frozen=True)
class SetSystem:
    """Sets of elements 0 … size - 1, and the maximum number of sets in a cover.

    >>> SetSystem(2, (frozenset({0}), frozenset({1})), 1).most
    1
    """

    size: int
    sets: tuple[frozenset[int], ...]
    most: int

    def __post_init__(self) -> None:
        if self.size < 1 or not self.sets:
            raise InvalidInput("There is nothing to cover; give sets of elements, for example 2: 1 2; 2 3; 3.")
        for members in self.sets:
            if not members <= set(range(self.size)):
                raise InvalidInput(
                    f"A set contains element {max(members) + 1}, but the elements are numbered 1 to {self.size}."
                )
        for element in range(self.size):
            if not any(element in members for members in self.sets):
                raise InvalidInput(
                    f"Element {element + 1} is in no set, so no cover is possible; add this element to a set."
                )
        if self.most < 0:
            raise InvalidInput(f"A cover cannot be limited to {self.most} sets; give 0 or more.")


def parse(text: str) -> SetSystem:
    """Parse sets from a line such as "2: 1 2; 2 3; 3", elements from 1; the largest cover is before the colon.

    >>> parse("2: 1 2; 2 3; 3").size
    3
    """
    head, colon, rest = text.partition(":")
    if not colon or not re.fullmatch(r"\s*[0-9]{1,3}\s*", head):
        raise InvalidInput(
            "Begin with the maximum number of sets in a cover, then give the sets, for example 2: 1 2; 2 3; 3."
        )
    sets = [frozenset(number - 1 for number in whole_numbers(part)) for part in rest.split(";")]
    size = max((max(members) + 1 for members in sets if members), default=0)
    if any(min(members, default=0) < 0 for members in sets):
        raise InvalidInput("There is no element 0; elements are numbered from 1.")
    if size > LARGEST or len(sets) > LARGEST:
        raise InvalidInput(f"At most {LARGEST} elements and {LARGEST} sets are allowed.")
    return SetSystem(size, tuple(sets), int(head))


def text(instance: SetSystem) -> str:
    """The line that `parse` reads."""
    return f"{instance.most}: " + "; ".join(
        " ".join(str(one + 1) for one in sorted(members)) for members in instance.sets
    )


def solve(instance: SetSystem) -> tuple[int, ...] | None:
    """Positions of the sets of a cover, or None; branches on each set that contains an uncovered element.

    >>> solve(parse("2: 1 2; 2 3; 3")), solve(parse("1: 1 2; 2 3; 3"))
    ((0, 1), None)
    """

    def covers(chosen: tuple[int, ...], lacking: frozenset[int]) -> Iterator[tuple[int, ...]]:
        if not lacking:
            yield chosen
        elif len(chosen) < instance.most:
            for number, members in enumerate(instance.sets):
                if min(lacking) in members:
                    yield from covers((*chosen, number), lacking - members)

    return next(covers((), frozenset(range(instance.size))), None)


def check(instance: SetSystem, solution: tuple[int, ...]) -> bool:
    """Whether these sets are few enough and contain every element."""
    covered = frozenset().union(*(instance.sets[number] for number in solution))
    return len(set(solution)) <= instance.most and len(covered) == instance.size


def tiny() -> Iterator[SetSystem]:
    """Up to 4 elements and a few nonempty sets, with every limit from none to one less than all sets.

    All sets together are always a cover. Of instances that differ only in element names, one is given.

    >>> from itertools import islice
    >>> [text(instance) for instance in islice(tiny(), 5)]
    ['0: 1', '0: 1; 1', '1: 1; 1', '0: 1; 1; 1', '1: 1; 1; 1']
    """
    for size, most in MOST_SETS.items():
        every = [members for length in range(1, size + 1) for members in combinations(range(size), length)]
        orders = permutations(range(size))
        images = [
            {members: tuple(sorted(names[element] for element in members)) for members in every} for names in orders
        ]
        for count, level in enumerate(up_to_names(every, images, most, lambda sets: True)):
            for sets in level:
                if len({element for members in sets for element in members}) == size:
                    yield from (SetSystem(size, tuple(map(frozenset, sets)), few) for few in range(count))


SET_COVER = SourceProblem.of("set-cover", "sets_figure", tiny=tiny, solve=solve, check=check, parse=parse, text=text)

TO_CELLS = Reduction.of(
    "set-cover-to-cellular",
    "items_figure",
    source=SET_COVER,
    family="clusters",
    build=build,
    forth=forth,
    read=read,
    decide=decide,
    fault=fault,
)
