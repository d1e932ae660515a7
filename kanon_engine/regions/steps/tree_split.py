"""Tree split cut after cut: the tree and its degree, both sides of each cut, and when no edge is left to cut."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import Inequality, Question, Step, changed_between
from kanon_engine.model.words import counted
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.steps import NAMED_ALONE, GraphState, PlacedQuestion, edge_words
from kanon_engine.regions.steps.forest import CutForest
from kanon_engine.regions.trees.kernels import Graph, peel_tree
from kanon_engine.regions.trees.spanning_tree import neighbour_lists
from kanon_engine.regions.wishes.items import items_of, prepared
from kanon_engine.search.parts import parts_of, sums_of
from kanon_engine.stepping import carried, spans

MOST = 190  # steps of cuts
CHOICES = 24  # edges that a question offers
MANY, ASKED = 2_000, 12  # with more areas, only so many steps begin with a question


def steps(regions: Regions, g: Generalization) -> Iterator[Step]:
    """The tree, every cut with the weights T₁ and T₂ of its sides, and what is left.

    The cuts are made again on the result's own tree; with a requirement the last step merges.

    Parameters
    ----------
    regions : Regions
    g : Generalization
        A result of `tree-split`.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = Regions(list("abc"), [3, 2, 3], [(0, 1), (1, 2)], unit="people")
    >>> for step in steps(line, kanon.generalize(line, 3, "tree-split")):
    ...     print(step.inequality.text)
    h + d (k − 1) ≤ (1 + d) max(h, k): 7 ≤ 9
    T₁ ≥ k: 3 ≥ 3
    T₁ of the best edge < k: 2 < 3
    """
    made = _Cuts(regions, g)
    state = made.state(0, 0)
    h, d = int(made.weights.max()), g.details.degree
    ceiling = Inequality(h + d * (g.k - 1), "≤", (1 + d) * max(h, g.k), "h + d (k − 1) ≤ (1 + d) max(h, k)")
    yield Step(state, changed_between(None, state.assignment), _of_tree(regions, g, h), ceiling)
    for number, (first, stop) in enumerate(spans(len(made.cuts), MOST)):
        asked = made.question() if number < ASKED or len(regions) <= MANY else None
        sides = [made.forest.cut(place) for place in made.cuts[first:stop]]
        before, state = state, made.state(stop, stop - first)
        least = Inequality(min(lighter for lighter, _ in sides), "≥", g.k, "T₁ ≥ k")
        changed = changed_between(before.assignment, state.assignment)
        yield Step(state, changed, _of_cuts(regions, g, sides, stop, len(made.cuts)), least, asked)
    best = made.forest.best()
    before, state = state, replace(made.state(len(made.cuts), 0), assignment=made.classes)
    lighter = None if best is None else Inequality(best, "<", g.k, "T₁ of the best edge < k")
    changed = changed_between(before.assignment, state.assignment)
    yield Step(state, changed, _of_rest(regions, state), lighter, made.last_question(best))
    back = len(made.cuts) - len(g.details.cut_edges)
    if back:
        merged = GraphState(g.assignment, g.assignment, g.details.tree, g.details.cut_edges)
        why = f"{counted(back, 'cut')} taken back, for a group beside missed what is required of each."
        yield Step(merged, changed_between(state.assignment, g.assignment), why)


class _Cuts:
    """The cuts of a result, to be made again one by one."""

    def __init__(self, regions: Regions, g: Generalization) -> None:
        given = prepared(regions, g.k, g.require, g.algorithm)
        item_of = items_of(given)
        self.regions, self.k, self.weights, self.tree = regions, g.k, given.weights, g.details.tree
        ends = item_of[self.tree].reshape(-1, 2)
        self.between = np.flatnonzero(ends[:, 0] != ends[:, 1])  # the other edges lie within areas that stay together
        ends = ends[self.between]
        roots, cuts = peel_tree(Graph(*neighbour_lists(ends, len(given)), given.weights), g.k)
        self.forest = CutForest(ends, given.weights, g.k)
        self.cuts = [self.forest.place_of(pair) for pair in cuts.tolist()]
        self.cut_edges = self.tree[self.between[self.cuts]].reshape(-1, 2)
        self.taken = np.unique(item_of, return_index=True)[1][cuts[:, 0]]  # an area of each piece that was taken off
        self.classes = carried(roots[item_of], g.assignment)

    def state(self, count: int, latest: int) -> GraphState:
        """What there is after so many cuts: the pieces that were taken off are classes."""
        kept = np.ones(len(self.tree), dtype=bool)
        kept[self.between[self.cuts[:count]]] = False
        pieces = parts_of(self.tree[kept], len(self.regions))
        whole = np.isin(pieces, pieces[self.taken[:count]])
        assignment = np.where(whole, self.classes, -1).astype(np.int32)
        return GraphState(assignment, pieces, self.tree, self.cut_edges[:count], latest)

    def question(self) -> PlacedQuestion | None:
        """Which edge is cut next, among those that could be and some that nearly could."""
        right = self.forest.next_cuts()
        sides = self.forest.sides()
        near = np.argsort(np.abs(sides[:, 0] - self.k), kind="stable")
        wrong = [place for place in near.tolist() if sides[place, 0] >= 0 and place not in right]
        offered = sorted(right[: CHOICES // 2] + wrong[: CHOICES // 2])
        edges = [(int(u), int(v)) for u, v in self.tree[self.between[offered]].tolist()]
        words = [edge_words(self.regions, edge, *sides[place]) for edge, place in zip(edges, offered, strict=True)]
        answers = [number for number, place in enumerate(offered) if place in right]
        if len(offered) == 1:
            return None
        return PlacedQuestion("Which edge is cut next?", tuple(words), tuple(answers), places=tuple(edges))

    def last_question(self, best: int | None) -> Question | None:
        """How far k would have to fall for one more cut, where a person can add the weights up."""
        if not best or len(self.regions) > NAMED_ALONE:
            return None
        prompt = "No edge is left to cut at this k. What is the largest k at which one of these still could be?"
        return Question(prompt, (), (best,), 1, self.k)


def _of_tree(regions: Regions, g: Generalization, h: int) -> str:
    proven = f" ({g.details.theorem})" if g.details.theorem else ""
    d, trees = g.details.degree, len(regions) - len(g.details.tree)
    told = "one tree" if trees == 1 else f"{trees:,} trees"
    return (
        f"All {len(regions):,} areas hang together in {told}: {g.details.heuristic}{proven}. No area has more than d = "
        f"{d} branches and the heaviest weighs h = {h:,}, so no group will weigh more than h + d (k − 1) = "
        f"{h + d * (g.k - 1):,} {regions.unit}."
    )


def _of_cuts(regions: Regions, g: Generalization, sides: list[tuple[int, int]], stop: int, count: int) -> str:
    if len(sides) > 1:
        return (
            f"Cuts {stop - len(sides) + 1:,} to {stop:,} of {count:,}, each at the edge that takes off the lightest "
            f"piece of at least k = {g.k:,} {regions.unit}: T₁ from {min(sides)[0]:,} to {max(sides)[0]:,}."
        )
    lighter, heavier = sides[0]
    return (
        f"Cut {stop:,} of {count:,}: of all edges with at least k = {g.k:,} {regions.unit} on both sides, this one "
        f"takes off the lightest piece, T₁ = {lighter:,}. T₂ = {heavier:,} are left."
    )


def _of_rest(regions: Regions, state: GraphState) -> str:
    loads = sums_of(regions.weights, state.assignment)
    return (
        f"No edge has enough on both sides any more, so every piece is a group: {counted(len(loads), 'group')}, the "
        f"largest with {int(loads.max()):,} {regions.unit}."
    )
