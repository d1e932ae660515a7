"""Recombine: the first changes of its annealing, and then every better solution."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Run
from kanon_engine.model.words import counted
from kanon_engine.regions.annealing import Annealing, first_heats
from kanon_engine.regions.annealing_kernels import anneal, worth
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.recombine import begun, steps_for
from kanon_engine.regions.wishes import items_of, prepared
from kanon_engine.shown import listed
from kanon_engine.teaching.regions import CutForest, GraphState, no_edges, which_edge
from kanon_engine.teaching.step import (
    Inequality,
    Step,
    StepQuestion,
    carried_back,
    changed_between,
    incumbents,
    is_long,
)

CHANGES, TRIES = 16, 600  # changes of the annealing that are shown, and steps that are searched for them
CHOICES = 30  # edges that a question offers
PRICED = "Each group has a price, which grows with the square of its weight."
WORSE = "The total price rises, but the random search accepts the change."


def _on_the_way(labels: np.ndarray, tree: np.ndarray | None = None, cut: np.ndarray | None = None) -> GraphState:
    """A partition, with a tree over joined classes and the cuts in it."""
    cut_edges = no_edges() if cut is None else cut
    return GraphState(labels, labels, no_edges() if tree is None else tree, cut_edges, len(cut_edges))


def recombine_steps(regions: Regions, g: Generalization) -> Iterator[Step]:
    """The start, the first changes of the annealing one by one, and then each better solution.

    The search is repeated with the seed and the options of the result. Prices are those at the temperature and with
    the penalties of its first round. If the search is long, the better solutions are left out.

    >>> import kanon_engine as kanon
    >>> ring = Regions(range(6), [3, 1, 3, 1, 3, 1], [(i, (i + 1) % 6) for i in range(6)])
    >>> *_, last = recombine_steps(ring, kanon.generalize(ring, 4, "recombine"))
    >>> last.inequality.text
    'largest group ≥ proven bound: 4 ≥ 4'
    """
    merged = prepared(regions, g.k, g.require, g.algorithm)
    item_of = items_of(merged)
    changes = [*_first_changes(merged, g)]
    solutions = list(incumbents(regions, g))
    partitions = carried_back(
        [*(one.state.assignment[item_of] for one in changes), *(one.state.assignment for one in solutions)]
    )
    before: np.ndarray | None = None
    for number, assignment in enumerate(partitions):
        changed = changed_between(before, assignment)
        if number < len(changes):
            one = changes[number]
            state = replace(one.state, assignment=assignment, pieces=assignment)
            if merged is not regions:  # the tree connects items that stay together, not areas
                one, state = replace(one, question=None), GraphState(assignment, assignment)
            yield replace(one, state=state)
        else:
            step = solutions[number - len(changes)]
            why = step.why if is_long(regions, g) else _better(step, changed)
            yield replace(step, state=GraphState(assignment, assignment), why=why)
        before = assignment


def _better(step: Step, changed: np.ndarray) -> str:
    """The sentence about a better solution of the search; changed areas are counted by the numbers used here."""
    count = step.state.result.classes
    if step.state.result.status == "optimal" and len(changed) == 0:
        return f"In no grouping is the largest group smaller than the largest of these {count:,} groups."
    if len(changed) == 0:
        return f"The search ended without finding anything better than these {count:,} groups."
    return (
        f"In the next better solution, {counted(len(changed), 'area')} changed groups. This solution has "
        f"{count:,} groups."
    )


def _first_changes(regions: Regions, g: Generalization) -> Iterator[Step]:
    """The start of the annealing, and its first changes, before it cools for the first time."""
    options = g.options
    search, _, initial = begun(
        regions,
        g.k,
        Run(g.seed),
        compactness=options["compactness"],
        objective=options["objective"],
        effort=options["effort"],
        require=g.require,
    )
    state = search.state
    same = np.array_equal(_canonical(initial), _canonical(state.best))
    begin = "the groups made by tree split" if same else "the pieces of random trees"
    why = f"The search begins with {begin}: {counted(len(np.unique(state.label)), 'group')}."
    least = Inequality(int(state.load.max()), "≥", search.bound, "largest group ≥ proven bound")
    yield Step(_on_the_way(state.label.copy()), why, least)
    if search.proven or not search.found or len(regions.edges) == 0:
        return
    search.aim(more_classes=True)
    heats = first_heats(len(regions), steps_for(regions, g.k, min(options["effort"], 1.0)))
    search.batch(0, heats[0], 0.0)
    count, price = 0, _price(search)
    for _ in range(TRIES):
        before, loads = state.label.copy(), state.load.copy()
        anneal(search.graph, state, search.tree, 1)
        if np.array_equal(_canonical(before), _canonical(state.label)):
            continue
        old, price = price, _price(search)
        sign, words = (
            ("≤", "total price after the change ≤ total price before")
            if price <= old
            else (">", "total price after the change > total price before")
        )
        for number, step in enumerate(_told(regions, search, before, loads, Inequality(price, sign, old, words))):
            yield replace(step, why=f"{PRICED} {step.why}") if count == number == 0 else step
        count += 1
        if count == CHANGES:
            return


def _told(
    regions: Regions, search: Annealing, before: np.ndarray, loads: np.ndarray, decided: Inequality
) -> Iterator[Step]:
    """One change of the annealing: an area that moved, or classes that were joined and recut along a tree."""
    state, after, unit = search.state, search.state.label.copy(), regions.unit
    worse = "" if decided.sign == "≤" else f" {WORSE}"
    moved = np.flatnonzero(before != after)
    if state.classes[1] < 0 and len(moved) == 1 and len(np.unique(before)) == len(np.unique(after)):
        area = int(moved[0])
        why = (
            f"Area {regions.label(area)} with {regions.weights[area]:,} {unit} moves across the border, from a group "
            f"of {loads[before[area]]:,} {unit} to a group of {loads[after[area]]:,}.{worse}"
        )
        yield Step(_on_the_way(after), why, decided)
        return
    old = [int(c) for c in state.classes if c >= 0]
    size = int(np.isin(before, old).sum())
    order, parent, part = (values[:size] for values in (search.tree.order, search.tree.parent, search.tree.part))
    tree = np.column_stack([order[1:], order[parent[1:]]]).astype(np.int32)
    cut = tree[part[1:] != part[parent[1:]]]
    old_loads = listed(f"{load:,}" for load in sorted(loads[old].tolist(), reverse=True))
    new = listed(f"{load:,}" for load in sorted(search.tree.weights[: len(cut) + 1].tolist(), reverse=True))
    if (len(old), len(cut)) == (2, 1):
        merged = after.copy()
        merged[order] = after[order[0]]
        why = (
            f"Two neighboring groups of {old_loads} {unit} become one group, with a random tree over their "
            f"{size:,} areas."
        )
        yield Step(_on_the_way(merged, tree), why)
        why = f"The tree is cut where both parts together have the lowest price. The parts hold {new} {unit}; "
        why += f"before, the groups held {old_loads}.{worse}"
        yield Step(_on_the_way(after, tree, cut), why, decided, _asked(search, tree, cut))
        return
    what = f"A group of {old_loads}" if len(old) == 1 else f"{len(old)} neighboring groups of {old_loads}"
    verb = "is" if len(old) == 1 else "are"
    why = (
        f"{what} {unit} {verb} divided again along a random tree over {size:,} areas. The new groups hold {new}.{worse}"
    )
    yield Step(_on_the_way(after, tree, cut), why, decided)


def _asked(search: Annealing, tree: np.ndarray, cut: np.ndarray) -> StepQuestion | None:
    """Which edge of the tree is cut; edges that divide the weights equally are also right if nothing else counts."""
    forest = CutForest(tree, search.regions.weights, search.k)
    sides = forest.sides()
    (position,) = (forest.place_of(pair) for pair in cut.tolist())
    alike = (
        (sides == sides[position]).all(axis=1) if len(search.state.minima) == 0 else np.arange(len(tree)) == position
    )
    near = np.argsort(np.abs(sides[:, 0] - sides[position, 0]), kind="stable")
    offered = sorted([*np.flatnonzero(alike)[: CHOICES // 2], *near[~alike[near]][: CHOICES // 2]])
    prompt = "Each group's price grows with the square of its weight. Which edge of the tree is cut?"
    return which_edge(search.regions, prompt, tree, sides, offered, set(np.flatnonzero(alike).tolist()))


def _price(search: Annealing) -> float:
    """The objective of the annealing: the prices of all classes, of borders and of broken wishes."""
    state, numbers = search.state, search.state.numbers
    classes = sum(float(worth(state, c)) for c in np.unique(state.label).tolist())
    return classes + float(numbers.border_price * numbers.borders + numbers.breach_price * numbers.broken)


def _canonical(labels: np.ndarray) -> np.ndarray:
    """The same classes, each numbered by its first area."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse]
