"""Steps on areas: the state; tree split and general graph."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.objective import Cost
from kanon_engine.model.run import Run
from kanon_engine.model.wishes import parts_of, sums_of
from kanon_engine.model.words import counted
from kanon_engine.regions.general_graph import Stars, by_rules
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.tree_split import IN_WORDS
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph, depth_first_forest, depths, peel_tree
from kanon_engine.regions.wishes import items_of, prepared
from kanon_engine.teaching.step import (
    Inequality,
    State,
    Step,
    StepQuestion,
    carried,
    carried_back,
    changed_between,
    choice,
    spans,
)

FEW_AREAS = 40  # areas up to which a person can add up the weights; above, the choices show them


def no_edges() -> np.ndarray:
    """(0, 2) int32."""
    return np.empty((0, 2), dtype=np.int32)


@dataclass(frozen=True)
class GraphState(State):
    """Areas in connected pieces."""

    pieces: np.ndarray  # (n,) int32: the piece of each area: a class, or a part that is still to be cut
    tree: np.ndarray = field(default_factory=no_edges)  # (t, 2) int32: edges of the trees, whether cut or not
    cut_edges: np.ndarray = field(default_factory=no_edges)  # (c, 2) int32: the edges that were cut, in order
    latest: int = 0  # the number of edges cut in this step
    centers: tuple[int, ...] = ()  # areas that only have light branches, if the algorithm knows them
    heavy: tuple[int, ...] = ()  # one area of each class that is above the current limit


def which_edge(
    regions: Regions, prompt: str, tree: np.ndarray, sides: np.ndarray, offered: list[int], right: Container[int]
) -> StepQuestion | None:
    """A question about an edge of a tree; with many areas, the choices show the weights on both sides."""

    def edge(place: int) -> tuple[int, int]:
        return int(tree[place, 0]), int(tree[place, 1])

    def words(place: int) -> str:
        name = " – ".join(regions.label(end) for end in edge(place))
        lighter, heavier = sides[place]
        return name if len(regions) <= FEW_AREAS else f"{name}: {lighter:,} and {heavier:,} {regions.unit}"

    return choice(prompt, offered, right, words, edge)


# ---------------------------------------------------------------------------------------------------------------------
# Tree split cut by cut: the tree and its degree, both sides of each cut, and the point where no edge is left.
# ---------------------------------------------------------------------------------------------------------------------


MOST_CUTS = 190  # steps of cuts
MOST_EDGES_OFFERED = 24  # edges that a question offers
MANY, ASKED = 2_000, 12  # with more areas than the first, only the second number of steps begin with a question


def tree_split_steps(regions: Regions, g: Generalization) -> Iterator[Step]:
    """The tree, every cut with the weights T₁ and T₂ of its sides, and the remaining pieces.

    The cuts are repeated on the result's own tree; with a requirement, the last step merges.

    >>> import kanon_engine as kanon
    >>> line = Regions(list("abc"), [3, 2, 3], [(0, 1), (1, 2)], unit="people")
    >>> for step in tree_split_steps(line, kanon.generalize(line, 3, "tree-split")):
    ...     print(step.inequality.text)
    h + d (k − 1) ≤ (1 + d) max(h, k): 7 ≤ 9
    T₁, the weight on the lighter side of the cut, ≥ k: 3 ≥ 3
    largest T₁ that an edge could cut off < k: 2 < 3
    """
    run = _Cuts(regions, g)
    state = run.state(0, 0)
    h, d = int(run.weights.max()), g.details.degree
    ceiling = Inequality(h + d * (g.k - 1), "≤", (1 + d) * max(h, g.k), "h + d (k − 1) ≤ (1 + d) max(h, k)")
    yield Step(state, _of_tree(regions, g, h, len(run.weights)), ceiling)
    for number, (first, stop) in enumerate(spans(len(run.cuts), MOST_CUTS)):
        question = run.question() if number < ASKED or len(regions) <= MANY else None
        sides = [run.forest.cut(place) for place in run.cuts[first:stop]]
        state = run.state(stop, stop - first)
        least = Inequality(
            min(lighter for lighter, _ in sides), "≥", g.k, "T₁, the weight on the lighter side of the cut, ≥ k"
        )
        yield Step(state, _of_cuts(regions, g, sides, stop, len(run.cuts)), least, question)
    best = run.forest.best()
    state = replace(run.state(len(run.cuts), 0), assignment=run.classes)
    lighter = None if best is None else Inequality(best, "<", g.k, "largest T₁ that an edge could cut off < k")
    loads = sums_of(regions.weights, state.assignment)
    back = len(run.cuts) - len(g.details.cut_edges)
    why = (
        f"No remaining edge has at least k = {g.k:,} {regions.unit} on both sides, so every piece is a group"
        f"{' for now' if back else ''}: {counted(len(loads), 'group')}, the largest with {int(loads.max()):,} "
        f"{regions.unit}."
    )
    yield Step(state, why, lighter, run.last_question(best))
    if back:
        merged = GraphState(g.assignment, g.assignment, g.details.tree, g.details.cut_edges)
        why = f"Cuts that were undone because a group next to them failed a requirement: {back:,}."
        yield Step(merged, why)


class _Cuts:
    """The cuts of a result, to be repeated one by one."""

    def __init__(self, regions: Regions, g: Generalization) -> None:
        merged = prepared(regions, g.k, g.require, g.algorithm)
        item_of = items_of(merged)
        self.regions, self.k, self.weights, self.tree = regions, g.k, merged.weights, g.details.tree
        ends = item_of[self.tree].reshape(-1, 2)
        self.between = np.flatnonzero(ends[:, 0] != ends[:, 1])  # the other edges are inside areas that stay together
        ends = ends[self.between]
        roots, cuts = peel_tree(Graph(*neighbor_lists(ends, len(merged)), merged.weights), g.k)
        self.forest = CutForest(ends, merged.weights, g.k)
        self.cuts = [self.forest.place_of(pair) for pair in cuts.tolist()]
        self.cut_edges = self.tree[self.between[self.cuts]].reshape(-1, 2)
        self.taken = np.unique(item_of, return_index=True)[1][cuts[:, 0]]  # an area of each piece that was cut off
        self.classes = carried(roots[item_of], g.assignment)

    def state(self, count: int, latest: int) -> GraphState:
        """The state after some cuts: the pieces that were cut off are classes."""
        mask = np.ones(len(self.tree), dtype=bool)
        mask[self.between[self.cuts[:count]]] = False
        pieces = parts_of(self.tree[mask], len(self.regions))
        whole = np.isin(pieces, pieces[self.taken[:count]])
        assignment = np.where(whole, self.classes, -1).astype(np.int32)
        return GraphState(assignment, pieces, self.tree, self.cut_edges[:count], latest)

    def question(self) -> StepQuestion | None:
        """Which edge is cut next, among those that could be cut and some that almost could."""
        right = self.forest.next_cuts()
        sides = self.forest.sides()
        near = np.argsort(np.abs(sides[:, 0] - self.k), kind="stable")
        wrong = [place for place in near.tolist() if sides[place, 0] >= 0 and place not in right]
        offered = sorted(right[: MOST_EDGES_OFFERED // 2] + wrong[: MOST_EDGES_OFFERED // 2])
        return which_edge(self.regions, "Which edge is cut next?", self.tree[self.between], sides, offered, right)

    def last_question(self, best: int | None) -> StepQuestion | None:
        """How far k would have to fall for one more cut, if a person can add up the weights."""
        if not best or len(self.regions) > FEW_AREAS:
            return None
        prompt = "At this k, no more edges can be cut. What is the largest k at which one more edge could be cut?"
        return StepQuestion(prompt, (), (best,), 1, self.k)


def _of_tree(regions: Regions, g: Generalization, h: int, items: int) -> str:
    proven = f" ({IN_WORDS[g.details.theorem]})" if g.details.theorem else ""
    d, trees = g.details.degree, len(regions) - len(g.details.tree)
    many = "one tree" if trees == 1 else f"{trees:,} trees"
    together = " (areas that stay together count as one)" if items < len(regions) else ""
    return (
        f"All {len(regions):,} areas are connected by the edges of {many}: {g.details.heuristic}{proven}. No area has "
        f"more than d = {d} branches. The heaviest area weighs h = {h:,}{together}. So no piece will weigh "
        f"more than h + d (k − 1) = {h + d * (g.k - 1):,} {regions.unit} after all cuts."
    )


def _of_cuts(regions: Regions, g: Generalization, sides: list[tuple[int, int]], stop: int, count: int) -> str:
    if len(sides) > 1:
        return (
            f"Cuts {stop - len(sides) + 1:,} to {stop:,} of {count:,}. Each of them cuts off the lightest possible "
            f"piece of at least k = {g.k:,} {regions.unit}. The pieces weigh {min(sides)[0]:,} to {max(sides)[0]:,}."
        )
    lighter, heavier = sides[0]
    return (
        f"Cut {stop:,} of {count:,}. Of all cuts that leave at least k = {g.k:,} {regions.unit} on both sides, this "
        f"one cuts off the lightest piece. The piece weighs T₁ = {lighter:,}, and T₂ = {heavier:,} is left."
    )


# ---------------------------------------------------------------------------------------------------------------------
# General graph: the limits that are tried, heavy groups that split or are stars, branches that move, and the stall.
# ---------------------------------------------------------------------------------------------------------------------


MOST_RULES = 150  # steps of the rules; the rest is shown in one step
MOST_AREAS_OFFERED = 30  # areas that a question offers
MOST_AREAS = 40_000  # areas up to which the rules are repeated


BEGIN = "The algorithm begins with the pieces of a tree that has few branches at each area"
AGAIN = "The previous groups are restored."


class _Enough(Exception):
    """The maximum number of steps has been shown."""


def general_graph_steps(regions: Regions, g: Generalization) -> Iterator[Step]:
    """For each limit: splits, stars, branches that move, and the outcome; then what an annealing improved.

    The rules are repeated. With more than 40,000 areas, or after 150 steps, the rest is shown in one step.

    Eight leaves of 3 on two centers of 1, k = 4: two stars, and no division avoids a group with four leaves.

    >>> import kanon_engine as kanon
    >>> edges = [(center, leaf) for center in (0, 1) for leaf in range(2, 10)]
    >>> stars = Regions(range(10), [1, 1] + [3] * 8, edges)
    >>> *_, last = general_graph_steps(stars, kanon.generalize(stars, 4, "general-graph"))
    >>> last.inequality.text
    'largest group ≥ proven bound: 13 ≥ 13'
    """
    merged = prepared(regions, g.k, g.require, g.algorithm)
    item_of = items_of(merged)
    first = np.unique(item_of, return_index=True)[1]
    events, ended = _events(merged, g)
    *partitions, last = carried_back([*(event.state.assignment[item_of] for event in events), g.assignment])
    for event, assignment in zip(events, partitions, strict=True):
        centers, heavy = (tuple(first[list(members)].tolist()) for members in (event.state.centers, event.state.heavy))
        state = GraphState(assignment, assignment, centers=centers, heavy=heavy)
        yield replace(event, state=state, question=event.question if merged is regions else None)
    changed = changed_between(partitions[-1] if events else None, last)
    decided = Inequality(g.cost, "≥", g.lower_bound, "largest group ≥ proven bound")
    yield Step(GraphState(g.assignment, g.assignment), _annealing_words(g, ended, len(changed)), decided)


def _events(regions: Regions, g: Generalization) -> tuple[list[Step], bool]:
    """The effect of the rules, and whether this is all of it."""
    events: list[Step] = []
    if len(regions) > MOST_AREAS:
        return events, False
    listener = _RulesListener(regions, g.k, events)
    try:
        best, bound = by_rules(regions, g.k, Run(g.seed), partial(_StepMaker, listener), listener.ended)
    except _Enough:
        return events, False
    if not events:  # no limit was tried
        owner = best.tolist()
        largest = Inequality(listener.largest(owner), "≥", int(bound.value), "largest group ≥ proven bound")
        listener.tell(owner, f"{BEGIN}: {counted(len(set(owner)), 'group')}.", largest)
    return events, True


def _annealing_words(g: Generalization, ended: bool, changed: int) -> str:
    if not ended:
        return (
            "The remaining changes and a short random search are shown in one step, which ends with "
            f"{counted(g.classes, 'group')}."
        )
    if g.require:
        return (
            f"One step shows a short random search and the merges of groups that failed a requirement. "
            f"The step ends with {counted(g.classes, 'group')}."
        )
    if changed:
        return f"A short random search recombined neighboring groups: {counted(changed, 'area')} changed groups."
    return f"Recombining neighboring groups found nothing better than these {counted(g.classes, 'group')}."


class _RulesListener:
    """Records the events of the rules."""

    def __init__(self, regions: Regions, k: int, events: list[Step]) -> None:
        self.regions, self.k, self.events = regions, k, events
        self.best: list[int] = []
        self.stars: Stars | None = None

    def tell(
        self,
        owner: Sequence[int],
        why: str,
        inequality: Inequality | None,
        centers: Iterable[int] = (),
        limit: int | None = None,
        question: StepQuestion | None = None,
    ) -> None:
        """Record one event."""
        if len(self.events) == MOST_RULES:
            raise _Enough
        classes = np.unique(owner, return_inverse=True)[1]
        above = sums_of(self.regions.weights, classes) > (self.regions.total if limit is None else limit)
        first = np.unique(classes, return_index=True)[1]
        heavy = tuple(sorted(first[above].tolist()))
        labels = np.array(owner)
        state = GraphState(labels, labels, centers=tuple(sorted(set(centers))), heavy=heavy)
        self.events.append(Step(state, why, inequality, question))

    def begin_limit(self, stars: Stars, owner: list[int], limit: int) -> None:
        """The limit X that is tried next, and the classes at its start."""
        self.stars, self.best = stars, owner
        opening = f"{BEGIN}. " if not self.events else ""
        why = f"{opening}The limit X = {limit:,} is tried: no group may weigh more."
        self.tell(owner, why, Inequality(self.largest(owner), ">", limit, "largest group > limit X"), (), limit)

    def largest(self, owner: list[int]) -> int:
        """The largest class."""
        return int(sums_of(self.regions.weights, np.unique(owner, return_inverse=True)[1]).max())

    def ended(self, limit: int, separator: list[int] | None, bound: Cost) -> None:
        """The outcome of a limit; if it failed, the classes before it count."""
        if separator is None:
            why = f"The next step would leave a group below k or above the limit X = {limit:,}, so this limit fails."
            self.tell(self.best, f"{why} {AGAIN}", None)
        elif separator:
            without = "without this area" if len(separator) == 1 else "that has none of these areas"
            why = (
                f"The search is stuck: no branch attached to {self.regions.listing(separator)} can move to a group "
                f"{without}. No matter how the branches are divided, one group weighs at least X − k + 2, where X is "
                f"the limit. {AGAIN}"
            )
            least = Inequality(int(bound), "≥", limit - self.k + 2, "proven bound ≥ limit X − k + 2")
            self.tell(self.best, why, least, separator)
        elif self.stars is not None:
            owner = self.stars.owner
            done = Inequality(self.largest(owner), "≤", limit, "largest group ≤ limit X")
            self.tell(owner, f"No group weighs more than the limit X = {limit:,}.", done)


class _StepMaker(Stars):
    """Classes that record every change."""

    def __init__(self, listener: _RulesListener, *graph: Any) -> None:
        self._listener = listener
        _, _, owner, _, limit = graph
        listener.begin_limit(self, owner.tolist(), limit)
        super().__init__(*graph)

    def _tell(self, why: str, inequality: Inequality, question: StepQuestion | None = None) -> None:
        centers = [center for center in self.center if center >= 0]
        self._listener.tell(self.owner, why, inequality, centers, self.limit, question)

    def settle(self, number: int) -> None:
        """Apply the rule and record the class that it closes."""
        previous = dict(enumerate(self.center))
        super().settle(number)
        for group, center in enumerate(self.center):
            if center < 0 or previous.get(group, -1) >= 0:
                continue
            heaviest = max(self.weight[atom] for atom in self.atoms[group])
            name = self._listener.regions.label(center)
            why = (
                f"The group around {name} weighs {self.load[group]:,}, more than the limit X. It cannot "
                "be split because "
                f"it is a star: one area with {len(self.atoms[group]):,} branches that each weigh less than k."
            )
            light = Inequality(heaviest, "<", self.k, "heaviest branch < k")
            self._tell(why, light, self._asked(group))

    def separate(self, piece: Iterable[int], *donors: int) -> int:
        """Apply the rule: a piece of a heavy class, or branches of two classes that reach k together."""
        whole = self.load[donors[0]]
        number = super().separate(piece, *donors)
        load = self.load[number]
        if len(donors) == 1:
            why = (
                f"A group that weighs {whole:,}, more than the limit X, splits: a piece that weighs "
                f"{load:,} becomes a group."
            )
            self._tell(why, Inequality(load, "≥", self.k, "weight of the piece ≥ k"))
        else:
            why = (
                f"Some branches of two neighboring groups weigh {load:,} together. The branches become a "
                "group of their own."
            )
            self._tell(why, Inequality(load, "≥", self.k, "weight of these branches ≥ k"))
        return number

    def move(self, number: int, atom: int, other: int) -> None:
        """Apply the rule: a branch moves to another class."""
        weight, old, new = self.weight[atom], self.load[number], self.load[other]
        names = self._listener.regions.listing(self.content[atom])
        super().move(number, atom, other)
        why = (
            f"The branch {names} (weight {weight:,}) moves from a group that weighs {old:,} to a "
            "neighboring group that "
            f"weighs {new:,}."
        )
        self._tell(why, Inequality(old, ">", self.limit, "weight of the group > limit X"))

    def _asked(self, group: int) -> StepQuestion | None:
        """The area that holds the branches of a star; other areas with only light branches are also right."""
        members = list(self.members[group])
        if not 1 < len(members) <= MOST_AREAS_OFFERED:
            return None
        right = [v for v in members if self._heaviest_without(members, v) < self.k]
        names = [self._listener.regions.label(v) for v in members]
        if len(right) == len(members) or len(set(names)) < len(names):
            return None
        prompt = (
            "One group is above the limit X and cannot be split. If one of its areas is removed, only "
            "branches that weigh "
            "less than k are left. Which area is it?"
        )
        return choice(prompt, members, right, self._listener.regions.label, lambda v: (v, v))

    def _heaviest_without(self, members: list[int], removed: int) -> int:
        """The heaviest part of a class without one area."""
        left, heaviest = set(members) - {removed}, 0
        while left:
            waiting, load = [left.pop()], 0
            while waiting:
                v = waiting.pop()
                load += self.weights[v]
                near = left.intersection(self.neighbors[v])
                left -= near
                waiting += near
            heaviest = max(heaviest, load)
        return heaviest


class CutForest:
    """A forest in which each edge is identified by its position among the original edges.

    Attributes
    ----------
    left : (e,) bool array
        The edges that are not cut.

    >>> line = CutForest(np.array([(0, 1), (1, 2), (2, 3)]), np.array([3, 2, 4, 1]), 3)
    >>> line.sides()
    array([[3, 7],
           [5, 5],
           [1, 9]])
    >>> line.next_cuts(), line.cut(0), line.best()
    ([0], (3, 7), 2)
    """

    def __init__(self, edges: np.ndarray, weights: np.ndarray, k: int) -> None:
        self.edges, self.weights, self.k = edges, weights, k
        self.left = np.ones(len(edges), dtype=bool)
        self._place = {frozenset(pair): place for place, pair in enumerate(edges.tolist())}
        parent = depth_first_forest(*neighbor_lists(edges, len(weights)), np.arange(len(weights)))
        self._parent, self._below = parent.tolist(), weights.tolist()
        for v in np.argsort(-depths(parent)).tolist():
            if self._parent[v] >= 0:
                self._below[self._parent[v]] += self._below[v]
        upper = parent[edges[:, 0]] == edges[:, 1]
        self._child = np.where(upper, edges[:, 0], edges[:, 1])

    def place_of(self, pair: Sequence[int]) -> int:
        """The position of the edge between two vertices."""
        return self._place[frozenset(pair)]

    def sides(self) -> np.ndarray:
        """(e, 2) int64: the weights of both sides of each edge, the lighter one first; -1 if it is cut."""
        piece = parts_of(self.edges[self.left], len(self.weights))
        below = np.array(self._below, dtype=np.int64)[self._child]
        rest = sums_of(self.weights, piece)[piece[self._child]] - below
        both = np.sort(np.column_stack([below, rest]), axis=1)
        both[~self.left] = -1
        return both

    def best(self) -> int | None:
        """The heaviest lighter side of any remaining edge; None if there is none."""
        return int(self.sides()[:, 0].max()) if self.left.any() else None

    def next_cuts(self) -> list[int]:
        """The edges that may be cut next, ascending: for pieces of least weight T₁ ≥ k that contain no other.

        Lemma 2 needs these. They are the lightest leaves that remain after every leaf below k has joined its
        neighbor.
        """
        load = self.weights.tolist()
        near: list[dict[int, int]] = [{} for _ in load]
        for place in np.flatnonzero(self.left).tolist():
            u, v = self.edges[place].tolist()
            near[u][v] = near[v][u] = place
        light = [v for v, around in enumerate(near) if len(around) == 1 and load[v] < self.k]
        while light:
            v = light.pop()
            for u in near[v]:  # none after the last two joined
                load[u] += load[v]
                del near[u][v]
                if len(near[u]) == 1 and load[u] < self.k:
                    light.append(u)
            near[v] = {}
        leaves = {v: next(iter(around.values())) for v, around in enumerate(near) if len(around) == 1}
        least = min((load[v] for v in leaves), default=0)
        return sorted({place for v, place in leaves.items() if load[v] == least})

    def cut(self, place: int) -> tuple[int, int]:
        """Cut an edge; returns T₁, the weight of the lighter side, and T₂."""
        self.left[place] = False
        child = int(self._child[place])
        above, self._parent[child] = self._parent[child], -1
        below = rest = self._below[child]
        while above >= 0:
            self._below[above] -= below
            rest = self._below[above]  # at last that of the root
            above = self._parent[above]
        return min(below, rest), max(below, rest)
