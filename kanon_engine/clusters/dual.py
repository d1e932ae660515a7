"""Prices of records whose sum is a lower bound on every clustering, in whole numbers.

A cluster of records S with radius d costs |S| d + f. Prices are proven if in no ball of radius d with at least
k records any k or more of them have prices that sum to more than d each, plus f. Then no cluster costs less than the
prices of its records. Proof and counts: docs/proofs/clusters/cellular.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from kanon_engine.clusters.dual_kernels import NEVER, Rule, Space, ascend
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.errors import InvalidInput
from kanon_engine.model.objective import Bound

BITS = 61  # of the largest sum
MOST_POINTS = 6_000  # all distances are kept, with their order, 12 bytes for each pair; at work three times as much
BLOCK = 256  # rows of distances that are computed at once


@dataclass(frozen=True)
class Rise:
    """How prices rose."""

    prices: np.ndarray  # (n,) int64: in whole steps
    event: np.ndarray  # (n,) int64: which event stopped each point; -1 for a point that rises still
    # centers, radii: (e,) int64: of the balls that were paid for, one an event, in the order of time; radii in whole
    # steps
    centers: np.ndarray
    radii: np.ndarray


class Distances:
    """All distances of a space and their order, with a step so small that whole numbers of them do for prices.

    Raises `InvalidInput`: there are more points than memory is for.
    """

    def __init__(self, space: MetricSpace, k: int, facility_cost: float) -> None:
        n = len(space)
        if n > MOST_POINTS:
            raise InvalidInput(
                f"There are {n:,} points, but cellular clusterings store the distances of all pairs and take at most "
                f"{MOST_POINTS:,} points. Choose gather, or fewer points."
            )
        self.space, self.k, self.set_up = space, k, facility_cost
        self.matrix = np.empty((n, n))
        self.order = np.empty((n, n), dtype=np.int32)
        for start in range(0, n, BLOCK):
            rows = np.arange(start, min(start + BLOCK, n))
            self.matrix[rows] = space.between(rows)
            self.order[rows] = np.argsort(self.matrix[rows], axis=1, kind="stable")
        # above every price and the facility cost together, so that no step of the certificate is coarser
        dearest = (k + 2) * float(self.matrix.max()) + 3 * facility_cost
        self.per_unit = 2.0 ** min(BITS - 1 - math.frexp(dearest * space.total)[1], 500)
        self.facility_cost = math.floor(facility_cost * self.per_unit)

    @cached_property
    def _tables(self) -> Space:
        return Space(self.matrix, self.order, self.space.weights, self.per_unit)

    def halved(self) -> Distances:
        """Half of each distance, minus what rounding may have done: no ball that holds two points is smaller."""
        half = self.space.definitions.halved(self.matrix)
        result = copy(self)
        result.matrix = half - self.space.definitions.forgiven(half)
        vars(result).pop("_tables", None)
        return result

    def rise(
        self, *, slope: int = 0, top: int = 1, least: int = 1, reach: int = NEVER, spare: int = 0, member: bool = False
    ) -> Rise:
        """Prices that rise until balls are paid for; the parameters are those of `kernels.Rule`."""
        return Rise(*ascend(self._tables, Rule(self.facility_cost, slope, top, least, reach, spare, member)))

    def steps(self, v: int) -> np.ndarray:
        """(n,) int64: the distances from a point, rounded down to whole steps."""
        return (self.matrix[v] * self.per_unit).astype(np.int64)

    def as_numbers(self, prices: np.ndarray) -> np.ndarray:
        """Prices as floats, never above them: those of more than 53 bits lose the last bits."""
        spare = np.maximum(np.frexp(prices.astype(np.float64))[1].astype(np.int64) - 53, 0)
        return ((prices >> spare) << spare).astype(np.float64) / self.per_unit


def price_bound(
    distances: Distances, free: bool, also: np.ndarray | None = None, spare: int = 0
) -> tuple[Bound, np.ndarray]:
    """The better of two proven sums of prices, as a bound, and its prices as the details keep them.

    `free`: whether centers may be anywhere.
    `also`: (n,) int64, optional. Further prices that are proven for centers at points.
    `spare`: the records that may be left out: those with the highest prices do not count.
    """
    within = distances.halved() if free else distances
    weights = distances.space.weights
    candidates = [within.rise(top=distances.k, least=distances.k, spare=spare, member=free).prices]
    if also is not None and not free:
        candidates.append(also)
    numbers = [distances.as_numbers(prices) for prices in candidates]
    values = [remaining_sum(prices, weights, spare) for prices in numbers]
    place = int(np.argmax(values))
    return Bound(values[place], "halved prices" if free else "prices"), numbers[place].reshape(-1, 1)


def remaining_sum(prices: np.ndarray, weights: np.ndarray, spare: int) -> float:
    """The sum of the prices of all records but the dearest, rounded down."""
    order = np.argsort(-prices, kind="stable")
    left_out = np.minimum(weights[order], np.maximum(spare - (np.cumsum(weights[order]) - weights[order]), 0))
    remaining = weights.copy()
    remaining[order] -= left_out
    return total_down(prices, remaining)


def total_down(values: np.ndarray, weights: np.ndarray) -> float:
    """The largest float that is not above the exact sum of values, each as often as its weight.

    >>> total_down(np.array([0.1, 0.5]), np.array([3, 2]))
    1.2999999999999998
    """
    exact = sum((Fraction(v) * w for v, w in zip(values.tolist(), weights.tolist(), strict=True)), Fraction(0))
    rounded = float(exact)
    return math.nextafter(rounded, -math.inf) if Fraction(rounded) > exact else rounded


def opened(distances: Distances, rise: Rise) -> tuple[np.ndarray, np.ndarray]:
    """Open paid balls, the largest first, where no payer is served yet; the other records follow their ball.

    A record whose ball is not opened is served where one of the payers of its ball is, the nearest such center. That
    makes no radius more than three times as large.

    Returns `labels`: (n,) int64. The cluster of each point; -1 for a point that no ball stopped; `centers`: (m,) int64.
        Positions of the centers.
    """
    labels = np.full(len(rise.prices), -1, dtype=np.int64)
    centers: list[int] = []
    payers = payers_of(distances, rise)
    for event, opens in openings(rise, payers):
        if opens:
            labels[payers[event]] = len(centers)
            centers.append(int(rise.centers[event]))
    direct, places = labels.copy(), np.array(centers, dtype=np.int64)
    for i in np.flatnonzero((labels < 0) & (rise.event >= 0)).tolist():
        served = direct[payers[rise.event[i]]]
        choices = np.unique(served[served >= 0])
        labels[i] = choices[np.argmin(distances.matrix[i, places[choices]])]
    return labels, places


def payers_of(distances: Distances, rise: Rise) -> list[np.ndarray]:
    """For each paid ball, the points that paid for more than its radius."""
    return [
        np.flatnonzero((distances.steps(v) <= radius) & (rise.prices >= radius) & (rise.event >= 0))
        for v, radius in zip(rise.centers.tolist(), rise.radii.tolist(), strict=True)
    ]


def openings(rise: Rise, payers: list[np.ndarray]) -> Iterator[tuple[int, bool]]:
    """Each ball, the largest first, and whether it is opened: none of its payers is served yet."""
    served = np.zeros(len(rise.prices), dtype=bool)
    for event in np.argsort(-rise.radii, kind="stable").tolist():
        free = not served[payers[event]].any()
        served[payers[event]] |= free
        yield event, free
