"""The independent check of prices: what bounds, and ceilings, on cellular costs stand on."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.verify.digits import six_digits_up
from kanon_engine.verification.check import Check

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

BITS = 61  # of the largest sum
FAR = 19_000.0  # km; see the proofs of gather
CELLULAR = ("cellular", "r-cellular", "r-cellular-outliers")


def prices(space: MetricSpace, g: Generalization) -> Check:
    """No cluster around a point costs less than the prices of its records."""
    if space.free and g.options.get("centers") != "input":
        return Check("bound witness", False, "“prices” are for centers that are points.")
    return _prices(space, g, lambda distances: distances, False)


def halved_prices(space: MetricSpace, g: Generalization) -> Check:
    """A cluster of radius R has all its records within 2 R of its dearest; none costs less than its records' prices."""
    if not space.free:
        return Check("bound witness", False, "“halved prices” are for centers that may be anywhere.")
    return _prices(space, g, lambda distances: _half(space, distances), True)


def _prices(space: MetricSpace, g: Generalization, lower: Callable[[np.ndarray], np.ndarray], member: bool) -> Check:
    found = g.details.prices
    form = found.shape == (len(space), 1) and bool(np.isfinite(found).all() and (found >= 0).all())
    cellular = g.algorithm in CELLULAR or g.options.get("cost") == "cellular"
    if not form or not cellular or g.bound_witness:
        return Check("bound witness", False, "the witness is a price for each point, none below 0, of a cellular cost.")
    own = found[:, 0]
    place = _underpaid(space, own, g.k, float(g.options.get("facility_cost", 0.0)), lower, member)
    if place is not None:
        return Check("bound witness", False, f"prices in a ball around point {place + 1} are more than it costs.")
    value = _sum(own, space.weights, math.floor(Decimal(repr(g.options.get("epsilon", 0.0))) * space.total))
    detail = f"prices sum to {value!r}, and no cluster costs less than its records'; the result says {g.lower_bound!r}."
    return Check("bound witness", value == g.lower_bound, detail)


def _half(space: MetricSpace, distances: np.ndarray) -> np.ndarray:
    """Half of each distance, less what rounding may have done to the triangle inequality."""
    half = distances / 2 - 1e-12 * distances
    if space.metric == "haversine":
        half = np.where(distances < FAR, np.minimum(half - 1e-4, FAR / 2 - 1), half - 1)
    return np.maximum(half, 0.0)


def _sum(own: np.ndarray, weights: np.ndarray, spare: int) -> float:
    """All prices but those of so many records, the dearest, rounded down."""
    total = Fraction(0)
    for price, weight in sorted(zip(own.tolist(), weights.tolist(), strict=True), reverse=True):
        kept = max(0, weight - spare)
        spare -= weight - kept
        total += Fraction(price) * kept
    value = float(total)
    return value if Fraction(value) <= total else math.nextafter(value, -math.inf)


def _underpaid(
    space: MetricSpace,
    own: np.ndarray,
    k: int,
    facility_cost: float,
    lower: Callable[[np.ndarray], np.ndarray],
    member: bool,
) -> int | None:
    """A point around which some ball of at least k records costs less than k or more of its records pay; else None.

    In whole numbers: prices rounded up, distances and the facility cost down, to steps so small that sums stay below
    2^61.
    """
    dearest = float(own.max())
    if dearest == 0:
        return None
    per_unit = 2.0 ** min(BITS - 1 - math.frexp((dearest + facility_cost) * space.total)[1], 500)
    paid = np.ceil(own * per_unit).astype(np.int64)
    fixed = math.floor(facility_cost * per_unit)
    for start in range(0, len(space), 64):
        block = lower(space.between(np.arange(start, min(start + 64, len(space)))))
        radii = np.floor(np.minimum(block, 2 * dearest) * per_unit).astype(np.int64)
        for row, own_radii in enumerate(radii):
            near = own <= own[start + row] if member else slice(None)  # the center is the dearest of a cluster
            if not _enough(own_radii[near], paid[near], space.weights[near], k, fixed):
                return start + row
    return None


def _enough(radii: np.ndarray, paid: np.ndarray, weights: np.ndarray, k: int, fixed: int) -> bool:
    """Whether every ball around one point costs as much as its records pay."""
    order = np.argsort(radii, kind="stable")
    radius, price, weight = radii[order], paid[order], weights[order]
    held = np.cumsum(weight)
    last = np.append(radius[1:] > radius[:-1], True) & (held >= k)  # a ball holds all at its radius
    # a record pays more than the radius from its own place on, as long as the radius is below its price
    begin = np.flatnonzero(price > radius)
    end = np.searchsorted(radius, price[begin])
    surplus = np.zeros(len(radius) + 1, dtype=np.int64)
    payers = np.zeros(len(radius) + 1, dtype=np.int64)
    for places, sign in ((begin, 1), (end, -1)):
        np.add.at(surplus, places, sign * weight[begin] * price[begin])
        np.add.at(payers, places, sign * weight[begin])
    payers = np.cumsum(payers)[:-1]
    above = np.cumsum(surplus)[:-1] - payers * radius
    doubtful = np.flatnonzero(last & (above > fixed))
    if (payers[doubtful] >= k).any():
        return False
    return all(
        total - k * int(radius[place]) <= fixed for place, total in _dearest(price, weight, k, doubtful.tolist())
    )


def _dearest(price: np.ndarray, weight: np.ndarray, k: int, places: list[int]):  # type: ignore[no-untyped-def]
    """For some places: what the k dearest records up to there pay."""
    heap: list[tuple[int, int]] = []
    held = total = begun = 0
    for place in places:
        for own, records in zip(price[begun : place + 1].tolist(), weight[begun : place + 1].tolist(), strict=True):
            heapq.heappush(heap, (own, records))
            held += records
            total += own * records
        begun = place + 1
        while held - heap[0][1] >= k:
            own, records = heapq.heappop(heap)
            held -= records
            total -= own * records
        yield place, total - (held - k) * heap[0][0]


BOUNDS: dict[str, Callable[[MetricSpace, Generalization], Check]] = {"prices": prices, "halved prices": halved_prices}


def ceiling(space: MetricSpace, ratio: int, k: int, bound: float) -> float:
    """So many times the bound, and what rounding may add."""
    more = 2 * ratio * 1e-12 * bound
    if space.metric == "haversine":
        more += ratio * space.total * (1e-4 if ratio * bound / k < FAR else 1.0)
    if space.metric == "precomputed":
        more += 2 * ratio * space.total * 1e-12 * float(space.points.max())
    return six_digits_up(ratio * bound + more)


def _formula(space: MetricSpace, g: Generalization, ratio: int) -> Check:
    free = space.free and g.options.get("centers") != "input"
    proven = space.metric != "precomputed" or space.triangle
    value = ceiling(space, 2 * ratio if free else ratio, g.k, g.lower_bound) if proven else None
    if value is not None and value < g.cost:
        value = None
    return Check(
        "guarantee formula", g.guarantee == value, f"the ceiling is {value!r}, the result says {g.guarantee!r}."
    )


def r_cellular(space: MetricSpace, g: Generalization) -> Check:
    """36 times the bound where every point is one record, 72 times around free centers."""
    if (space.weights > 1).any():
        return Check("guarantee formula", g.guarantee is None, "nothing is proven where points hold several records.")
    return _formula(space, g, 36)


def cellular(space: MetricSpace, g: Generalization) -> Check:
    """3 times the bound where a cluster may be as small as it likes, 6 times around free centers."""
    if g.k > 1:
        return Check("guarantee formula", g.guarantee is None, "nothing is proven where clusters must hold several.")
    return _formula(space, g, 3)


GUARANTEES: dict[str, Callable[[MetricSpace, Generalization], Check]] = {"r-cellular": r_cellular, "cellular": cellular}
