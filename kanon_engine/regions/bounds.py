"""Lower bounds on the largest class of any partition into connected classes of weight >= k, and on other costs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.model.objective import Bound, class_cost, combined
from kanon_engine.model.requirement import Minimum
from kanon_engine.model.wishes import parts_of, sums_of
from kanon_engine.regions import bounds_kernels as kernels
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph
from kanon_engine.regions.wishes import Items


def lower_bound(regions: Regions, k: int, minima: Sequence[Minimum] = ()) -> Bound:
    """The best of the family's bounds.

    `regions`: every connected part weighs at least k. For `Items` that stay together, the bound is that of
        `Items.quotient`, to which the witness refers.
    `minima`: every connected part reaches them. A bound without them holds with them.
    Returns: `name` and what the witness holds: "k"; "heaviest area" (its position); "average class" and "average class
        with minima" (the parts, numbered as in `Regions.components`); "light set" (the positions of its areas); "room
        for classes" (the position of an area of the part, then those of the separator); "few choices" (a cap, one below
        the value, then the positions of areas), only if it is better than all the others. Among equal bounds the first
        listed is returned. Definitions and proofs: docs/proofs/regions/bounds.md.
    Complexity: O(n log n + e α(e)), and the limited work of `few_choices_bound`.

    >>> lower_bound(Regions(["a", "b", "c"], [4, 2, 5], [(0, 1), (1, 2)]), 4)
    Bound(value=6, name='average class', kind='checked', witness=(0,))
    >>> lower_bound(Regions(range(4), [1, 4, 4, 4], [(0, 1), (0, 2), (0, 3)]), 5)
    Bound(value=13, name='room for classes', kind='checked', witness=(0, 0))
    """
    if isinstance(regions, Items):
        regions = regions.quotient
    averages, with_minima = average_classes(regions, k), average_classes(regions, k, minima)
    part, other = int(np.argmax(averages)), int(np.argmax(with_minima))
    heaviest = int(np.argmax(regions.weights))
    candidates = [
        Bound(k, "k"),
        Bound(int(regions.weights[heaviest]), "heaviest area", witness=(heaviest,)),
        Bound(int(averages[part]), "average class", witness=(part,)),
        Bound(int(with_minima[other]), "average class with minima", witness=(other,)),
    ]
    light = best_light_set(regions, k)
    if len(light):
        candidates.append(Bound(light_set_bound(regions, light), "light set", witness=tuple(light.tolist())))
    for anchor, separator in separators(regions, k):
        value = capacity_bound(regions, k, anchor, separator)
        candidates.append(Bound(value, "room for classes", witness=(anchor, *separator.tolist())))
    best = max(candidates, key=lambda bound: bound.value)
    return few_choices_bound(regions, k, best.value) or best


def class_room(regions: Regions, k: int, minima: Sequence[Minimum] = ()) -> np.ndarray:
    """(parts,) int64: the most classes of each part: W / k, or by a minimum m of a second count C / m, rounded down.

    `regions`: every connected part reaches k and every minimum.

    >>> path = Regions("abc", [4, 4, 4], [(0, 1), (1, 2)], columns={"homes": [1, 2, 1]})
    >>> class_room(path, 4).tolist(), class_room(path, 4, [Minimum("homes", 2)]).tolist()
    ([3], [2])
    """
    most: np.ndarray = regions.component_weights // k
    for minimum in minima:
        most = np.minimum(most, sums_of(regions.columns[minimum.column], regions.components) // minimum.m)
    return most


def average_classes(regions: Regions, k: int, minima: Sequence[Minimum] = ()) -> np.ndarray:
    """(parts,) int64: the least possible weight of the largest class of each part, by its average class.

    Proof: docs/proofs/regions/bounds.md, average class.
    """
    room = class_room(regions, k, minima)
    averages: np.ndarray = -(-regions.component_weights // room)
    return averages


def light_set_bound(regions: Regions, members: np.ndarray) -> int:
    """The heaviest area of a set S with w(S) < k plus the lightest area that borders S.

    Proof: docs/proofs/regions/bounds.md, light set.

    `members`: S, as positions: lighter than k together, with a neighbor.

    A village among cities, k = 5:

    >>> light_set_bound(Regions(range(3), [9, 2, 8], [(0, 1), (1, 2)]), np.array([1]))
    10
    """
    inside = np.zeros(len(regions), dtype=bool)
    inside[members] = True
    ends = inside[regions.edges]
    around = regions.edges[ends[:, 0] != ends[:, 1]].ravel()
    return int(regions.weights[members].max() + regions.weights[around[~inside[around]]].min())


def best_light_set(regions: Regions, k: int) -> np.ndarray:
    """(s,) int: a light set with a large bound, empty when no light area has a neighbor.

    Around each light area, the lightest neighbor is added while the set stays light.

    Complexity: O(e log n) while light sets are small; sets above `kernels.SMALL_SET` areas are not followed.
    """
    start, neighbors = neighbor_lists(regions.edges, len(regions))
    value, first = kernels.light_set(Graph(start, neighbors, regions.weights), k)
    if first < 0:
        return np.empty(0, dtype=np.int64)
    members = [first]
    while light_set_bound(regions, np.array(members)) < value:
        around = {int(u) for v in members for u in neighbors[start[v] : start[v + 1]]} - set(members)
        members.append(min(around, key=lambda u: (regions.weights[u], u)))
    return np.sort(np.array(members, dtype=np.int64))


def capacity_bound(regions: Regions, k: int, anchor: int, separator: np.ndarray) -> int:
    """A lower bound on the largest class from a separator Y, all in the part of the area `anchor`.

    Proof, with q the capacity of a component (`most_classes`) and H the components that are counted:
    docs/proofs/regions/bounds.md, capacity bound.

    `anchor`: any area of the part. `separator`: Y, as positions; may be empty.

    A star: three leaves of 4 and a center of 1, k = 5. No leaf is a class, so all join the center.

    >>> star = Regions(range(4), [1, 4, 4, 4], [(0, 1), (0, 2), (0, 3)])
    >>> capacity_bound(star, 5, 0, np.array([0]))
    13
    """
    light, heavy = _components_without(regions, k, anchor, separator)
    weight, count = int(regions.weights[separator].sum()) + light, len(separator)
    for total, most in sorted(heavy, key=lambda one: one[0] / one[1], reverse=True):
        if count == 0 or total * count > weight * most:
            weight, count = weight + total, count + most
    return -(-weight // count)


def _components_without(
    regions: Regions, k: int, anchor: int, separator: np.ndarray
) -> tuple[int, list[tuple[int, int]]]:
    """Of the anchor's part without a separator: what the light components weigh, weight and capacity of the others."""
    left = regions.components == regions.components[anchor]
    left[separator] = False
    label = parts_of(regions.edges[left[regions.edges].all(axis=1)], len(regions))
    sums = sums_of(np.where(left, regions.weights, 0), label)
    members = np.flatnonzero(sums[label] >= k)
    members = members[np.argsort(label[members], kind="stable")]
    groups = np.split(regions.weights[members], np.flatnonzero(np.diff(label[members])) + 1)
    heavy = [(int(component.sum()), most_classes(component, k)) for component in groups if len(component)]
    return int(sums[sums < k].sum()), heavy


def most_classes(weights: np.ndarray, k: int) -> int:
    """An upper bound on the number of classes of weight >= k among areas of these weights, regardless of borders.

    Proof: docs/proofs/regions/bounds.md, capacity of a set.

    >>> most_classes(np.array([6, 6, 6, 6]), 10), most_classes(np.array([100, 7, 7, 7, 1]), 10)
    (2, 3)
    """
    return int(kernels.most_classes(np.sort(weights.astype(np.int64))[::-1].copy(), k))


CLIMBING_STEPS = 10_000_000  # neighbors that the hill climbing may examine


def separators(regions: Regions, k: int) -> list[tuple[int, np.ndarray]]:
    """Sets Y worth trying in `capacity_bound`, each with an area of its part.

    Definition: docs/proofs/regions/bounds.md, which separators are tried.

    Complexity: O(n log n + e α(e)).
    """
    n = len(regions)
    graph = Graph(*neighbor_lists(regions.edges, n), regions.weights)
    weights, part = regions.weights, regions.components.astype(np.int64)
    totals = regions.component_weights
    alone, closed, capacities = kernels.cut_vertices(graph, totals, part, k)
    firsts = np.unique(part, return_index=True)[1][part].tolist()  # the first area of each one's part
    single = int(np.argmax(alone))  # it weighs most with the light components that it cuts off
    candidates = [(firsts[single], np.array([single]))]
    degree = np.diff(graph.start)
    for key in (weights, degree * (int(weights.max()) + 1) + weights, alone):
        order = np.lexsort((np.arange(n), key, part))
        first, last = kernels.sweep(graph, part, order, k)
        candidates.append((firsts[order[last - 1]], np.sort(order[first:last])))
    fullest = int(np.argmax(totals / capacities))
    members = np.flatnonzero(closed & (part == fullest))  # the closing vertices
    candidates.append((firsts[int(np.argmax(part == fullest))], members))
    averages = totals / (totals // k)
    candidates.append((int(np.argmax(part == np.argmax(averages))), np.empty(0, dtype=np.int64)))
    if (n + len(graph.neighbors)) * n <= CLIMBING_STEPS:
        for anchor, members in candidates.copy():
            separator = np.zeros(n, dtype=np.bool_)
            separator[members] = True
            kernels.improve_separator(graph, part == part[anchor], separator, k, CLIMBING_STEPS // 6)
            candidates.append((anchor, np.flatnonzero(separator)))
    return list({(anchor, separator.tobytes()): (anchor, separator) for anchor, separator in candidates}.values())


def separator_bound(regions: Regions, k: int, separator: Sequence[int]) -> Bound:
    """Many light parts that are connected only through a few areas make few, heavy classes.

    Proof: docs/proofs/regions/bounds.md, separator bound.

    `regions`: every connected part weighs at least k. `separator`: positions, at least one, in any parts.
    Returns: named "hubs"; the witness is Y in ascending order. Y is the set that proves most of these: the areas of one
        part, or those of one connected group of light components and areas of the separator that touch them.
    Complexity: O(areas + borders) for each set Y that is tried.

    A star: three leaves too light to stand alone need the center.

    >>> star = Regions(range(4), [1, 3, 3, 3], [(0, 1), (0, 2), (0, 3)])
    >>> separator_bound(star, 4, [0])
    Bound(value=10, name='hubs', kind='checked', witness=(0,))
    """
    chosen = np.unique(np.asarray(separator, dtype=np.int64))
    outside = ~np.isin(np.arange(len(regions)), chosen)
    component = parts_of(regions.edges[outside[regions.edges].all(axis=1)], len(regions))
    light = sums_of(regions.weights, component) < k
    light[component[chosen]] = False
    a, b = regions.edges.T
    between = (light[component[a]] & ~outside[b]) | (light[component[b]] & ~outside[a])
    inside = light[component[a]] & (component[a] == component[b])
    group = parts_of(regions.edges[between | inside], len(regions))[chosen]
    part = regions.components[chosen]
    sets = {tuple(chosen[each == number].tolist()) for each in (group, part) for number in np.unique(each)}
    value, _, witness = max((_hub_bound(regions, k, np.array(each)), -len(each), each) for each in sorted(sets))
    return Bound(value, "hubs", "checked", witness)


def _hub_bound(regions: Regions, k: int, separator: np.ndarray) -> int:
    """The bound that areas of one part prove: the average of the classes at them, or of all in the part."""
    light, heavy = _components_without(regions, k, int(separator[0]), separator)
    near = int(regions.weights[separator].sum()) + light
    total = near + sum(weight for weight, _ in heavy)
    most = len(separator) + sum(weight // k for weight, _ in heavy)
    return max(-(-near // len(separator)), -(-total // most))


FEW_SETS = 64  # possible classes up to which an area counts as having few
LISTING_STEPS = 5_000  # areas and borders that may be examined to list them
ALL_LISTING_STEPS = 5_000_000  # the same for all areas together
COMPARED = 10_000_000  # members of possible classes that are compared in one attempt
WITNESS_STEPS = 100_000  # of the areas of a witness: the check repeats all of this in its own, slower way
WITNESS_COMPARED = 300_000
FIRST_STEP = 128  # the first step is this fraction of the bound
LAST_STEP = 1_000  # and the last one this fraction


def few_choices_bound(regions: Regions, k: int, low: int) -> Bound | None:
    """A cap below which some areas cannot all have a class: the largest class weighs more.

    When the possible sets of some areas exclude each other under a cap, the largest class is above it. What is
    possible, what excludes, and the proof: docs/proofs/regions/bounds.md, few choices.

    The search tries caps above `low`, in steps that double while they succeed and are then halved. The areas that an
    attempt needed are found by going back from the area without sets to those that eliminated its sets; only these
    areas are then tried with higher caps.

    `regions`: every connected part weighs at least k. `low`: a lower bound, at least k; the search begins here.
    Returns: above `low`, named "few choices"; the witness is T, one below the value, followed by the positions A in
        ascending order. None if there is none.
    Complexity: an attempt examines at most about `ALL_LISTING_STEPS` areas and borders and compares about `COMPARED`
        members of sets; there are O(log(`LAST_STEP` W / low)) attempts. Once areas with few sets are known, only these
        are examined again.

    A town of 13 and three villages of 10 in a ring, k = 11, the villages 1 and 3 on either side of the town and
    neighbors of each other. Without the town each could only join village 0, which must not be left alone.

    >>> ring = Regions(range(4), [10, 10, 13, 10], [(0, 1), (1, 2), (2, 3), (0, 3), (1, 3)])
    >>> few_choices_bound(ring, 11, 15)
    Bound(value=23, name='few choices', kind='checked', witness=(22, 1, 3))
    """
    search = _FewChoices(regions, k)
    areas = np.arange(len(regions))
    high = regions.total  # no attempts from this cap on
    step = max(1, low // FIRST_STEP)
    best: tuple[int, np.ndarray] | None = None
    while step >= max(1, low // LAST_STEP) and low < high and len(areas):
        cap = min(low + step, high) - 1
        chosen, few = search.refuted(cap, areas, COMPARED)
        if chosen is None or search.refuted(cap, chosen)[0] is None:
            high = cap
            step //= 2
            areas = few if best is None else areas
        else:
            areas = few
            cap = search.highest(cap, high, chosen)
            best = cap, chosen
            low = cap + 1
            step = min(2 * step, max(1, (high - low) // 2))
    if best is None:
        return None
    cap, chosen = best
    for v in chosen.tolist():
        fewer = chosen[chosen != v]
        if search.refuted(cap, fewer)[0] is not None:
            chosen = fewer
    return Bound(cap + 1, "few choices", witness=(cap, *chosen.tolist()))


class _FewChoices:
    """Attempts to refute a cap."""

    def __init__(self, regions: Regions, k: int) -> None:
        self.k = k
        self.graph = Graph(*neighbor_lists(regions.edges, len(regions)), regions.weights)
        self.steps = min(LISTING_STEPS, ALL_LISTING_STEPS // len(regions))
        self.keys = np.random.default_rng(0).integers(1 << 62, size=len(regions))

    def refuted(
        self, cap: int, areas: np.ndarray, compared: int = WITNESS_COMPARED
    ) -> tuple[np.ndarray | None, np.ndarray]:
        """Those of the areas whose possible sets exclude each other, None if none were found; and the areas with few
        sets."""
        limits = kernels.ChoiceLimits(self.k, cap, FEW_SETS, self.steps)
        members, ends, set_counts, spent = kernels.classes_around(self.graph, areas, limits)
        few = areas[set_counts >= 0]
        if (set_counts == 0).any():
            return areas[[int(np.argmax(set_counts == 0))]], few
        if len(few) == 0:
            return None, few
        sets = self._distinct(members, ends)
        choosers = few[np.argsort(set_counts[set_counts >= 0], kind="stable")]
        last, killer, time = kernels.exclude(sets, choosers, compared)
        if last < 0:
            return None, few
        chosen = _reasons(last, sets, killer, time)
        cheap = spent[np.isin(areas, chosen)].sum() <= WITNESS_STEPS
        return (chosen if cheap else None), few

    def highest(self, cap: int, high: int, chosen: np.ndarray) -> int:
        """The highest cap below `high` that these areas alone refute, searching up from a refuted one."""
        step = 1
        while step:
            higher = cap + step
            if higher < high and self.refuted(higher, chosen)[0] is not None:
                cap = higher
                step *= 2
            else:
                high = min(high, higher)
                step = min(step, high - cap) // 2
        return cap

    def _distinct(self, members: np.ndarray, ends: np.ndarray) -> kernels.PossibleSets:
        """Each set once; sets are distinguished by the sum of random keys, which wraps around."""
        sizes = np.diff(ends, prepend=0)
        once = np.sort(np.unique(np.add.reduceat(self.keys[members], ends - sizes), return_index=True)[1])
        distinct = np.zeros(len(ends), dtype=np.bool_)
        distinct[once] = True
        members, ends = members[np.repeat(distinct, sizes)], np.cumsum(sizes[once])
        order = np.argsort(members, kind="stable")
        first = np.searchsorted(members[order], np.arange(len(self.keys) + 1))
        return kernels.PossibleSets(members, ends, first, np.repeat(np.arange(len(ends)), sizes[once])[order])


def _reasons(last: int, sets: kernels.PossibleSets, killer: np.ndarray, time: np.ndarray) -> np.ndarray:
    """The areas by which all sets of `last` were eliminated: those that did it, those that eliminated their sets
    before, ..."""
    until = {int(last): len(time)}
    waiting = [int(last)]
    while waiting:
        v = waiting.pop()
        slots = sets.slots[sets.first[v] : sets.first[v + 1]]
        for s in slots[(killer[slots] >= 0) & (time[slots] < until[v])].tolist():
            u = int(killer[s])
            if until.get(u, -1) < time[s]:
                until[u] = int(time[s])
                waiting.append(u)
    return np.array(sorted(until), dtype=np.int64)


def partition_cost_bound(regions: Regions, k: int, combine: str = "sum", difference: str = "size - k") -> int:
    """A lower bound on `partition_cost` of every partition into connected classes of weight >= k.

    Proof: docs/proofs/regions/bounds.md, sums.

    `regions`: every connected part weighs at least k. `combine`, `difference`: as in `partition_cost`.
    Complexity: that of `lower_bound`.

    A path of five areas of weight 1 and k = 2 holds two classes, of 2 and 3 at best.

    >>> path = Regions(range(5), [1] * 5, [(i, i + 1) for i in range(4)])
    >>> partition_cost_bound(path, 2), partition_cost_bound(path, 2, "max")
    (3, 3)
    """
    if combine == "max":
        return class_cost(lower_bound(regions, k).value, k, difference)
    trivial = combined([class_cost(regions.total, k, difference)], combine)  # and a check of the names
    if difference == "1":
        return trivial
    squares = least_squares(regions.weights, class_limit(regions, k))
    return squares if difference == "size" else squares - k * regions.total


def class_limit(regions: Regions, k: int) -> int:
    """An upper bound on the number of connected classes of weight >= k.

    The least over the separators tried, including the empty one, for each part. Proof: docs/proofs/regions/bounds.md,
    capacity bound.

    >>> class_limit(Regions(range(4), [1, 4, 4, 4], [(0, 1), (0, 2), (0, 3)]), 5)
    1
    """
    limits = [
        most_classes(regions.weights[regions.components == part], k) for part in range(len(regions.component_weights))
    ]
    for anchor, separator in separators(regions, k):
        part = int(regions.components[anchor])
        heavy = _components_without(regions, k, anchor, separator)[1]
        limits[part] = min(limits[part], len(separator) + sum(most for _, most in heavy))
    return sum(limits)


def least_squares(weights: np.ndarray, most: int) -> int:
    """A lower bound on the sum of squared class weights of any partition into at most `most` classes.

    Formula and proof: docs/proofs/regions/bounds.md, sums. The q that are tried are the averages floor(R / (most - i))
    after the i heaviest areas are taken away, while each of these is above the average before; averages fall then.

    >>> least_squares(np.array([1, 1, 1, 1, 1]), 2), least_squares(np.array([9, 1, 1, 1]), 3)
    (13, 86)
    """
    descending = sorted(weights.tolist(), reverse=True)
    rest = sum(descending)
    best = squares = 0
    for i, heaviest in enumerate(descending[:most]):
        q = rest // (most - i)
        best = max(best, squares + (2 * q + 1) * rest - q * (q + 1) * (most - i))
        if heaviest <= q:
            break
        squares += heaviest**2
        rest -= heaviest
    return best
