"""Beat the algorithm: its cost on a small instance, compared with the best possible and its guarantee."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput, UnknownAlgorithm
from kanon_engine.generalize import generalize, verify
from kanon_engine.model.generalization import Generalization, Status
from kanon_engine.model.known import family_of, get_family
from kanon_engine.model.objective import Bound, Cost
from kanon_engine.model.run import Outcome, Run
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree import CutTree
from kanon_engine.regions.general_graph import HEURISTIC, by_rules
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.tree_split import numbered
from kanon_engine.regions.trees import forest_of_classes
from kanon_engine.shown import Shown
from kanon_engine.tables.cell_patterns import patterns_of
from kanon_engine.tables.cell_suppression import attached_classes, suppress_rare
from kanon_engine.tables.instance import CellDetails, Table

MOST = 80  # items of an instance
SECONDS = 4.0  # time limit of the exact search


@dataclass(frozen=True, eq=False, repr=False)
class Duel(Shown):
    """An opponent's result on an instance, and its ratio to the best possible."""

    cost: Cost  # the opponent's
    optimum: Cost  # the best possible; if that is not proven, the greatest known lower bound
    optimum_is_proven: bool
    ratio: float  # cost / optimum, or an upper limit of it if the optimum is not proven; 1 if both are 0
    ceiling: Cost | None  # the cost that the opponent's guarantee allows here; None without a guarantee
    ceiling_words: str  # source of the ceiling
    g: Generalization  # the opponent's result
    best: Generalization  # the best known result; an optimal one if that is proven

    def _facts(self) -> dict[str, object]:
        return {"cost": self.cost, "optimum": self.optimum, "ratio": self.ratio, "ceiling": self.ceiling}


def duel(instance: Any, k: int, algorithm: str, *, seed: int = 0, **options: Any) -> Duel:
    """Run an opponent and the exact search of its family on the same instance.

    Parameters
    ----------
    instance : Regions, Points, Labels, Table or MetricSpace. At most `MOST` items.
    algorithm : Name of an `Opponent` of the family.
    **options : Options of the opponent's algorithm.

    Raises
    ------
    InvalidInput, UnknownAlgorithm, Infeasible : As in `generalize`; and `InvalidInput` if there are too many items.

    Four labels that the two-approximation puts into one bin although two are possible:

    >>> import kanon_engine as kanon
    >>> found = duel(kanon.Labels("abcd", [1, 5, 9, 5]), 10, "two-approximation")
    >>> found.cost, found.optimum, found.optimum_is_proven, found.ratio, found.ceiling
    (20, 10, True, 2.0, 20)
    """
    if len(instance) > MOST:
        raise InvalidInput(f"{len(instance):,} items are too many to draw; take at most {MOST:,}.", value=len(instance))
    opponent = opponent_of(family_of(instance).name, algorithm)
    g = run_of(opponent, instance, k, seed, options)
    best, bound = _best(instance, k, opponent, g, seed)
    proven = best.cost == bound
    optimum = best.cost if proven else bound
    ceiling, words = g.guarantee, family_of(instance).promise(instance, g.k, g.algorithm, g.options, g)
    of_optimum = ratio_ceiling(g, optimum if proven else None)
    if of_optimum is not None and (ceiling is None or of_optimum[0] <= ceiling):
        ceiling, words = of_optimum  # lower than the guarantee of this run
    ratio = g.cost / optimum if optimum else 1.0 if g.cost == 0 else float("inf")
    return Duel(g.cost, optimum, proven, ratio, ceiling, words, g, best)


def _best(instance: Any, k: int, opponent: Opponent, g: Generalization, seed: int) -> tuple[Generalization, Cost]:
    """The best known result and the greatest lower bound."""
    best, bound = g, g.lower_bound
    for name, options in opponent.solvers(g):
        if best.cost == bound:
            break
        candidate = generalize(instance, k, name, seed=seed, time_limit=SECONDS, **options)
        best, bound = min(best, candidate, key=lambda one: one.cost), max(bound, candidate.lower_bound)
    return best, bound


# (family, algorithm) → times the best possible; ratios of clusters are in the run's own guarantee
RATIOS = {
    ("labels", "five-halves"): Fraction(5, 2),
    ("labels", "two-approximation"): Fraction(2),
    ("labels", "near-optimal"): Fraction(2),
}


def ratio_ceiling(g: Generalization, optimum: Cost | None) -> tuple[Cost, str] | None:
    """The largest whole cost within the ratio, and the ratio in words; None without a ratio or optimum.

    >>> import kanon_engine as kanon
    >>> ratio_ceiling(kanon.generalize(kanon.Labels("abc", [7, 6, 5]), 6, "five-halves"), 7)
    (17, '5/2 times the best possible')
    """
    ratio = RATIOS.get((g.family, g.algorithm))
    if ratio is None or optimum is None:
        return None
    return ratio * optimum // 1, f"{ratio} times the best possible"


# ---------------------------------------------------------------------------------------------------------------------
# Opponents: the algorithms of the registry, and first ideas whose proof is tight until they are improved.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Opponent:
    """An opponent to beat."""

    name: str  # its name in `duel`
    family: str
    algorithm: str  # its algorithm in the registry, or the one whose guarantee it keeps
    title: str  # for a person
    options: Mapping[str, Any] = field(default_factory=dict)  # replace the defaults of the algorithm
    # ``made(instance, k, run)`` is its outcome if the algorithm continues from there; None if it is the algorithm
    # itself
    made: Callable[[Any, int, Run], Outcome] | None = None

    def solvers(self, g: Generalization) -> Iterator[tuple[str, dict[str, Any]]]:
        """Algorithms for the optimum of a result's cost, with their options; the last one is exact."""
        if self.family == "rectangles":
            yield "balanced-kd-tree", {}  # often meets the bound long before the exact search has tried all cuts
            yield "exact", {"guillotine": False}
            return
        exact = "cell-suppression" if self.algorithm == "cell-suppression" else "exact"
        options = get_family(self.family).algorithm(exact).options
        same = {"centers", "metric", "weights"}  # options that define the cost and the solutions
        yield exact, {option.name: g.options[option.name] for option in options if option.name in same}


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


PACKING_ALONE = {"centers": "input", "improve": False}
FIRST_IDEAS = (
    Opponent(
        "worst-cuts", "rectangles", "kd-tree", "kd-tree with the worst cuts that its rules allow", made=_worst_cuts
    ),
    Opponent(
        "rules-alone",
        "regions",
        "general-graph",
        "General graph with its rules alone, without its later search",
        made=_rules_alone,
    ),
    Opponent(
        "packing-alone",
        "clusters",
        "gather",
        "Gather with centers at points and without later improvement",
        PACKING_ALONE,
    ),
    Opponent(
        "rare-records",
        "tables",
        "cell-suppression",
        "Cell suppression that hides rare records",
        made=_rare_records,
    ),
)

# Algorithms whose cost an exact search of their family can prove optimal.
PLAYED = {
    "regions": ("tree-split", "general-graph", "recombine"),
    "rectangles": ("kd-tree", "balanced-kd-tree"),
    "labels": ("fold", "spread", "five-halves", "two-approximation", "scheme", "near-optimal"),
    "tables": ("mondrian", "local-cuts", "cell-suppression"),
    "clusters": ("gather",),
}


def opponents(family: str) -> tuple[Opponent, ...]:
    """All opponents of a family: first ideas, then algorithms, simple ones first.

    >>> [one.name for one in opponents("rectangles")]
    ['worst-cuts', 'kd-tree', 'balanced-kd-tree']
    """
    titles = get_family(family).algorithms
    options = {name: {"metric": "DM"} for name in ("mondrian", "local-cuts")}  # the guarantee is on group sizes
    whole = tuple(Opponent(name, family, name, titles[name].title, options.get(name, {})) for name in PLAYED[family])
    return (*(one for one in FIRST_IDEAS if one.family == family), *whole)


def opponent_of(family: str, name: str) -> Opponent:
    """The opponent of this name, or `UnknownAlgorithm` with a list."""
    by_name = {one.name: one for one in opponents(family)}
    if name not in by_name:
        message = f"There is no opponent {name!r} for {family}; choose one of {', '.join(by_name)}."
        raise UnknownAlgorithm(message, parameter="algorithm", value=name)
    return by_name[name]


def run_of(opponent: Opponent, instance: Any, k: int, seed: int, options: Mapping[str, Any]) -> Generalization:
    """The opponent's result, verified."""
    g = generalize(instance, k, opponent.algorithm, seed=seed, **{**opponent.options, **options})
    if opponent.made is None:
        return g
    outcome = opponent.made(instance, k, Run(seed))
    weights = np.bincount(outcome.assignment, weights=instance.weights).astype(np.int64)
    cost = get_family(opponent.family).objective(g.algorithm, g.options).cost(outcome.cost, weights)
    bound = outcome.bound or Bound(g.lower_bound, g.bound_name, g.bound_kind, g.bound_witness)
    bound_fields = {"lower_bound": bound.value, "bound_name": bound.name, "bound_kind": bound.kind}
    status: Status = "optimal" if cost == bound.value else "feasible"
    fields = {"assignment": outcome.assignment, "class_weights": weights, "cost": cost, "details": outcome.details}
    first = replace(g, **fields, **bound_fields, bound_witness=bound.witness, status=status).sealed()
    verify(instance, first)
    return first


# ---------------------------------------------------------------------------------------------------------------------
# The kd-tree's rule does not say which of the allowed lines is cut. Here it is always the worst one.
# ---------------------------------------------------------------------------------------------------------------------


MOST_LINES = 16  # different coordinates along an axis

Cut = tuple[int, float, tuple[int, ...], tuple[int, ...]]  # axis, line, points on the low and on the high side


def _between(along: np.ndarray) -> list[float]:
    """The midpoints between successive coordinates."""
    coordinates = np.unique(along)
    return ((coordinates[:-1] + coordinates[1:]) / 2).tolist()


def worst_cuts(points: Points, k: int) -> CutTree:
    """Cut while a line leaves weight >= k on both sides, so that the heaviest rectangle ends as heavy as possible.

    The guarantee of the kd-tree holds for any choice of allowed lines, including this one.

    Parameters
    ----------
    points : With at most `MOST_LINES` different x and as many different y.

    Complexity
    ----------
    A table of all rectangles between lines.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 3, Theorem 4.

    Seven places on a line: the one left over joins a pair, whatever the cuts are.

    >>> line = Points([(x, 0) for x in range(7)])
    >>> worst_cuts(line, 2).class_weights(line).tolist()
    [2, 2, 3]
    """
    for axis in range(2):
        lines = len(np.unique(points.xy[:, axis]))
        if lines > MOST_LINES:
            raise InvalidInput(
                f"There are {lines} different values of {'xy'[axis]}, so there are too many cuts to try; draw at most "
                f"{MOST_LINES} different values.",
                value=lines,
            )
    weights = points.weights.tolist()

    def weight(members: tuple[int, ...]) -> int:
        return sum(weights[i] for i in members)

    @cache
    def worst(members: tuple[int, ...]) -> tuple[int, Cut | None]:
        """The heaviest rectangle that cuts of these points can leave, and the first such cut."""
        result: tuple[int, Cut | None] = (0, None)
        for axis in range(2):
            along = points.xy[list(members), axis]
            for line in _between(along):
                low = tuple(i for i, at in zip(members, along, strict=True) if at < line)
                high = tuple(i for i, at in zip(members, along, strict=True) if at >= line)
                if min(weight(low), weight(high)) >= k:
                    heaviest = max(worst(low)[0], worst(high)[0])
                    if heaviest > result[0]:
                        result = heaviest, (axis, line, low, high)
        return result if result[1] is not None else (weight(members), None)

    nodes: list[tuple[int, float, int]] = []  # axis, line, size, as in `CutTree`
    order: list[int] = []

    def grow(members: tuple[int, ...]) -> None:
        cut = worst(members)[1]
        if cut is None:
            nodes.append((-1, 0.0, len(members)))
            order.extend(members)
            return
        nodes.append((cut[0], cut[1], 0))
        grow(cut[2])
        grow(cut[3])

    grow(tuple(range(len(points))))
    axes, lines_, sizes = zip(*nodes, strict=True)
    return CutTree(
        np.array(axes, np.int8), np.array(lines_, float), np.array(sizes, np.int32), np.array(order, np.int32)
    )
