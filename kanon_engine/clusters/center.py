"""(k, r)-center (Aggarwal et al., section 2.4): a limited number of clusters, each of at least k records."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.centers import NO_PRICES, details_of
from kanon_engine.clusters.gather import (
    MOST_POINTS,
    attempts,
    better_bound,
    free_bound,
    judged,
    leaves_short,
    need_bound,
)
from kanon_engine.clusters.gather_flow import MOST_RECORDS, Attempt, Solution
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import Nearest, nearest
from kanon_engine.clusters.outliers import by_disks, centered, cheaper, disks_bound, net_of
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run

FARTHEST = 50_000_000  # distances for points that are far from each other


def center(space: MetricSpace, k: int, run: Run, *, centers: str, max_clusters: int | None, improve: bool) -> Outcome:
    """A limited number of clusters of at least k records with a small largest radius.

    Guarantee: 2 times the best possible where the triangle inequality holds, centers are not means and each point is
    one record (up to 200,000 of them): docs/proofs/clusters/center.md.

    Section 2.2 of the paper, where a width fails too if it needs too many centers, by halving between the largest width
    that is proven to fail and one that succeeds.

    Complexity: a greedy choice and a flow for each width, of which there are about 50; O(p²) memory for p = min(n,
        2,000) places.
    References: G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010),
        section 2.4.

    >>> line = MetricSpace([[0], [1], [2], [10], [11], [12], [30], [31]])
    >>> found = center(line, 2, Run(), centers="any", max_clusters=2, improve=True)
    >>> found.assignment.tolist(), found.cost
    ([0, 0, 0, 0, 0, 0, 1, 1], 6.0)
    """
    search = search_of(space, k, centers, max_clusters)
    clusters, fixed = search.clusters, search.fixed
    for _ in search.attempts(run):
        continue  # each improves the best or the bound
    best, bound, prices = search.best, search.bound, NO_PRICES
    if improve and not run.stopped and best.cost > bound.value:
        net = net_of(space)
        if fixed:
            bound, prices = max(
                [(bound, prices), disks_bound(net, k, clusters, space.total)], key=lambda one: one[0].value
            )
        step = lambda cost: run.goes_on(0.7, cost, bound.value, "trying circles with more records")  # noqa: E731
        best = by_disks(net, best, k, 0, clusters, centers, step)
    details = best.details
    details = details_of(space, best.assignment, places=details.places, centers=details.centers, prices=prices)
    promised = space.definitions.ceiling(2, bound.value)
    proven = space.definitions.is_metric and space.total == len(space) <= MOST_POINTS and (fixed or centers == "any")
    reached = proven and best.cost <= promised  # a run that was stopped may not reach this
    return Outcome(best.assignment, details, promised if reached else None, bound, best.cost)


def search_of(space: MetricSpace, k: int, centers: str, max_clusters: int | None) -> CenterSearch:
    """Before the first width: one cluster of all."""
    neighbors = nearest(space, k)
    fixed = centers == "input" or not space.free
    clusters = min(max_clusters or space.total, space.total // k)
    whole = np.zeros(len(space), dtype=np.int64)
    first = centered(space, whole, np.zeros(1, dtype=np.int64), centers)
    return CenterSearch(
        neighbors, clusters, centers, fixed, first, need_bound(neighbors) if fixed else free_bound(neighbors)
    )


@dataclass
class CenterSearch:
    """Widths of one run."""

    found: Nearest
    clusters: int
    centers: str
    fixed: bool  # whether centers are points
    best: Solution
    bound: Bound

    def attempts(self, run: Run) -> Iterator[Attempt]:
        """Attempt widths; each failure proves a diameter, each success gives a clustering."""
        space = self.found.space
        if len(space) > MOST_POINTS or space.total >= MOST_RECORDS:
            return
        self.keep(better_bound(self.found, self.bound, np.array([self.found.rho.argmax()]), self.fixed))
        goes_on = lambda: run.goes_on(0.3, self.best.cost, self.bound.value, "trying cluster widths")  # noqa: E731
        yield from attempts(self.found, self._farthest(), self._judged, goes_on)

    def _judged(self, neighbors: Nearest, trial: Attempt) -> tuple[float, float]:
        """Like `judged`; too many centers also prove a bound."""
        if len(trial.centers) > self.clusters:
            return self.apart(trial.centers), math.inf
        if not trial.succeeded:
            self.keep(better_bound(neighbors, self.bound, trial.witness, self.fixed))
        elif not leaves_short(neighbors, trial):  # otherwise points with counts have left a cluster short
            self.best = cheaper(self.best, centered(neighbors.space, trial.assignment, trial.centers, self.centers))
        return judged(neighbors, trial)

    def keep(self, bound: Bound) -> None:
        """The better of two bounds."""
        if bound.value > self.bound.value:
            self.bound = bound

    def apart(self, places: np.ndarray) -> float:
        """The least distance between one more point than there may be clusters: two of them share a cluster."""
        space = self.found.space
        chosen = farthest_first(space, places, self.clusters + 1)
        distances = np.array([space.distances(place, chosen) for place in chosen.tolist()])
        width = float(distances[~np.eye(len(chosen), dtype=bool)].min())
        value = space.definitions.half(width)
        value = value if self.fixed else space.definitions.free_radius(value)
        self.keep(Bound(value, "too many apart", witness=tuple(chosen.tolist())))
        return width

    def _farthest(self) -> float:
        """The same for points each of which is the farthest from those before it (Gonzalez 1985)."""
        space = self.found.space
        if self.clusters >= len(space) or (self.clusters + 1) * len(space) > FARTHEST:
            return 0.0
        return self.apart(np.arange(len(space)))


def farthest_first(space: MetricSpace, places: np.ndarray, count: int) -> np.ndarray:
    """A number of points, each the farthest from those before it.

    >>> farthest_first(MetricSpace([[0], [1], [9], [5]]), np.arange(4), 3).tolist()
    [0, 2, 3]
    """
    chosen = [0]
    nearest_one = space.distances(int(places[0]), places)
    while len(chosen) < count:
        chosen.append(int(nearest_one.argmax()))
        nearest_one = np.minimum(nearest_one, space.distances(int(places[chosen[-1]]), places))
    return np.asarray(places[chosen])
