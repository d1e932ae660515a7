"""Local improvement of cellular clusterings: two neighboring clusters are redivided as long as that is cheaper."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.centers import ball_centers, details_of
from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.resplit_kernels import cheapest_center, divided
from kanon_engine.model.generalization import members_of
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run

NEAR = 4  # neighbors that are examined: this many times the usual size of a cluster, around every member
LARGE = 6  # two clusters with more points together than this many times that size are not divided
TOGETHER = 4  # clusters that are repacked at once
NOISE = 0.6  # by which balls are taken out of order then
PACKING = 300_000  # steps that packing counts for
PATIENCE = 10  # times the number of clusters without a gain, after which shaking ends
MOST = 700  # nor are clusters of more points, because the work grows with their cube


class CellularClusters:
    """Clusters that are divided and merged.

    `labels`: (n,) int. The cluster of each point to begin with; -1 for points that are left out, and stay so.
    `centers`: (m,) int. The center of each.
    """

    def __init__(self, distances: Distances, labels: np.ndarray, centers: np.ndarray) -> None:
        self.distances, self.matrix, self.order = distances, distances.matrix, distances.order
        self.weights, self.k, self.facility_cost = distances.space.weights, distances.k, distances.set_up
        self.labels = labels.astype(np.int64)
        self.members = dict(enumerate(members_of(self.labels, len(centers))))
        self.centers: dict[int, int] = {}
        self.costs: dict[int, float] = {}
        self.steps = self.failures = 0
        self.usual = max(self.k, -(-len(labels) // len(centers)))
        self._next = len(centers)
        for number, center in enumerate(centers.tolist()):
            self._settle(number, self.members[number], center)

    def _settle(self, number: int, points: np.ndarray, center: int) -> None:
        """A cluster with its best center among its points and its known center."""
        best, radius = cheapest_center(self.matrix, points, np.append(center, points))
        self.members[number], self.centers[number] = points, int(best)
        self.costs[number] = float(radius) * int(self.weights[points].sum()) + self.facility_cost

    @property
    def cost(self) -> float:
        return sum(self.costs.values())

    def numbered(self) -> tuple[np.ndarray, np.ndarray]:
        """The cluster of each point, numbered 0 … m - 1, and the centers."""
        order = sorted(self.members, key=lambda number: int(self.members[number][0]))
        labels = np.full(len(self.labels), -1, dtype=np.int64)
        for new, number in enumerate(order):
            labels[self.members[number]] = new
        return labels, np.array([self.centers[number] for number in order], dtype=np.int64)

    def improve(self, most: int, goes_on: Callable[[int], bool]) -> None:
        """Re-divide pairs of neighbors until none gets cheaper, or `most` steps are done."""
        self._divide(deque(sorted(self.members)), most, goes_on)

    def _divide(self, queue: deque[int], most: int, goes_on: Callable[[int], bool]) -> None:
        while queue and self.steps < most and goes_on(self.steps):
            number = queue.popleft()
            if number in self.members:
                queue.extend(self._divide_near(number))

    def shake(self, rng: np.random.Generator, most: int, goes_on: Callable[[int], bool]) -> None:
        """Repack some neighbors at random and divide the result, while `most` steps last.

        What does not get cheaper is undone.
        """
        while self.failures < PATIENCE * len(self.members) and self.steps < most and goes_on(self.steps):
            numbers = sorted(self.members)
            group = self._around(numbers[int(rng.integers(len(numbers)))], int(rng.integers(2, TOGETHER + 1)))
            points = np.concatenate([self.members[number] for number in group])
            self.steps += PACKING
            self.failures += 1
            if len(points) > MOST or len(group) == 1:
                continue
            before, cost = (dict(self.members), dict(self.centers), dict(self.costs)), self.cost
            for number in group:
                self._remove(number)
            delays = 1 + NOISE * rng.random(len(points))  # smaller balls first, as a rule
            labels, centers = packed(self.distances, points, delays)
            fresh = deque(self._add(points[labels == one], int(points[v])) for one, v in enumerate(centers.tolist()))
            self._divide(fresh, most, goes_on)
            if self.cost < cost * (1 - 1e-12):
                self.failures = 0
                continue
            changed = [number for number in before[0] if number not in self.members]
            self.members, self.centers, self.costs = before
            for number in changed:
                self.labels[self.members[number]] = number

    def _around(self, number: int, count: int) -> list[int]:
        """A cluster and those whose points are nearest to its center."""
        near = self.labels[self.order[self.centers[number]]]
        return [number, *[other for other in dict.fromkeys(near[near >= 0].tolist()) if other != number][: count - 1]]

    def _add(self, points: np.ndarray, center: int) -> int:
        number = self._next
        self._next += 1
        self.labels[points] = number
        self._settle(number, points, center)
        return number

    def _remove(self, number: int) -> None:
        del self.members[number], self.costs[number], self.centers[number]

    def _divide_near(self, number: int) -> list[int]:
        """The clusters made from this one, or from it and a neighbor, where they are cheaper."""
        mine = self.members[number]
        around = self.labels[self.order[mine, : NEAR * self.usual]].ravel()
        for other in [number, *dict.fromkeys(around[(around >= 0) & (around != number)].tolist())]:
            both = mine if other == number else np.concatenate([mine, self.members[other]])
            before = self.costs[number] + (self.costs[other] if other != number else 0.0)
            if len(both) > min(LARGE * self.usual + 8, MOST):
                continue
            division = divided(self.matrix, self.weights, both, self.k, self.facility_cost, other == number)
            self.steps += division.steps
            # cheaper by more than rounding, or two divisions could take turns forever
            if division.cost < before * (1 - 1e-12):
                for removed in {number, other}:
                    self._remove(removed)
                _, center, second, size, order, _ = division
                parts = [(both, center)]
                if second >= 0:
                    parts = [(both[order[:size]], center), (both[order[size:]], second)]
                return [self._add(points, int(both[position])) for points, position in parts]
        return []


def packed(
    distances: Distances, points: np.ndarray | None = None, delays: np.ndarray | float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """Take the smallest ball of k records that meets none before, while there is one; the rest goes to the nearest.

    Of some points, or of all; a ball whose radius is delayed by a factor comes later. Returns the cluster of each point
    and the centers, as places among the points.
    """
    matrix, weights = distances.matrix, distances.space.weights
    order: np.ndarray = distances.order
    if points is not None:
        matrix, weights = matrix[np.ix_(points, points)], weights[points]
        order = np.argsort(matrix, axis=1, kind="stable")
    sizes = (np.cumsum(weights[order], axis=1) < distances.k).sum(axis=1) + 1
    rows = np.arange(len(matrix))
    radii = matrix[rows, order[rows, sizes - 1]]
    labels = np.full(len(matrix), -1, dtype=np.int64)
    centers: list[int] = []
    for v in np.argsort(radii * delays, kind="stable").tolist():
        ball = order[v, : sizes[v]]
        if (labels[ball] < 0).all():
            labels[ball] = len(centers)
            centers.append(v)
    return join_nearest(matrix, labels, np.array(centers, dtype=np.int64))


def join_nearest(matrix: np.ndarray, labels: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every point without a cluster joins the one whose center is nearest."""
    labels, rest = labels.copy(), np.flatnonzero(labels < 0)
    labels[rest] = np.argmin(matrix[np.ix_(rest, centers)], axis=1)
    return labels, centers


STEPS = 2_000_000_000
SLICES = 20  # of the shaking; after each the best counts
MESSAGE = "redividing neighboring clusters"


class CellularSearch:
    """The search for a cheap cellular clustering: the best of several improved ones.

    `free`: whether centers may be anywhere.
    `prices`: (n, 1) float64. The witness of the bound.
    `ratio`: what the cost is at most, in bounds; None where nothing is proven.
    """

    def __init__(
        self, distances: Distances, run: Run, free: bool, bound: Bound, prices: np.ndarray, ratio: int | None
    ) -> None:
        self.distances, self.run, self.free = distances, run, free
        self.bound, self.prices, self.ratio = bound, prices, ratio
        self.best: Clustering | None = None

    def begin(self, labels: np.ndarray, centers: np.ndarray, most: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Improve a clustering in a limited number of steps; the best before and after counts.

        Returns its cost around points, the cluster of each point, and the centers.
        """
        self._take(CellularClusters(self.distances, labels, centers))
        cells = self.divided(labels, centers, most)
        self._take(cells)
        return cells.cost, *cells.numbered()

    def divided(self, labels: np.ndarray, centers: np.ndarray, most: int) -> CellularClusters:
        """Improve a clustering that is not yet a result."""
        cells = CellularClusters(self.distances, labels, centers)
        cells.improve(most, lambda steps: self._goes_on(steps / most))
        return cells

    def shaken(self, starts: list[tuple[float, np.ndarray, np.ndarray]], most: int) -> None:
        """Repack neighbors at random in the cheapest clustering so far, in a limited number of steps."""
        _, labels, centers = min(starts, key=lambda start: start[0])
        cells, rng = CellularClusters(self.distances, labels, centers), self.run.generator()
        for number in range(1, SLICES + 1):
            cells.shake(rng, most * number // SLICES, lambda steps: self._goes_on(steps / most))
            self._take(cells)

    def _take(self, cells: CellularClusters) -> None:
        candidate = clustering(self.distances, cells.numbered()[0], self.free, self.prices)
        if self.best is None or candidate.cost < self.best.cost:
            self.best = candidate

    def _goes_on(self, done: float) -> bool:
        cost, bound = self.outcome().cost, self.bound.value
        return cost != bound and self.run.goes_on(min(done, 1.0), cost, bound, MESSAGE, self.outcome)

    def outcome(self) -> Outcome:
        """The best so far as a result, with what the ratio to the bound allows, six digits, in spite of rounding.

        No ceiling where the triangle inequality is not known to hold, or where rounding made the cost larger still.
        """
        best = self.best
        if best is None:
            raise ValueError("the search has not started")
        definitions, ceiling = self.distances.space.definitions, None
        if self.ratio is not None and definitions.is_metric:
            ceiling = definitions.ceiling(self.ratio, self.bound.value, self.distances.k)
        if ceiling is not None and best.cost > ceiling:
            ceiling = None
        return Outcome(best.assignment, best.details, ceiling, self.bound, best.cost)


@dataclass(frozen=True)
class Clustering:
    assignment: np.ndarray  # (n,) int64
    details: ClusterDetails
    cost: float


def clustering(distances: Distances, labels: np.ndarray, free: bool, prices: np.ndarray) -> Clustering:
    """The clusters with the best center of each: of all points, or of all places where centers are free."""
    space = distances.space
    if free:
        places, centers = lone_points(space, labels), ball_centers(space, labels)
        details = details_of(space, labels, places=places, centers=centers, prices=prices)
    else:  # the point from which the farthest record is nearest
        best = [int(np.argmin(distances.matrix[members].max(axis=0))) for members in members_of(labels)]
        details = details_of(space, labels, places=best, prices=prices)
    sums = np.zeros(len(details.radii), dtype=np.int64)
    np.add.at(sums, labels[labels >= 0], space.weights[labels >= 0])
    return Clustering(labels, details, cellular_cost(sums, details.radii, distances.set_up))


def lone_points(space: MetricSpace, labels: np.ndarray) -> np.ndarray:
    """(m,) int64: the first point of each cluster whose points are all at one place; -1 for other clusters."""
    inside = np.flatnonzero(labels >= 0)
    numbers, first = np.unique(labels[inside], return_index=True)
    places = inside[first]
    spread = (space.points[inside] != space.points[places[labels[inside]]]).any(axis=1)
    places[np.isin(numbers, labels[inside[spread]])] = -1
    return places


def cellular_cost(records: np.ndarray, radii: np.ndarray, facility_cost: float) -> float:
    """Records times radius, summed over clusters, and what each cluster costs besides.

    >>> cellular_cost(np.array([50, 20, 8]), np.array([10.0, 5.0, 3.0]), 0.0)  # Figure 1.2 (c) of the paper
    624.0
    """
    parts = [weight * radius for weight, radius in zip(records.tolist(), radii.tolist(), strict=True)]
    return math.fsum([*parts, *[facility_cost] * len(parts)])
