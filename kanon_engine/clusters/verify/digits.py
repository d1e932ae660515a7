"""Six digits, as the radii of free centers have them."""

from __future__ import annotations

from decimal import Decimal, localcontext


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
