"""Who can be beaten: the algorithms of the registry, and first ideas whose proof is tight before they are improved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kanon_engine.errors import UnknownAlgorithm
from kanon_engine.generalize import generalize
from kanon_engine.model.bound import Bound
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Outcome, Run
from kanon_engine.rectangles.instance import Points
from kanon_engine.regions.general_graph import HEURISTIC, by_rules
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.tree_split import numbered
from kanon_engine.regions.trees.forest import forest_of_classes
from kanon_engine.registry import family_named
from kanon_engine.studies.beat.worst_cuts import worst_cuts
from kanon_engine.tables.cell_suppression.classes import attached_classes
from kanon_engine.tables.cell_suppression.greedy import suppress_rare
from kanon_engine.tables.cell_suppression.patterns import patterns_of
from kanon_engine.tables.instance import CellDetails, Table
from kanon_engine.verify import verify


@dataclass(frozen=True)
class Opponent:
    """Somebody to beat.

    Attributes
    ----------
    name : str
        What `duel` calls it.
    family : str
    algorithm : str
        The algorithm of the registry that it is, or whose guarantee it keeps.
    title : str
        For a person.
    options : mapping
        What the algorithm is given in place of its defaults.
    made : callable or None
        ``made(instance, k, run)`` is its outcome, where the algorithm goes on from there; None where it is the
        algorithm itself.
    """

    name: str
    family: str
    algorithm: str
    title: str
    options: Mapping[str, Any] = field(default_factory=dict)
    made: Callable[[Any, int, Run], Outcome] | None = None

    def solvers(self, g: Generalization) -> Iterator[tuple[str, dict[str, Any]]]:
        """Algorithms for the optimum of a result's cost, with their options; the last one is exact."""
        if self.family == "rectangles":
            yield "balanced-kd-tree", {}  # it often meets the bound, long before the exact search has tried all cuts
            yield "exact", {"guillotine": False}
            return
        exact = "cell-suppression" if self.algorithm == "cell-suppression" else "exact"
        known = family_named(self.family).algorithm(exact).options
        same = {"centers", "metric", "weights"}  # options that say what the cost is and which solutions there are
        yield exact, {option.name: g.options[option.name] for option in known if option.name in same}


def _rules_alone(regions: Regions, k: int, run: Run) -> Outcome:
    classes, bound = by_rules(regions, k, run)
    assignment = numbered(classes, regions.weights)
    return Outcome(assignment, forest_of_classes(regions, assignment, HEURISTIC), None, bound)


def _worst_cuts(points: Points, k: int, run: Run) -> Outcome:
    tree = worst_cuts(points, k)
    return Outcome(tree.assignment(), tree.details(points, "balanced"), None)


def _rare_records(table: Table, k: int, run: Run) -> Outcome:
    patterns = patterns_of(table, k)
    assignment, stars = attached_classes(table, patterns, suppress_rare(patterns, k).counts())
    hidden = int(stars.sum(axis=1)[assignment].sum())
    floor = int((patterns.floors * patterns.sizes).sum())
    bound = Bound(floor, "fewest stars", witness=(patterns.depth,))
    return Outcome(assignment, CellDetails(stars=stars, suppressed=hidden, nodes=0), None, bound, hidden)


FIRST_IDEAS = (
    Opponent("worst-cuts", "rectangles", "kd-tree", "kd-tree, cut as badly as its rule allows", made=_worst_cuts),
    Opponent("rules-alone", "regions", "general-graph", "General graph, its rules alone", made=_rules_alone),
    Opponent(
        "packing-alone",
        "clusters",
        "gather",
        "Gather around points, not improved",
        {"centers": "input", "improve": False},
    ),
    Opponent("rare-records", "tables", "cell-suppression", "Cell suppression, rare records hidden", made=_rare_records),
)

# Algorithms that make small what an exact search of their family proves to be the least.
PLAYED = {
    "regions": ("tree-split", "general-graph", "recombine"),
    "rectangles": ("kd-tree", "balanced-kd-tree"),
    "labels": ("fold", "spread", "five-halves", "two-approximation", "scheme", "near-optimal"),
    "tables": ("mondrian", "local-cuts", "cell-suppression"),
    "clusters": ("gather",),
}


def opponents(family: str) -> tuple[Opponent, ...]:
    """All of a family: first ideas, then algorithms, the simple ones first.

    Example
    -------
    >>> [one.name for one in opponents("rectangles")]
    ['worst-cuts', 'kd-tree', 'balanced-kd-tree']
    """
    titles = family_named(family).algorithms
    whole = tuple(Opponent(name, family, name, titles[name].title) for name in PLAYED[family])
    return (*(one for one in FIRST_IDEAS if one.family == family), *whole)


def opponent_of(family: str, name: str) -> Opponent:
    """The opponent of this name, or `UnknownAlgorithm` with a list."""
    known = {one.name: one for one in opponents(family)}
    if name not in known:
        message = f"Nobody called {name!r} plays on {family}; choose one of {', '.join(known)}."
        raise UnknownAlgorithm(message, parameter="algorithm", value=name)
    return known[name]


def run_of(opponent: Opponent, instance: Any, k: int, seed: int, options: Mapping[str, Any]) -> Generalization:
    """The opponent's result, verified."""
    g = generalize(instance, k, opponent.algorithm, seed=seed, **{**opponent.options, **options})
    if opponent.made is None:
        return g
    outcome = opponent.made(instance, k, Run(seed))
    weights = np.bincount(outcome.assignment, weights=instance.weights).astype(np.int64)
    cost = family_named(opponent.family).objective(g.algorithm, g.options).cost(outcome.cost, weights)
    bound = outcome.bound or Bound(g.lower_bound, g.bound_name, g.bound_kind, g.bound_witness)
    first = replace(
        g,
        assignment=outcome.assignment,
        class_weights=weights,
        cost=cost,
        details=outcome.details,
        lower_bound=bound.value,
        bound_name=bound.name,
        bound_kind=bound.kind,
        bound_witness=bound.witness,
        status="optimal" if cost == bound.value else "feasible",
    ).sealed()
    verify(instance, first)
    return first
