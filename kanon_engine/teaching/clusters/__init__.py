"""Steps on records in a metric space: the state; gather and few centers, with and without outliers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

import numpy as np

from kanon_engine.clusters.center import search_of
from kanon_engine.clusters.gather import MOST_POINTS, attempts, better, better_bound, free_bound, need_bound, packed
from kanon_engine.clusters.gather_flow import MOST_RECORDS, Attempt, Solution, around_points
from kanon_engine.clusters.gather_outliers import grown
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.left_out import (
    LeftOut,
    leaving_by_need,
    leaving_by_peeling,
    most_left_out,
    of_whole,
    part_of,
    peel_widths,
    peeled,
)
from kanon_engine.clusters.nearest import Nearest, nearest, pairs_within
from kanon_engine.clusters.outliers import Coverage, PlaceNet, assigned, coverage, least_width, net_of, of_places, twice
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Run
from kanon_engine.model.words import counted, number_text
from kanon_engine.teaching.step import NO_YES, NOTHING, Inequality, State, Step, StepQuestion, choice, either, strides

MOST_CHOICES = 16
MOST_STEPS = 60  # of one kind; if there are more, one step covers several
NO_EDGES = np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True)
class ClustersState(State):
    """Circles around centers, and which points are assigned to which."""

    places: np.ndarray  # (m,) int64: positions of the centers, class by class; -1 for one that is not a point
    centers: np.ndarray  # (m, d) float64: their coordinates, as in `ClusterDetails`
    radii: np.ndarray  # (m,) float64: of the circles that are drawn around them
    # (e, 2) int64: the point and center of each unit of flow, or clusters that share a point
    edges: np.ndarray = field(default_factory=lambda: NO_EDGES)
    # (s,) int64: class numbers of the centers that together lack records
    short: np.ndarray = field(default_factory=lambda: NOTHING)
    out: np.ndarray = field(default_factory=lambda: NOTHING)  # (o,) int64: positions of points that are left out so far
    # (n,) float64: what each point pays; empty if there are no prices
    prices: np.ndarray = field(default_factory=lambda: np.zeros(0))


def around(space: MetricSpace, assignment: np.ndarray, places: np.ndarray, radii: np.ndarray) -> ClustersState:
    """A state whose centers are points."""
    centers = space.points[places] if space.free else np.zeros((len(places), 0))
    return ClustersState(assignment.astype(np.int32), places.astype(np.int64), centers, np.asarray(radii, dtype=float))


def of_details(assignment: np.ndarray, details: ClusterDetails) -> ClustersState:
    """A state with the centers and radii of a clustering."""
    labels = assignment.astype(np.int32)
    return ClustersState(labels, details.places, details.centers, details.radii, out=np.flatnonzero(labels < 0))


def of_solution(solution: Solution) -> ClustersState:
    """The same for an intermediate clustering."""
    return of_details(solution.assignment, solution.details)


SAME = "The result is the best clustering so far"


def begun(space: MetricSpace, why: str) -> Step:
    """Before anything is done."""
    nobody = np.full(len(space), -1, dtype=np.int32)
    return Step(around(space, nobody, NOTHING, np.zeros(0)), why)


def result(space: MetricSpace, g: Generalization, before: float | None, how: str, same: str = SAME) -> Step:
    """The certified result; `before` is the cost of the best earlier step, `same` replaces `how` if it is no better."""
    noun = get_family("clusters").objective(g.algorithm, g.options).noun
    how = how if before is None or g.cost < before else same
    why = f"{how}: {counted(g.classes, 'cluster')}, {noun} {measured(space, float(g.cost))}."
    inequality = Inequality(g.cost, "≥", g.lower_bound, f"{noun} ≥ proven bound")
    question = None
    if before is not None:
        why += "" if g.cost < before else " Nothing better was found."
        prompt = f"Best so far: {noun} {measured(space, before)}. Will the search get below this number?"
        question = StepQuestion(prompt, NO_YES, (int(g.cost < before),))
    return Step(of_details(g.assignment, g.details), why, inequality.if_true, question)


def which_point(
    space: MetricSpace, prompt: str, right: Iterable[int], others: Iterable[int] = ()
) -> StepQuestion | None:
    """A question about a point: the right ones and as many others, in data order. None without a real choice."""
    correct = list(dict.fromkeys(int(place) for place in right))[:MOST_CHOICES]
    more = [place for place in dict.fromkeys(int(place) for place in others) if place not in set(correct)]
    at = sorted([*correct, *more[: max(MOST_CHOICES - len(correct), 2)]])
    return choice(prompt, at, correct, lambda place: f"point {space.label(place)}")


def measured(space: MetricSpace, length: float) -> str:
    """A distance with its unit."""
    return f"{number_text(length)} {space.measure}".rstrip()


def least_cluster(space: MetricSpace, assignment: np.ndarray) -> int:
    """Records in the lightest class."""
    inside = assignment >= 0
    sums = np.bincount(assignment[inside], weights=space.weights[inside])
    return int(sums[sums > 0].min())


# ---------------------------------------------------------------------------------------------------------------------
# Gather and few centers step by step: a width, greedy centers, and a flow that fails or succeeds (section 2.2).
# ---------------------------------------------------------------------------------------------------------------------


MOST_WIDTHS = 40
ONE_BY_ONE = 12  # greedy centers of the first width that are shown one by one
WIDTHS = "One width after another is tried. The width is the largest allowed distance of a point from its center."
LARGE_SPACE = 5_000  # points, above which only the first widths are repeated
FEW_WIDTHS = 3
MOST_COMPARED = 2_000  # centers up to which all pairwise distances are computed


def gather_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Balls of k records, then one width after another (section 2.2), then repairs of the best.

    >>> import kanon_engine as kanon
    >>> line = MetricSpace([[0], [2], [4], [1], [3]])
    >>> for step in list(gather_steps(line, kanon.generalize(line, 2)))[5:8]:
    ...     print(step.inequality.text if step.inequality else step.why)
    records in the orange circles < k × number of circles: 5 < 6
    Width 4 leads to 1 center. The next center is always the first point that is not yet in a circle.
    records in the circles ≥ k × number of circles: 5 ≥ 2
    """
    balls = nearest(space, g.k)
    fixed = g.options["centers"] == "input" or not space.free
    bound = need_bound(balls) if fixed else free_bound(balls)
    words = (
        f"{counted(len(space), 'point')} with {space.total:,} {space.unit}; each cluster needs at least k = {g.k:,}."
    )
    yield begun(space, f"{words} The largest radius cannot be below {measured(space, bound.value)}.")
    best = around_points(space, packed(balls))
    yield _packed(balls, best, bound)

    def tried(least: float) -> Iterator[Attempt]:
        nonlocal best
        for attempt in attempts(balls, least):
            best = better(balls, best, attempt, fixed) if attempt.succeeded else best
            yield attempt

    if len(space) <= MOST_POINTS and space.total < MOST_RECORDS:
        raised = better_bound(balls, bound, np.array([balls.rho.argmax()]), fixed)
        yield from width_steps(balls, tried(2 * raised.value))
    yield result(
        space, g, best.cost, "The search also rebuilt wide clusters and shrank circles, and found a better result"
    )


def center_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """One width after another; a width also fails if it needs too many centers."""
    most = g.options["max_clusters"]
    search = search_of(space, g.k, str(g.options["centers"]), None if most is None else int(str(most)))
    allowed = f"at most {counted(search.clusters, 'cluster')}"
    yield begun(space, f"{counted(len(space), 'point')} go into {allowed} of k = {g.k:,} {space.unit} or more.")
    yield from width_steps(search.found, search.attempts(Run(g.seed)), search.clusters)
    how = "The search also tried circles with more records, and found a better result"
    yield result(space, g, search.best.cost, how)


def _packed(balls: Nearest, solution: Solution, bound: Bound) -> Step:
    """Disjoint balls of k records, the smallest first; the others go to the nearest center."""
    space, k = balls.space, balls.k
    order = np.argsort(balls.rho, kind="stable")
    first = order[balls.rho[order] == balls.rho[order[0]]]
    count = counted(len(solution.details.places), "circle")
    why = (
        f"{count} with at least {k:,} {space.unit} each are chosen, the smallest first, so that no two circles share a "
        "point. All other points join the nearest center."
    )
    return Step(
        of_solution(solution),
        why,
        Inequality(solution.cost, "≥", bound.value, "largest radius ≥ lower bound"),
        which_point(space, f"Around which point is the smallest circle that holds {k:,} {space.unit}?", first, order),
    )


def width_steps(balls: Nearest, tried: Iterable[Attempt], clusters: int | None = None) -> Iterator[Step]:
    """Each width: its greedy centers, one by one for the first width, and the result of the flow."""
    most = FEW_WIDTHS if len(balls.space) > LARGE_SPACE else MOST_WIDTHS
    for number, attempt in enumerate(islice(tried, most), 1):
        yield from _greedy(balls.space, attempt, first=number == 1)
        flown = _flown(balls, attempt, clusters)
        yield flown if number < most else replace(flown, why=f"{flown.why} Only {most} widths are shown here.")


def _greedy(space: MetricSpace, attempt: Attempt, *, first: bool) -> Iterator[Step]:
    count = len(attempt.centers)
    one_by_one = first and count <= ONE_BY_ONE
    width = measured(space, attempt.width)
    for chosen in range(1, count + 1) if one_by_one else [count]:
        places = attempt.centers[:chosen]
        assignment = np.where(attempt.marked < chosen, attempt.marked, -1)
        state = around(space, assignment, places, np.full(chosen, attempt.width))
        if not one_by_one:
            why = (
                f"Width {width} leads to {counted(count, 'center')}. The next center is always the first point that is "
                "not yet in a circle."
            )
            why = f"{WIDTHS} {why}" if first else why
            least = None
            if 2 <= count <= MOST_COMPARED:
                distance = float(space.between(places, places)[~np.eye(count, dtype=bool)].min())
                least = Inequality(distance, ">", attempt.width, "smallest distance between two centers > width")
            yield Step(state, why, least)
            continue
        place = int(places[-1])
        free = np.flatnonzero((attempt.marked >= chosen - 1) & (np.arange(len(space)) >= place))
        near = counted(int((attempt.marked == chosen - 1).sum()), "point")
        why = (
            f"With width {width}, point {space.label(place)} is the first point that is not yet in a "
            "circle. The circle "
            f"around it takes {near}."
        )
        why = f"{WIDTHS} {why}" if chosen == 1 else why
        inequality, question = None, None
        if chosen > 1:
            distance = float(space.distances(place, places[:-1]).min())
            inequality = Inequality(distance, ">", attempt.width, "distance to the nearest other center > width")
            prompt = "Points are taken in the order of the data. Which point becomes the next center?"
            question = which_point(space, prompt, [place], [*free.tolist(), *places[:-1].tolist()])
        yield Step(state, why, inequality, question)


def _flown(balls: Nearest, attempt: Attempt, clusters: int | None) -> Step:
    """Whether each center gets k records from within the width; if not, which ones lack them."""
    space, k = balls.space, balls.k
    width = measured(space, attempt.width)
    if clusters is not None and len(attempt.centers) > clusters:
        state = around(space, attempt.marked, attempt.centers, np.full(len(attempt.centers), attempt.width))
        why = (
            f"Width {width} fails: {len(attempt.centers):,} points are all farther apart than {width}, so more centers "
            "than allowed would be needed."
        )
        inequality = Inequality(len(attempt.centers), ">", clusters, "centers > clusters allowed")
        prompt = f"At most {counted(clusters, 'cluster')} are allowed. Will width {width} succeed?"
        return Step(state, why, inequality, StepQuestion(prompt, NO_YES, (0,)))
    centers = attempt.centers if attempt.succeeded else attempt.witness
    words = f"records in the {'' if attempt.succeeded else 'orange '}circles ≥ k × number of circles"
    inequality = either(_near(space, centers, attempt.width), "≥", k * len(centers), words)
    prompt = f"Can each center be given k = {k:,} {space.unit} of its own that are at most {width} away?"
    question = StepQuestion(prompt, NO_YES, (int(attempt.succeeded),))
    return Step(state_of(space, attempt), attempt_words(balls, attempt), inequality, question)


def _near(space: MetricSpace, places: np.ndarray, width: float) -> int:
    """Records within a width of some points."""
    return int(space.weights[np.unique(pairs_within(space, places, width)[1])].sum())


def state_of(space: MetricSpace, attempt: Attempt) -> ClustersState:
    """The outcome of a width: circles around the centers, or around a point that has too few records nearby."""
    alone = attempt.witness[~np.isin(attempt.witness, attempt.centers)]
    places = np.concatenate([attempt.centers, alone])
    served = np.flatnonzero(attempt.sent >= 0)
    state = around(space, attempt.assignment, places, np.full(len(places), attempt.width))
    short = np.flatnonzero(np.isin(places, attempt.witness))
    return replace(state, edges=np.column_stack([attempt.sent[served], served]), short=short)


def attempt_words(balls: Nearest, attempt: Attempt) -> str:
    """Whether a width succeeds, or why it fails, in one sentence.

    >>> from kanon_engine.clusters.gather_flow import attempt
    >>> found = nearest(MetricSpace([[1], [0], [2], [8], [9]]), 2)
    >>> for words in attempt_words(found, attempt(found, 1.0)).split(", and "):
    ...     print(words)
    Width 1 succeeds: each of 2 centers gets 2 records within this width
    all other points are within this width of a center.
    >>> attempt_words(found, attempt(found, 0.5))
    'Width 0.5 fails: point 0 has 1 record within this width but needs 2.'
    """
    space, k = balls.space, balls.k
    width = f"Width {number_text(attempt.width)} {space.measure}".rstrip()
    if attempt.succeeded:
        each = f"each of {counted(len(attempt.centers), 'center')} gets {k:,} {space.unit} within this width"
        return f"{width} succeeds: {each}, and all other points are within this width of a center."
    weight = _near(space, attempt.witness, attempt.width)
    unit = space.unit.removesuffix("s") if weight == 1 else space.unit
    if len(attempt.witness) == 1:
        place = space.label(int(attempt.witness[0]))
        return f"{width} fails: point {place} has {weight:,} {unit} within this width but needs {k:,}."
    many = f"{len(attempt.witness):,} centers are all farther apart than this width"
    return (
        f"{width} fails: {many}. Together they have {weight:,} {unit} within this width, but each center "
        f"needs {k:,} of its own."
    )


# ---------------------------------------------------------------------------------------------------------------------
# Gather and few centers with outliers step by step: which points are left out, one after another, and which stay.
# ---------------------------------------------------------------------------------------------------------------------


ALIKE = 1_000  # points up to which all points at the same distance are found


def gather_outliers_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Points are removed, the most isolated first; the remaining ones form clusters.

    >>> import kanon_engine as kanon
    >>> line = MetricSpace([[0], [1], [2], [3], [99]])
    >>> for step in list(gather_outliers_steps(line, kanon.generalize(line, 2, "gather-outliers", epsilon=0.2)))[:2]:
    ...     print(step.why)
    Up to 1 of 5 records may be left out; each cluster needs at least k = 2.
    Point 4 is farthest from its k-th nearest remaining record. The distance is 96.
    """
    most = most_left_out(space, float(g.options["epsilon"]))
    balls = nearest(space, g.k)
    yield begun(
        space,
        f"Up to {most:,} of {space.total:,} {space.unit} may be left out; each cluster needs at least k = {g.k:,}.",
    )
    fixed = g.options["centers"] == "input" or not space.free
    leaving = leaving_by_need(balls, most) if fixed else leaving_by_peeling(balls, most)
    yield from _by_need(balls, leaving) if fixed else _by_peeling(balls, most)
    if fixed:
        remaining = np.flatnonzero(leaving.kept)
        part = part_of(space, remaining)
        solution = of_whole(space, remaining, around_points(part, packed(nearest(part, g.k))))
    else:
        solution = grown(balls, leaving.kept, leaving.width, str(g.options["centers"]))
    why = f"The remaining points form {counted(len(solution.details.radii), 'cluster')} with a largest radius of "
    least = Inequality(least_cluster(space, solution.assignment), "≥", g.k, "smallest cluster ≥ k")
    yield Step(of_solution(solution), f"{why}{measured(space, solution.cost)}.", least)
    how = "The search also tried to leave out points that set the largest radius, and found a better result"
    yield result(space, g, solution.cost, how)


def _by_peeling(balls: Nearest, most: int) -> Iterator[Step]:
    """For any centers: remove the point farthest from its k-th nearest remaining record."""
    space, k = balls.space, balls.k
    order, _ = peeled(balls, most)
    widths = peel_widths(space, k, order)
    for start, end in strides(0, len(order), MOST_STEPS):
        place, last = int(order[end - 1]), end == len(order)
        question = None
        if end == start + 1:
            left = np.setdiff1d(np.arange(len(space)), order[: end - 1])
            distance_of = {other: _kth(space, k, left, other) for other in left.tolist()} if len(space) <= ALIKE else {}
            right = [other for other, width in distance_of.items() if width == widths[end - 1]]
            far = sorted(distance_of, key=lambda other: -distance_of[other]) if distance_of else order[end:]
            prompt = (
                "A point's nearest records include its own. "
                f"Which point is farthest from its k-th nearest remaining record (k = {k:,})?"
            )
            question = which_point(space, prompt, [place, *right], far)
        who, width = _who(space, place, end - start), float(widths[end - 1])
        why = f"{who} is farthest from its k-th nearest remaining record. The distance is {measured(space, width)}."
        why += " The point stays, because leaving it out would exceed the limit." if last else ""
        words = "distance in this step ≥ smallest distance in all steps"
        least = Inequality(width, "≥", float(widths.min()), words)
        yield Step(replace(begun(space, "").state, out=order[: end - last].astype(np.int64)), why, least, question)


def _who(space: MetricSpace, place: int, many: int) -> str:
    """One point, or the last of several."""
    return f"Point {space.label(place)}" if many == 1 else f"{counted(many, 'point')} are removed; the last of them"


def _kth(space: MetricSpace, k: int, left: np.ndarray, place: int) -> float:
    """The distance from a point to its k-th record among some points."""
    distances = space.distances(place, left)
    order = np.argsort(distances, kind="stable")
    sums = np.cumsum(space.weights[left[order]])
    return float(distances[order[np.searchsorted(sums, k)]]) if sums[-1] >= k else np.inf


def _by_need(balls: Nearest, leaving: LeftOut) -> Iterator[Step]:
    """For centers at points: remove those that need the widest circles."""
    space, k = balls.space, balls.k
    order = np.array(leaving.bound.witness, dtype=np.int64)
    prompt = (
        "For each remaining point, take the smallest circle that contains it and at least k records in all; the "
        "center may be any point. For which point is this circle the widest?"
    )
    others = np.argsort(-balls.need, kind="stable")
    for start, end in strides(0, len(order), MOST_STEPS):
        place, last, removed = int(order[end - 1]), end == len(order), order[: end - 1]
        need = float(balls.need[place])
        right = np.setdiff1d(np.flatnonzero(balls.need == need), removed)
        question = (
            which_point(space, prompt, right, np.setdiff1d(others, removed, True)[:8]) if end == start + 1 else None
        )
        who = _who(space, place, end - start)
        why = (
            f"{who} needs a circle of radius {measured(space, need)} for at least k = {k:,} {space.unit}, including "
            "its own."
        )
        why += " The point stays, because leaving it out would exceed the limit." if last else ""
        least = Inequality(need, "≥", leaving.bound.value, "radius needed ≥ lower bound")
        yield Step(replace(begun(space, "").state, out=order[: end - last]), why, least.if_true, question)


def center_outliers_steps(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """At the least width that may succeed, repeatedly take the fullest circle (section 2.4)."""
    k, most = g.k, most_left_out(space, float(g.options["epsilon"]))
    least = space.total - most
    clusters = min(int(str(g.options["max_clusters"] or space.total)), space.total // k)
    net = net_of(space)
    width = least_width(net, k, clusters, least)
    covering = coverage(net, width, k, clusters)
    few = f"there may be at most {counted(clusters, 'cluster')}"
    yield begun(space, f"At least {least:,} of {space.total:,} {space.unit} must be in clusters, and {few}.")
    lonely = np.flatnonzero(~covering.kept[net.owner])
    many = counted(len(lonely), "point")
    have = "has" if len(lonely) == 1 else "have"
    why = f"The width is {measured(space, width)}. Within this distance, {many} {have} fewer than {k:,} {space.unit}."
    yield Step(replace(begun(space, "").state, out=lonely), why)
    yield from _covering(net, covering, width, lonely, least)
    owner = assigned(net, covering)
    solution = of_places(net, owner, str(g.options["centers"]))
    yield Step(of_solution(solution), "Each covered point joins the nearest of the chosen centers.")
    how = "The search also tried circles with more records, and found a better result"
    yield result(space, g, solution.cost, how)


def _covering(net: PlaceNet, covering: Coverage, width: float, lonely: np.ndarray, least: int) -> Iterator[Step]:
    """One center after another: the point with the most uncovered records nearby."""
    space = net.space
    near, reach = net.apart <= width, twice(space, width)
    prompt = (
        f"Which point has the most {space.unit} within the width, not counting {space.unit} that are already covered?"
    )
    for start, end in strides(0, len(covering.centers), MOST_STEPS):
        free = covering.kept & ((covering.owner < 0) | (covering.owner >= end - 1))
        gains = np.where(free, near @ np.where(free, net.weights, 0.0), -1.0)
        center = int(covering.centers[end - 1])
        place = int(net.places[center])
        order = net.places[np.argsort(-gains, kind="stable")]
        right = net.places[gains == gains[center]]
        places = net.places[covering.centers[:end]]
        owner = np.where(covering.owner < end, covering.owner, -1)[net.owner]
        covered = int(space.weights[owner >= 0].sum())
        state = replace(around(space, owner, places, np.full(end, reach)), out=lonely)
        others = float(np.delete(gains, center).max(initial=0.0))
        inequality = Inequality(
            float(gains[center]), "≥", others, f"{space.unit} near this point ≥ {space.unit} near any other point"
        )
        if end == len(covering.centers):
            inequality = either(covered, "≥", least, f"{space.unit} covered ≥ {space.unit} that must be covered")
        who = f"Point {space.label(place)}" if end == start + 1 else f"The last of {end - start:,} points"
        amount = f"uncovered {space.unit} within the width ({int(gains[center]):,})"
        why = f"{who} has the most {amount} and covers all points within twice the width. "
        why += f"Covered so far: {covered:,} {space.unit}."
        yield Step(state, why, inequality, which_point(space, prompt, right, order) if end == start + 1 else None)
