"""Partitions of a part of the map by exhaustive searches."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from kanon_engine.errors import Infeasible, InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.model.requirement import Minimum, checked_requirements
from kanon_engine.model.run import Run
from kanon_engine.regions.frontier import Order, order_of
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.partitions_kernels import weigh_sets
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph
from kanon_engine.regions.wishes import HANDLE_ALL, Items, prepared
from kanon_engine.search.search_kernels import best_classes, sums_of_sets
from kanon_engine.search.solvers import solved, solver_for

PART_EFFORT = 2.0  # CP-SAT's deterministic time for a part
LARGEST_MODEL = 500  # areas of a part up to which CP-SAT is used


def any_partition(regions: Regions, k: int, run: Run, minima: Sequence[Minimum]) -> np.ndarray:
    """(n,) int64: classes that satisfy all wishes, by exhaustive searches; the best ones for small parts.

    Raises `Infeasible`: there are none; the sentence lists wishes that contradict each other; `InvalidInput`: none were
        found, and it is not known whether any exist.
    """
    labels = np.zeros(len(regions), dtype=np.int64)
    for members in members_of(regions.components):
        verdict, part_labels = _of_part(regions, members, k, run, minima)
        if verdict == "impossible":
            raise no_partition(regions, k, minima)
        if part_labels is None:
            raise InvalidInput(
                f"No grouping into groups of at least k = {k:,} was found that satisfies all wishes, and it is not "
                "known whether one exists; lower k, or require less."
            )
        labels[members] = part_labels + len(regions) * members[0]
    return labels


def _of_part(
    regions: Regions, members: np.ndarray, k: int, run: Run, minima: Sequence[Minimum]
) -> tuple[str, np.ndarray | None]:
    """A verdict as in `classes_up_to`, and the classes of a connected part."""
    part = ConnectedPart.inside(regions, members, k, minima)
    if len(members) <= SMALL:
        labels = best_partition(part.edges, part.weights, k, rules=part.rules)
        return ("impossible" if labels is None else "found"), labels
    if len(members) > LARGEST_MODEL:
        return "open", None

    def goes_on(spent: float) -> bool:
        return run.goes_on(0.9, None, None, "checking whether any grouping exists")

    return classes_up_to(part, int(part.weights.sum()), PART_EFFORT, run, goes_on)[:2]


def no_partition(regions: Regions, k: int, minima: Sequence[Minimum]) -> Infeasible:
    """The error if no partition satisfies all wishes; its sentence lists a minimal contradictory set.

    Each wish is left out in turn; it stays out if there is no partition without it either. The remaining wishes
    contradict each other, and without any one of them there is a partition, or at least no proof that there is none.
    """
    source = regions.source if isinstance(regions, Items) else regions
    # leaving out one of two equal wishes would change nothing
    once: Any = {name: tuple(dict.fromkeys(getattr(source, name))) for name in ("together", "apart")}
    source = replace(source, **once)
    left = [*dict.fromkeys(minima)]
    for minimum in minima:
        fewer = [other for other in left if other != minimum]
        if _impossible(source, k, fewer):
            left = fewer
    for name in ("together", "apart"):
        for wish in getattr(source, name):
            remaining: Any = tuple(other for other in getattr(source, name) if other != wish)
            fewer_wishes = replace(source, **{name: remaining})
            if _impossible(fewer_wishes, k, left):
                source = fewer_wishes
    if source.barriers:
        fewer_wishes = replace(source, barriers=())
        if _impossible(fewer_wishes, k, left):
            source = fewer_wishes
    conditions = [f"{source.listing(wish)} {name}" for name in once for wish in source.places(getattr(source, name))]
    conditions += ["the barriers"] * bool(source.barriers)
    conditions += [f"at least {minimum.m:,} {minimum.column}" for minimum in left]
    wishes = (
        f"all of these rules: {'; '.join(conditions)}. Remove one of these rules"
        if len(conditions) > 1
        else f"this rule: {conditions[0]}. Remove this rule"
    )
    sentence = f"There is no grouping into groups of at least k = {k:,} that satisfies {wishes}, or lower k."
    return Infeasible(sentence, parameter="k", value=k)


def _impossible(regions: Regions, k: int, minima: Sequence[Minimum]) -> bool:
    """Whether it is proven that no partition satisfies these wishes."""
    try:
        regions.require_feasible(k)
        checked_requirements(minima, regions)
    except Infeasible:
        return True
    items = prepared(regions, k, minima, HANDLE_ALL[0])
    parts = members_of(items.components)
    return any(_of_part(items, members, k, Run(), minima)[0] == "impossible" for members in parts)


@dataclass(frozen=True)
class Rules:
    """Minima of second counts, and wishes; vertices are positions in the part."""

    minima: tuple[tuple[np.ndarray, int], ...] = ()  # the counts of the vertices, and the least sum in a class
    # together, apart: sets of vertices; a class holds all or none of a together set, and at most one of an apart set
    together: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, ...], ...] = ()

    def admits(self, members: np.ndarray) -> bool:
        """Whether these vertices may be a class.

        >>> rules = Rules(minima=((np.array([1, 0, 2]), 2),), apart=((0, 2),))
        >>> rules.admits(np.array([1, 2])), rules.admits(np.array([0, 1])), rules.admits(np.array([0, 2]))
        (True, False, False)
        """
        candidate = set(members.tolist())
        return (
            all(int(values[members].sum()) >= least for values, least in self.minima)
            and all(candidate.isdisjoint(bundle) or candidate.issuperset(bundle) for bundle in self.together)
            and all(len(candidate.intersection(rivals)) < 2 for rivals in self.apart)
        )

    def of_all_sets(self, count: int) -> np.ndarray:
        """(2^count,) bool: the same for every set of vertices, written as the bits of its number."""
        good = np.ones(1 << count, dtype=bool)
        for values, least in self.minima:
            good &= sums_of_sets(values) >= least
        every = np.arange(1 << count)
        for vertices in self.together:
            present = every & sum(1 << v for v in vertices)
            good &= (present == 0) | (present == present[-1])
        for vertices in self.apart:
            present = every & sum(1 << v for v in vertices)
            good &= present & (present - 1) == 0  # no bit or one
        return good


NO_RULES = Rules()
SMALL = 14  # vertices up to which all sets are examined


def best_partition(
    edges: np.ndarray, weights: np.ndarray, k: int, cap: int = 0, rules: Rules = NO_RULES
) -> np.ndarray | None:
    """(n,) int64: connected classes of weight >= k with the smallest largest class; None if there are none.

    Dynamic programming over all sets of vertices: docs/proofs/regions/exact.md, small parts.

    `weights`: (n,) int64. n <= SMALL; at least k together.
    `cap`: above 0: the smallest sum of squared class weights instead, with no class above the cap.
    Complexity: O(3^n).

    >>> best_partition(np.array([(0, 1), (1, 2), (2, 3)]), np.array([3, 1, 2, 2]), 3).tolist()
    [0, 0, 1, 1]
    """
    n = len(weights)
    near = np.zeros(n, dtype=np.int64)
    for a, b in edges.tolist():
        near[a] |= 1 << b
        near[b] |= 1 << a
    sums, usable = weigh_sets(near, weights, k)
    labels = np.zeros(n, dtype=np.int64)
    best = best_classes(sums, usable & rules.of_all_sets(n), k, cap, labels)
    return labels if best < np.inf else None


@dataclass
class ConnectedPart:
    """A connected graph, and the cuts found for it.

    The root of a class is its heaviest vertex, ties: the one with the smallest position. Rank 0 is the heaviest vertex;
    a class of root r holds only vertices of rank r or later.
    """

    edges: np.ndarray
    weights: np.ndarray
    k: int
    rules: Rules = field(default_factory=Rules)
    graph: Graph = field(init=False)
    near: list[list[int]] = field(init=False)
    rank: list[int] = field(init=False)
    cuts: dict[tuple[int, int], set[frozenset[int]]] = field(default_factory=dict, init=False)
    too_many: int = field(default=1 << 60, init=False)  # the least cap for which the classes could not be listed

    def __post_init__(self) -> None:
        n = len(self.weights)
        self.graph = Graph(*neighbor_lists(self.edges, n), self.weights)
        self.near = [self.graph.neighbors[self.graph.start[v] : self.graph.start[v + 1]].tolist() for v in range(n)]
        self.rank = np.argsort(np.lexsort((np.arange(n), -self.weights))).tolist()

    @classmethod
    def inside(cls, regions: Regions, members: np.ndarray, k: int, minima: Sequence[Minimum]) -> ConnectedPart:
        """The areas at these positions, numbered as they are listed, with what their classes must satisfy."""
        place = np.full(len(regions), -1, dtype=np.int64)
        place[members] = np.arange(len(members))
        edges = place[regions.edges]

        def sets(wished: tuple[tuple[object, ...], ...]) -> tuple[tuple[int, ...], ...]:
            present = [tuple(int(place[v]) for v in wish if place[v] >= 0) for wish in regions.places(wished)]
            return tuple(wish for wish in present if len(wish) > 1)

        counts = tuple((regions.columns[minimum.column][members], minimum.m) for minimum in minima)
        rules = Rules(counts, sets(regions.together), sets(regions.apart))
        return cls(edges[(edges >= 0).all(axis=1)], regions.weights[members], k, rules)

    @cached_property
    def order(self) -> Order:
        """The order in which to process the whole part along a frontier."""
        return order_of(self.graph)

    def within(self, root: int, cap: int) -> set[int]:
        """What a class of this root can hold: vertices reached by a path of lower-ranked ones that weighs at most the
        cap."""
        weights, rank = self.weights, self.rank
        distance = {root: int(weights[root])}
        waiting = [(distance[root], root)]
        while waiting:
            length, v = heapq.heappop(waiting)
            if length > distance[v]:
                continue
            for u in self.near[v]:
                longer = length + int(weights[u])
                if rank[u] > rank[root] and longer <= cap and longer < distance.get(u, cap + 1):
                    distance[u] = longer
                    heapq.heappush(waiting, (longer, u))
        return set(distance)

    def cut_off(self, root: int, members: set[int]) -> bool:
        """Add cuts for each component of a class without its root; True if there was one.

        Let C be such a component, Q the component of the root without the neighbors of C, all among the vertices that
        do not outrank the root, and S the neighbors of C next to Q. Every path from the root into C passes S, so a
        class of this root that holds a vertex of C holds one of S.
        """
        left = members - self._reach(root, members)
        whole = bool(left)
        lower = {v for v in range(len(self.rank)) if self.rank[v] >= self.rank[root]}
        while left:
            component = self._reach(next(iter(left)), left)
            left -= component
            around = {u for v in component for u in self.near[v]} & lower
            inner = self._reach(root, lower - around - component)
            cut = frozenset(u for u in around if any(v in inner for v in self.near[u]))
            for v in component:
                self.cuts.setdefault((root, v), set()).add(cut)
        return whole

    def _reach(self, first: int, allowed: set[int]) -> set[int]:
        reached, waiting = {first}, [first]
        while waiting:
            for u in self.near[waiting.pop()]:
                if u in allowed and u not in reached:
                    reached.add(u)
                    waiting.append(u)
        return reached


def classes_up_to(
    part: ConnectedPart, cap: int, effort: float, run: Run, goes_on: Callable[[float], bool]
) -> tuple[str, np.ndarray | None, float]:
    """Look for a partition of the part with no class above the cap.

    x[v, r] says that v is in the class of root r. Every vertex is in one class, every class weighs k to cap, and cuts
    are added until every class of the solver's answer is connected. It returns what `CapSearch.narrow` expects: the
    verdict "impossible" (proven), "found" or "open", the root of each vertex's class, and the effort spent.

    `effort`: deterministic time of CP-SAT, in its own unit; the same on every machine.
    `goes_on`: `goes_on(spent)` says whether to continue.
    """
    from ortools.sat.python import cp_model

    weights, k = part.weights.tolist(), part.k
    n = len(weights)
    reach = {r: part.within(r, cap) for r in range(n) if weights[r] <= cap}
    reach = {r: members for r, members in reach.items() if sum(weights[v] for v in members) >= k}
    roots = [[r for r in reach if v in reach[r]] for v in range(n)]
    if not all(roots):
        return "impossible", None, 0.0
    model = cp_model.CpModel()
    x = {(v, r): model.new_bool_var("") for v in range(n) for r in roots[v]}
    for v in range(n):
        model.add_exactly_one(x[v, r] for r in roots[v])
    # these two follow from the loads below
    model.add(sum(x[r, r] for r in reach) <= sum(weights) // k)
    model.add(sum(x[r, r] for r in reach) >= -(-sum(weights) // cap))
    for r, members in reach.items():
        load = sum(weights[v] * x[v, r] for v in members)
        model.add(load >= k * x[r, r])
        model.add(load <= cap * x[r, r])
        for v in members - {r}:
            model.add_implication(x[v, r], x[r, r])
            # a connected class holds a neighbor of each of its vertices that is not next to the root
            if r not in part.near[v]:
                model.add_bool_or(x[v, r].negated(), *(x[u, r] for u in part.near[v] if u in members))
        # a root that is too light to be a class has a neighbor in its class
        if weights[r] < k:
            model.add_bool_or(x[r, r].negated(), *(x[u, r] for u in part.near[r] if u in members))
    for r, members in reach.items():
        _add_rules(model, x, part.rules, r, members)
    added: set[tuple[int, int, frozenset[int]]] = set()
    spent = 0.0
    while True:
        for (r, v), cuts in part.cuts.items():
            for cut in cuts:
                if (v, r) in x and (r, v, cut) not in added:
                    added.add((r, v, cut))
                    model.add_bool_or(x[v, r].negated(), *(x[u, r] for u in cut if (u, r) in x))
        solver = solver_for(run.seed, effort - spent)
        verdict = solved(solver, model, partial(goes_on, spent))
        spent += solver.deterministic_time
        if verdict != "found":
            return verdict, None, spent
        labels = np.array([next(r for r in roots[v] if solver.boolean_value(x[v, r])) for v in range(n)])
        broken = [part.cut_off(r, set(np.flatnonzero(labels == r).tolist())) for r in np.unique(labels).tolist()]
        if not any(broken):
            return "found", labels, spent
        if spent >= effort or run.stopped:
            return "open", None, spent


def _add_rules(model: Any, x: Mapping[tuple[int, int], Any], rules: Rules, r: int, members: set[int]) -> None:
    """Requirements on the class of root r in addition to its weight."""
    for values, least in rules.minima:
        model.add(sum(int(values[v]) * x[v, r] for v in members) >= least * x[r, r])
    for rivals in rules.apart:
        model.add_at_most_one(x[v, r] for v in rivals if v in members)
    for bundle in rules.together:
        present = [v for v in bundle if v in members]
        for v in present:
            if len(present) < len(bundle):
                model.add(x[v, r] == 0)
            elif v != present[0]:
                model.add(x[v, r] == x[present[0], r])
