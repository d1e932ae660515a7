"""3-dimensional matching, and the shared parts of its constructions: wires, connected classes, exact covers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.search.solvers import solved, solver_for
from kanon_engine.teaching.reductions.model import Carried, SourceProblem, up_to_names

MOST_SIDE = 3  # of the tiny instances
MOST_TRIPLES = {1: 1, 2: 8, 3: 5}  # of the tiny instances, by size
LARGEST = 12  # elements of a set, and triples, that a person may enter
AXES = "xyz"
Element = tuple[str, int]  # axis and number
Wire = tuple[int, str]  # position of a triple, and the axis of the element that the wire joins it to


@dataclass(frozen=True)
class Triples:
    """Triples of elements 0 … size - 1 of three sets X, Y and Z of the same size.

    >>> Triples(2, ((0, 0, 1), (1, 1, 0))).of_element("x", 1)
    (1,)
    """

    size: int  # elements of X, and of Y, and of Z
    triples: tuple[tuple[int, ...], ...]  # all different

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InvalidInput(f"Each set has {self.size} elements but needs at least one.")
        for triple in self.triples:
            if len(triple) != 3 or not all(0 <= element < self.size for element in triple):
                spelled = " ".join(str(element + 1) for element in triple)
                raise InvalidInput(f"“{spelled}” is not a triple of numbers from 1 to {self.size}.")
        if len(set(self.triples)) < len(self.triples):
            raise InvalidInput("A triple appears twice; list each triple once.")

    def element(self, wire: Wire) -> Element:
        """The element at the other end of a wire."""
        return wire[1], self.triples[wire[0]][AXES.index(wire[1])]

    def of_element(self, axis: str, element: int) -> tuple[int, ...]:
        """Positions of the triples that an element is in."""
        place = AXES.index(axis)
        return tuple(number for number, triple in enumerate(self.triples) if triple[place] == element)


def element_name(element: Element) -> str:
    """The name of an element, as in x1."""
    return f"{element[0]}{element[1] + 1}"


def wires_words(wires: Iterable[Wire]) -> str:
    """Wires by their two ends.

    >>> wires_words([(0, "x"), (1, "y")])
    'from triple 1 to X and from triple 2 to Y'
    """
    return " and ".join(f"from triple {triple + 1} to {axis.upper()}" for triple, axis in wires)


def triple_name(triple: tuple[int, ...]) -> str:
    """A triple by the names of its elements.

    >>> triple_name((0, 0, 1))
    '(x1, y1, z2)'
    """
    return f"({', '.join(map(element_name, zip(AXES, triple, strict=True)))})"


def parse(text: str) -> Triples:
    """Parse triples from a line such as "1 1 2; 1 2 1", numbers from 1; in "3: 1 1 2" each set has 3 elements.

    >>> parse("1 1 2; 1 2 1").size, parse("3: 1 1 2").triples
    (2, ((0, 0, 1),))
    """
    head, colon, rest = text.rpartition(":")
    triples = []
    for part in filter(str.strip, rest.split(";")):
        numbers = re.fullmatch(r"\s*\(?\s*(\d{1,9})[\s,]+(\d{1,9})[\s,]+(\d{1,9})\s*\)?\s*", part)
        if numbers is None:
            raise InvalidInput(
                f"“{part.strip()}” is not a triple; write three numbers for each triple, for example 1 1 2; 1 2 1."
            )
        triples.append(tuple(int(number) - 1 for number in numbers.groups()))
    if colon and not re.fullmatch(r"\s*\d{1,9}\s*", head):
        raise InvalidInput(
            f"“{head.strip()}” cannot be the number of elements per set; begin with that number, for example 3: 1 1 2."
        )
    size = int(head) if colon else max((max(triple) + 1 for triple in triples), default=0)
    if size > LARGEST or len(triples) > LARGEST:
        raise InvalidInput(
            f"There are {size} elements per set and {len(triples)} triples; give at most {LARGEST} elements "
            f"per set and at most {LARGEST} triples."
        )
    return Triples(size, tuple(triples))


def text(instance: Triples) -> str:
    """The line that `parse` reads."""
    return f"{instance.size}: " + "; ".join(" ".join(str(number + 1) for number in one) for one in instance.triples)


def solve(instance: Triples) -> tuple[int, ...] | None:
    """Positions of triples that hold every element once, or None; backtracking over the elements of X.

    >>> solve(parse("1 1 2; 1 2 1; 2 2 1")), solve(parse("1 1 2; 2 1 1"))
    ((0, 2), None)
    """

    def matchings(chosen: tuple[int, ...], used: frozenset[tuple[str, int]]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == instance.size:
            yield chosen
        for number in instance.of_element("x", len(chosen)):
            _, y, z = instance.triples[number]
            if not used & {("y", y), ("z", z)}:
                yield from matchings((*chosen, number), used | {("y", y), ("z", z)})

    return next(matchings((), frozenset()), None)


def check(instance: Triples, solution: tuple[int, ...]) -> bool:
    """Whether every element is in exactly one of these triples."""
    chosen = [instance.triples[number] for number in solution]
    return all(sorted(triple[place] for triple in chosen) == list(range(instance.size)) for place in range(3))


def tiny() -> Iterator[Triples]:
    """Instances with up to 3 elements per set: fewer elements first, then fewer triples.

    Of those that differ only in the names of elements, or of X, Y and Z, one is given.

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
        for level in up_to_names(every, images, MOST_TRIPLES[size], lambda triples: len(set(triples)) == len(triples)):
            yield from (Triples(size, triples) for triples in level)


MATCHING = SourceProblem.of(
    "3-dimensional-matching", "matching_figure", tiny=tiny, solve=solve, check=check, parse=parse, text=text
)


# ---------------------------------------------------------------------------------------------------------------------
# Triples in a row, elements above and below, and wires between them that cross in pairs.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Side:
    """The wires above the triples, or those below."""

    wires: tuple[Wire, ...]  # from left to right at the triples
    elements: tuple[Element, ...]  # from left to right at the other end, including those without a wire
    swaps: tuple[tuple[int, ...], ...]  # level by level, the columns j whose wire crosses that of column j + 1

    @property
    def crossings(self) -> int:
        """The number of pairs of wires that cross."""
        return sum(map(len, self.swaps))


@dataclass(frozen=True)
class Routing:
    """The order of triples and elements, and which wires cross.

    >>> from kanon_engine.teaching.reductions.matching import parse
    >>> found = routed(parse("1 1 1; 1 2 2; 2 1 2; 2 2 1"))
    >>> found.order, found.above.crossings, found.below.crossings
    ((2, 1, 0, 3), 3, 2)
    """

    order: tuple[int, ...]  # positions of the triples, from left to right
    above: Side  # with two wires of each triple
    below: Side  # with one

    @property
    def crossings(self) -> int:
        """The number of pairs of wires that cross."""
        return self.above.crossings + self.below.crossings


def routed(source: Triples) -> Routing:
    """A routing with few crossings: the best with the elements of X, Y or Z below."""
    return min((_improved(source, below) for below in AXES), key=lambda routing: routing.crossings)


def _improved(source: Triples, below: str) -> Routing:
    """Swap two triples as long as that saves a crossing."""
    above = AXES.replace(below, "")

    def at(order: Sequence[int]) -> Routing:
        return Routing(tuple(order), _side(source, order, above), _side(source, order, below))

    current = at(sorted(range(len(source.triples)), key=source.triples.__getitem__))
    while True:
        changed = map(at, _exchanged(current.order))
        better = next((routing for routing in changed if routing.crossings < current.crossings), None)
        if better is None:
            return current
        current = better


def _exchanged(order: Sequence[int]) -> Iterator[list[int]]:
    """Orders with two entries swapped."""
    for one, other in combinations(range(len(order)), 2):
        changed = list(order)
        changed[one], changed[other] = changed[other], changed[one]
        yield changed


def _side(source: Triples, order: Sequence[int], axes: str) -> Side:
    """Elements by the mean place of their triples, then in the order with the fewest crossings."""
    ends: dict[Element, list[int]] = {(axis, element): [] for axis in axes for element in range(source.size)}
    for place, number in enumerate(order):
        for axis in axes:
            ends[source.element((number, axis))].append(place)

    def mean(element: Element) -> float:
        return sum(ends[element]) / max(len(ends[element]), 1)

    elements = sorted(ends, key=lambda element: (not ends[element], mean(element), element))
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


def _inverted(left: list[int], right: list[int]) -> int:
    """The number of crossings if the first element is left of the second."""
    return sum(one > other for one in left for other in right)


def _levels(targets: list[int]) -> tuple[tuple[int, ...], ...]:
    """Neighboring wires that must cross do so as early as possible."""
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


# ---------------------------------------------------------------------------------------------------------------------
# Connected classes of a graph between two weights: all of them, a partition into them, and its faults.
# ---------------------------------------------------------------------------------------------------------------------


def connected_sets(neighbors: list[list[int]], weights: list[int], low: int, high: int) -> Iterator[tuple[int, ...]]:
    """Every connected set of vertices of weight low … high, once; weights are at least 1.

    >>> list(connected_sets([[1], [0, 2], [1]], [1, 1, 1], 2, 2))
    [(0, 1), (1, 2)]
    """

    def grown(
        members: tuple[int, ...], total: int, border: list[int], visited: frozenset[int]
    ) -> Iterator[tuple[int, ...]]:
        if total >= low:
            yield members
        for place, vertex in enumerate(border):
            heavier = total + weights[vertex]
            visited |= {vertex}
            if heavier <= high:
                fresh = [
                    one for one in neighbors[vertex] if one not in visited and one > members[0] and one not in border
                ]
                yield from grown((*members, vertex), heavier, [*border[place + 1 :], *fresh], visited)

    for first in range(len(neighbors)):
        if weights[first] <= high:
            border = [one for one in neighbors[first] if one > first]
            yield from grown((first,), weights[first], border, frozenset({first}))


def partition(carried: Carried) -> np.ndarray | None:
    """Connected classes of weight k … threshold that hold every area once, as (n,) int32; None if there are none."""
    regions = carried.instance
    neighbors: list[list[int]] = [[] for _ in range(len(regions))]
    for one, other in regions.edges.tolist():
        neighbors[one].append(other)
        neighbors[other].append(one)
    sets = list(connected_sets(neighbors, regions.weights.tolist(), carried.k, int(carried.threshold)))
    chosen = exact_cover(len(regions), sets)
    return None if chosen is None else classes_of([sets[number] for number in chosen], len(regions))


def classes_of(classes: Sequence[tuple[int, ...]], count: int) -> np.ndarray:
    """(count,) int32: the class of each item."""
    assignment = np.full(count, -1, dtype=np.int32)
    for number, members in enumerate(sorted(classes)):
        assignment[list(members)] = number
    return assignment


def fault(carried: Carried, assignment: np.ndarray) -> str:
    """Why classes are not connected or not of weight k … threshold, with the gadget; "" if they are."""
    import networkx  # loaded here because listing the problem does not need it

    regions = carried.instance
    loose = np.flatnonzero(assignment < 0)
    if len(loose):
        return f"Vertex {regions.ids[loose[0]]} of the {carried.gadget_of(int(loose[0])).name} is in no group."
    graph = networkx.Graph(regions.edges.tolist())
    graph.add_nodes_from(range(len(regions)))
    for members in members_of(assignment, int(assignment.max()) + 1):
        total = int(regions.weights[members].sum())
        where = carried.gadget_of(int(members[0])).name if len(members) else ""
        if not carried.k <= total <= carried.threshold:
            return f"A group at the {where} weighs {total}, but {carried.asked} is required."
        if not networkx.is_connected(graph.subgraph(members.tolist())):
            return f"A group at the {where} is not connected."
    return ""


def exact_cover(
    count: int, sets: Sequence[Sequence[int]], costs: Sequence[int] = (), budget: int = 0
) -> list[int] | None:
    """Positions of sets that hold each of the elements 0 … count - 1 once; None if there are none.

    With `costs`, a whole number >= 0 per set, the chosen sets cost at most `budget` together.

    Complexity
    ----------
    Exponential; by CP-SAT.

    >>> exact_cover(4, [(0, 1), (1, 2), (2, 3), (0, 3, 1)])
    [0, 2]
    >>> exact_cover(3, [(0, 1), (1, 2)]) is None
    True
    >>> exact_cover(2, [(0,), (1,), (0, 1)], costs=(1, 1, 1), budget=1)
    [2]
    """
    from ortools.sat.python import cp_model

    holding: list[list[int]] = [[] for _ in range(count)]
    for number, members in enumerate(sets):
        for element in members:
            holding[element].append(number)
    if not all(holding):
        return None
    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in sets]
    for numbers in holding:
        model.add_exactly_one(chosen[number] for number in numbers)
    if len(costs):
        model.add(sum(cost * variable for cost, variable in zip(costs, chosen, strict=True) if cost) <= budget)
    solver = solver_for(seed=0)
    if solved(solver, model, lambda: True) == "impossible":
        return None
    return [number for number, variable in enumerate(chosen) if solver.boolean_value(variable)]
