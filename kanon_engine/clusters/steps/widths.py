"""Gather and few centers step by step: a width, greedy centers, and the flow that fails or succeeds (section 2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from kanon_engine.clusters.center import search_of
from kanon_engine.clusters.gather import free_bound, need_bound
from kanon_engine.clusters.gather.attempt import MOST_RECORDS, Attempt
from kanon_engine.clusters.gather.packed import packed
from kanon_engine.clusters.gather.paper import MOST_POINTS, attempts, better, better_bound
from kanon_engine.clusters.gather.solution import Solution, around_points
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import Nearest, nearest, pairs_within
from kanon_engine.clusters.steps import (
    NOTHING,
    ClustersState,
    around,
    begun,
    measured,
    of_solution,
    result,
    steps_of_clusters,
    which_point,
)
from kanon_engine.model.bound import Bound
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.run import Run
from kanon_engine.model.step import NO_YES, Inequality, Question, Step
from kanon_engine.model.words import counted, number_text

MOST_WIDTHS = 40
ONE_BY_ONE = 12  # greedy centers of the first width that are chosen one by one
LARGE = 5_000  # points, above which only the first widths are tried again
FEW_WIDTHS = 3


@steps_of_clusters
def gather(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Balls of k records, then width after width of section 2.2, then what mending made of the best.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = MetricSpace([[0], [2], [4], [1], [3]])
    >>> for step in list(gather(line, kanon.generalize(line, 2)))[5:8]:
    ...     print(step.inequality.text if step.inequality else step.why)
    records within the width of the orange circles < k for each: 5 < 6
    Width 4: 1 greedy center, each the first point that no circle holds yet.
    records within the width of centers ≥ k for each: 5 ≥ 2
    """
    found = nearest(space, g.k)
    fixed = g.options["centers"] == "input" or not space.free
    bound = need_bound(found) if fixed else free_bound(found)
    words = f"{counted(len(space), 'point')} with {space.total:,} {space.unit}; each cluster needs k = {g.k:,}."
    yield begun(space, f"{words} No largest radius can be below {measured(space, bound.value)}.")
    best = around_points(space, packed(found))
    yield _packed(found, best, bound)

    def tried(least: float) -> Iterator[Attempt]:
        nonlocal best
        for made in attempts(found, least):
            best = better(found, best, made, fixed) if made.succeeded else best
            yield made

    if len(space) <= MOST_POINTS and space.total < MOST_RECORDS:
        raised = better_bound(found, bound, np.array([found.rho.argmax()]), fixed)
        yield from width_steps(found, tried(2 * raised.value))
    yield result(space, g, best.cost, "The best of all that, its wide clusters mended and its circles made small")


@steps_of_clusters
def center(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Width after width, where a width fails too if it needs too many centers."""
    most = g.options["max_clusters"]
    search = search_of(space, g.k, str(g.options["centers"]), None if most is None else int(str(most)))
    allowed = f"at most {counted(search.clusters, 'cluster')}"
    yield begun(space, f"{counted(len(space), 'point')} go into {allowed} of k = {g.k:,} {space.unit} or more.")
    yield from width_steps(search.found, search.attempts(Run(g.seed)), search.clusters)
    yield result(space, g, search.best.cost, "The best of these, each point at the nearest center where that helps")


def _packed(found: Nearest, made: Solution, bound: Bound) -> Step:
    """Disjoint balls of k records, the smallest first; the others go to the nearest center."""
    space, k = found.space, found.k
    order = np.argsort(found.rho, kind="stable")
    first = order[found.rho[order] == found.rho[order[0]]]
    count = counted(len(made.details.places), "ball")
    why = f"{count} of {k:,} {space.unit} are packed, smaller ones first, and all others join the nearest center."
    return Step(
        of_solution(made),
        NOTHING,
        why,
        Inequality(made.cost, "≥", bound.value, "largest radius ≥ lower bound"),
        which_point(space, f"Around which point is the smallest ball of {k:,} {space.unit}?", first, order),
    )


def width_steps(found: Nearest, tried: Iterable[Attempt], clusters: int | None = None) -> Iterator[Step]:
    """Each width: its greedy centers, of the first width one by one, and what the flow can send."""
    most = FEW_WIDTHS if len(found.space) > LARGE else MOST_WIDTHS
    for number, made in enumerate(islice(tried, most), 1):
        yield from _greedy(found.space, made, number == 1 and len(made.centers) <= ONE_BY_ONE)
        flown = _flown(found, made, clusters)
        yield flown if number < most else replace(flown, why=f"{flown.why} No more than {most} widths are shown here.")


def _greedy(space: MetricSpace, made: Attempt, one_by_one: bool) -> Iterator[Step]:
    count = len(made.centers)
    width = measured(space, made.width)
    for chosen in range(1, count + 1) if one_by_one else [count]:
        places = made.centers[:chosen]
        assignment = np.where(made.marked < chosen, made.marked, -1)
        state = around(space, assignment, places, np.full(chosen, made.width))
        if not one_by_one:
            why = f"Width {width}: {counted(count, 'greedy center')}, each the first point that no circle holds yet."
            apart = _least_apart(space, places)
            words = "least distance of two centers > width"
            yield Step(state, NOTHING, why, None if apart is None else Inequality(apart, ">", made.width, words))
            continue
        place = int(places[-1])
        free = np.flatnonzero((made.marked >= chosen - 1) & (np.arange(len(space)) >= place))
        near = counted(int((made.marked == chosen - 1).sum()), "point")
        why = f"Width {width}: point {space.label(place)} is the first that no circle holds; it marks {near} within it."
        inequality, question = None, None
        if chosen > 1:
            apart = float(space.distances(place, places[:-1]).min())
            inequality = Inequality(apart, ">", made.width, "distance to the nearest center > width")
            prompt = "Points are taken in the order of the data. Which becomes the next center?"
            question = which_point(space, prompt, [place], [*free.tolist(), *places[:-1].tolist()])
        yield Step(state, NOTHING, why, inequality, question)


def _least_apart(space: MetricSpace, places: np.ndarray) -> float | None:
    """The least distance between two of some points; None where they are one, or too many."""
    if not 2 <= len(places) <= 2_000:
        return None
    apart = space.between(places, places)
    return float(apart[~np.eye(len(places), dtype=bool)].min())


def _flown(found: Nearest, made: Attempt, clusters: int | None) -> Step:
    """Whether each center gets k records from within the width; if not, who lacks them."""
    space, k = found.space, found.k
    width = measured(space, made.width)
    if clusters is not None and len(made.centers) > clusters:
        state = around(space, made.marked, made.centers, np.full(len(made.centers), made.width))
        why = f"Width {width} fails: {len(made.centers):,} points are pairwise farther apart, more than clusters."
        inequality = Inequality(len(made.centers), ">", clusters, "centers > clusters that there may be")
        prompt = f"There may be {counted(clusters, 'cluster')}. Will this width do?"
        return Step(state, NOTHING, why, inequality, Question(prompt, NO_YES, (0,)))
    if made.succeeded:
        held, wanted = _near(space, made.centers, made.width), k * len(made.centers)
        inequality = Inequality(held, "≥", wanted, "records within the width of centers ≥ k for each")
    else:
        held, wanted = _near(space, made.witness, made.width), k * len(made.witness)
        inequality = Inequality(held, "<", wanted, "records within the width of the orange circles < k for each")
    prompt = f"Will the flow send each center k = {k:,} {space.unit} from within the width {width}?"
    question = Question(prompt, NO_YES, (int(made.succeeded),))
    return Step(state_of(space, made), NOTHING, attempt_words(found, made), inequality, question)


def _near(space: MetricSpace, places: np.ndarray, width: float) -> int:
    """Records within a width of some points."""
    return int(space.weights[np.unique(pairs_within(space, places, width)[1])].sum())


def state_of(space: MetricSpace, made: Attempt) -> ClustersState:
    """What came of a width: circles around the centers, and around a point that alone has too few records near."""
    alone = made.witness[~np.isin(made.witness, made.centers)]
    places = np.concatenate([made.centers, alone])
    given = np.flatnonzero(made.sent >= 0)
    state = around(space, made.assignment, places, np.full(len(places), made.width))
    return ClustersState(
        state.assignment,
        state.places,
        state.centers,
        state.radii,
        edges=np.column_stack([made.sent[given], given]),
        short=np.flatnonzero(np.isin(places, made.witness)),
    )


def attempt_words(found: Nearest, made: Attempt) -> str:
    """Whether a width succeeds, or why it fails, in one sentence.

    Example
    -------
    >>> from kanon_engine.clusters.gather.attempt import attempt
    >>> found = nearest(MetricSpace([[1], [0], [2], [8], [9]]), 2)
    >>> attempt_words(found, attempt(found, 1.0))
    'Width 1 succeeds: each of 2 centers gets 2 records within it, and all others are within it of a center.'
    >>> attempt_words(found, attempt(found, 0.5))
    'Width 0.5 fails: point 0 has 1 record within it, and needs 2.'
    """
    space, k = found.space, found.k
    width = f"Width {number_text(made.width)} {space.measure}".rstrip()
    if made.succeeded:
        return (
            f"{width} succeeds: each of {counted(len(made.centers), 'center')} gets {k:,} {space.unit} within it, and "
            f"all others are within it of a center."
        )
    held = _near(space, made.witness, made.width)
    unit = space.unit.removesuffix("s") if held == 1 else space.unit
    if len(made.witness) == 1:
        return (
            f"{width} fails: point {space.label(int(made.witness[0]))} has {held:,} {unit} within it, and needs {k:,}."
        )
    return (
        f"{width} fails: {len(made.witness):,} centers, pairwise farther apart, have {held:,} {unit} within it, and "
        f"need {k:,} each."
    )
