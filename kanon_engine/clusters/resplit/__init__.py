"""Local improvement of cellular clusterings: two neighbouring clusters are divided anew, as long as that is cheaper."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from kanon_engine.clusters.resplit.kernels import cheapest_center, divided
from kanon_engine.model.generalization import members_of

NEAR = 4  # neighbours that are looked at: so many times the usual size of a cluster, around every member
LARGE = 6  # two clusters of more points together than so many times that size are not divided
TOGETHER = 4  # clusters are packed anew at once
NOISE = 0.6  # by which balls are taken out of order then
PACKING = 300_000  # steps that packing counts for
PATIENCE = 10  # times the number of clusters without a gain, and shaking ends
MOST = 700  # nor are so many points, for the work grows with their cube


class Cells:
    """Clusters that are divided and merged.

    Parameters
    ----------
    matrix : (n, n) float64 array
        Distances.
    order : (n, n) int32 array
        Of each row, nearest first.
    weights : (n,) int64 array
    k : int
    facility_cost : float
    labels : (n,) int array
        The cluster of each point to begin with; -1 for points that are left out, and stay so.
    centers : (m,) int array
        The center of each.
    """

    def __init__(
        self,
        matrix: np.ndarray,
        order: np.ndarray,
        weights: np.ndarray,
        k: int,
        facility_cost: float,
        labels: np.ndarray,
        centers: np.ndarray,
    ) -> None:
        self.matrix, self.order, self.weights = matrix, order, weights
        self.k, self.facility_cost = k, facility_cost
        self.labels = labels.astype(np.int64)
        self.members = dict(enumerate(members_of(self.labels, len(centers))))
        self.centers: dict[int, int] = {}
        self.costs: dict[int, float] = {}
        self.steps = self.failures = 0
        self.usual = max(k, -(-len(labels) // len(centers)))
        self._next = len(centers)
        for number, center in enumerate(centers.tolist()):
            self._settle(number, self.members[number], center)

    def _settle(self, number: int, points: np.ndarray, center: int) -> None:
        """A cluster with its best center among its points and the one that is known."""
        best, radius = cheapest_center(self.matrix, points, np.append(center, points))
        self.members[number], self.centers[number] = points, int(best)
        self.costs[number] = float(radius) * int(self.weights[points].sum()) + self.facility_cost

    @property
    def cost(self) -> float:
        """Of all clusters together."""
        return sum(self.costs.values())

    def numbered(self) -> tuple[np.ndarray, np.ndarray]:
        """The cluster of each point, numbered 0 … m - 1, and the centers."""
        known = sorted(self.members, key=lambda number: int(self.members[number][0]))
        labels = np.full(len(self.labels), -1, dtype=np.int64)
        for new, number in enumerate(known):
            labels[self.members[number]] = new
        return labels, np.array([self.centers[number] for number in known], dtype=np.int64)

    def improve(self, most: int, goes_on: Callable[[int], bool]) -> None:
        """Divide pairs of neighbours anew until none gets cheaper, or `most` steps are done."""
        self._settle_down(deque(sorted(self.members)), most, goes_on)

    def _settle_down(self, queue: deque[int], most: int, goes_on: Callable[[int], bool]) -> None:
        while queue and self.steps < most and goes_on(self.steps):
            number = queue.popleft()
            if number in self.members:
                queue.extend(self._divide_near(number))

    def shake(self, rng: np.random.Generator, most: int, goes_on: Callable[[int], bool]) -> None:
        """Pack some neighbours anew, at random, and divide what comes of it, while `most` steps last.

        What does not get cheaper is taken back.
        """
        while self.failures < PATIENCE * len(self.members) and self.steps < most and goes_on(self.steps):
            known = sorted(self.members)
            group = self._around(known[int(rng.integers(len(known)))], int(rng.integers(2, TOGETHER + 1)))
            points = np.concatenate([self.members[number] for number in group])
            self.steps += PACKING
            self.failures += 1
            if len(points) > MOST or len(group) == 1:
                continue
            before, cost = self._state(), self.cost
            for number in group:
                self._remove(number)
            fresh = deque(self._add(own, center) for own, center in self._packed(points, rng))
            self._settle_down(fresh, most, goes_on)
            if self.cost < cost * (1 - 1e-12):
                self.failures = 0
            else:
                self._restore(before)

    def _state(self) -> tuple[dict[int, np.ndarray], dict[int, int], dict[int, float]]:
        return dict(self.members), dict(self.centers), dict(self.costs)

    def _restore(self, state: tuple[dict[int, np.ndarray], dict[int, int], dict[int, float]]) -> None:
        changed = [number for number in state[0] if number not in self.members]
        self.members, self.centers, self.costs = state
        for number in changed:
            self.labels[self.members[number]] = number

    def _around(self, number: int, count: int) -> list[int]:
        """A cluster and those whose points are nearest to its center."""
        near = self.labels[self.order[self.centers[number]]]
        return [number, *[other for other in dict.fromkeys(near[near >= 0].tolist()) if other != number][: count - 1]]

    def _packed(self, points: np.ndarray, rng: np.random.Generator) -> list[tuple[np.ndarray, int]]:
        """Balls of k records, smaller ones first as a rule, and the others with the nearest center."""
        matrix = self.matrix[np.ix_(points, points)]
        order = np.argsort(matrix, axis=1, kind="stable")
        sizes = (np.cumsum(self.weights[points[order]], axis=1) < self.k).sum(axis=1) + 1
        radii = matrix[np.arange(len(points)), order[np.arange(len(points)), sizes - 1]]
        labels = np.full(len(points), -1)
        centers: list[int] = []
        for v in np.argsort(radii * (1 + NOISE * rng.random(len(points))), kind="stable").tolist():
            own = order[v, : sizes[v]]
            if (labels[own] < 0).all():
                labels[own] = len(centers)
                centers.append(v)
        rest = np.flatnonzero(labels < 0)
        labels[rest] = np.argmin(matrix[rest][:, centers], axis=1)
        return [(points[labels == number], int(points[center])) for number, center in enumerate(centers)]

    def _add(self, points: np.ndarray, center: int) -> int:
        number = self._next
        self._next += 1
        self.labels[points] = number
        self._settle(number, points, center)
        return number

    def _remove(self, number: int) -> None:
        del self.members[number], self.costs[number], self.centers[number]

    def _divide_near(self, number: int) -> list[int]:
        """The clusters that come of this one, or of it and a neighbour, where they are cheaper."""
        mine = self.members[number]
        around = self.labels[self.order[mine, : NEAR * self.usual]].ravel()
        for other in [number, *dict.fromkeys(around[(around >= 0) & (around != number)].tolist())]:
            both = mine if other == number else np.concatenate([mine, self.members[other]])
            before = self.costs[number] + (self.costs[other] if other != number else 0.0)
            if len(both) > min(LARGE * self.usual + 8, MOST):
                continue
            found = divided(self.matrix, self.weights, both, self.k, self.facility_cost, other == number)
            self.steps += found.steps
            if found.cost < before * (1 - 1e-12):
                for gone in {number, other}:
                    self._remove(gone)
                return self._new(both, found)
        return []

    def _new(self, both: np.ndarray, found: tuple) -> list[int]:
        _, center, other, size, order, _ = found
        parts = [(both, center)] if other < 0 else [(both[order[:size]], center), (both[order[size:]], other)]
        return [self._add(points, int(both[own])) for points, own in parts]
