"""From a first clustering to the best that a limited number of steps finds, with its bound."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.squares import NO_PRICES, outcome_of, require_means, squares
from kanon_engine.clusters.squares.annealing import improved
from kanon_engine.clusters.squares.line import LINE, best_on_a_line
from kanon_engine.clusters.squares.prices import NAME, Prices
from kanon_engine.clusters.squares.widest import split_large
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run

ONE_CLUSTER, ONE_COLUMN = "one cluster", "one column"
PRICED = 200_000  # points for which prices are searched
SHARE = 0.6  # of a time limit, after which clusters are no longer improved


def microaggregated(
    space: MetricSpace, k: int, run: Run, improve: bool, first: Callable[[np.ndarray, int, Run], np.ndarray]
) -> Outcome:
    """The clustering that `first` makes, or a better one, with what no clustering can be below.

    Parameters
    ----------
    space : MetricSpace
    k : int
    run : Run
    improve : bool
        Otherwise it ends with the first clustering, and with the bound that neighbours give.
    first : callable
        ``first(points, k, run)`` makes a clustering of at least 2k points.
    """
    require_means(space)
    points = np.array(space.points)  # kernels are compiled anew for arrays that cannot be written
    if len(points) < 2 * k:
        assignment = np.zeros(len(points), dtype=np.int64)
        return outcome_of(space, assignment, Bound(squares(points, assignment), ONE_CLUSTER))
    if points.shape[1] == 1 and improve and len(points) * k <= LINE:
        line = best_on_a_line(points[:, 0], k, run)
        if line is not None:
            return outcome_of(space, line, Bound(squares(points, line), ONE_COLUMN))
    search = Search(space, points, k, run)
    search.take(first(points, k, run), 0)
    if search.cost == 0:
        return search.outcome()
    search.price()
    if improve and not run.stopped:
        search.anneal(split_large(points, k, search.assignment))
        search.raise_bound()
    return search.outcome()


class Search:
    """The best clustering so far, and the best bound."""

    def __init__(self, space: MetricSpace, points: np.ndarray, k: int, run: Run) -> None:
        self.space, self.points, self.k, self.run = space, points, k, run
        self.assignment = np.zeros(len(points), dtype=np.int64)
        self.cost = np.inf
        self.curve: list[tuple[float, float, float]] = []
        self.prices: Prices | None = None
        self.bound = Bound(0.0, NAME)

    def take(self, assignment: np.ndarray, steps: int) -> None:
        """Keep a clustering if it costs less."""
        cost = squares(self.points, assignment)
        if cost < self.cost:
            self.assignment, self.cost = assignment, cost
            self.curve = [*(row for row in self.curve if row[0] < steps), (float(steps), cost, self.bound.value)]

    def price(self) -> None:
        """The bound of neighbours, without prices."""
        self.prices = Prices(self.points, self.space.tree, self.k)
        self.bound = self.prices.witness()[0]

    def goes_on(self, done: float, message: str) -> bool:
        """Report and ask."""
        return self.run.goes_on(done, self.cost, self.bound.value, message, self.outcome)

    def anneal(self, start: np.ndarray) -> None:
        """Make clusters better while the budget lasts."""
        random, limit = self.run.generator(), self.run.time_limit
        self.take(start, 0)
        seen = start
        for share, steps, best in improved(self.points, self.space.tree, self.k, start, random):
            if best is not seen:
                self.take(best, steps)
                seen = best
            if not self.goes_on(0.7 * share, f"{steps:,} swaps and shifts were tried"):
                return
            if limit is not None and self.run.seconds > SHARE * limit:
                return

    def raise_bound(self) -> None:
        """Search for prices while the budget lasts."""
        prices = self.prices
        if prices is None or len(self.points) > PRICED or prices.rounds == 0:
            return
        going = self.goes_on(0.7, "prices for the lower bound")
        while going:
            going = prices.ascend(self.cost)
            self.bound = Bound(max(self.bound.value, prices.value * (1 - 1e-6)), self.bound.name)
            share = prices.done / prices.rounds
            going = self.goes_on(0.7 + 0.3 * share, f"{prices.done:,} rounds for the lower bound") and going

    def outcome(self) -> Outcome:
        """What there is."""
        bound, witness = (self.bound, NO_PRICES) if self.prices is None else self.prices.witness()
        return outcome_of(self.space, self.assignment, bound, witness, self.curve)
