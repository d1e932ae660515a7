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


def leaving_by_need(found: Nearest, most: int) -> LeftOut:
    """Around points: as many of the records with the largest `need` as may be left out; the next one's is the bound.

    docs/proofs/clusters/gather_outliers.md, bound “too many in need”.

    >>> from kanon_engine.clusters.nearest import nearest
    >>> found = nearest(MetricSpace([[0], [1], [2], [9], [30]]), 2)
    >>> one = leaving_by_need(found, 1)
    >>> one.bound.value, one.bound.witness, one.kept.tolist()
    (7.0, (4, 3), [True, True, True, True, False])
    """
    order = np.argsort(-found.need, kind="stable")
    last = int(np.searchsorted(np.cumsum(found.space.weights[order]), most, side="right"))
    witness = order[: last + 1]
    value = min(
        need_of(found.space, place, found.k) for place in witness[found.need[witness] == found.need[order[last]]]
    )
    return LeftOut(
        Bound(value, "too many in need", witness=tuple(witness.tolist())), found.need <= found.need[order[last]], value
    )


def leaving_by_peeling(found: Nearest, most: int) -> LeftOut:
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
    order, seen = peeled(found, most)
    widths = peel_widths(found.space, found.k, order)
    width = float(widths.min())
    kept = np.ones(len(found.rho), dtype=bool)
    kept[order[: int(np.argmin(seen))]] = False
    value = found.space.definitions.free_radius(found.space.definitions.half(width))
    bound = Bound(value, "peeling", witness=tuple(order.tolist()))
    return LeftOut(_by_discs(found, most, bound), kept, width)


def _by_discs(found: Nearest, most: int, bound: Bound) -> Bound:
    """The bound, or a better one in the plane or on the globe: for too many points no small disc holds k records too.

    docs/proofs/clusters/gather_outliers.md, bound “too many discs”. Up to 2,000 points are examined one by one.
    """
    space, k = found.space, found.k
    if not in_a_plane(space) or len(space) > ASKED:
        return bound
    order = np.argsort(-found.need, kind="stable")
    last = int(np.searchsorted(np.cumsum(space.weights[order]), most, side="right"))
    fails, holds = np.zeros(len(space)), np.array(found.need)  # widths of which it is known

    def lacking(value: float) -> list[int]:
        """More points than can be left out for which no smaller disc is enough; none if there are not that many."""
        width, short, records = six_digits_below(value), [], 0
        for place in order[found.need[order] >= width].tolist():
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

    low, high = bound.value, float(found.need[order[last]])
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
    gone = np.zeros(len(space), dtype=bool)
    for number, place in enumerate(order.tolist()):
        widths[number] = radius_of(space, place, k, gone)
        gone[place] = True
    return widths


def peeled(found: Nearest, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Points in the order of peeling, until more than `most` records are gone, and their distances then."""
    space, k = found.space, found.k
    weights = space.weights
    balls = [found.ball(place) for place in range(len(space))]
    sizes = [len(ball) for ball in balls]
    members = np.concatenate(balls)
    owners = np.repeat(np.arange(len(space)), sizes)[np.argsort(members, kind="stable")]
    starts = np.searchsorted(np.sort(members), np.arange(len(space) + 1))
    later: dict[int, set[int]] = {}  # whose longer list holds a point
    lists: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    gone = np.zeros(len(space), dtype=bool)

    def width_of(place: int) -> float:
        while True:
            if place in lists:
                near, apart = lists[place]
                held = np.cumsum(np.where(gone[near], 0, weights[near]))
                if held[-1] >= k:
                    return float(apart[np.searchsorted(held, k)])
                if len(near) == len(space):
                    return math.inf
            count = min(len(space), 2 * len(lists[place][0]) if place in lists else 2 * sizes[place] + 8)
            lists[place] = _near(space, place, count)
            for other in lists[place][0].tolist():
                later.setdefault(other, set()).add(place)

    width = found.rho.tolist()
    heap = [(-one, place) for place, one in enumerate(width)]
    heapq.heapify(heap)
    order, seen, left = [], [], 0
    while left <= most:
        one, place = heapq.heappop(heap)
        if gone[place] or -one != width[place]:
            continue
        gone[place] = True
        order.append(place)
        seen.append(-one)
        left += int(weights[place])
        for other in {*owners[starts[place] : starts[place + 1]].tolist(), *later.get(place, ())}:
            if not gone[other] and (now := width_of(other)) != width[other]:
                width[other] = now
                heapq.heappush(heap, (-now, other))
    return np.array(order, dtype=np.int64), np.array(seen)


def _near(space: MetricSpace, place: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A number of the nearest points and their distances, by distance."""
    if space.tree is None or count == len(space):
        near = np.arange(len(space))
    else:
        near = space.tree.query(space.tree.data[place], count, p=space.norm)[1]
    apart = space.distances(place, near)
    order = np.argsort(apart, kind="stable")
    return near[order], apart[order]


def part_of(space: MetricSpace, kept: np.ndarray) -> MetricSpace:
    """The points at some positions as a space of their own, with the distances that they have in the whole one.

    >>> import pandas as pd
    >>> whole = MetricSpace(pd.DataFrame({"age": [20, 30, 60]}), "gower")
    >>> part_of(whole, np.array([0, 1])).distances(0).tolist()
    [0.0, 0.25]
    """
    part = object.__new__(MetricSpace)
    for field in fields(space):
        object.__setattr__(part, field.name, getattr(space, field.name))
    points = space.points[kept][:, kept] if space.metric == "precomputed" else space.points[kept]
    own = {"points": frozen(points), "counts": frozen(space.counts[kept]), "ids": frozen(space.ids[kept])}
    for name, value in (own | {"frame": space.frame.iloc[kept].reset_index(drop=True), "counted": None}).items():
        object.__setattr__(part, name, value)
    if space.metric in ("gower", "hamming"):
        part.definitions.spots = [column[kept] for column in space.definitions.spots]  # ranges stay those of the whole
    return part


def of_whole(space: MetricSpace, kept: np.ndarray, solution: Solution) -> Solution:
    """A clustering of a part as one of the whole, with all other points left out."""
    assignment = np.full(len(space), -1, dtype=np.int64)
    assignment[kept] = solution.assignment
    places = np.where(solution.details.places >= 0, kept[solution.details.places], -1)
    centers = solution.details.centers if space.free else None
    return Solution(assignment, details_of(space, assignment, places=places, centers=centers))
