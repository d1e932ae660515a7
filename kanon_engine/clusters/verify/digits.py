"""Six digits, as the radii of free centers have them."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kanon_engine.clusters.instance import MetricSpace


def six_digits_up(radius: float) -> float:
    """The least number of six digits, as a float, that is not below."""
    if radius == 0:
        return 0.0
    with localcontext(prec=60):
        step = Decimal(10) ** (Decimal(radius).adjusted() - 5)
        digits = Decimal(radius) // step
        return next(value for more in range(3) if (value := float((digits + more) * step)) >= radius)


def six_digits_below(radius: float) -> float:
    """The number of six digits before one above 0, as a float."""
    with localcontext(prec=60):
        step = Decimal(10) ** (Decimal(radius).adjusted() - 5)
        digits = int((Decimal(radius) / step).to_integral_value())
        return float((digits - 1) * step if digits > 100_000 else (10 * digits - 1) * step / 10)


def free_radius(space: MetricSpace, radius: float) -> float:
    """What a cluster around a free center, or a bound on one, counts: docs/proofs/clusters/gather.md, free centers."""
    return six_digits_up(radius - forgiven(space, radius))


def forgiven(space: MetricSpace, radius: float) -> float:
    """What rounding a center to floats may add to a radius, 5 in 10^10 of it at most; nothing on the globe."""
    if space.metric == "haversine":
        return 0.0
    return min(1e-12 * radius + 1e-15 * space.reach, 5e-10 * radius)


def six_digit_radii(space: MetricSpace, radius: float) -> set[float]:
    """The radii that a result may say: `free_radius`, or one by which nothing is forgiven, as results once said."""
    return {free_radius(space, radius), six_digits_up(radius)}
