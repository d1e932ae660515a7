"""Searches among single cuts that chance guides, as the paper compares itself with: annealing and a genetic search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from kanon_engine.tables.cuts.node_kernels import HEAD, OUT, collapse, intervals
from kanon_engine.tables.cuts.problem import copied, problem_of
from kanon_engine.tables.hill_climb.kernels import weigh_cells
from kanon_engine.tables.instance import Table

POPULATION = 40
HOTTEST, COLDEST = 1e-2, 1e-5  # parts of the cost that a step may rise by, at the begin and at the end
CROSSED = 0.9  # share of children that have two parents


class Cuts:
    """Sets of cuts of a table, and what they cost by discernibility where any number of records may be left out."""

    def __init__(self, table: Table, k: int) -> None:
        self._problem, self._root = problem_of(table, k, "DM", None)
        self.values = len(self._problem.columns)

    def cost(self, chosen: np.ndarray) -> int:
        """What the cuts at the chosen values cost; (a,) bool."""
        kinds = np.where(chosen, HEAD, OUT).astype(np.int8)
        cells = collapse(self._problem, copied(self._root), intervals(self._problem, kinds)[0])
        return int(weigh_cells(self._problem, cells, kinds)[0])


def annealing(cuts: Cuts, rng: np.random.Generator, share: Callable[[], float]) -> Iterator[int]:
    """Change one cut at a time, and keep what is worse the more rarely the further it is; yields each cost.

    Winkler (2002), as far as Bayardo and Agrawal tell of it: Metropolis' rule, with temperatures that fall
    geometrically from `HOTTEST` to `COLDEST` of the cost without cuts. `share` is how much of the time is over.
    """
    chosen = np.zeros(cuts.values, dtype=bool)
    cost = whole = cuts.cost(chosen)
    while True:
        other = chosen.copy()
        other[rng.integers(cuts.values)] ^= True
        found = cuts.cost(other)
        warmth = whole * HOTTEST * (COLDEST / HOTTEST) ** min(share(), 1.0)
        if found <= cost or rng.random() < math.exp((cost - found) / warmth):
            chosen, cost = other, found
        yield found


def genetic(cuts: Cuts, rng: np.random.Generator, share: Callable[[], float]) -> Iterator[int]:
    """Children take each cut from one of two parents, and a cut changes now and then; yields each cost.

    Iyengar (2002), as far as Bayardo and Agrawal tell of it: a set of cuts is a string of bits; of two the better one
    becomes a parent; the best so far stays.
    """
    population = rng.random((POPULATION, cuts.values)) < rng.random((POPULATION, 1))
    costs = np.empty(POPULATION, dtype=np.int64)
    for place in range(POPULATION):
        costs[place] = cuts.cost(population[place])
        yield int(costs[place])
    while True:
        pairs = rng.integers(POPULATION, size=(2, 2, POPULATION))
        first, second = (np.where(costs[one] <= costs[other], one, other) for one, other in pairs)
        mixed = (rng.random(population.shape) < 0.5) & (rng.random((POPULATION, 1)) < CROSSED)
        children = np.where(mixed, population[second], population[first])
        children ^= rng.random(population.shape) < 1 / cuts.values
        children[0] = population[costs.argmin()]
        best = costs.min()
        for place in range(1, POPULATION):
            costs[place] = cuts.cost(children[place])
            yield int(costs[place])
        costs[0], population = best, children
