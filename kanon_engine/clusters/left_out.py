"""Lower bounds of clusterings that may leave out a share of the records."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, fields
from decimal import Decimal

import numpy as np

from kanon_engine.clusters.centers import details_of
from kanon_engine.clusters.gather_flow import Solution, disc_holds, in_a_plane
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import Nearest, need_of, radius_of
from kanon_engine.model.objective import Bound
from kanon_engine.validate import frozen
from kanon_engine.verification.metric import rounded_up, six_digits_below

ASKED = 2_000  # points whose discs are examined
CLOSE = 1e-5  # of the best bound of this kind: so much may be lost


@dataclass(frozen=True)
class LeftOut:
    """A bound on the radius, and the points that stay at it."""

    bound: Bound
    kept: np.ndarray  # (n,) bool: points that need not be left out
    # around points the bound itself; else the diameter that the bound is half of: within it each kept point has k
    # records that are kept
    width: float


def most_left_out(space: MetricSpace, epsilon: float) -> int:
    """How many records may be left out: epsilon of them, rounded down, with epsilon taken as it is written.

    >>> most_left_out(MetricSpace([[0]], counts=[100]), 0.29), 0.29 * 100
    (29, 28.999999999999996)
    """
    return math.floor(Decimal(repr(float(epsilon))) * space.total)


def leaving_by_need(neighbors: Nearest, most: int) -> LeftOut:
    """Around points: as many of the records with the largest `need` as may be left out; the next one's is the bound.

    docs/proofs/clusters/gather_outliers.md, bound “too many in need”.

    >>> from kanon_engine.clusters.nearest import nearest
    >>> found = nearest(MetricSpace([[0], [1], [2], [9], [30]]), 2)
    >>> one = leaving_by_need(found, 1)
    >>> one.bound.value, one.bound.witness, one.kept.tolist()
    (7.0, (4, 3), [True, True, True, True, False])
    """
    order = np.argsort(-neighbors.need, kind="stable")
    last = int(np.searchsorted(np.cumsum(neighbors.space.weights[order]), most, side="right"))
    witness = order[: last + 1]
    value = min(
        need_of(neighbors.space, place, neighbors.k)
        for place in witness[neighbors.need[witness] == neighbors.need[order[last]]]
    )
    return LeftOut(
        Bound(value, "too many in need", witness=tuple(witness.tolist())),
        neighbors.need <= neighbors.need[order[last]],
        value,
    )


def leaving_by_peeling(neighbors: Nearest, most: int) -> LeftOut:
    """Wherever centers are: peel off the point farthest from its k-th record among the rest, until too many are off.

    The least of these distances is the least width at which the paper's peeling (section 2.3) keeps enough records: no
    guess of a radius is tried. docs/proofs/clusters/gather_outliers.md, bound “peeling”.

    O((n + p k) k log n) for p peeled points, besides the balls, and p passes over all distances for the exact value.

    >>> from kanon_engine.clusters.nearest import nearest
    >>> found = nearest(MetricSpace([[0], [1], [2], [9], [30]]), 2)
    >>> one = leaving_by_peeling(found, 1)
    >>> one.width, one.bound.witness, one.kept.tolist()
    (7.0, (4, 3), [True, True, True, True, False])
    """
    order, radii = peeled(neighbors, most)
    widths = peel_widths(neighbors.space, neighbors.k, order)
    width = float(widths.min())
    retained = np.ones(len(neighbors.rho), dtype=bool)
    retained[order[: int(np.argmin(radii))]] = False
    value = neighbors.space.definitions.free_radius(neighbors.space.definitions.half(width))
    bound = Bound(value, "peeling", witness=tuple(order.tolist()))
    return LeftOut(_by_discs(neighbors, most, bound), retained, width)


def _by_discs(neighbors: Nearest, most: int, bound: Bound) -> Bound:
    """The bound, or a better one in the plane or on the globe: for too many points no small disc holds k records too.

    docs/proofs/clusters/gather_outliers.md, bound “too many discs”. Up to 2,000 points are examined one by one.
    """
    space, k = neighbors.space, neighbors.k
    if not in_a_plane(space) or len(space) > ASKED:
        return bound
    order = np.argsort(-neighbors.need, kind="stable")
    last = int(np.searchsorted(np.cumsum(space.weights[order]), most, side="right"))
    fails, holds = np.zeros(len(space)), np.array(neighbors.need)  # widths of which it is known

    def lacking(value: float) -> list[int]:
        """More points than can be left out for which no smaller disc is enough; none if there are not that many."""
        width, short, records = six_digits_below(value), [], 0
        for place in order[neighbors.need[order] >= width].tolist():
            if holds[place] <= width:
                continue
            if fails[place] < width:
                if disc_holds(space, place, width, k):
                    holds[place] = width
                    continue
                fails[place] = width
            short.append(place)
            records += int(space.weights[place])
            if records > most:
                return short
        return []

    low, high = bound.value, float(neighbors.need[order[last]])
    while high - low > CLOSE * high:
        value = rounded_up((low + high) / 2)
        short = lacking(value)
        if short:
            low, bound = value, Bound(value, "too many discs", witness=tuple(short))
        else:
            high = min(value, six_digits_below(high))
    return bound


def peel_widths(space: MetricSpace, k: int, order: np.ndarray) -> np.ndarray:
    """(p,) float64: the distance of each point to its k-th record among those not before it, from all distances."""
    widths = np.empty(len(order))
    removed = np.zeros(len(space), dtype=bool)
    for number, place in enumerate(order.tolist()):
        widths[number] = radius_of(space, place, k, removed)
        removed[place] = True
    return widths


def peeled(neighbors: Nearest, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Points in the order of peeling, until more than `most` records are gone, and their distances then."""
    space, k = neighbors.space, neighbors.k
    weights = space.weights
    balls = [neighbors.ball(place) for place in range(len(space))]
    sizes = [len(ball) for ball in balls]
    members = np.concatenate(balls)
    owners = np.repeat(np.arange(len(space)), sizes)[np.argsort(members, kind="stable")]
    starts = np.searchsorted(np.sort(members), np.arange(len(space) + 1))
    later: dict[int, set[int]] = {}  # whose longer list holds a point
    lists: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    removed = np.zeros(len(space), dtype=bool)

    def width_of(place: int) -> float:
        while True:
            if place in lists:
                near, distances = lists[place]
                cumulative = np.cumsum(np.where(removed[near], 0, weights[near]))
                if cumulative[-1] >= k:
                    return float(distances[np.searchsorted(cumulative, k)])
                if len(near) == len(space):
                    return math.inf
            count = min(len(space), 2 * len(lists[place][0]) if place in lists else 2 * sizes[place] + 8)
            lists[place] = _near(space, place, count)
            for other in lists[place][0].tolist():
                later.setdefault(other, set()).add(place)

    width = neighbors.rho.tolist()
    heap = [(-one, place) for place, one in enumerate(width)]
    heapq.heapify(heap)
    order, radii, left = [], [], 0
    while left <= most:
        one, place = heapq.heappop(heap)
        if removed[place] or -one != width[place]:
            continue
        removed[place] = True
        order.append(place)
        radii.append(-one)
        left += int(weights[place])
        for other in {*owners[starts[place] : starts[place + 1]].tolist(), *later.get(place, ())}:
            if not removed[other] and (now := width_of(other)) != width[other]:
                width[other] = now
                heapq.heappush(heap, (-now, other))
    return np.array(order, dtype=np.int64), np.array(radii)


def _near(space: MetricSpace, place: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A number of the nearest points and their distances, by distance."""
    if space.tree is None or count == len(space):
        near = np.arange(len(space))
    else:
        near = space.tree.query(space.tree.data[place], count, p=space.norm)[1]
    distances = space.distances(place, near)
    order = np.argsort(distances, kind="stable")
    return near[order], distances[order]


def part_of(space: MetricSpace, positions: np.ndarray) -> MetricSpace:
    """The points at some positions as a space of their own, with the distances that they have in the whole one.

    >>> import pandas as pd
    >>> whole = MetricSpace(pd.DataFrame({"age": [20, 30, 60]}), "gower")
    >>> part_of(whole, np.array([0, 1])).distances(0).tolist()
    [0.0, 0.25]
    """
    part = object.__new__(MetricSpace)
    for field in fields(space):
        object.__setattr__(part, field.name, getattr(space, field.name))
    points = space.points[positions][:, positions] if space.metric == "precomputed" else space.points[positions]
    arrays = {"points": frozen(points), "counts": frozen(space.counts[positions]), "ids": frozen(space.ids[positions])}
    for name, value in (
        arrays | {"frame": space.frame.iloc[positions].reset_index(drop=True), "counted": None}
    ).items():
        object.__setattr__(part, name, value)
    if space.metric in ("gower", "hamming"):
        part.definitions.spots = [
            column[positions] for column in space.definitions.spots
        ]  # ranges stay those of the whole
    return part


def of_whole(space: MetricSpace, positions: np.ndarray, solution: Solution) -> Solution:
    """A clustering of a part as one of the whole, with all other points left out."""
    assignment = np.full(len(space), -1, dtype=np.int64)
    assignment[positions] = solution.assignment
    places = np.where(solution.details.places >= 0, positions[solution.details.places], -1)
    centers = solution.details.centers if space.free else None
    return Solution(assignment, details_of(space, assignment, places=places, centers=centers))
