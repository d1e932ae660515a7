"""The least largest radius: one radius after another, CP-SAT says whether there are clusters within it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Protocol

import numpy as np

from kanon_engine.clusters.gather import gather
from kanon_engine.clusters.gather.discs import in_a_plane
from kanon_engine.clusters.gather.improve import improved
from kanon_engine.clusters.gather.repair import Repair
from kanon_engine.clusters.gather.solution import Solution
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.errors import InvalidInput
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome, Run
from kanon_engine.search.solvers import CapSearch

BUDGET = 30.0  # CP-SAT's deterministic time for a run without a time limit
MOST_POINTS = 3_000
FIRST = 100_000  # the least whole number of six digits


def least_radius(space: MetricSpace, k: int, run: Run, *, centers: str) -> Outcome:
    """The least largest radius: see `exact`."""
    if len(space) > MOST_POINTS:
        message = f"Exact search looks at up to {MOST_POINTS:,} points; there are {len(space):,}. Choose gather."
        raise InvalidInput(message)
    fixed = centers == "input" or not space.free
    share = None if run.time_limit is None else run.time_limit / 2
    first = Run(run.seed, share, lambda said: run.goes_on(said.done / 4, said.best, said.lower_bound, said.message))
    found = gather(space, k, first, centers=centers)
    bound, least = found.bound, found.cost
    if bound is None or least is None or least == bound.value or (bound.value == 0 and not fixed):
        # a bound of 0 around free centers: every place has k records, and rounding on the globe alone costs something
        return Outcome(found.assignment, found.details, None, bound, least)
    best = Solution(found.assignment, found.details)  # type: ignore[arg-type]  # its details are clusters
    radii: Radii = Distances(space, bound.value, least) if fixed else SixDigits(bound.value)
    search = CapSearch(run, 0, BUDGET, "asking whether there are clusters within a radius", begun=0.25)
    every = np.arange(len(space))

    def ask(rank: int, effort: float, goes_on: Callable[..., bool]) -> tuple[str, Solution | None, float]:
        repair = Repair(space, k, fixed, run.seed, goes_on, effort, effort)
        proof = not fixed and in_a_plane(space)
        answer, spots = repair.ask(every, every >= 0, radii.radius(rank), proof)
        if answer.verdict != "found":
            return answer.verdict if fixed or proof else "open", None, answer.spent
        made = repair.given(every, answer.owner, spots)
        if radii.rank(made.cost) > rank:  # by rounding, which no effort will change
            return "too large", None, answer.spent
        return "found", made, answer.spent

    best = search.narrow(best, lambda one: radii.rank(one.cost), ask)
    best = improved(space, k, best, fixed)
    proven = radii.radius(search.low)
    if proven > bound.value:
        bound = Bound(proven, "exact search", "solver")
    return Outcome(best.assignment, best.details, None, bound, best.cost)


class Radii(Protocol):
    """The radii that clusters can have, from a lower bound on."""

    def radius(self, rank: int) -> float:
        """That of a rank; 0 is the least."""

    def rank(self, radius: float) -> int:
        """The rank of one of them."""


class Distances:
    """Of clusters around points: the distances between points, from a bound to a cost."""

    def __init__(self, space: MetricSpace, bound: float, cost: float) -> None:
        apart = space.between(np.arange(len(space)))
        self.values = np.unique(apart[(apart >= bound) & (apart <= cost)])

    def radius(self, rank: int) -> float:
        """That of a rank."""
        return float(self.values[rank])

    def rank(self, radius: float) -> int:
        """The rank of a distance."""
        return int(np.searchsorted(self.values, radius))


class SixDigits:
    """Of clusters around free centers: numbers of six digits, from a bound on."""

    def __init__(self, bound: float) -> None:
        self.least = _number(bound)

    def radius(self, rank: int) -> float:
        """That of a rank."""
        power, digits = divmod(self.least + rank, 9 * FIRST)
        return float(Decimal(digits + FIRST).scaleb(power))

    def rank(self, radius: float) -> int:
        """The rank of a number of six digits."""
        return _number(radius) - self.least


def _number(radius: float) -> int:
    """Of a number of six digits: how many there are from 100000 up to it."""
    exact = Decimal(radius)
    power = exact.adjusted() - 5
    return power * 9 * FIRST + int(exact.scaleb(-power).to_integral_value()) - FIRST
