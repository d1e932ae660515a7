"""Centers for given classes, and steps that make the largest radius smaller by leaving out whoever makes it."""

from __future__ import annotations

import heapq

import numpy as np

from kanon_engine.clusters.balls import ball_centers
from kanon_engine.clusters.gather.solution import Solution
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.means import means_of
from kanon_engine.clusters.radii import details_of, radius_around
from kanon_engine.model.generalization import members_of

LOOKED_AT = 400  # members of a class that are tried as its center
BORDER = 6  # members on the border of a ball of which each is tried to be left out
MOST_DISTANCES = 200_000_000  # from centers to points, in a step that gives every point the nearest center
ROUNDS = 50


def centered(space: MetricSpace, assignment: np.ndarray, places: np.ndarray, centers: str) -> Solution:
    """The classes with centers of a kind: smallest balls, means, or the members around which they are narrowest.

    Parameters
    ----------
    space : MetricSpace
    assignment : (n,) int64 array
        Class of each point, 0 … m - 1, or -1.
    places : (m,) int64 array
        For each class a point that may be its center, where centers are points: it stays so unless another is better.
    centers : str
        As the option.
    """
    groups = members_of(assignment, len(places))
    if space.free and centers != "input":
        return Solution(assignment, details_of(space, assignment, centers=_free_centers(space, groups, centers)))
    best = [_best_point(space, own, place) for own, place in zip(groups, places.tolist(), strict=True)]
    return Solution(assignment, details_of(space, assignment, places=np.array(best, dtype=np.int64)))


def trimmed(space: MetricSpace, solution: Solution, k: int, most: int, centers: str) -> Solution:
    """Leave a member of the widest class out, and center it anew, as long as that makes it narrower and is allowed.

    A class that can spare nobody is left out as a whole where that is allowed and it is not the last one. The cost
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
        own = groups[number]
        held = int(space.weights[own].sum())
        found = _narrower(space, own, int(places[number]), min(held - k, left), centers)
        if found is not None and found[0] < -widest:
            radius, out, places[number] = found
            assignment[out] = -1
            left -= int(space.weights[out])
            groups[number] = own[own != out]
            heapq.heapreplace(heap, (-radius, number))
        elif held <= left and len(heap) > 1:
            assignment[own] = -1
            left -= held
            heapq.heappop(heap)
        else:
            break
    kept, numbers = np.unique(assignment[assignment >= 0], return_inverse=True)
    assignment[assignment >= 0] = numbers
    return cheaper(solution, centered(space, assignment, places[kept], centers))


def settled(space: MetricSpace, solution: Solution, k: int, most: int, centers: str) -> Solution:
    """Give every point the nearest center, leave the farthest out, center anew; repeat while the cost falls.

    It ends where a class would fall below k. The cost never grows.
    """
    for _ in range(ROUNDS):
        details = solution.details
        if len(details.places) * len(space) > MOST_DISTANCES:
            return solution
        apart, nearest = np.full(len(space), np.inf), np.zeros(len(space), dtype=np.int64)
        for number, place in enumerate(details.places.tolist()):
            own = space.distances(place) if place >= 0 else space.from_center(details.centers[number])
            closer = own < apart
            apart[closer], nearest[closer] = own[closer], number
        order = np.argsort(-apart, kind="stable")
        out = order[: int(np.searchsorted(np.cumsum(space.weights[order]), most, side="right"))]
        nearest[out] = -1
        kept, numbers = np.unique(nearest[nearest >= 0], return_inverse=True)
        nearest[nearest >= 0] = numbers
        held = np.bincount(numbers, weights=space.weights[nearest >= 0])
        if (held < k).any():
            return solution
        other = centered(space, nearest, details.places[kept], centers)
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
    numbers = np.repeat(np.arange(len(groups)), [len(own) for own in groups])
    return ball_centers(space, numbers, np.concatenate(groups))


def _best_point(space: MetricSpace, members: np.ndarray, place: int) -> int:
    """The member around which a class is narrowest, or the center that it had, if that is as good."""
    tried = _tried(space, members, place)
    radii = np.concatenate([space.between(some, members).max(axis=1) for some in np.array_split(tried, 8) if len(some)])
    best = int(np.argmin(radii))
    return int(tried[best]) if place < 0 or radii[best] < space.distances(place, members).max() else place


def _tried(space: MetricSpace, members: np.ndarray, place: int) -> np.ndarray:
    """All members, or of a large class those nearest to the middle, or to the center that it has."""
    if len(members) <= LOOKED_AT:
        return members
    if space.free:
        apart = space.from_center(_free_centers(space, [members], "any")[0], members)
    else:
        apart = space.distances(max(place, 0), members)
    return members[np.argsort(apart, kind="stable")[:LOOKED_AT]]


def _narrower(
    space: MetricSpace, members: np.ndarray, place: int, most: int, centers: str
) -> tuple[float, int, int] | None:
    """The radius of a class without a member of at most so many records, who that is, and the center, if it is a point.

    None where nobody is so light or the last one is.
    """
    light = space.weights[members] <= most
    if not light.any() or len(members) < 2:
        return None
    if space.free and centers != "input":
        middle = _free_centers(space, [members], centers)[0]
        apart = np.where(light, space.from_center(middle, members), -1.0)
        tried = members[np.argsort(-apart, kind="stable")[: min(BORDER, int(light.sum()))]]
        rest = [members[members != out] for out in tried]
        middles = _free_centers(space, rest, centers)
        radii = [radius_around(space, *one) for one in zip(middles, rest, strict=True)]
        best = int(np.argmin(radii))
        return radii[best], int(tried[best]), -1
    around = _tried(space, members, place) if len(members) <= LOOKED_AT or place < 0 else np.array([place])
    apart = space.between(around, members)
    farthest = apart.argmax(axis=1)
    second = np.partition(apart, len(members) - 2, axis=1)[:, len(members) - 2]
    second[~light[farthest]] = np.inf
    best = int(np.argmin(second))
    if second[best] == np.inf:
        return None
    return float(second[best]), int(members[farthest[best]]), int(around[best])
