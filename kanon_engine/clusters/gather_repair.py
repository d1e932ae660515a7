"""Dissolve clusters that are too wide together with those around them, and reassign their points."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree

from kanon_engine.clusters.centers import NO_PRICES, ball_centers, details_of, radius_around
from kanon_engine.clusters.gather_cover import NOTHING, CoverAnswer, cover
from kanon_engine.clusters.gather_flow import Solution, around_balls, around_points, canonical, replaced
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.nearest import BLOCK, within
from kanon_engine.model.generalization import members_of
from kanon_engine.verification.metric import GRID, on_grid

SIZES = (4, 8, 16, 32)  # how many times k records are dissolved, one after another
MOST_POINTS = 1_500  # points that are reassigned together
MAX_REASSIGNED = 3_000  # points up to which all are reassigned
ANEW = 0.1  # CP-SAT's deterministic time for that
CORES = (3, 10, 30, 100)  # points that are examined together
MORE = 1e-3  # km on the globe, more than places are off
STEP = 1e-3  # of that time, more for each question
CELL = 2e-8  # and for each ball and point
EFFORT = 2.0  # CP-SAT's deterministic time for one question


class RepairedClusters:
    """A clustering in which a few clusters at a time are replaced."""

    def __init__(self, space: MetricSpace, solution: Solution) -> None:
        self.space = space
        # the number of each point's cluster; numbers of dissolved ones are not used again
        self.label = solution.assignment.astype(np.int64)
        self.members = dict(enumerate(members_of(self.label, len(solution.details.radii))))
        self.places = solution.details.places.tolist()
        self.centers = list(solution.details.centers)
        self.radii = solution.details.radii.tolist()

    def farthest(self, number: int) -> int:
        members, place = self.members[number], self.places[number]
        if place >= 0:
            return int(members[self.space.distances(place, members).argmax()])
        return int(members[self.space.from_center(self.centers[number], members).argmax()])

    def replace(
        self, removed: list[int], points: np.ndarray, owner: np.ndarray, places: np.ndarray | None, width: float
    ) -> bool:
        """Put clusters in place of others, those that `owner` gives these points, if none of them is wider.

        `places` says at which points their centers are; None for smallest balls.
        """
        kinds, group_of = np.unique(owner, return_inverse=True)
        groups = [points[group_of == number] for number in range(len(kinds))]
        if places is not None:
            spots = places[kinds].tolist()
            centers = self.space.points[spots] if self.space.free else np.zeros((len(spots), 0))
            radii = [float(self.space.distances(at, some).max()) for at, some in zip(spots, groups, strict=True)]
        else:
            spots = [-1] * len(kinds)
            centers = ball_centers(self.space, group_of, points)
            radii = [radius_around(self.space, at, some) for at, some in zip(centers, groups, strict=True)]
        if max(radii) > width:  # by rounding
            return False
        for number in removed:
            del self.members[number]
        for at, center, radius, some in zip(spots, centers, radii, groups, strict=True):
            number = len(self.radii)
            self.members[number] = some
            self.label[some] = number
            self.places.append(at)
            self.centers.append(center)
            self.radii.append(radius)
        return True

    def solution(self) -> Solution:
        """The clustering, its clusters in the order of their numbers."""
        numbers = np.array(sorted(self.members), dtype=np.int64)
        details = ClusterDetails(
            np.array(self.places, dtype=np.int64)[numbers],
            np.array(self.centers)[numbers].reshape(len(numbers), -1),
            np.array(self.radii)[numbers],
            NO_PRICES,
            np.zeros((0, 3)),
        )
        return Solution(np.searchsorted(numbers, self.label), details)


@dataclass
class Repair:
    """Repairs of one run, with what is left of their effort."""

    space: MetricSpace
    k: int
    fixed: bool  # whether centers are points
    seed: int
    goes_on: Callable[[], bool]
    left: float  # CP-SAT's deterministic time that is left
    effort: float = EFFORT  # the most of it for one question
    # (s,) list of int: of the last repair: the points that could not be brought within the width, the worst of their
    # clusters
    stuck: list[int] = field(default_factory=list)

    def within(self, solution: Solution, width: float) -> Solution:
        """The clustering with as many clusters as could be brought within a radius; it never becomes wider.

        A cluster that is wider is dissolved with those around its farthest point; their points are given to new centers
        within the width, so that each has k records: `cover`.
        """
        self.stuck = []
        parts = RepairedClusters(self.space, solution)
        queue = [(-radius, number) for number, radius in enumerate(parts.radii) if radius > width]
        heapq.heapify(queue)
        while queue and self.left > 0 and self.goes_on():
            number = heapq.heappop(queue)[1]
            if number not in parts.members:  # dissolved with another one
                continue
            point = parts.farthest(number)
            if not self._around(parts, point, width):
                result = self.anew(width)[1] if not self.stuck else None
                if result is not None:
                    return result
                self.stuck.append(point)
        return parts.solution()

    def anew(self, width: float) -> tuple[str, Solution | None]:
        """Clusters around points within a radius, from scratch: the verdict of a short search."""
        if not self.fixed or len(self.space) > MAX_REASSIGNED or self.left <= 0:
            return "open", None
        every = np.arange(len(self.space))
        answer, spots = self.ask(every, every >= 0, width, most=ANEW)
        return answer.verdict, self.given(every, answer.owner, spots) if answer.verdict == "found" else None

    def _around(self, parts: RepairedClusters, point: int, width: float) -> bool:
        """Leave no wide cluster near a point, if possible."""
        before = 0
        for size in SIZES:
            near = self._nearest(point, 4 * size * self.k)
            chosen: list[int] = []
            weight = 0
            for number in dict.fromkeys(parts.label[near].tolist()):
                chosen.append(number)
                weight += int(self.space.weights[parts.members[number]].sum())
                if weight >= size * self.k:
                    break
            if len(chosen) == before:
                continue
            before = len(chosen)
            dissolved = np.sort(np.concatenate([parts.members[number] for number in chosen]))
            if len(dissolved) > MOST_POINTS:
                return False
            answer, spots = self.ask(dissolved, np.ones(len(dissolved), dtype=bool), width)
            if answer.verdict == "found":
                return parts.replace(chosen, dissolved, answer.owner, spots if self.fixed else None, width)
            if self.left <= 0 or not self.goes_on():
                return False
        return False

    def _nearest(self, point: int, most: int) -> np.ndarray:
        most = min(most, len(self.space))
        if self.space.tree is None:
            return np.argsort(self.space.distances(point), kind="stable")[:most]
        spot = self.space.tree.data[point]
        return np.atleast_1d(self.space.tree.query(spot, most, p=self.space.norm)[1])

    def refuted(self, width: float) -> bool:
        """Whether CP-SAT proves that some points near one that was stuck cannot all be in clusters within the width.

        Points outside may be used or not: what serves all points serves these. See docs/proofs/clusters/gather.md, C.
        """
        for point in self.stuck[:2]:
            for size in CORES:
                if size > len(self.space) or self.left <= 0:
                    break
                core = self._nearest(point, size)
                reached = [within(self.space, place, 2 * width * (1 + 1e-6) + MORE) for place in core.tolist()]
                points = np.arange(len(self.space))
                if self.space.definitions.is_metric:
                    points = np.unique(np.concatenate(reached))
                if len(points) > 2 * MOST_POINTS:
                    break
                if self.ask(points, np.isin(points, core), width, proof=True)[0].verdict == "impossible":
                    return True
        return False

    def ask(
        self, points: np.ndarray, must: np.ndarray, width: float, proof: bool = False, most: float = math.inf
    ) -> tuple[CoverAnswer, np.ndarray]:
        """Whether the points that must be in a cluster within the width can be, and the places of the balls tried.

        For a proof that they cannot, free balls are enlarged by the possible rounding error. `most` limits the effort.
        """
        if self.fixed:
            spots = points
            inside = self.space.between(points, points) <= width
        else:
            spots, inside = canonical(self.space, points, width, proof)
            if len(spots) == 0:
                return CoverAnswer("open", NOTHING, 0.0), spots
        effort = min(self.effort, self.left, most)
        answer = cover(inside, self.space.weights[points], self.k, must, self.seed, effort, self.goes_on)
        self.left -= answer.spent + STEP + inside.size * CELL
        return answer, spots

    def given(self, points: np.ndarray, owner: np.ndarray, spots: np.ndarray) -> Solution:
        """The clustering of some points that an answer gives."""
        assignment = np.full(len(self.space), -1, dtype=np.int64)
        if self.fixed:
            assignment[points] = spots[owner]
            return around_points(self.space, assignment)
        assignment[points] = np.unique(owner, return_inverse=True)[1]
        return around_balls(self.space, assignment)


ROUNDS = 3
WIDEST = 4_000  # points of a cluster that is split


def improved(
    space: MetricSpace, k: int, solution: Solution, fixed: bool, goes_on: Callable[[], bool] = lambda: True
) -> Solution:
    """A clustering of no larger radius whose clusters are smaller.

    A cluster of at least 2k records is split in two where both are no wider. Then each point goes to a nearer center,
    if its own keeps k records, and centers are chosen again. A change is kept only
    if it makes no cluster wider than the cost. `goes_on` is asked before each of these steps.

    O(n k) or a little more for each round, with a tree.
    """
    for _ in range(ROUNDS):
        before = solution
        for make in (_split, _reassigned):
            if not goes_on():
                return solution
            candidate = make(space, k, solution, fixed)
            solution = candidate if candidate.cost <= solution.cost else solution
        if len(solution.details.radii) == len(before.details.radii) and _mean(space, solution) >= _mean(space, before):
            return before
    return solution


def _mean(space: MetricSpace, solution: Solution) -> float:
    """The mean of the radii over records: the quality of a clustering besides its cost."""
    return float((solution.details.radii[solution.assignment] * space.weights).sum()) / space.total


def _split(space: MetricSpace, k: int, solution: Solution, fixed: bool) -> Solution:
    """Each cluster with 2k records or more in two, where neither is wider than it."""
    sizes = np.bincount(solution.assignment, weights=space.weights)
    groups = members_of(solution.assignment)
    label = solution.assignment.copy()
    owner = np.full(len(space), -1, dtype=np.int64)
    changed: list[int] = []
    for number in np.flatnonzero(sizes >= 2 * k).tolist():
        members = groups[number]
        if not 2 <= len(members) <= WIDEST:
            continue
        halves = _halves(space, k, members)
        if halves is not None:
            label[members] = 0
            label[halves] = 1
            owner[members] = 2 * len(changed) + label[members]
            changed.append(number)
    if not changed:
        return solution
    part = _centered(space, owner, fixed)
    radii = part.details.radii.reshape(-1, 2).max(axis=1)
    good = radii <= solution.details.radii[changed]
    accepted = np.flatnonzero(owner >= 0)
    accepted = accepted[good[owner[accepted] // 2]]
    if len(accepted) == 0:
        return solution
    fewer = np.full(len(space), -1, dtype=np.int64)
    fewer[accepted] = np.unique(owner[accepted], return_inverse=True)[1]
    return replaced(solution, accepted, _centered(space, fewer, fixed))


def _halves(space: MetricSpace, k: int, members: np.ndarray) -> np.ndarray | None:
    """Those members that go to one of two points far from each other, with k records at each; None for none."""
    first = members[space.distances(int(members[0]), members).argmax()]
    here = space.distances(int(first), members)
    there = space.distances(int(members[here.argmax()]), members)
    order = np.argsort(here - there, kind="stable")
    cumulative = np.cumsum(space.weights[members[order]])
    least = int(np.searchsorted(cumulative, k)) + 1  # at least this many members hold k
    most = int(np.searchsorted(cumulative, cumulative[-1] - k, side="right"))  # and at most this many leave k
    if least > most:
        return None
    nearer = int((here < there).sum())
    return members[order[: min(max(nearer, least), most)]]


def _reassigned(space: MetricSpace, k: int, solution: Solution, fixed: bool) -> Solution:
    """Each point at a nearer center, as long as its own keeps k records; those that gain most first."""
    current, best, nearest = _nearer(space, solution)
    gain = current - nearest
    movable = np.flatnonzero(gain > 0)
    movable = movable[np.argsort(-gain[movable], kind="stable")]
    sizes = np.bincount(solution.assignment, weights=space.weights)
    assignment = solution.assignment.copy()
    for point in movable.tolist():
        weight = space.weights[point]
        if sizes[assignment[point]] - weight >= k:
            sizes[assignment[point]] -= weight
            assignment[point] = best[point]
            sizes[best[point]] += weight
    if fixed:
        return Solution(assignment, details_of(space, assignment, places=solution.details.places))
    return around_balls(space, assignment)


def _nearer(space: MetricSpace, solution: Solution) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How far each point is from its center; the nearest center, and how far that is: as the tree has it."""
    places, every = solution.details.places, np.arange(len(space))
    if space.embedding is None:
        parts = np.array_split(every, 1 + len(every) * len(places) // BLOCK)
        best = np.concatenate([space.between(some, places).argmin(axis=1) for some in parts])
        return space.paired(every, places[solution.assignment]), best, space.paired(every, places[best])
    spots = np.where((places >= 0)[:, None], space.embedding[places], 0.0)
    free = places < 0
    if free.any():
        centers = solution.details.centers[free]
        spots[free] = np.column_stack(on_grid(*centers.T)) / GRID if space.metric == "haversine" else centers
    step = np.abs(space.embedding - spots[solution.assignment])
    current = step.sum(axis=1) if space.norm == 1 else np.sqrt((step**2).sum(axis=1))
    nearest, best = cKDTree(spots).query(space.embedding, p=space.norm)
    return current, best, nearest


def _centered(space: MetricSpace, assignment: np.ndarray, fixed: bool) -> Solution:
    """The best center of each class: the point whose farthest member is nearest, or a free center."""
    if not fixed:
        return around_balls(space, assignment)
    places = [members[space.between(members, members).max(axis=1).argmin()] for members in members_of(assignment)]
    return Solution(assignment, details_of(space, assignment, places=np.array(places)))
