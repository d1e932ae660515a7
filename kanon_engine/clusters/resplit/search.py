"""The search for a cheap cellular clustering: the best of several that are improved."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.resplit import Cells
from kanon_engine.clusters.resplit.result import Clustering, ceiling_of, clustering
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run

STEPS = 2_000_000_000
SLICES = 20  # of the shaking; after each the best counts
MESSAGE = "dividing neighbouring clusters anew"


class Search:
    """The best clustering so far.

    Parameters
    ----------
    distances : Distances
    run : Run
    free : bool
        Whether centers may be anywhere.
    facility_cost : float
    bound : Bound
    prices : (n, 1) float64 array
        Its witness.
    ratio : int or None
        What the cost is at most, in bounds; None where nothing is proven.
    """

    def __init__(
        self,
        distances: Distances,
        run: Run,
        free: bool,
        facility_cost: float,
        bound: Bound,
        prices: np.ndarray,
        ratio: int | None,
    ) -> None:
        self.distances, self.run, self.free = distances, run, free
        self.facility_cost, self.bound, self.prices, self.ratio = facility_cost, bound, prices, ratio
        self.best: Clustering | None = None

    def begin(self, labels: np.ndarray, centers: np.ndarray, most: int) -> tuple[float, np.ndarray, np.ndarray]:
        """Improve a clustering in at most so many steps; the best before and after counts.

        Returns what came of it: what it costs around points, the cluster of each point, and the centers.
        """
        cells = self._cells(labels, centers)
        self._take(cells)
        cells.improve(most, lambda steps: self._goes_on(steps / most))
        self._take(cells)
        return cells.cost, *cells.numbered()

    def divided(self, labels: np.ndarray, centers: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Improve a clustering that is no result yet."""
        cells = self._cells(labels, centers)
        cells.improve(most, lambda steps: self._goes_on(steps / most))
        return cells.numbered()

    def shaken(self, labels: np.ndarray, centers: np.ndarray, most: int) -> None:
        """Pack neighbours anew at random, as long as that helps, in at most so many steps."""
        cells, rng = self._cells(labels, centers), self.run.generator()
        for number in range(1, SLICES + 1):
            cells.shake(rng, most * number // SLICES, lambda steps: self._goes_on(steps / most))
            self._take(cells)

    def _cells(self, labels: np.ndarray, centers: np.ndarray) -> Cells:
        within = self.distances
        return Cells(within.matrix, within.order, within.space.weights, within.k, self.facility_cost, labels, centers)

    def _take(self, cells: Cells) -> None:
        found = clustering(self.distances, cells.numbered()[0], self.free, self.facility_cost, self.prices)
        if self.best is None or found.cost < self.best.cost:
            self.best = found

    def _goes_on(self, done: float) -> bool:
        cost = self.outcome().cost
        return cost != self.bound.value and self.run.goes_on(
            min(done, 1.0), cost, self.bound.value, MESSAGE, self.outcome
        )

    def outcome(self) -> Outcome:
        """The best so far as a result."""
        best = self.best
        if best is None:
            raise ValueError("nothing was begun")
        space, bound = self.distances.space, self.bound
        ceiling = (
            None if self.ratio is None else ceiling_of(space, self.ratio, self.distances.k, bound.value, best.cost)
        )
        return Outcome(best.assignment, best.details, ceiling, bound, best.cost)
