"""The smallest possible largest class, proven, or as much of a proof as the time allows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from kanon_engine.model.generalization import members_of
from kanon_engine.model.objective import Bound
from kanon_engine.model.requirement import Minimum
from kanon_engine.model.run import Outcome, Run
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.frontier import classes_between
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.partitions import SMALL, ConnectedPart, best_partition, classes_up_to, no_partition
from kanon_engine.regions.partitions_kernels import SetLimits, connected_sets
from kanon_engine.regions.recombine import recombine
from kanon_engine.regions.tree_split import numbered
from kanon_engine.regions.trees import forest_of_classes
from kanon_engine.search.solvers import LARGEST_SUM, CapSearch, solved, solver_for

BUDGET = 4.0  # CP-SAT's deterministic time for a whole run without a time limit
EVEN_OUT = 1.0  # the part of it that may go into the sum of squares


def exact(regions: Regions, k: int, run: Run, require: Sequence[Minimum] = ()) -> Outcome:
    """Connected classes with the smallest possible largest class, and the proof that it is.

    No guarantee except the lower bound that it proves: docs/proofs/regions/exact.md.

    Among the partitions with the smallest largest class, it searches for one with the least sum of squares if the
    effort suffices. A search that is stopped, or whose effort is used up, returns the best solution and the best bound.

    `require`: further requirements on every class; the search ignores classes that fail them.
    Returns: a bound raised by the search is of kind "solver": that no better partition exists is reported by the
        search. No guarantee.
    Raises `Infeasible`: no partition satisfies all wishes.
    References: H. Validi, A. Buchanan, E. Lykhovyd, "Imposing contiguity constraints in political districting models",
        Operations Research 70 (2022): cuts by vertex separators.

    >>> ring = Regions(range(6), [3, 1, 3, 1, 3, 1], [(i, (i + 1) % 6) for i in range(6)])
    >>> exact(ring, 4, Run()).assignment.tolist()
    [0, 1, 1, 2, 2, 0]
    """
    labels, bound = _first_solution(regions, k, run, require)
    search = CapSearch(run, bound.value, BUDGET, "checking whether groups below a size limit exist")
    parts = members_of(regions.components)
    parts.sort(key=lambda members: (-_largest(regions.weights[members], labels[members]), members[0]))
    for members in parts:
        part = ConnectedPart.inside(regions, members, k, require)
        if len(members) <= SMALL:
            part_labels = best_partition(part.edges, part.weights, k, rules=part.rules)
            if part_labels is None:
                raise no_partition(regions, k, require)
            search.low = max(search.low, _largest(part.weights, part_labels))
        else:
            part_labels = search.narrow(labels[members], partial(_largest, part.weights), partial(_ask, part, run))
        labels[members] = part_labels + len(regions) * members[0]
    cap = _largest(regions.weights, labels)
    for members in parts:
        part = ConnectedPart.inside(regions, members, k, require)
        if len(members) <= SMALL:
            part_labels = best_partition(part.edges, part.weights, k, cap, part.rules)
        else:
            part_labels = _evened_out(search, part, labels[members], cap)
        labels[members] = part_labels + len(regions) * members[0]
    assignment = numbered(labels, regions.weights)
    return Outcome(
        assignment=assignment,
        details=forest_of_classes(regions, assignment, "the best partition found by an exhaustive search"),
        guarantee=None,
        bound=Bound(search.low, "exact search", "solver") if search.low > bound.value else bound,
    )


def _ask(
    part: ConnectedPart, run: Run, cap: int, effort: float, goes_on: Callable[..., bool]
) -> tuple[str, np.ndarray | None, float]:
    """Whether there is a partition with no class above the cap: along a frontier; of listed classes; else by roots."""
    verdict, labels, spent = along_frontier(part, cap, effort, run.seed)
    if verdict == "open":
        classes = possible_classes(part, cap)
        if classes is None:
            verdict, labels, more = classes_up_to(part, cap, effort, run, goes_on)
        else:
            verdict, labels, more = partition_of(part, classes, False, effort, run.seed, goes_on)
        spent += more
    return verdict, labels, spent


def _evened_out(search: CapSearch, part: ConnectedPart, labels: np.ndarray, cap: int) -> np.ndarray:
    """The same classes, or others up to the cap with a smaller sum of squares, if all classes can be listed."""
    classes = possible_classes(part, cap) if search.goes_on(cap) else None
    if classes is None or sum(part.weights.tolist()) ** 2 > LARGEST_SUM:
        return labels
    effort = min(EVEN_OUT, search.left)
    candidate, spent = partition_of(part, classes, True, effort, search.run.seed, partial(search.goes_on, cap))[1:]
    search.left -= spent
    return (
        labels if candidate is None or _squares(part.weights, candidate) > _squares(part.weights, labels) else candidate
    )


def _first_solution(regions: Regions, k: int, run: Run, require: Sequence[Minimum]) -> tuple[np.ndarray, Bound]:
    """The result of `recombine` in half of the time, or of the exact parts if all are small; and the family's bound."""
    if np.bincount(regions.components).max() <= SMALL:
        return regions.components.astype(np.int64), lower_bound(regions, k, require)
    half = None if run.time_limit is None else run.time_limit / 2
    outcome = recombine(regions, k, run.part(0.0, 0.5, half), compactness=0.0, require=require)
    return outcome.assignment.astype(np.int64), outcome.bound or lower_bound(regions, k, require)


def _squares(weights: np.ndarray, labels: np.ndarray) -> int:
    sums = np.bincount(np.unique(labels, return_inverse=True)[1], weights=weights)
    return sum(int(load) ** 2 for load in sums)


def _largest(weights: np.ndarray, labels: np.ndarray) -> int:
    return int(np.bincount(np.unique(labels, return_inverse=True)[1], weights=weights).max())


LISTED_SETS = 1_000_000  # connected sets up to the cap that are examined
MOST_CLASSES = 40_000  # possible classes, above which they are not handed to the solver


def possible_classes(part: ConnectedPart, cap: int) -> list[np.ndarray] | None:
    """All classes that the part may have, of weight k to the cap; None if there are too many connected sets.

    If there were too many for a cap, a cap less than a tenth below is not tried.
    """
    if cap * 10 > part.too_many * 9:
        return None
    members, ends, complete = connected_sets(part.graph, np.array(part.rank), SetLimits(part.k, cap, LISTED_SETS))
    if not complete or len(ends) > MOST_CLASSES:
        part.too_many = cap
        return None
    sets = np.split(members, ends[:-1]) if len(ends) else []
    return [subset for subset in sets if part.rules.admits(subset)]


def partition_of(
    part: ConnectedPart, classes: list[np.ndarray], squares: bool, effort: float, seed: int, goes_on: Callable[[], bool]
) -> tuple[str, np.ndarray | None, float]:
    """Cover every vertex by exactly one of the classes.

    `squares`: whether to minimize the sum of squared class weights; otherwise any partition is accepted.
    `effort`: as in `classes_up_to`.
    `goes_on`: whether to go on.

    For squares, "found" refers to the best partition found so far; otherwise the verdict is that of `classes_up_to`.
    """
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    chosen = [model.new_bool_var("") for _ in classes]
    covers: list[list[int]] = [[] for _ in part.weights]
    for number, members in enumerate(classes):
        for v in members.tolist():
            covers[v].append(number)
    if not all(covers):
        return "impossible", None, 0.0
    for numbers in covers:
        model.add_exactly_one(chosen[number] for number in numbers)
    if squares:
        loads = [int(part.weights[members].sum()) for members in classes]
        model.minimize(sum(load * load * x for load, x in zip(loads, chosen, strict=True)))
    solver = solver_for(seed, effort)
    verdict = solved(solver, model, goes_on)
    if verdict != "found":
        return verdict, None, solver.deterministic_time
    labels = np.empty(len(part.weights), dtype=np.int64)
    for number, members in enumerate(classes):
        if solver.boolean_value(chosen[number]):
            labels[members] = number
    return "found", labels, solver.deterministic_time


FRONTIER_WORK = 20_000_000  # ways to add an area to a state, for an effort of 1
FRONTIER_STATES = 50_000  # states kept after an area; if there are more, some are dropped and nothing is ruled out


def along_frontier(part: ConnectedPart, cap: int, effort: float, seed: int) -> tuple[str, np.ndarray | None, float]:
    """Classes of weight k to the cap, or the proof that there are none, as in `partition_of`.

    If the part has rules besides k, classes that break one are not returned, and the verdict stays open. What is
    impossible without the rules is also impossible with them.

    >>> path = ConnectedPart(np.array([(0, 1), (1, 2), (2, 3)]), np.array([2, 1, 1, 2]), 3)
    >>> along_frontier(path, 3, 0.1, 0)[:2]
    ('found', array([0, 0, 1, 1]))
    >>> along_frontier(ConnectedPart(path.edges, np.array([2, 2, 1, 2]), 3), 3, 0.1, 0)[:2]
    ('impossible', None)
    """
    answer = classes_between(
        part.graph,
        part.k,
        cap,
        limit=FRONTIER_STATES,
        beam=np.random.default_rng(seed),
        order=part.order,
        most=round(FRONTIER_WORK * effort),
    )
    labels, spent = answer.labels, answer.states / FRONTIER_WORK
    if labels is None:
        return answer.verdict, None, spent
    classes = (np.flatnonzero(labels == c) for c in range(int(labels.max()) + 1))
    return ("found", labels, spent) if all(map(part.rules.admits, classes)) else ("open", None, spent)
