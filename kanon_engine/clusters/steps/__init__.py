"""The run of each algorithm on records in a metric space, step by step: circles, flows, prices, groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import wraps

import numpy as np

from kanon_engine.clusters.gather.solution import Solution
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import NO_YES, Inequality, Question, State, Step, changed_between
from kanon_engine.model.words import counted, number_text
from kanon_engine.registry import family_named

MOST_CHOICES = 16
MOST_STEPS = 60  # of one kind; of more, a step does several
NOTHING = np.zeros(0, dtype=np.int64)
NO_EDGES = np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class ClustersState(State):
    """Circles around centers, and who is given to whom.

    Attributes
    ----------
    places : (m,) int64 array
        Positions of the centers, class by class; -1 for one that is no point.
    centers : (m, d) float64 array
        Their coordinates, as in `ClusterDetails`.
    radii : (m,) float64 array
        Of the circles that are drawn around them.
    edges : (e, 2) int64 array
        Which center a flow gives which point, or which clusters share one.
    short : (s,) int64 array
        Which centers together lack records, as numbers of classes.
    out : (o,) int64 array
        Positions of points that are left out so far.
    prices : (n,) float64 array
        What each point pays; empty where prices have no part.
    """

    places: np.ndarray
    centers: np.ndarray
    radii: np.ndarray
    edges: np.ndarray = field(default_factory=lambda: NO_EDGES)
    short: np.ndarray = field(default_factory=lambda: NOTHING)
    out: np.ndarray = field(default_factory=lambda: NOTHING)
    prices: np.ndarray = field(default_factory=lambda: np.zeros(0))


@dataclass(frozen=True)
class PointsQuestion(Question):
    """A question for a point.

    Attributes
    ----------
    at : tuple of int
        The position of the point that each choice is.
    """

    at: tuple[int, ...] = ()


Maker = Callable[[MetricSpace, Generalization], Iterable[Step]]


def steps_of_clusters(make: Maker) -> Callable[[MetricSpace, Generalization], Iterator[Step]]:
    """Steps with what changed; before the first of them nothing is asked."""

    @wraps(make)
    def steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
        before: np.ndarray | None = None
        for step in make(space, g):
            question = None if before is None else step.question
            yield replace(step, changed=changed_between(before, step.state.assignment), question=question)
            before = step.state.assignment

    return steps


def around(space: MetricSpace, assignment: np.ndarray, places: np.ndarray, radii: np.ndarray) -> ClustersState:
    """A state whose centers are points."""
    centers = space.points[places] if space.free else np.zeros((len(places), 0))
    return ClustersState(assignment.astype(np.int32), places.astype(np.int64), centers, np.asarray(radii, dtype=float))


def of_details(assignment: np.ndarray, details: ClusterDetails) -> ClustersState:
    """A state with the centers and radii of a clustering."""
    outside = np.flatnonzero(assignment < 0)
    return ClustersState(
        assignment.astype(np.int32), details.places, details.centers, details.radii, out=outside.astype(np.int64)
    )


def of_solution(solution: Solution) -> ClustersState:
    """The same, of a clustering on its way."""
    return of_details(solution.assignment, solution.details)


def begun(space: MetricSpace, why: str) -> Step:
    """Before anything is done."""
    nobody = np.full(len(space), -1, dtype=np.int32)
    return Step(around(space, nobody, NOTHING, np.zeros(0)), NOTHING, why)


def result(space: MetricSpace, g: Generalization, before: float | None, how: str) -> Step:
    """The certified result; `before` is what the best step before it costs."""
    noun = family_named("clusters").objective(g.algorithm, g.options).noun
    why = f"{how}: {counted(g.classes, 'cluster')}, {noun} {measured(space, float(g.cost))}."
    inequality = Inequality(g.cost, "≥", g.lower_bound, f"{noun} ≥ proven bound")
    question = None
    if before is not None:
        why += "" if g.cost < before else " Nothing better was found."
        prompt = f"So far: {noun} {measured(space, before)}. Will the search find less?"
        question = Question(prompt, NO_YES, (int(g.cost < before),))
    return Step(of_details(g.assignment, g.details), NOTHING, why, inequality if inequality.holds else None, question)


def which_point(
    space: MetricSpace, prompt: str, right: Iterable[int], others: Iterable[int] = ()
) -> PointsQuestion | None:
    """A question for a point: the right ones and as many others, in the order of the data. None without a choice."""
    wanted = list(dict.fromkeys(int(place) for place in right))[:MOST_CHOICES]
    more = [place for place in dict.fromkeys(int(place) for place in others) if place not in set(wanted)]
    at = sorted([*wanted, *more[: max(MOST_CHOICES - len(wanted), 2)]])
    if len(at) < 2:
        return None
    answers = tuple(number for number, place in enumerate(at) if place in set(wanted))
    return PointsQuestion(prompt, tuple(f"point {space.label(place)}" for place in at), answers, at=tuple(at))


def measured(space: MetricSpace, length: float) -> str:
    """A distance with its unit."""
    return f"{number_text(length)} {space.measure}".rstrip()


def least_cluster(space: MetricSpace, assignment: np.ndarray) -> int:
    """Records in the lightest class."""
    inside = assignment >= 0
    sums = np.bincount(assignment[inside], weights=space.weights[inside])
    return int(sums[sums > 0].min())
