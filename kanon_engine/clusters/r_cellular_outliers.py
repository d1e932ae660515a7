"""(r, epsilon)-cellular clustering (Aggarwal et al., end of section 3.1): a share of the records may be left out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.clusters.dual import Distances, opened, price_bound, remaining_sum
from kanon_engine.clusters.dual_kernels import NEVER
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.left_out import most_left_out
from kanon_engine.clusters.r_cellular import Unshared, shared_of, unshared
from kanon_engine.clusters.resplit import STEPS, CellularSearch, join_nearest, packed
from kanon_engine.clusters.resplit_kernels import cheapest_center
from kanon_engine.model.generalization import members_of
from kanon_engine.model.run import Outcome, Run

ROUNDS = 3  # of taking back those left out, redividing, and leaving out the most expensive


def r_cellular_outliers(
    space: MetricSpace, k: int, run: Run, *, epsilon: float, centers: str, facility_cost: float, improve: bool
) -> Outcome:
    """Clusters of at least k records with small radii, each counted for all of its records; some are left out.

    Guarantee: 72 times the best possible where each point is one record and centers are points; 144 times that of free
    centers. Proof: docs/proofs/clusters/r_cellular_outliers.md. As `r_cellular`, but prices rise until few enough
    records are without a ball, and the largest radius is guessed, each within a factor of 2 (Charikar et al. 2001).
    From the cheapest of these solutions, and from balls packed greedily, the most expensive records are left
    out, clusters are redivided, and the cheapest result counts.

    Returns: `details.prices` are (n, 1): the bound is their sum without the highest, as many as may be left out.

    Complexity: O(n² log n) time and O(n²) memory for the distances; prices for each guess; then a fixed number of
        steps.
    References: Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu (2010), section 3.1. Charikar, Khuller,
        Mount, Narasimhan (2001), "Algorithms for facility location problems with outliers".

    >>> line = MetricSpace([(0.0,), (1.0,), (2.0,), (50.0,), (90.0,), (91.0,), (92.0,)])
    >>> options = {"centers": "input", "facility_cost": 0.0, "improve": True}
    >>> found = r_cellular_outliers(line, 3, Run(), epsilon=0.2, **options)
    >>> found.assignment.tolist(), found.cost, found.bound.value
    ([0, 0, 0, -1, 1, 1, 1], 6.0, 6.0)
    """
    free = space.free and centers == "any"
    distances = Distances(space, k, facility_cost)
    spare = most_left_out(space, epsilon)
    bound, prices = price_bound(distances, free, spare=spare)
    search = CellularSearch(distances, run, free, bound, prices, None)
    solution = min(solutions(distances, spare), key=lambda pair: pair[0])[1]
    steps = STEPS // (4 * ROUNDS) if improve else 0
    starts = []
    for labels in (solution.labels, packed(distances)[0]):
        for _ in range(ROUNDS if improve else 1):
            trimmed, spots = without_dearest(distances, labels, spare)
            starts.append(search.begin(trimmed, spots, steps))
            labels = search.divided(*join_nearest(distances.matrix, *starts[-1][1:]), steps).numbered()[0]
    if improve:
        search.shaken(starts, STEPS)
    return search.outcome()


def solutions(distances: Distances, spare: int) -> Iterator[tuple[float, Unshared]]:
    """A solution for each guess of the largest radius, with its cost: every radius is guessed within a factor of 2.

    Prices rise until no more than `spare` records are without a ball; of those that stopped last, as many are left
    out as allowed. A guess between the largest radius that was paid for and the one before would change nothing.
    """
    weights = distances.space.weights
    reach, cheapest = NEVER, np.inf
    while True:
        rise = distances.rise(slope=distances.k, least=distances.k, reach=reach, spare=spare)
        short = int(weights[rise.event < 0].sum()) > spare
        # half of the prices are proven for radii up to this guess: docs/proofs/clusters/r_cellular_outliers.md
        proven = remaining_sum(distances.as_numbers(rise.prices // 2), weights, spare)
        if short or proven >= cheapest:
            return  # no solution has radii as small, or none of them is cheaper
        labels, centers = opened(distances, rise)
        last = np.flatnonzero(rise.event == len(rise.centers) - 1)
        last = last[np.argsort(-distances.matrix[rise.centers[-1], last], kind="stable")]
        free = spare - int(weights[labels < 0].sum())
        labels[last[np.cumsum(weights[last]) <= free]] = -1
        solution = unshared(distances, shared_of(distances, rise.prices, labels, centers))
        cost = _cost(distances, solution)
        cheapest = min(cheapest, cost)
        yield cost, solution
        largest = int(rise.radii.max())
        if largest == 0:
            return
        reach = largest // 2


def _cost(distances: Distances, solution: Unshared) -> float:
    inside = np.flatnonzero(solution.labels >= 0)
    radii, records = np.zeros(len(solution.centers)), np.zeros(len(solution.centers), dtype=np.int64)
    np.maximum.at(radii, solution.labels[inside], distances.matrix[inside, solution.centers[solution.labels[inside]]])
    np.add.at(records, solution.labels[inside], distances.space.weights[inside])
    return float(records @ radii) + distances.set_up * len(radii)


def without_dearest(distances: Distances, labels: np.ndarray, spare: int) -> tuple[np.ndarray, np.ndarray]:
    """Repeatedly leave out the records that save the most each, up to a limit.

    They are the farthest of a cluster, where k are left, or a whole cluster. Points with label -1 are out already.

    Returns `labels`: (n,) int64. Renumbered; -1 for those left out; `centers`: (m,) int64. The best of each
        cluster's own points.
    """
    weights = distances.space.weights
    spare -= int(weights[labels < 0].sum())
    clusters = members_of(labels)
    offers = [_offer(distances, points, spare, len(clusters) > 1) for points in clusters]
    while max(rate for rate, _ in offers) > 0:
        place = max(range(len(offers)), key=lambda number: offers[number][0])
        out = offers[place][1]
        spare -= int(weights[out].sum())
        clusters[place] = np.setdiff1d(clusters[place], out)
        offers[place] = _offer(distances, clusters[place], spare, len(clusters) > 1)
        if len(clusters[place]) == 0:
            del clusters[place], offers[place]
        for number, points in enumerate(clusters):
            # an offer that no longer fits, or would leave no cluster, is replaced
            if int(weights[offers[number][1]].sum()) > spare or len(clusters) == 1:
                offers[number] = _offer(distances, points, spare, len(clusters) > 1)
    trimmed = np.full(len(labels), -1, dtype=np.int64)
    for number, points in enumerate(clusters):
        trimmed[points] = number
    return trimmed, np.array(
        [cheapest_center(distances.matrix, points, points)[0] for points in clusters], dtype=np.int64
    )


def _offer(distances: Distances, members: np.ndarray, spare: int, whole: bool) -> tuple[float, np.ndarray]:
    """What a cluster saves for each record that is left out, at best, and which points those are."""
    if len(members) == 0:
        return 0.0, members
    center, radius = cheapest_center(distances.matrix, members, members)
    order = members[np.argsort(-distances.matrix[center, members], kind="stable")]
    removed = np.cumsum(distances.space.weights[order])
    total = int(removed[-1])
    best, points = 0.0, order[:0]
    # the whole cluster is a case of its own, because that saves its setup cost, too
    for size in range(1, len(order)):
        if removed[size - 1] > spare or total - removed[size - 1] < distances.k:
            break
        saved = total * radius - (total - int(removed[size - 1])) * distances.matrix[center, order[size]]
        if saved / removed[size - 1] > best:
            best, points = float(saved / removed[size - 1]), order[:size]
    if whole and total <= spare and (total * radius + distances.set_up) / total > best:
        best, points = float(total * radius + distances.set_up) / total, order
    return best, points
