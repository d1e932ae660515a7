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
