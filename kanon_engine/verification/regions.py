"""The claims of a certificate of grouped areas: connected classes, the tree and its cuts, the bound, the wishes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, product
from typing import Any, NamedTuple

from . import arrays
from .checkable import CHECKED, PARTLY, STEERS, UNCHECKED, Entry
from .codec import Array, listed
from .core import (
    MINIMUM,
    Budget,
    Check,
    Instance,
    Maker,
    Option,
    TooMuch,
    bound_check,
    details_checks,
    merge_overlapping,
    most_classes,
    require_names,
    set_checks,
)

LARGEST_CLASS = WHOLE = True
REQUIREMENTS = MINIMUM
TREES = {"tree": Option("choice", ("auto", "hamiltonian", "degree-3", "low-degree", "random"))}
SEARCH = {
    "compactness": Option("number", least=0),
    "objective": Option("choice", ("largest", "sum")),
    "effort": Option("number", least=0.001, greatest=1000),
}
ALGORITHMS = {
    "recombine": Maker(SEARCH),
    "exact": Maker(searches=True),
    "tree-split": Maker(TREES),
    "general-graph": Maker(),
    "by hand": Maker(),
}
TREE = {"tree": ("<i4", 2), "degree": int, "cut_edges": ("<i4", 2), "added_edges": ("<i4", 2), "heuristic": str}
RECORDS = {
    "TreeDetails": {**TREE, "theorem": str},
    "CrossingDetails": {**TREE, "theorem": str, "joined": ("<i4", 2)},
}
THEOREMS = {  # what a result may claim about its tree: least number of neighbors of an area, largest degree of the tree
    "Theorem 3: 4-connected planar, d = 2, ratio 3": (4, 2),
    "Theorem 3: 3-connected planar, d = 3, ratio 4": (3, 3),
    "Lemma 2: any graph, ratio 1 + d": (0, None),
}
KINDS_OF_TREE = {"auto": (0, 3), "hamiltonian": (0, 2), "degree-3": (1, 2), "low-degree": (2, 3), "random": (2, 3)}
Pairs = Sequence[tuple[int, int]]


_OF_TREE = {
    "tree": Entry(CHECKED, "edges of the map that join all areas of a part, or of a block, without a cycle"),
    "degree": Entry(
        CHECKED, "the largest number of branches at an area of the tree; neighbors that stay together count as one area"
    ),
    "cut_edges": Entry(CHECKED, "without these edges, the tree falls apart into the classes"),
    "added_edges": Entry(CHECKED, "the added edges of the instance"),
    "heuristic": Entry(UNCHECKED, "a description of how the tree was found"),
    "theorem": Entry(
        PARTLY,
        "the degree d, which is the largest number of branches at an area, is checked. Only counts of borders and "
        "neighbors are used to check that the map has no crossing edges and stays connected when any two or three "
        "areas are removed; the ratio 1 + d follows from d alone",
    ),
}
CHECKABLE = {
    "TreeDetails": _OF_TREE,
    "CrossingDetails": {
        **_OF_TREE,
        "joined": Entry(CHECKED, "the places where barriers must be crossed are recomputed"),
    },
    "regions": {
        "compactness": Entry(UNCHECKED, STEERS),
        "objective": Entry(UNCHECKED, f"{STEERS}: with either objective, cost and bound refer to the largest class"),
        "effort": Entry(UNCHECKED, STEERS),
        "tree": Entry(PARTLY, "the theorem can apply to this kind of tree; “auto” allows any theorem"),
    },
}


def weights(parts: Mapping[str, Any]) -> Array:
    """How many records lie in each area."""
    return parts["weights"]  # type: ignore[no-any-return]


def require_form(parts: Mapping[str, Any]) -> None:
    """ValueError unless the parts are areas, with borders in ascending order, none twice."""
    count, edges = len(parts["weights"].numbers), parts["edges"].rows
    require_names(parts, "ids", count, ("together", "apart", "barriers"))
    if parts["edges"].shape[1] != 2 or not all(0 <= a < b < count for a, b in edges):
        raise ValueError("a border is not a pair of areas")
    if not all(map(tuple.__lt__, edges, edges[1:])):
        raise ValueError("borders are repeated or out of order")
    if not set(edges).issuperset(parts["added_edges"].rows):
        raise ValueError("a border that is listed as added is missing from the borders of the map")


class Map(NamedTuple):
    """Areas and their borders; of each count that a class needs, the values and the least sum. The first is weight."""

    weights: list[int]
    edges: Pairs
    demands: list[tuple[list[int], int]]

    def neighbors(self) -> list[list[int]]:
        """The neighbors of each area."""
        near: list[list[int]] = [[] for _ in self.weights]
        for a, b in self.edges:
            near[a].append(b)
            near[b].append(a)
        return near


def components(count: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """The number of the connected component of each vertex, components numbered by their first vertex."""
    lead = list(range(count))  # never above the vertex itself
    for a, b in edges:
        while lead[a] != a:
            lead[a] = a = lead[lead[a]]
        while lead[b] != b:
            lead[b] = b = lead[lead[b]]
        if a < b:
            lead[b] = a
        else:
            lead[a] = b
    number, next_number = lead, 0
    for vertex in range(count):
        if lead[vertex] == vertex:
            number[vertex], next_number = next_number, next_number + 1
        else:
            number[vertex] = number[lead[vertex]]
    return number


def _sums(part: Sequence[int], values: Sequence[int]) -> list[int]:
    """The sum of values in each part."""
    return arrays.sums_of(arrays.column(part), arrays.column(values), max(part) + 1).tolist()  # type: ignore[no-any-return]


def checks(instance: Instance, g: Any) -> Iterator[Check]:
    """Every claim specific to regions."""
    parts, details, assignment = instance.parts, g.details, g.assignment.numbers
    area = _area(instance, g)
    wished = WishedMap(area, parts) if any(parts.get(name) for name in WISHES) else None
    yield from set_checks(parts, "ids", "areas", g)
    if wished and parts.get("barriers"):
        over = len(set(zip(wished.block, assignment))) - g.classes
        detail = f"sets with a barrier around them: {len(parts['barriers']):,}; unneeded crossings: {over:,}."
        yield Check("barriers", over == 0, detail)
    connected = max(components(len(assignment), [(a, b) for a, b in area.edges if assignment[a] == assignment[b]])) + 1
    detail = f"the {g.classes:,} classes form {connected:,} connected sets of areas."
    yield Check("connectivity", connected == g.classes, detail)
    yield bound_check(g, BOUNDS, wished.items(True)[0] if wished else area)
    yield from details_checks(g, list(RECORDS))
    same = details.added_edges.rows == parts["added_edges"].rows
    detail = f"{len(parts['added_edges'].rows):,} edges join parts that share no border."
    yield Check("added edges", same, detail)
    tree, cut = ([(a, b) if a < b else (b, a) for a, b in one.rows] for one in (details.tree, details.cut_edges))
    yield _spanning(area._replace(edges=wished.edges) if wished else area, tree)
    cuts = _cuts(g, assignment, tree, cut)
    if wished:
        if parts.get("barriers"):
            same_places = g.record == "CrossingDetails" and details.joined.rows == wished.crossed
            detail = f"places at which barriers must be crossed: {len(wished.crossed):,}."
            yield Check("crossings", same_places, detail)
        area, item = wished.items(False)
        tree = _between(item, tree)
        yield _spanning(area, tree)
    yield from _tree(g, area, tree, cuts)


def _area(instance: Instance, g: Any) -> Map:
    weights, minima = instance.weights.numbers, [one.fields for one in g.require]
    demands = [(weights, g.k), *((instance.columns[one["column"]].numbers, one["m"]) for one in minima)]
    return Map(weights, instance.parts["edges"].rows, demands)


def _between(item: Sequence[int], pairs: Pairs) -> list[tuple[int, int]]:
    """Edges between areas as those between items, the lesser first."""
    return [(min(item[a], item[b]), max(item[a], item[b])) for a, b in pairs if item[a] != item[b]]


def _spanning(area: Map, tree: Pairs) -> Check:
    """Each edge reduces the number of components: none is repeated or closes a cycle, and all components are joined."""
    count = len(area.weights)
    good = set(area.edges).issuperset(tree) and max(components(count, tree)) + 1 == count - len(tree)
    good = good and count - len(tree) == max(components(count, area.edges)) + 1
    return Check("spanning tree", good, f"{len(tree):,} edges of the map join all areas without a cycle.")


def _cuts(g: Any, assignment: Sequence[int], tree: Pairs, cut: Pairs) -> Check:
    """Whether the tree falls into the classes without the edges that are cut."""
    rest = components(len(assignment), set(tree) - set(cut))
    pairs = len(set(zip(rest, assignment)))
    good = set(tree).issuperset(cut) and len(set(cut)) == len(cut) and max(rest) + 1 == pairs == g.classes
    return Check("cut edges", good, f"cutting {len(cut):,} tree edges gives the classes.")


def _tree(g: Any, area: Map, tree: Pairs, cuts: Check) -> Iterator[Check]:
    """The tree's degree, what a theorem says about it, its cuts and the resulting ceiling."""
    degree = max(Counter(vertex for edge in tree for vertex in edge).values(), default=0)
    yield Check("branches", degree == g.details.degree, f"the largest number of branches at an area is {degree}.")
    yield from _theorem(g, area, degree)
    yield cuts
    heaviest, ceiling, formula = max(area.weights), None, ""
    if g.algorithm == "tree-split" and not g.require:  # merged classes may exceed it
        ceiling, formula = heaviest + degree * (g.k - 1), "heaviest + d (k - 1)"
    if g.algorithm == "general-graph" and not g.require:
        ceiling, formula = max(3 * g.k - 3, heaviest, g.lower_bound + g.k - 1), "max(3k - 3, heaviest, bound + k - 1)"
        if g.status == "stopped" and g.cost > ceiling:
            ceiling = None
    detail = "no guarantee is proven for this result." if ceiling is None else f"{formula} is {ceiling}."
    yield Check("guarantee formula", g.guarantee == ceiling, detail)


def _theorem(g: Any, area: Map, degree: int) -> Iterator[Check]:
    """The theorem that a result names, as far as the degrees show it; planarity is only checked by counting borders."""
    words = g.details.theorem
    if g.algorithm != "tree-split":
        yield Check("theorem", words == "", "the classes were not made by cutting the tree.")
        return
    least, most = THEOREMS.get(words, (len(area.weights), 0))
    degrees = Counter(vertex for edge in area.edges for vertex in edge)
    fewest = min(degrees.values()) if len(degrees) == len(area.weights) else 0
    few = least == 0 or len(area.edges) <= 3 * len(area.weights) - 6  # as a planar graph has
    detail = f"“{words}”: an area has at most {degree} branches in the tree, and at least {fewest} neighbors on the map"
    if least:
        detail += "; that no edges cross was checked only by counting borders, but the guarantee does not depend on it"
    yield Check("theorem", fewest >= least and few and (most is None or degree <= most), f"{detail}.")
    first, end = KINDS_OF_TREE[g.options["tree"]]
    allowed = words in list(THEOREMS)[first:end]
    yield Check("kind of tree", allowed, f"a tree of kind {g.options['tree']} was requested.")


# ---------------------------------------------------------------------------------------------------------------------
# Wishes: areas that stay together, areas kept apart, barriers
# ---------------------------------------------------------------------------------------------------------------------

WISHES = ("together", "apart", "barriers")


class WishedMap:
    """The map under the wishes: what counts as one area, and which borders no class may cross.

    Barriers leave blocks: areas in the same sets that a chain of neighbors joins. A block stands when counting leaves
    room for its classes by themselves, and when it divides nothing that stays together. While some block does not
    stand, the lightest such block is joined to the neighbor that serves it best.
    """

    def __init__(self, area: Map, parts: Mapping[str, Any]) -> None:
        place = {name: number for number, name in enumerate(listed(parts["ids"]))}
        sets = {name: [[place[one] for one in members] for members in parts.get(name, [])] for name in WISHES}
        self.area, self.near = area, area.neighbors()
        self.together, self.separate = merge_overlapping(sets["together"]), [set(members) for members in sets["apart"]]
        sides: list[tuple[int, ...]] = [()] * len(area.weights)
        for number, members in enumerate(sets["barriers"]):
            for one in members:
                sides[one] += (number,)
        inside = [(a, b) for a, b in area.edges if sides[a] == sides[b]]
        self.block, self.crossed = self._blocks(components(len(area.weights), inside))
        self.edges = [(a, b) for a, b in area.edges if self.block[a] == self.block[b]]

    def _blocks(self, block: list[int]) -> tuple[list[int], list[tuple[int, int]]]:
        """The block of each area, and the neighbors at which a barrier is crossed, in the order of joining."""
        areas_of: dict[int, set[int]] = {}
        for one, number in enumerate(block):
            areas_of.setdefault(number, set()).add(one)
        around = {number: {block[b] for a in areas_of[number] for b in self.near[a]} - {number} for number in areas_of}
        weak = {number for number in areas_of if not self._is_self_sufficient(areas_of[number])}
        crossed: list[tuple[int, int]] = []
        while True:
            left = [number for number in weak if around[number]]
            if not left:
                return block, crossed
            one = min(left, key=lambda number: self._rank(areas_of[number]))
            other = self._partner(areas_of, around, one)
            crossed.append(min(((a, b) for a in areas_of[one] for b in self.near[a] if block[b] == other), key=sorted))
            for area in areas_of[other]:
                block[area] = one
            areas_of[one] |= areas_of.pop(other)
            around[one] = (around[one] | around.pop(other)) - {one, other}
            for neighbor in around[one]:
                around[neighbor] = around[neighbor] - {other} | {one}
            weak -= {one, other}
            if not self._is_self_sufficient(areas_of[one]):
                weak.add(one)

    def _partner(self, areas_of: dict[int, set[int]], around: dict[int, set[int]], one: int) -> int:
        """The neighbor on the way to what must stay together with the block; then one with which it stands."""
        missing = {area for members in self.together if members & areas_of[one] for area in members - areas_of[one]}
        waiting = [number for number, areas in areas_of.items() if missing & areas]
        steps = dict.fromkeys(waiting, 0)
        for number in waiting:  # grows while it is read: the nearest first
            for neighbor in around[number] - {one} - set(steps):
                steps[neighbor] = steps[number] + 1
                waiting.append(neighbor)

        def merit(other: int) -> Any:
            whole = any(areas_of[other] <= members for members in self.together)
            self_sufficient = self._is_self_sufficient(areas_of[one] | areas_of[other])
            return steps.get(other, len(areas_of)), whole, not self_sufficient, self._rank(areas_of[other])

        return min(around[one], key=merit)

    def _rank(self, areas: set[int]) -> tuple[int, int]:
        return sum(self.area.weights[area] for area in areas), min(areas)

    def _is_self_sufficient(self, areas: set[int]) -> bool:
        classes = max([1, *(len(areas & rivals) for rivals in self.separate)])
        enough = all(sum(values[area] for area in areas) >= classes * least for values, least in self.area.demands)
        return enough and all(together <= areas or not together & areas for together in self.together)

    def items(self, wherever: bool) -> tuple[Map, list[int]]:
        """Areas that stay together as one, where they border each other or anywhere; and the item of each area."""
        count = len(self.area.weights)
        set_of = {area: number for number, members in enumerate(self.together) for area in members}
        inside = [(a, b) for a, b in self.area.edges if a in set_of and set_of[a] == set_of.get(b)]
        if wherever:
            inside = [(min(members), area) for members in self.together for area in members]
        item = components(count, inside)
        demands = [(_sums(item, values), least) for values, least in self.area.demands]
        return Map(demands[0][0], sorted(set(_between(item, self.edges))), demands), item


# ---------------------------------------------------------------------------------------------------------------------
# Lower bounds: what a witness proves; None where it is no witness
# ---------------------------------------------------------------------------------------------------------------------


def _distinct(places: Sequence[int], count: int) -> bool:
    return len(set(places)) == len(places) > 0 and min(places) >= 0 and max(places) < count


def _heaviest_area(area: Map, witness: list[int]) -> int | None:
    (place,) = witness
    return area.weights[place] if 0 <= place < len(area.weights) else None


def _average(area: Map, witness: list[int], demands: int | None = 1) -> int | None:
    """Some components of the map hold a limited number of classes, and the largest is at least their average."""
    part = components(len(area.weights), area.edges)
    if not _distinct(witness, max(part) + 1):
        return None
    sums = [_sums(part, values) for values, _ in area.demands[:demands]]
    room = sum(min(totals[n] // least for totals, (_, least) in zip(sums, area.demands)) for n in witness)
    return -(-sum(sums[0][number] for number in witness) // room)


def _light_set(area: Map, witness: list[int]) -> int | None:
    """Areas lighter than k together: the class of the heaviest of them has a neighbor of theirs."""
    weights, k = area.demands[0]
    if not _distinct(witness, len(weights)) or sum(weights[place] for place in witness) >= k:
        return None
    near, members = area.neighbors(), set(witness)
    around = {other for place in members for other in near[place]} - members
    return max(weights[v] for v in members) + min(weights[u] for u in around) if around else None


def _separated(area: Map, first: int, separator: Sequence[int]) -> tuple[int, list[list[int]]] | None:
    """The weight in classes with an area of the separator, and the weights in each component outside it.

    Without the separator a component of the map falls into components; each class lies in one of these, or holds an
    area of the separator. Those lighter than k are in classes of the second kind.
    """
    weights, k = area.demands[0]
    part = components(len(weights), area.edges)
    barred = set(separator)
    if len(barred) < len(separator) or not all(0 <= v < len(weights) for v in (first, *separator)):
        return None
    if any(part[v] != part[first] for v in separator):
        return None
    inside = components(len(weights), [(a, b) for a, b in area.edges if a not in barred and b not in barred])
    weights_in: dict[int, list[int]] = {}
    for place, number in enumerate(part):
        if number == part[first] and place not in barred:
            weights_in.setdefault(inside[place], []).append(weights[place])
    light = sum(weights[v] for v in separator) + sum(sum(part) for part in weights_in.values() if sum(part) < k)
    return light, [part for part in weights_in.values() if sum(part) >= k]


def _hubs(area: Map, witness: list[int]) -> int | None:
    """A component C outside the separator has at most w(C) / k classes."""
    k, separated = area.demands[0][1], _separated(area, witness[0], witness)
    if separated is None:
        return None
    light, heavy = separated
    most = len(witness) + sum(sum(weights_in) // k for weights_in in heavy)
    return max(-(-light // len(witness)), -(-(light + sum(map(sum, heavy))) // most))


def _room_for_classes(area: Map, witness: list[int]) -> int | None:
    """As `hubs`, with an area of the part first, and classes of a component counted more sharply."""
    first, *separator = witness
    k, separated = area.demands[0][1], _separated(area, first, separator)
    if separated is None:
        return None
    total, heavy = separated
    most = len(separator)
    best = -(-total // most) if most else 0
    most_in = [(sum(weights_in), _most_classes(sorted(weights_in, reverse=True), k)) for weights_in in heavy]
    for weight, classes in sorted(most_in, key=lambda one: -Fraction(*one)):
        total, most = total + weight, most + classes
        best = max(best, -(-total // most))
    return best


def _most_classes(descending: Sequence[int], k: int) -> int:
    """The most classes, whichever of the heaviest areas are excluded."""
    upto = [0, *accumulate(descending)]
    most, excluded = upto[-1] // k, 0
    while excluded < most:
        most = min(most, most_classes(upto, k, excluded, len(descending)))
        excluded += 1
    return most


def _few_choices(area: Map, witness: list[int]) -> int | None:
    """Under a cap, areas have so few possible classes that these exclude one another."""
    cap, *places = witness
    weights, k = area.demands[0]
    if not _distinct(places, len(weights)) or not k <= cap < sum(weights):
        return None
    choices = Choices(weights, area.neighbors(), k, cap)
    return cap + 1 if choices.exclude_each_other({v: set(choices.possible(v)) for v in places}) else None


SMALL_PIECE = 64  # areas of a piece left next to a class up to which its weight is examined
CHOICES = 1_000_000  # areas, borders and sets examined, above which a witness is refused


class Choices(Budget):
    """Which classes from k to a cap areas can have; everything examined counts as work."""

    def __init__(self, weights: Sequence[int], near: list[list[int]], k: int, cap: int) -> None:
        super().__init__(CHOICES)
        self.weights, self.near, self.k, self.cap = weights, near, k, cap

    def possible(self, first: int) -> Iterator[frozenset[int]]:
        """The classes that an area could have; neighboring areas are added or rejected for good, in turn."""
        members: list[int] = []
        weight, visited = 0, {first}
        levels: list[tuple[list[int], list[int]]] = [([first], [])]  # areas to decide on, and those first seen there
        while levels:
            undecided, fresh = levels[-1]
            if not undecided:
                levels.pop()
                visited.difference_update(fresh)
                if members:
                    weight -= self.weights[members.pop()]
                continue
            one = undecided.pop()
            self.spend(1)
            if weight + self.weights[one] > self.cap:
                continue
            entered = [other for other in self.near[one] if other not in visited]
            self.spend(len(self.near[one]) + len(undecided) // 8)
            visited.update(entered)
            members.append(one)
            weight += self.weights[one]
            if weight >= self.k:
                self.spend(len(members))
                if self._leaves_classes(set(members)):
                    yield frozenset(members)
            levels.append((undecided + entered, entered))

    def _leaves_classes(self, inside: set[int]) -> bool:
        """Whether every small piece next to a set weighs what m >= 1 classes of k to the cap can weigh."""
        done: set[int] = set()
        for first in {other for place in inside for other in self.near[place]} - inside:
            if first in done:
                continue
            piece, waiting, small = {first}, [first], True
            while waiting and small:
                self.spend(1)
                for other in self.near[waiting.pop()]:
                    if other not in inside and other not in piece:
                        piece.add(other)
                        waiting.append(other)
                        small = len(piece) <= SMALL_PIECE and other not in done
                        if not small:
                            break
            done |= piece
            weight = sum(self.weights[place] for place in piece)
            if small and (weight < self.k or -(-weight // self.cap) > weight // self.k):
                return False
        return True

    def exclude_each_other(self, possible: dict[int, set[frozenset[int]]]) -> bool:
        """Strike out each set that misses an area and meets all its possible classes, until an area has none left."""
        holding: dict[int, set[frozenset[int]]] = {}
        for some in set().union(*possible.values()):
            for place in some:
                holding.setdefault(place, set()).add(some)
        waiting = set(possible)
        while all(possible.values()) and waiting:
            one = min(waiting, key=lambda place: (len(possible[place]), place))
            waiting.remove(one)
            struck: set[frozenset[int]] | None = None
            for some_class in possible[one]:
                if struck is None:
                    self.spend(sum(len(holding[place]) for place in some_class))
                    struck = {some for place in some_class for some in holding[place] if one not in some}
                self.spend(len(struck))
                struck = {some for some in struck if not some.isdisjoint(some_class)}
            for some in struck or ():
                for place in some:
                    holding[place].remove(some)
                    if place in possible:
                        possible[place].remove(some)
                        waiting.add(place)
        return not all(possible.values())


# ---------------------------------------------------------------------------------------------------------------------
# The bound “no way round”: however some areas are grouped, with others around them or not, a class exceeds a cap or
# misses k. They come one after another. A state is a row of columns: of each area that has neighbors still to come, the
# part of a class that it lies in (named by its latest area), the most up to k that the part can weigh, and the least
# that it weighs; and what classes weigh above k together, at the least. Too many states become fewer that allow for all
# of them. Where no state is left there is no way. See docs/proofs/regions/frontier.md.
# ---------------------------------------------------------------------------------------------------------------------

MINUTES = {"no way round": 4}  # how long it may take where NumPy is missing
STATES_IN_ALL, STATES_A_STEP, STATES_STORED, WAITING = 8_000_000, 1 << 17, 16_000, 15
STEP = 64  # what a step costs besides its states
ALIKE = 100  # states with equal parts, none as good as another, above which a witness is refused
FINENESS = 2_000


class States(NamedTuple):
    """Columns; those of waiting areas in lists, one for each of these."""

    part: list[Any]
    most: list[Any]
    least: list[Any]
    excess: Any

    def at(self, rows: Any) -> States:
        """The states in some rows, in this order."""
        part, most, least = ([column[rows] for column in columns] for columns in (self.part, self.most, self.least))
        return States(part, most, least, self.excess[rows])


class StateLimits(NamedTuple):
    """What classes may weigh; `spare` is the most that all weigh above k together, negative where that is not used."""

    k: int
    cap: int
    spare: int


def _no_way_round(area: Map, witness: list[int]) -> int | None:
    cap, limit, *places = witness
    weights, k = area.demands[0]
    if not (_distinct(places, len(weights)) and k <= cap < sum(weights) and 0 < limit <= STATES_STORED):
        return None
    part = components(len(weights), area.edges)
    if any(part[place] != part[places[0]] for place in places):
        return None
    total = _sums(part, weights)[part[places[0]]]
    spare = total - -(-total // cap) * k  # there are total / cap classes or more
    limits = StateLimits(k, cap, spare if 0 <= spare < k else -1)
    return cap + 1 if _no_state_is_left(weights, area.neighbors(), places, limit, limits) else None


def _no_state_is_left(
    weights: Sequence[int], near: list[list[int]], places: Sequence[int], limit: int, limits: StateLimits
) -> bool:
    """Whether no state is left after one of the areas; TooMuch where that takes too much work."""
    come = {place: turn for turn, place in enumerate(places)}
    last = [max([turn, *(come[other] for other in near[place] if other in come)]) for turn, place in enumerate(places)]
    states = States([], [], [], arrays.column([0]))
    waiting: list[int] = []  # areas, named by their turn
    budget = Budget(STATES_IN_ALL)
    for turn, place in enumerate(places):
        around = [row for row, other in enumerate(waiting) if places[other] in near[place]]
        steps = (len(states.excess) + STEP) << len(around)
        budget.spend(steps)
        if steps > STATES_A_STEP or len(waiting) > WAITING:
            raise TooMuch
        names = [*waiting, turn]
        stays = [last[name] > turn for name in names]
        open_ended = any(other not in come for other in near[place])
        *lists, excess = zip(
            *(
                _next_states(states, names, stays, weights[place], open_ended, dict(zip(around, joins)), limits)
                for joins in product((False, True), repeat=len(around))
            )
        )
        part, most, least = ([arrays.concatenated(column) for column in zip(*columns)] for columns in lists)
        states = States(part, most, least, arrays.concatenated(excess))
        if len(states.excess):
            states = _undominated(states)
        if not len(states.excess):
            return True
        waiting = [name for name, stay in zip(names, stays) if stay]
        grain = max(1, limits.k // FINENESS)
        while len(states.excess) > limit:
            budget.spend(len(states.excess))
            merged = _merged(states, grain)
            if len(merged.excess) <= limit:
                states = merged
            elif grain > limits.cap:
                raise TooMuch
            grain *= 2
    return False


def _next_states(
    states: States, names: Sequence[int], stays: Sequence[bool], weight: int, open_ended: bool,
    joins: Mapping[int, bool], limits: StateLimits,
) -> States:  # fmt: skip
    """The states after an area came and joined the parts of some waiting areas around it, and of no others."""
    turn, count = names[-1], len(states.excess)
    within = [arrays.filled(count, False) for _ in states.part]  # whether a waiting area is in a part that is joined
    for row in (row for row, chosen in joins.items() if chosen):
        within = [inside | (part == states.part[row]) for inside, part in zip(within, states.part)]
    least, most, excess = arrays.filled(count, weight), arrays.filled(count, weight), states.excess
    for name, inside, part, low, high in zip(names, within, states.part, states.least, states.most):
        once = inside & (part == name)  # one area of each part, so that its load counts once
        least, most = least + arrays.where(once, low, 0), most + arrays.where(once, high, 0)
        excess = excess - arrays.where(once, arrays.maximum(low - limits.k, 0), 0)
    most = arrays.filled(count, limits.k) if open_ended else arrays.minimum(most, limits.k)
    excess = excess + arrays.maximum(least - limits.k, 0) if limits.spare >= 0 else states.excess
    good = least <= limits.cap
    if limits.spare >= 0:
        good = good & (excess <= limits.spare)
    for row in (row for row, chosen in joins.items() if not chosen):
        good = good & ~within[row]
    rows = arrays.rows_where(good)
    states, least, most, excess = states.at(rows), least[rows], most[rows], excess[rows]
    within = [inside[rows] for inside in within]
    count = len(excess)
    part = [*(arrays.where(inside, turn, old) for inside, old in zip(within, states.part)), arrays.filled(count, turn)]
    mosts = [*(arrays.where(inside, most, old) for inside, old in zip(within, states.most)), most]
    leasts = [*(arrays.where(inside, least, old) for inside, old in zip(within, states.least)), least]
    staying, good = [row for row, stay in enumerate(stays) if stay], arrays.filled(count, True)
    for leaving in [row for row, stay in enumerate(stays) if not stay]:  # of a part the latest comes last
        ended, latest = arrays.filled(count, True), arrays.filled(count, -1)
        mine = [part[row] == names[leaving] for row in staying]  # where a part is named by the area that goes …
        for row, inside in zip(staying, mine):
            ended = ended & (part[row] != part[leaving])
            latest = arrays.where(inside, names[row], latest)
        good = good & (~ended | (mosts[leaving] >= limits.k))
        for row, inside in zip(staying, mine):  # … it is named by its latest that stays
            part[row] = arrays.where(inside, latest, part[row])
    part, mosts, leasts = ([columns[row] for row in staying] for columns in (part, mosts, leasts))
    return States(part, mosts, leasts, excess).at(arrays.rows_where(good))


def _undominated(states: States) -> States:
    """Of states with equal parts and mosts, those to which no other is as good; TooMuch if there are too many.

    In the order of their loads the first of each kind is one of these. It replaces all it is as good as, and so on.
    """
    states = states.at(arrays.order([*states.part, *states.most, *states.least, states.excess]))
    alike, loads = [*states.part, *states.most], [*states.least, states.excess]
    count = len(states.excess)
    group = arrays.run_starts(arrays.changes(alike) if alike else arrays.places(count) == 0)
    left = arrays.places(count)
    undominated: list[Any] = []
    while len(left):
        if len(undominated) >= ALIKE:
            raise TooMuch
        first = arrays.changes([group[left]])
        undominated.append(left[first])
        leader = left[arrays.run_starts(first)]
        worse = arrays.filled(len(left), True)
        for load in loads:
            worse = worse & (load[left] >= load[leader])
        left = left[~worse]
    return states.at(arrays.concatenated(undominated))


def _merged(states: States, grain: int) -> States:
    """One state for those with equal parts whose loads lie in the same cells, which allows for all of them."""
    cells = [(low + high) // (2 * grain) for low, high in zip(states.least, states.most)]
    keys = [*states.part, *cells]
    rows = arrays.order(keys)
    starts = arrays.changes([key[rows] for key in keys])
    states = states.at(rows)
    return States(
        [part[starts] for part in states.part],
        [arrays.run_greatest(starts, values) for values in states.most],
        [arrays.run_least(starts, values) for values in states.least],
        arrays.run_least(starts, states.excess),
    )


BOUNDS: dict[str, Callable[[Map, list[int]], int | None]] = {
    "k": lambda area, witness: area.demands[0][1] if witness == [] else None,
    "heaviest area": _heaviest_area,
    "average class": _average,
    "average class with minima": lambda area, witness: _average(area, witness, None),
    "light set": _light_set,
    "hubs": _hubs,
    "room for classes": _room_for_classes,
    "few choices": _few_choices,
    "no way round": _no_way_round,
}


# ---------------------------------------------------------------------------------------------------------------------
# All partitions of few areas, where a bound is reported by the solver
# ---------------------------------------------------------------------------------------------------------------------

MOST = 60  # areas
WORK = 200_000  # connected sets examined, in all tries together


def better_exists(instance: Instance, g: Any) -> bool:
    """Whether some partition into connected classes has all below the claimed bound; TooMuch if there are too many.

    An area of each component gets every class that it could have, and the rest is divided likewise,
    component by component. Results for a component are remembered. Sets of areas are the bits of a number.
    """
    parts, weights = instance.parts, instance.weights.numbers
    if len(weights) > MOST:
        raise TooMuch
    area = _area(instance, g)
    near = [0] * len(weights)
    for a, b in WishedMap(area, parts).edges if any(parts.get(name) for name in WISHES) else area.edges:
        near[a] |= 1 << b
        near[b] |= 1 << a
    bit = {name: 1 << number for number, name in enumerate(listed(parts["ids"]))}
    together, separate = (
        [sum({bit[name] for name in members}) for members in parts.get(kind, [])] for kind in ("together", "apart")
    )
    k, cap, budget, divisible = g.k, g.lower_bound - 1, Budget(WORK), {}

    def allowed(members: int) -> bool:
        """Whether these may be a class, by all that is required besides weight and connection."""
        return (
            all(members & joint in (0, joint) for joint in together)
            and all((members & rivals) & (members & rivals) - 1 == 0 for rivals in separate)
            and all(sum(values[v] for v in _bits(members)) >= least for values, least in area.demands[1:])
        )

    def parts_of(areas: int) -> Iterator[tuple[int, int]]:
        """The connected components with their weights."""
        while areas:
            part = fresh = areas & -areas
            weight = 0
            while fresh:
                around = 0
                for v in _bits(fresh):
                    around |= near[v]
                    weight += weights[v]
                fresh = around & areas & ~part
                part |= fresh
            areas &= ~part
            yield part, weight

    def all_divided(areas: int) -> bool:
        """Whether every component of these areas can be divided into classes of k to the cap."""
        left = list(parts_of(areas))
        if cap < k or any(-(-weight // cap) > weight // k or not weight for _, weight in left):
            return False
        return all(divided(part) for part, _ in sorted(left, key=lambda one: one[1]))

    def divided(part: int) -> bool:
        if part not in divisible:
            first = max(_bits(part), key=lambda v: (weights[v], -bin(near[v] & part).count("1")))
            divisible[part] = any(all_divided(part & ~members) for members in classes(first, part))
        return divisible[part]

    def classes(first: int, part: int) -> Iterator[int]:
        """Every connected set of k to the cap in the component that holds the first area, once."""
        waiting = [(1 << first, weights[first], near[first] & part, 1 << first)]
        while waiting:
            members, weight, around, decided = waiting.pop()
            budget.spend(1)
            if weight > cap:
                continue
            if weight >= k and allowed(members):
                yield members
            for v in _bits(around & ~decided):
                decided |= 1 << v
                waiting.append((members | 1 << v, weight + weights[v], around | near[v] & part, decided))

    return all_divided((1 << len(near)) - 1)


def _bits(areas: int) -> Iterator[int]:
    while areas:
        lowest = areas & -areas
        yield lowest.bit_length() - 1
        areas ^= lowest
