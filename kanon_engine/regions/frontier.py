"""Dynamic programming along a frontier of few areas: connected classes between two weights, or a proof of none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.model.objective import Bound
from kanon_engine.model.wishes import sums_of
from kanon_engine.regions.frontier_kernels import (
    WIDEST,
    ClassRule,
    FrontierStep,
    Layer,
    extend_states,
    greedy_order,
    merge_states,
    walk_order,
)
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph
from kanon_engine.regions.wishes import Items

ANY = 1 << 62  # all similar states are kept


@dataclass(frozen=True)
class FrontierAnswer:
    """Result of a search along a frontier."""

    verdict: str  # "found"; "impossible", which is proven; or "open"
    labels: np.ndarray | None  # (n,) int64 or None: the class of each vertex, numbered from 0, if classes were found
    states: int  # the work: how often a vertex was added to a state


def classes_between(
    graph: Graph,
    k: int,
    cap: int,
    *,
    least: int = 0,
    limit: int,
    beam: np.random.Generator | None = None,
    order: Order | None = None,
    chain: int = ANY,
    most: int = ANY,
) -> FrontierAnswer:
    """Connected classes, each of weight k to the cap, by dynamic programming along a vertex order.

    Guarantee: any classes found are connected, weigh k to the cap, and number at least `least`; "impossible" is exact.
    Proof: docs/proofs/regions/frontier.md.

    `least`: how many classes there must be at least.
    `limit`: states that are kept after a vertex.
    `beam`: if there are more, continue with a selection of them instead of ending.
    `order`: that of `order_of` if none is given.
    `chain`: how many states to keep that differ only in loads above k and do not dominate each other.
    `most`: the work, after which the answer is "open".
    Complexity: for each vertex at most `limit` states times 2^a, where a is the number of its earlier neighbors.
        Frontiers of more than `WIDEST` vertices are not tried: "open".
    References: J. Kawahara, T. Inoue, H. Iwashita, S. Minato, "Frontier-Based Search for Enumerating All Constrained
        Subgraphs with Compressed Representation", IEICE Trans. Fundamentals E100-A (2017); Y. Nakahata, J. Kawahara, S.
        Kasahara, "Enumerating Graph Partitions Without Too Small Connected Components Using Zero-suppressed Binary and
        Ternary Decision Diagrams", SEA 2018.

    A ring of six: three classes of 4; none of 4 if the areas weigh 13 in total.

    >>> ring = Graph(2 * np.arange(7), np.array([1, 5, 0, 2, 1, 3, 2, 4, 3, 5, 0, 4]), np.array([3, 1, 3, 1, 3, 1]))
    >>> classes_between(ring, 4, 4, limit=100).labels
    array([2, 0, 0, 1, 1, 2])
    >>> classes_between(ring._replace(weights=np.array([4, 1, 3, 1, 3, 1])), 4, 4, limit=100).verdict
    'impossible'
    """
    order = order or order_of(graph)
    steps = steps_of(graph, order.vertices)
    total = int(graph.weights.sum())
    if total < least * k:
        return FrontierAnswer("impossible", None, 0)
    if steps is None:
        return FrontierAnswer("open", None, 0)
    rule = ClassRule(k, cap, total - least * k if least else -1, cap < total)
    layers = Layers(rule, order.width, chain)
    history: list[tuple[np.ndarray, np.ndarray]] = []
    whole = True
    for step in steps:
        if layers.work + layers.cost(step) > most:
            return FrontierAnswer("open", None, layers.work)
        whole &= layers.extend(step)
        count = len(layers.states)
        if count == 0:
            return FrontierAnswer("impossible" if whole else "open", None, layers.work)
        if count > limit:
            if beam is None:
                return FrontierAnswer("open", None, layers.work)
            whole = False
            layers.keep(beam.permutation(count)[:limit])
        history.append((layers.origin.astype(np.int32), layers.choice.astype(np.int32)))
    return FrontierAnswer("found", _labels(order.vertices, steps, history), layers.work)


def _labels(order: np.ndarray, steps: list[FrontierStep], history: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The classes of the first state remaining at the end."""
    state, choices = 0, []
    for origin, choice in reversed(history):
        choices.append(int(choice[state]))
        state = int(origin[state])
    labels = np.arange(len(order))
    waiting: list[int] = []
    for v, step, choice in zip(order.tolist(), steps, reversed(choices), strict=True):
        around = list(dict.fromkeys(int(labels[waiting[place]]) for place in step.around.tolist()))
        for bit, other in enumerate(around):
            if choice >> bit & 1:
                labels[labels == other] = labels[v]
        waiting = [u for u, stays in zip([*waiting, v], step.kept.tolist(), strict=True) if stays]
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)


LOAD_FINENESS = 2_000  # states are first merged if their loads differ by less than this fraction of k
ALIKE = 100  # similar states that do not dominate each other, above which it ends: the check goes no further


def refuted(
    graph: Graph,
    k: int,
    cap: int,
    *,
    limit: int,
    order: Order | None = None,
    rim: np.ndarray | None = None,
    spare: int = -1,
    most: int = ANY,
    most_a_step: int = ANY,
) -> tuple[bool, int]:
    """Whether it is proven that no partition into connected classes of weight k to the cap exists, and the work done.

    Like `classes_between`, but if there are more than `limit` states, those with equal parts and similar loads become
    one that represents all of them. False proves nothing. What is refuted for a part of a graph, with `rim`, is refuted
    for the graph.
    Definition and proof: docs/proofs/regions/frontier.md; the check of a result repeats it.

    `limit`: states that are kept after a vertex.
    `order`: that of `order_of` if none is given.
    `rim`: (n,) bool, optional. Vertices with neighbors outside the graph: a class that holds one may continue there.
    `spare`: the most that all classes together weigh above k; negative if unknown.
    `most`, `most_a_step`: the total work and the work of one step after which it ends.
    References: D. Bergman, A. Cire, W.-J. van Hoeve, J. Hooker, "Decision Diagrams for Optimization" (2016), relaxed
        diagrams.

    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.array([2, 2, 3, 2]))
    >>> refuted(path, 3, 4, limit=1)
    (True, 455)
    >>> refuted(path, 3, 5, limit=1)
    (False, 455)
    """
    order = order or order_of(graph)
    steps = steps_of(graph, order.vertices, rim)
    if steps is None:
        return False, 0
    layers = Layers(ClassRule(k, cap, spare, True), order.width, ALIKE)
    for step in steps:
        cost = layers.cost(step)
        if cost > most_a_step or layers.work + cost > most:
            return False, layers.work
        if not layers.extend(step):
            return False, layers.work
        if len(layers.states) == 0:
            return True, layers.work
        if len(layers.states) > limit and not layers.merge(limit, max(1, k // LOAD_FINENESS)):
            return False, layers.work
    return False, layers.work


def ball(graph: Graph, center: np.ndarray, size: int) -> np.ndarray:
    """The center and the vertices nearest to it, up to `size`, in the order reached."""
    start, neighbors, _ = graph
    vertices = list(dict.fromkeys(center.tolist()))[:size]
    reached = set(vertices)
    for v in vertices:  # it grows during the loop
        for u in neighbors[start[v] : start[v + 1]].tolist():
            if u not in reached and len(vertices) < size:
                reached.add(u)
                vertices.append(u)
    return np.array(vertices, dtype=np.int64)


def part_of(graph: Graph, areas: np.ndarray) -> tuple[Graph, np.ndarray]:
    """The graph of some vertices, numbered as they are listed, and which of them have neighbors outside."""
    start, neighbors, weights = graph
    place = np.full(len(weights), -1, dtype=np.int64)
    place[areas] = np.arange(len(areas))
    counts = start[areas + 1] - start[areas]
    owner = np.repeat(np.arange(len(areas)), counts)
    first = np.cumsum(counts) - counts
    ends = place[neighbors[np.arange(len(owner)) - first[owner] + start[areas][owner]]]
    within = ends >= 0
    rim = np.zeros(len(areas), dtype=np.bool_)
    rim[owner[~within]] = True
    begin = np.zeros(len(areas) + 1, dtype=np.int64)
    np.cumsum(np.bincount(owner[within], minlength=len(areas)), out=begin[1:])
    return Graph(begin, ends[within], weights[areas]), rim


NO_WAY_ROUND = "no way round"
WITNESS_WORK, WITNESS_STEP = 8_000_000, 1 << 17  # the most work of the check; it counts as `refuted` does
ALL_WORK = 60_000_000  # work of all attempts, for an effort of 1
LEVELS = ((300, 20), (1_000, 28), (3_000, 36), (8_000, 45), (16_000, 45))  # states kept; areas around a class
CENTERS = (24, 12, 6, 4, 3)  # how many classes are tried, the heaviest first
WHOLE = 200  # most areas of a part that is tried as a whole
ATTEMPT = 50  # additional cost of an attempt, for each pair of its areas
CAP_FINENESS = 1_000  # caps closer than this fraction of the cost are not distinguished


def refutation_bound(
    regions: Regions, k: int, low: int, high: int, label: np.ndarray, effort: float = 1.0
) -> Bound | None:
    """The highest cap, from `low` to below `high`, that some areas refute.

    First it tries the cap one below `high`, which would prove that no largest class is smaller, around the heaviest
    classes and for small parts as a whole; then lower caps, by bisection; then all again with more states and more
    areas. Definition and proof: docs/proofs/regions/frontier.md.

    `regions`: for `Items` that stay together, the bound is that of `Items.quotient`, to which the witness refers.
    `low`: a lower bound, at least k.
    `high`: the largest class of the known partition.
    `label`: (n,) int. The class of each area.
    `effort`: how much to try, as a multiple of the usual work; the later check does not depend on it.
    Returns: above `low`, named "no way round"; the witness is the cap, one below the value, how many states are kept,
        and the positions of the areas in their order. None if there is none.
    Complexity: `ALL_WORK` times the effort, in ways to add an area to a state.

    A path of 5, 3, 3, 5 with k = 6 has two classes of 8, or one of 16.

    >>> path = Regions(range(4), [5, 3, 3, 5], [(0, 1), (1, 2), (2, 3)])
    >>> refutation_bound(path, 6, 6, 8, np.array([0, 0, 1, 1]))
    Bound(value=8, name='no way round', kind='checked', witness=(7, 300, 0, 1, 2, 3))
    """
    if isinstance(regions, Items) and regions.together:
        label = label[np.unique(regions.bundles, return_index=True)[1]]
        regions = regions.quotient
    search = _Refutations(regions, k, label, effort)
    best: tuple[int, ...] | None = None  # a witness
    for level, (limit, _) in enumerate(LEVELS):
        top = high  # no cap from this one on is tried with this many states
        cap = high - 1
        while low < top and (top == high or top - low > high // CAP_FINENESS) and search.left > 0:
            areas = search.refuted(cap, level)
            if areas is None:
                top = cap
            else:
                best, low = (cap, limit, *areas), cap + 1
            cap = (low + top) // 2
    return None if best is None else Bound(best[0] + 1, NO_WAY_ROUND, witness=best)


class _Refutations:
    """Attempts to refute a cap, around heavy classes and for small parts as a whole."""

    def __init__(self, regions: Regions, k: int, label: np.ndarray, effort: float) -> None:
        self.k = k
        self.graph = Graph(*neighbor_lists(regions.edges, len(regions)), regions.weights)
        self.part, self.totals = regions.components, regions.component_weights
        label = np.unique(label, return_inverse=True)[1]
        heaviest = np.argsort(-sums_of(regions.weights, label), kind="stable")[: max(CENTERS)]
        self.members = [np.flatnonzero(label == c) for c in heaviest.tolist()]
        self.left = round(ALL_WORK * effort)
        # by class and size (whole parts by their number): areas in order, and the arguments of `refuted` for them
        self.known: dict[tuple[int, int], tuple[np.ndarray, Graph, Order, np.ndarray]] = {}
        self.first = 0  # the class around which a cap was last refuted

    def refuted(self, cap: int, level: int) -> list[int] | None:
        """The first areas found to refute a cap, with this many states and areas."""
        limit, size = LEVELS[level]
        centers = sorted(range(min(CENTERS[level], len(self.members))), key=lambda c: (c != self.first, c))
        for c in centers:
            areas = self._tried(c, size, cap, limit)
            if areas is not None:
                self.first = c
                return areas
        for part in dict.fromkeys(int(self.part[self.members[c][0]]) for c in centers):
            if size < int((self.part == part).sum()) <= WHOLE:
                areas = self._tried(part, WHOLE, cap, limit)
                if areas is not None:
                    return areas
        return None

    def _tried(self, number: int, size: int, cap: int, limit: int) -> list[int] | None:
        """The areas around a class, or of a whole part, if they refute the cap."""
        if self.left <= 0:
            return None
        if (number, size) not in self.known:
            if size == WHOLE:
                areas = np.flatnonzero(self.part == number)
            else:  # around those in the same part as the first: all, if the class is connected
                members = self.members[number]
                areas = ball(self.graph, members[self.part[members] == self.part[members[0]]], size)
            inside, rim = part_of(self.graph, areas)
            order = order_of(inside)
            self.known[number, size] = areas[order.vertices], inside, order, rim
            self.left -= ATTEMPT * len(areas) ** 2
        areas, inside, order, rim = self.known[number, size]
        total = int(self.totals[self.part[areas[0]]])
        spare = total - -(-total // cap) * self.k
        spare = spare if 0 <= spare < self.k else -1
        most = min(self.left, WITNESS_WORK)
        proven, work = refuted(
            inside, self.k, cap, limit=limit, order=order, rim=rim, spare=spare, most=most, most_a_step=WITNESS_STEP
        )
        self.left -= work
        return areas.tolist() if proven else None


ROOM = 1 << 10  # initial room for states
STEP_WORK = 64  # cost of a step in addition to its states


class Layers:
    """The states after one step, made of those after the step before.

    `width`: the most vertices in the frontier.
    `chain`: how many states that do not dominate each other may differ only in their larger loads.
    """

    def __init__(self, rule: ClassRule, width: int, chain: int) -> None:
        self.rule, self.chain = rule, chain
        self.states = np.zeros((1, 2 + 2 * max(width, 1)), dtype=np.int64)
        self.work = 0  # ways to add a vertex, and states examined to merge them
        self._layer = self._with_room(ROOM)
        self._other = self._with_room(ROOM)

    @property
    def origin(self) -> np.ndarray:
        """The previous state from which each state was made."""
        return self._layer.origin[: len(self.states)]

    @property
    def choice(self) -> np.ndarray:
        """Which parts around the last vertex each state has joined."""
        return self._layer.choice[: len(self.states)]

    def cost(self, step: FrontierStep) -> int:
        """The work of the next step."""
        return (len(self.states) + STEP_WORK) << len(step.around)

    def extend(self, step: FrontierStep) -> bool:
        """Add a vertex; returns whether no state was left out."""
        self.work += self.cost(step)
        self._layer, self._other = self._other, self._layer
        while True:
            count, whole = extend_states(self.states, step, self.rule, self.chain, self._layer)
            if count >= 0:
                self.states = self._layer.states[:count]
                return whole
            self._layer = self._with_room(4 * len(self._layer.states))

    def keep(self, chosen: np.ndarray) -> None:
        """Keep some of the states, by their places."""
        states, origin, choice = self.states[chosen], self.origin[chosen], self.choice[chosen]
        self.states = self._layer.states[: len(chosen)]
        self.states[:], self._layer.origin[: len(chosen)], self._layer.choice[: len(chosen)] = states, origin, choice

    def merge(self, limit: int, grain: int) -> bool:
        """Merge states until there are at most `limit`, with doubling grains; False if no grain is enough."""
        columns = self.states.shape[1] // 2 - 1
        cells = np.empty((limit, columns), dtype=np.int64)
        if len(self._other.states) < limit:
            self._other = self._with_room(limit)
        while True:
            self.work += len(self.states)
            count = merge_states(self.states, grain, cells, self._other)
            if count >= 0:
                self._layer, self._other = self._other, self._layer
                self.states = self._layer.states[:count]
                return True
            if grain > self.rule.cap:
                return False
            grain *= 2

    def _with_room(self, room: int) -> Layer:
        origin, choice, follow = (np.empty(room, dtype=np.int64) for _ in range(3))
        heads = np.empty(1 << (2 * room - 1).bit_length(), dtype=np.int64)
        return Layer(np.empty((room, self.states.shape[1]), dtype=np.int64), origin, choice, follow, heads)


ORDER_TRIES = 60  # first vertices to try


@dataclass(frozen=True)
class Order:
    """An order in which vertices come."""

    vertices: np.ndarray  # (n,) int64
    width: int  # the most vertices that ever wait for a neighbor


def order_of(graph: Graph, tries: int = ORDER_TRIES, random: np.random.Generator | None = None) -> Order:
    """The cheapest of several greedy orders from different first vertices; the next vertex is the one that leaves the
    smallest frontier.

    `tries`: how many first vertices to try, evenly spaced; `random` chooses them at random and breaks ties.
    Complexity: O(n (width + degree)) per try.

    >>> path = Graph(np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2]), np.ones(4, dtype=np.int64))
    >>> order_of(path)
    Order(vertices=array([0, 1, 2, 3]), width=1)
    """
    n = len(graph.weights)
    if random is None:
        firsts = np.unique(np.linspace(0, n - 1, min(tries, n)).astype(np.int64))
    else:
        firsts = random.integers(0, n, tries)
    quiet = np.zeros(n)
    best, width, vertices = np.inf, n, np.arange(n)  # if all prices are infinite, none is the least
    order = np.empty(n, dtype=np.int64)
    for first in firsts.tolist():
        price, widest = greedy_order(graph, first, quiet if random is None else 0.5 * random.random(n), order)
        if price < best:
            best, width, vertices = price, int(widest), order.copy()
    return Order(vertices, width)


def steps_of(graph: Graph, order: np.ndarray, rim: np.ndarray | None = None) -> list[FrontierStep] | None:
    """How each vertex of the order changes the frontier; None if it has more than `WIDEST` vertices.

    `order`: (n,) int64. `rim`: (n,) bool, optional. Vertices with neighbors outside the graph.
    """
    sizes, around, ends, remains = walk_order(graph, order, WIDEST)
    if len(sizes) < len(order):
        return None
    outside = np.zeros(len(order), dtype=np.bool_) if rim is None else rim[order]
    before = np.concatenate([[0], ends[:-1]])
    columns = (graph.weights[order], outside, before, ends, sizes)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [
        FrontierStep(weight, open_, around[first:end], remains[t, : size + 1])
        for t, (weight, open_, first, end, size) in enumerate(rows)
    ]
