"""The least possible cost, proven, or as much of a proof as the effort allows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import cast

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array, csr_array, hstack, vstack

from kanon_engine.clusters.ball_kernels import smallest_balls
from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.gather import gather
from kanon_engine.clusters.gather_flow import ROUNDED, Solution, in_a_plane
from kanon_engine.clusters.gather_repair import Repair, improved
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.r_cellular import r_cellular
from kanon_engine.clusters.resplit import Clustering, clustering
from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Lazy
from kanon_engine.model.generalization import members_of
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run
from kanon_engine.search.search_kernels import cheapest_classes
from kanon_engine.search.solvers import CapSearch
from kanon_engine.verification.metric import EARTH

LEAST = {
    "radius": Lazy("kanon_engine.clusters.exact:least_radius"),
    "cellular": Lazy("kanon_engine.clusters.exact:exact_cellular"),
}


def exact(space: MetricSpace, k: int, run: Run, *, cost: str, centers: str) -> Outcome:
    """Clusters of at least k records of the least cost, and the proof that there is no lower one.

    No guarantee except the lower bound that it proves: docs/proofs/clusters/exact.md. A search that is stopped, or has
    used up its effort, returns the best clustering and the best bound.

    Returns: where the search proves more than a bound with a witness, `bound` is of kind "solver".

    >>> made = exact(MetricSpace([[0], [3], [5], [8], [9]]), 2, Run(), cost="radius", centers="input")
    >>> made.cost, made.bound.value, made.assignment.tolist()
    (3.0, 3.0, [0, 0, 0, 1, 1])
    """
    outcome: Outcome = LEAST[cost](space, k, run, centers=centers)
    return replace(outcome, guarantee=None)


# ---------------------------------------------------------------------------------------------------------------------
# The least largest radius: one radius after another, CP-SAT says whether there are clusters within it.
# ---------------------------------------------------------------------------------------------------------------------


BUDGET = 30.0  # CP-SAT's deterministic time for a run without a time limit
MOST_RADIUS_POINTS = 3_000
FIRST = 100_000  # the least whole number of six digits


def least_radius(space: MetricSpace, k: int, run: Run, *, centers: str) -> Outcome:
    """The least largest radius: see `exact`."""
    if len(space) > MOST_RADIUS_POINTS:
        message = f"Exact search takes up to {MOST_RADIUS_POINTS:,} points; there are {len(space):,}. Choose gather."
        raise InvalidInput(message)
    fixed = centers == "input" or not space.free
    share = None if run.time_limit is None else run.time_limit / 2
    first = Run(
        run.seed, share, lambda report: run.goes_on(report.done / 4, report.best, report.lower_bound, report.message)
    )
    start = gather(space, k, first, centers=centers)
    bound, least = start.bound, start.cost
    if bound is None or least is None or least == bound.value or (bound.value == 0 and not fixed):
        # a bound of 0 around free centers: every place has k records, and rounding on the globe alone costs something
        return Outcome(start.assignment, start.details, None, bound, least)
    best = Solution(start.assignment, start.details)  # type: ignore[arg-type]  # its details are clusters
    radius_of, rank_of = _ranks(space, fixed, bound.value, least)
    search = CapSearch(run, 0, BUDGET, "checking whether clusters fit within a radius", start=0.25)
    every = np.arange(len(space))

    def ask(rank: int, effort: float, goes_on: Callable[..., bool]) -> tuple[str, Solution | None, float]:
        repair = Repair(space, k, fixed, run.seed, goes_on, effort, effort)
        proof = not fixed and in_a_plane(space)
        answer, spots = repair.ask(every, every >= 0, radius_of(rank), proof)
        if answer.verdict != "found":
            return answer.verdict if fixed or proof else "open", None, answer.spent
        solution = repair.given(every, answer.owner, spots)
        if rank_of(solution.cost) > rank:  # by rounding, which no effort will change
            return "too large", None, answer.spent
        return "found", solution, answer.spent

    best = search.narrow(best, lambda one: rank_of(one.cost), ask)
    best = improved(space, k, best, fixed)
    proven = radius_of(search.low)
    if proven > bound.value:
        bound = Bound(proven, "exact search", "solver")
    return Outcome(best.assignment, best.details, None, bound, best.cost)


def _ranks(
    space: MetricSpace, fixed: bool, bound: float, cost: float
) -> tuple[Callable[[int], float], Callable[[float], int]]:
    """The radii that clusters can have, from a bound on: that of a rank, and the rank of one.

    Around points they are distances between points, around free centers numbers of six digits.
    """
    if fixed:
        distances = space.between(np.arange(len(space)))
        values = np.unique(distances[(distances >= bound) & (distances <= cost)])
        return lambda rank: float(values[rank]), lambda radius: int(np.searchsorted(values, radius))
    least = _number(bound)

    def radius_of(rank: int) -> float:
        power, digits = divmod(least + rank, 9 * FIRST)
        return float(Decimal(digits + FIRST).scaleb(power))

    return radius_of, lambda radius: _number(radius) - least


def _number(radius: float) -> int:
    """Of a number of six digits: how many there are from 100000 up to it."""
    exact = Decimal(radius)
    power = exact.adjusted() - 5
    return power * 9 * FIRST + int(exact.scaleb(-power).to_integral_value()) - FIRST


# ---------------------------------------------------------------------------------------------------------------------
# The cheapest cellular clustering of few points.
# ---------------------------------------------------------------------------------------------------------------------


FREE_POINTS = 12  # points up to which all sets are examined, with the smallest ball of each
MOST_POINTS = 60  # points around which clusters are chosen
NODES = 100_000
MOST_UNITS = 10_000  # that k has in the program: its tolerances are 1e-6 of one
MOST_ROUNDS = 20
WORD = 1e-9  # share of a bound that the solver's tolerances may take
PROVEN, IMPOSSIBLE = 0, 2  # the solver's answers
MESSAGE = "choosing clusters"
UNIT = 1e-9  # share by which a vector on the globe may not be a unit


def exact_cellular(space: MetricSpace, k: int, run: Run, *, centers: str) -> Outcome:
    """Clusters of at least k records with the least sum of radii, each counted for all of its records.

    Around points, up to 60 of them: HiGHS chooses clusters and who is in them, among those that prices do not rule
    out. It computes with floats, so costs that differ by less than 1e-9 of them are equal to it. With free centers, up
    to 12 points: the smallest ball of every set of them is examined. For more points the result and the bound are
    those of `r_cellular`. Proof: docs/proofs/clusters/exact_cellular.md.

    Figure 1.1 once more: 11 with free centers, 13 with centers among the records.

    >>> people = MetricSpace([(20, 0), (22, 0), (60, 13), (60, 10), (60, 7)])
    >>> for centers in ("any", "input"):
    ...     found = exact_cellular(people, 2, Run(), centers=centers)
    ...     print(found.cost, found.bound.value, found.bound.kind)
    11.0 11.0 solver
    13.0 13.0 checked
    """
    first = r_cellular(space, k, Run(run.seed), centers=centers, facility_cost=0.0, improve=True)
    bound = cast(Bound, first.bound)
    best = Clustering(first.assignment, cast(ClusterDetails, first.details), cast(float, first.cost))
    if best.cost == bound.value:
        return first
    free = space.free and centers == "any"
    if len(space) > (FREE_POINTS if free else MOST_POINTS):
        return first
    if free:
        best, value = _all_sets(space, k, best)
    else:
        best, value = _chosen(space, k, run, best, bound.value)
    if value > bound.value:
        bound = Bound(value, "exact search", "solver")
    run.stopped = run.stopped or bound.value < best.cost
    return Outcome(best.assignment, best.details, None, bound, best.cost)


def _all_sets(space: MetricSpace, k: int, first: Clustering) -> tuple[Clustering, float]:
    """The best of all partitions, with the smallest ball around every set of points, and the least possible cost."""
    n = len(space)
    sets = (np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(bool)
    records = sets @ space.weights
    costs = np.where(records >= k, 0.0, np.inf)
    costs[0] = np.inf
    distances, prices = Distances(space, k, 0.0), first.details.prices
    for number in np.flatnonzero(records >= k).tolist():
        costs[number] = records[number] * _least_radius(space, np.flatnonzero(sets[number]))
    class_of = np.zeros(n, dtype=np.int64)
    cheapest_classes(costs, class_of)
    chosen = [sum(1 << place for place in members) for members in members_of(class_of)]
    best = min(first, clustering(distances, class_of, True, prices), key=lambda candidate: candidate.cost)
    return best, min(math.fsum(costs[chosen].tolist()), best.cost)


def _least_radius(space: MetricSpace, members: np.ndarray) -> float:
    """The least radius of a cluster, wherever its center is: computed near the points, and so more exactly."""
    spots = space.points if space.metric == "euclidean" else np.asarray(space.embedding)
    spots = spots[members] - spots[members[0]]
    center = np.empty((1, spots.shape[1]))
    smallest_balls(spots, np.arange(len(spots)), np.array([0, len(spots)]), center)
    radius = math.sqrt(float(((spots - center) ** 2).sum(axis=1).max()))
    if space.metric == "haversine":  # a circle on the globe is as wide as the ball that it borders
        radius = max(0.0, EARTH * math.asin(min(radius, 1.0)) * (1 - 2 * UNIT) - ROUNDED)
    return space.definitions.free_radius(radius)


@dataclass(frozen=True)
class Ball:
    """A cluster that a cheap solution may have."""

    center: int  # position of a point
    radius: float
    points: np.ndarray  # (s,) int64: those that may be in it


def _chosen(space: MetricSpace, k: int, run: Run, best: Clustering, proven: float) -> tuple[Clustering, float]:
    """Clusters around points, chosen by a mixed-integer program, and the least possible cost."""
    distances = Distances(space, k, 0.0)
    prices = distances.rise(top=k, least=k).prices
    spare = math.ceil(best.cost * distances.per_unit) - int(space.weights @ prices)
    balls = list(_balls(distances, prices, spare))
    if not balls:
        return best, best.cost  # every other solution has a cluster that costs too much
    if not run.goes_on(0.1, best.cost, proven, MESSAGE):
        return best, proven
    labels, low = _searched(distances, balls, run)
    if labels is not None:
        best = min(
            best, clustering(distances, labels, False, best.details.prices), key=lambda candidate: candidate.cost
        )
    if low is None:
        return best, proven
    return best, best.cost if low == math.inf else min(low * (1 - WORD), best.cost)


def _balls(distances: Distances, prices: np.ndarray, spare: int) -> Iterator[Ball]:
    """Clusters whose cost is above their records' prices by less than `spare`, and who may be in them.

    A cluster of S costs more than its prices by the sum of radius - price over its records: at least that of the k
    dearest, and of all that pay more than the radius. This is counted in whole steps, which are coarse where there are
    many records; the radius of a ball is as it is.
    """
    weights, k = distances.space.weights, distances.k
    for center in range(len(weights)):
        steps = distances.steps(center)
        order = distances.order[center].astype(np.int64)
        to_center = distances.matrix[center]
        for end in np.append(np.flatnonzero(np.diff(to_center[order])), len(order) - 1).tolist():
            inside, radius = order[: end + 1], int(steps[order[end]])
            if weights[inside].sum() < k:
                continue
            gains = prices[inside] - radius
            ranked = np.argsort(-gains, kind="stable")
            before = np.cumsum(weights[inside[ranked]]) - weights[inside[ranked]]
            used = np.where(gains[ranked] > 0, weights[inside[ranked]], np.clip(k - before, 0, weights[inside[ranked]]))
            excess = -int(used @ gains[ranked])
            last = min(0, int(gains[ranked][np.flatnonzero(used)[-1]]))
            more = weights[inside] * np.maximum(last - gains, 0)  # it is there instead of the last one, at best
            points = inside[excess + more < spare]
            if excess < spare and weights[points].sum() >= k and to_center[points].max() == to_center[order[end]]:
                yield Ball(center, float(to_center[order[end]]), points)


def _searched(distances: Distances, balls: list[Ball], run: Run) -> tuple[np.ndarray | None, float | None]:
    """The program of section 3 with at least k records a cluster, solved.

    With single records at most 2 k - 1 are enough: of more, the nearest k and the others are two clusters around the
    same center that cost no more. A solver's tolerances would be many records where k is large: then the program
    counts in units of several, rounded up. A cluster of fewer than k that this lets pass is ruled out, with all its
    parts, and the program solved again.

    Returns `labels`: (n,) int64 or None. The cluster of each point in the cheapest solution that was found; `low`: what
        no solution of these balls costs less than; infinity where none is better than the one found.
    """
    weights, k = distances.space.weights, distances.k
    places = np.concatenate([ball.points for ball in balls])
    cluster = np.repeat(np.arange(len(balls)), [len(ball.points) for ball in balls])
    radii = np.array([ball.radius for ball in balls])
    scale = 1e4 / float(weights @ distances.matrix.max(axis=1))  # for the absolute tolerances
    m, b, n = len(places), len(balls), len(weights)
    inside, every, ones = np.arange(m), np.arange(b), np.ones(m)
    unit = -(-k // MOST_UNITS)
    least = -(-k // unit)
    units = np.minimum(-(-weights // unit), least)
    loads = csr_array((units[places].astype(float), (cluster, inside)), shape=(b, m))

    def sized(records: int) -> coo_array:
        return coo_array((np.full(b, -float(records)), (every, every)), shape=(b, b))

    assigned = hstack([coo_array((ones, (places, inside)), shape=(n, m)), coo_array((n, b))])
    each, its = coo_array((ones, (inside, inside)), shape=(m, m)), coo_array((-ones, (inside, cluster)), shape=(m, b))
    rows = [assigned, hstack([loads, sized(least)]), hstack([each, its])]
    low = [np.ones(n), np.zeros(b), np.full(m, -np.inf)]
    high = [np.ones(n), np.full(b, np.inf), np.zeros(m)]
    if int(weights.max()) == 1:
        rows, low, high = [*rows, hstack([loads, sized(2 * k - 1)])], [*low, np.full(b, -np.inf)], [*high, np.zeros(b)]
    for _ in range(MOST_ROUNDS):
        limit = {} if run.time_limit is None else {"time_limit": max(run.time_limit - run.seconds, 0.01)}
        solution = milp(
            np.concatenate([scale * weights[places] * radii[cluster], np.zeros(b)]),
            constraints=LinearConstraint(vstack(rows).tocsr(), np.concatenate(low), np.concatenate(high)),
            integrality=np.ones(m + b),
            bounds=Bounds(0, 1),
            options={"mip_rel_gap": 0.0, "node_limit": NODES, **limit},
        )
        if solution.status == IMPOSSIBLE:
            return None, math.inf
        proven = None if solution.mip_dual_bound is None else float(solution.mip_dual_bound) / scale
        if solution.x is None:
            return None, proven
        labels = np.empty(n, dtype=np.int64)
        chosen = solution.x[:m] > 0.5
        labels[places[chosen]] = cluster[chosen]
        labels = np.unique(labels, return_inverse=True)[1]
        light = [members for members in members_of(labels) if weights[members].sum() < k]
        if not light:
            return labels, math.inf if solution.status == PROVEN else proven
        for members in light:  # whatever ball these are in, another point is there too
            others = np.flatnonzero(~np.isin(places, members))
            more = coo_array((np.ones(len(others)), (cluster[others], others)), shape=(b, m))
            rows, low, high = [*rows, hstack([more, sized(1)])], [*low, np.zeros(b)], [*high, np.full(b, np.inf)]
    return None, proven
