"""Local improvement of cellular clusterings: two neighbouring clusters are divided anew, as long as that is cheaper."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import numpy as np

from kanon_engine.clusters.resplit.kernels import cheapest_center, divided

NEAR = 4  # neighbours that are looked at: so many times the usual size of a cluster, around every member
LARGE = 6  # two clusters of more points together than so many times that size are not divided
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
        self.members = {number: np.flatnonzero(labels == number) for number in range(len(centers))}
        self.centers: dict[int, int] = {}
        self.costs: dict[int, float] = {}
        self.steps = 0
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
        queue = deque(sorted(self.members))
        while queue and self.steps < most and goes_on(self.steps):
            number = queue.popleft()
            if number in self.members:
                queue.extend(self._divide_near(number))

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
                    del self.members[gone], self.costs[gone], self.centers[gone]
                return self._new(both, found)
        return []

    def _new(self, both: np.ndarray, found: tuple) -> list[int]:
        _, center, other, size, order, _ = found
        parts = [(both, center)] if other < 0 else [(both[order[:size]], center), (both[order[size:]], other)]
        fresh = []
        for points, own in parts:
            self.labels[points] = self._next
            self._settle(self._next, points, int(both[own]))
            fresh.append(self._next)
            self._next += 1
        return fresh
