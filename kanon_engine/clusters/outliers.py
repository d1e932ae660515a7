"""Clusterings that may leave a share of the records out (Aggarwal et al., sections 2.3 and 2.4)."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.centers import ball_centers, details_of, means_of, radius_around
from kanon_engine.clusters.gather_flow import Solution
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import BLOCK, nearest_center
from kanon_engine.model.generalization import members_of
from kanon_engine.model.objective import Bound
from kanon_engine.verification.clusters import (
    MOST_PLACES,
)  # points up to which all distances are kept; more points share them

# ---------------------------------------------------------------------------------------------------------------------
# How many records a number of sets of a small diameter can hold: section 2.4 of the paper at one width.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PlaceNet:
    """Places that represent all points."""

    space: MetricSpace
    places: np.ndarray  # (p,) int64: positions of points; all of them where they are few
    owner: np.ndarray  # (n,) int64: the place, 0 … p - 1, that represents each point
    weights: np.ndarray  # (p,) float64: records at each place
    apart: np.ndarray  # (p, p) float64: distances
    loss: float  # the largest distance of a point from its place


@dataclass(frozen=True)
class Coverage:
    """The result for one width."""

    # (c,) int64: places in the net, in the order they were chosen; pairwise farther apart than twice the width
    centers: np.ndarray
    kept: np.ndarray  # (p,) bool: places with k records within the width that are themselves kept
    owner: np.ndarray  # (p,) int64: which center, 0 … c - 1, covers a place; -1 for none
    covered: (
        int  # records at places that are covered. No such number of clusters with diameters up to the width holds more
    )


def net_of(space: MetricSpace, most: int = MOST_PLACES) -> PlaceNet:
    """All points, or `most` of them, each the farthest from those before it.

    O(n `most`) distances.

    >>> net = net_of(MetricSpace([[0], [1], [9], [10]]), 2)
    >>> net.places.tolist(), net.weights.tolist(), net.loss
    ([0, 3], [2.0, 2.0], 1.0)
    """
    if len(space) <= most:
        places = np.arange(len(space))
        return PlaceNet(space, places, places, space.weights.astype(np.float64), space.between(places), 0.0)
    chosen = [0]
    nearest = space.distances(0)
    while len(chosen) < most and nearest.max() > 0:
        chosen.append(int(nearest.argmax()))
        nearest = np.minimum(nearest, space.distances(chosen[-1]))
    places = np.array(chosen, dtype=np.int64)
    number = np.zeros(len(space), dtype=np.int64)
    number[places] = np.arange(len(places))
    owner = number[nearest_center(space, np.arange(len(space)), places)]
    loss = float(space.paired(np.arange(len(space)), places[owner]).max())
    weights = np.bincount(owner, weights=space.weights, minlength=len(places))
    return PlaceNet(space, places, owner, weights, space.between(places, places), loss)


def coverage(net: PlaceNet, width: float, k: int, clusters: int) -> Coverage:
    """The greedy step of section 2.4 with 2R = `width`, among the points that peeling keeps.

    Guarantee: `covered` is at least what any `clusters` sets with diameters up to the width and k records each hold.
    Lemma 2.5 of the paper counts records that it never assigns; here a center has its k among those that are kept.
    docs/proofs/clusters/center_outliers.md

    O(p²) for p places.

    References: G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010),
        section 2.4, Lemmas 2.5 to 2.7.

    The paper's step leaves a cluster of one on the line 0, 4, 8 with k = 3, of which two may be left out:

    >>> line = net_of(MetricSpace([[0], [4], [8]]))
    >>> coverage(line, 4.0, 3, 1).covered, coverage(line, 8.0, 3, 1).covered
    (0, 3)
    """
    near = net.apart <= width
    core = _kept(near, net.weights, k)
    free = core.copy()
    gains = near @ np.where(free, net.weights, 0.0)
    reach = twice(net.space, width)
    owner = np.full(len(core), -1, dtype=np.int64)
    centers: list[int] = []
    while len(centers) < clusters and free.any():
        center = int(np.where(free, gains, -1.0).argmax())
        covered = free & (net.apart[center] <= reach)
        owner[covered] = len(centers)
        centers.append(center)
        free &= ~covered
        # only newly covered places change gains: O(p²) for all centers together
        gains = gains - near[:, covered] @ net.weights[covered]
    return Coverage(np.array(centers, dtype=np.int64), core, owner, int(net.weights[owner >= 0].sum()))


def max_covered(net: PlaceNet, near: np.ndarray, present: np.ndarray, centers: np.ndarray, clusters: int) -> float:
    """A bound on the records within a number of balls.

    Repeatedly take the ball that holds most of what no earlier ball holds. At any time no solution holds more
    than all balls that were taken, plus the largest gains of as many further ones. Nemhauser, Wolsey,
    Fisher (1978).

    `near`: (p, p) bool. The ball around each place.
    `present`: (p,) bool. Places that count.
    `centers`: (p,) bool. Places around which there may be a ball.
    """
    free = present.copy()
    gains = np.where(centers, near @ np.where(free, net.weights, 0.0), 0.0)
    count = min(clusters, len(gains))
    covered_weight, best = 0.0, float(net.weights[free].sum())
    for _ in range(count):
        best = min(best, covered_weight + float(np.partition(gains, len(gains) - count)[len(gains) - count :].sum()))
        center = int(gains.argmax())
        if gains[center] <= 0:
            break
        covered = free & near[center]
        covered_weight += float(net.weights[covered].sum())
        free &= ~covered
        gains = np.where(centers, gains - near[:, covered] @ net.weights[covered], 0.0)
    return best


def fails(net: PlaceNet, width: float, k: int, clusters: int, least: int) -> bool:
    """Whether this many clusters with diameters up to the width and k records each hold fewer than `least` records.

    A proof where it is true: docs/proofs/clusters/center_outliers.md. Where it is not, `coverage` covers at
    least that many.
    """
    cover = coverage(net, width, k, clusters)
    if cover.covered < least:
        return True
    return max_covered(net, np.asarray(net.apart <= width), cover.kept, cover.kept, clusters) < least


def disks(net: PlaceNet, radius: float, k: int, clusters: int) -> np.ndarray:
    """(p,) int64: the class of each place, -1 for none; the fullest disk is repeatedly taken while it holds k.

    No guarantee; often all that must be covered is, at a radius far below that of `coverage`.
    """
    near = net.apart <= radius
    loads = near @ net.weights
    owner = np.full(len(net.places), -1, dtype=np.int64)
    for number in range(clusters):
        center = int(loads.argmax())
        if loads[center] < k:
            break
        covered = near[center] & (owner < 0)
        owner[covered] = number
        loads = loads - near[:, covered] @ net.weights[covered]
    return owner


def twice(space: MetricSpace, width: float) -> float:
    """How far two points can be from each other that are within a width of a third, in spite of rounding."""
    return 4 * width - 2 * space.definitions.half(2 * width)


def _kept(near: np.ndarray, weights: np.ndarray, k: int) -> np.ndarray:
    """Repeatedly remove all places with fewer than k records nearby."""
    core = np.ones(len(weights), dtype=bool)
    loads = near @ weights
    while True:
        sparse = core & (loads < k)
        if not sparse.any():
            return core
        core &= ~sparse
        loads = loads - near[:, sparse] @ weights[sparse]


def assigned(net: PlaceNet, cover: Coverage) -> np.ndarray:
    """(p,) int64: the nearest center of each place that is covered, -1 for others."""
    owner = cover.owner.copy()
    inside = np.flatnonzero(owner >= 0)
    step = max(1, BLOCK // len(cover.centers))
    for begin in range(0, len(inside), step):
        some = inside[begin : begin + step]
        owner[some] = net.apart[some][:, cover.centers].argmin(axis=1)
    return owner


# ---------------------------------------------------------------------------------------------------------------------
# Few clusters: what they can hold bounds the radius, and the fullest disks are often a good start.
# ---------------------------------------------------------------------------------------------------------------------


def least_width(net: PlaceNet, k: int, clusters: int, least: int) -> float:
    """A distance at which `coverage` covers at least `least` records, just above one at which the clusters cannot."""
    return _behind_failures(net, lambda width: fails(net, width, k, clusters, least))


def coverage_bound(net: PlaceNet, width: float, free: bool) -> tuple[Bound, np.ndarray]:
    """What the failure below that width proves, with its price: docs/proofs/clusters/center_outliers.md."""
    value = net.space.definitions.half(max(0.0, width - 2 * net.loss))
    value = net.space.definitions.free_radius(value) if free else value
    return Bound(value, "coverage", witness=_witness(net)), np.array([[width]])


def disks_bound(net: PlaceNet, k: int, clusters: int, least: int) -> tuple[Bound, np.ndarray]:
    """What this many disks around points cannot hold, with its price: docs/proofs/clusters/center_outliers.md."""

    def failed(radius: float) -> bool:
        """Whether this many disks with k records each hold fewer than `least` records."""
        near = np.asarray(net.apart <= radius)
        around = near @ net.weights >= k
        return max_covered(net, near, np.asarray(near[:, around].any(axis=1)), around, clusters) < least

    radius = _behind_failures(net, failed)
    value = max(0.0, 2 * net.space.definitions.half(radius) - 2 * net.loss) if net.loss else radius
    return Bound(value, "disks", witness=_witness(net)), np.array([[radius]])


def by_disks(
    net: PlaceNet, best: Solution, k: int, most: int, clusters: int, centers: str, goes_on: Callable[[float], bool]
) -> Solution:
    """The best of the clustering, and those of the fullest disks of radii by halving, after points have moved.

    Each point joins the nearest center, and the points that make the largest radius are left out. The cost never grows.
    """
    space, radii = net.space, np.unique(net.apart)

    def better(one: Solution) -> Solution:
        return trimmed(space, settled(space, one, k, most, centers), k, most, centers)

    best = better(best)
    low, high = -1, int(np.searchsorted(radii, best.cost))
    while high - low > 1 and goes_on(best.cost):
        middle = (low + high) // 2
        owner = disks(net, float(radii[middle]), k, clusters)
        if net.weights[owner < 0].sum() <= most:
            high = middle
            best = cheaper(best, better(of_places(net, owner, centers)))
        else:
            low = middle
    return best


def of_places(net: PlaceNet, owner: np.ndarray, centers: str) -> Solution:
    """The clustering in which every point is where its place is."""
    places = np.array([net.places[owner == number][0] for number in range(int(owner.max()) + 1)])
    return centered(net.space, owner[net.owner], places, centers)


def _behind_failures(net: PlaceNet, failed: Callable[[float], bool]) -> float:
    """A distance that does not fail, while the one before it does, if there is one; the last one must not fail."""
    widths = np.unique(net.apart)
    low, high = -1, len(widths) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if failed(float(widths[middle])):
            low = middle
        else:
            high = middle
    return float(widths[high])


def _witness(net: PlaceNet) -> tuple[int, ...]:
    return tuple(net.places.tolist()) if len(net.places) < len(net.owner) else ()


# ---------------------------------------------------------------------------------------------------------------------
# Centers for given classes, and steps that shrink the largest radius by leaving out the points that cause it.
# ---------------------------------------------------------------------------------------------------------------------


LOOKED_AT = 400  # members of a class that are tried as its center
BORDER = 6  # members on the border of a ball of which each is tried to be left out
MOST_DISTANCES = 200_000_000  # from centers to points, in a step that gives every point the nearest center
ROUNDS = 50


def centered(space: MetricSpace, assignment: np.ndarray, places: np.ndarray, centers: str) -> Solution:
    """The classes with centers of a kind: smallest balls, means, or the members around which they are narrowest.

    `assignment`: (n,) int64. Class of each point, 0 … m - 1, or -1.
    `places`: (m,) int64 array. For each class a point that may be its center, where centers are points: it stays so
        unless another is better.
    `centers`: as the option.
    """
    groups = members_of(assignment, len(places))
    if space.free and centers != "input":
        return Solution(assignment, details_of(space, assignment, centers=_free_centers(space, groups, centers)))
    best = np.empty(len(groups), dtype=np.int64)
    for number, (members, place) in enumerate(zip(groups, places.tolist(), strict=True)):
        tried = _tried(space, members, place)
        parts = [space.between(some, members).max(axis=1) for some in np.array_split(tried, 8) if len(some)]
        radii = np.concatenate(parts)
        narrowest = int(np.argmin(radii))
        closer = place < 0 or radii[narrowest] < space.distances(place, members).max()
        best[number] = tried[narrowest] if closer else place  # the center that it had, if that is as good
    return Solution(assignment, details_of(space, assignment, places=best))


def trimmed(space: MetricSpace, solution: Solution, k: int, most: int, centers: str) -> Solution:
    """Leave out a member of the widest class and recenter it, as long as that makes it narrower and is allowed.

    A class that can spare no member is left out as a whole where that is allowed and it is not the last one. The cost
    never grows.
    """
    assignment = np.array(solution.assignment)
    places = np.array(solution.details.places)
    left = most - int(space.weights[assignment < 0].sum())
    groups = members_of(assignment, len(places))
    heap = [(-radius, number) for number, radius in enumerate(solution.details.radii.tolist())]
    heapq.heapify(heap)
    while left > 0:
        widest, number = heap[0]
        members = groups[number]
        weight = int(space.weights[members].sum())
        narrower = _narrower(space, members, int(places[number]), min(weight - k, left), centers)
        if narrower is not None and narrower[0] < -widest:
            radius, out, places[number] = narrower
            assignment[out] = -1
            left -= int(space.weights[out])
            groups[number] = members[members != out]
            heapq.heapreplace(heap, (-radius, number))
        elif weight <= left and len(heap) > 1:
            assignment[members] = -1
            left -= weight
            heapq.heappop(heap)
        else:
            break
    present, numbers = np.unique(assignment[assignment >= 0], return_inverse=True)
    assignment[assignment >= 0] = numbers
    return cheaper(solution, centered(space, assignment, places[present], centers))


def settled(space: MetricSpace, solution: Solution, k: int, most: int, centers: str) -> Solution:
    """Give every point the nearest center, leave out the farthest, recenter; repeat while the cost falls.

    It ends where a class would fall below k. The cost never grows.
    """
    for _ in range(ROUNDS):
        details = solution.details
        if len(details.places) * len(space) > MOST_DISTANCES:
            return solution
        distances, nearest = np.full(len(space), np.inf), np.zeros(len(space), dtype=np.int64)
        for number, place in enumerate(details.places.tolist()):
            to_center = space.distances(place) if place >= 0 else space.from_center(details.centers[number])
            closer = to_center < distances
            distances[closer], nearest[closer] = to_center[closer], number
        order = np.argsort(-distances, kind="stable")
        out = order[: int(np.searchsorted(np.cumsum(space.weights[order]), most, side="right"))]
        nearest[out] = -1
        present, numbers = np.unique(nearest[nearest >= 0], return_inverse=True)
        nearest[nearest >= 0] = numbers
        loads = np.bincount(numbers, weights=space.weights[nearest >= 0])
        if (loads < k).any():
            return solution
        other = centered(space, nearest, details.places[present], centers)
        if other.cost >= solution.cost:
            return solution
        solution = other
    return solution


def cheaper(one: Solution, other: Solution) -> Solution:
    """The one that costs less; the first of two that cost the same."""
    return other if other.cost < one.cost else one


def _free_centers(space: MetricSpace, groups: list[np.ndarray], centers: str) -> np.ndarray:
    """(g, d) float64: the mean of each group, or the center of the smallest ball around it."""
    if centers == "means":
        return means_of(space.points, groups, space.counts)
    numbers = np.repeat(np.arange(len(groups)), [len(members) for members in groups])
    return ball_centers(space, numbers, np.concatenate(groups))


def _tried(space: MetricSpace, members: np.ndarray, place: int) -> np.ndarray:
    """All members, or of a large class those nearest to the middle, or to the center that it has."""
    if len(members) <= LOOKED_AT:
        return members
    if space.free:
        distances = space.from_center(_free_centers(space, [members], "any")[0], members)
    else:
        distances = space.distances(max(place, 0), members)
    return members[np.argsort(distances, kind="stable")[:LOOKED_AT]]


def _narrower(
    space: MetricSpace, members: np.ndarray, place: int, most: int, centers: str
) -> tuple[float, int, int] | None:
    """The radius of a class without a light enough member, that member, and the center, if it is a point.

    None where no member is light enough or it is the last one.
    """
    light = space.weights[members] <= most
    if not light.any() or len(members) < 2:
        return None
    if space.free and centers != "input":
        middle = _free_centers(space, [members], centers)[0]
        distances = np.where(light, space.from_center(middle, members), -1.0)
        tried = members[np.argsort(-distances, kind="stable")[: min(BORDER, int(light.sum()))]]
        rest = [members[members != out] for out in tried]
        middles = _free_centers(space, rest, centers)
        radii = [radius_around(space, *one) for one in zip(middles, rest, strict=True)]
        best = int(np.argmin(radii))
        return radii[best], int(tried[best]), -1
    around = _tried(space, members, place) if len(members) <= LOOKED_AT or place < 0 else np.array([place])
    distances = space.between(around, members)
    farthest = distances.argmax(axis=1)
    second = np.partition(distances, len(members) - 2, axis=1)[:, len(members) - 2]
    second[~light[farthest]] = np.inf
    best = int(np.argmin(second))
    if second[best] == np.inf:
        return None
    return float(second[best]), int(members[farthest[best]]), int(around[best])
