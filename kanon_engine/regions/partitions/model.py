"""Is there a partition with no class above a cap? An integer program with connectivity by cuts, for CP-SAT."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from kanon_engine.model.run import Run
from kanon_engine.regions.frontier import Order, order_of
from kanon_engine.regions.partitions.rules import Rules
from kanon_engine.regions.trees.kernels import Graph
from kanon_engine.regions.trees.spanning_tree import neighbour_lists
from kanon_engine.search.cp_sat import solved, solver_for


@dataclass
class Part:
    """A connected graph, and the cuts that were found for it.

    The root of a class is its heaviest vertex, of several the one with the smallest position. Rank 0 is the heaviest
    vertex; a class of root r holds only vertices of a rank from r's on.
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
        self.graph = Graph(*neighbour_lists(self.edges, n), self.weights)
        self.near = [self.graph.neighbours[self.graph.start[v] : self.graph.start[v + 1]].tolist() for v in range(n)]
        self.rank = np.argsort(np.lexsort((np.arange(n), -self.weights))).tolist()

    @cached_property
    def order(self) -> Order:
        """In which to go through the whole part along a frontier."""
        return order_of(self.graph)

    def within(self, root: int, cap: int) -> set[int]:
        """What a class of this root can hold: a path of its inferiors, up to the cap in weight, leads there."""
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

        Let C be such a component, Q the component of the root without the neighbours of C, all among the vertices that
        do not outrank the root, and S the neighbours of C next to Q. Every path from the root into C passes S, so a
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
    part: Part, cap: int, effort: float, run: Run, goes_on: Callable[[float], bool]
) -> tuple[str, np.ndarray | None, float]:
    """Look for a partition of the part with no class above the cap.

    x[v, r] says that v is in the class of root r. Every vertex is in one class, every class weighs k to cap, and cuts
    are added until every class of the solver's answer is connected.

    Parameters
    ----------
    part : Part
    cap : int
    effort : float
        Deterministic time of CP-SAT, in its own unit; the same on every machine.
    run : Run
    goes_on : callable
        `goes_on(spent)` says whether to go on.

    Returns
    -------
    verdict : str
        "impossible" (proven), "found" or "open".
    labels : (n,) int array or None
        The root of each vertex's class, when one was found.
    spent : float
        The part of the effort that was used.
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
    model.add(sum(x[r, r] for r in reach) <= sum(weights) // k)
    model.add(sum(x[r, r] for r in reach) >= -(-sum(weights) // cap))
    for r, members in reach.items():
        load = sum(weights[v] * x[v, r] for v in members)
        model.add(load >= k * x[r, r])
        model.add(load <= cap * x[r, r])
        for v in members - {r}:
            model.add_implication(x[v, r], x[r, r])
            if r not in part.near[v]:
                model.add_bool_or(x[v, r].negated(), *(x[u, r] for u in part.near[v] if u in members))
        if weights[r] < k:
            model.add_bool_or(x[r, r].negated(), *(x[u, r] for u in part.near[r] if u in members))
    for r, members in reach.items():
        _add_rules(model, x, part.rules, r, members)
    known: set[tuple[int, int, frozenset[int]]] = set()
    spent = 0.0
    while True:
        for (r, v), cuts in part.cuts.items():
            for cut in cuts:
                if (v, r) in x and (r, v, cut) not in known:
                    known.add((r, v, cut))
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
    """What the class of root r must satisfy besides its weight."""
    for values, least in rules.minima:
        model.add(sum(int(values[v]) * x[v, r] for v in members) >= least * x[r, r])
    for rivals in rules.apart:
        model.add_at_most_one(x[v, r] for v in rivals if v in members)
    for held in rules.together:
        present = [v for v in held if v in members]
        for v in present:
            if len(present) < len(held):
                model.add(x[v, r] == 0)
            elif v != present[0]:
                model.add(x[v, r] == x[present[0], r])
