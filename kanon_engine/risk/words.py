"""How figures of risk are written."""

from __future__ import annotations


def decimal(value: float) -> str:
    """Three digits, and all of those before the point.

    Example
    -------
    >>> decimal(0.2), decimal(0.64657), decimal(1508.1), decimal(0)
    ('0.2', '0.647', '1,508', '0')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def percent(share: float) -> str:
    """A share in percent.

    Example
    -------
    >>> percent(0.0613), percent(1), percent(0)
    ('6.13 %', '100 %', '0 %')
    """
    return f"{100 * share:.3g} %"


def of_all(count: int, total: int, unit: str) -> str:
    """How many of how many.

    Example
    -------
    >>> of_all(12, 1000, "records"), of_all(0, 0, "people")
    ('12 of 1,000 records (1.2 %)', '0 of 0 people')
    """
    return f"{count:,} of {total:,} {unit}" + (f" ({percent(count / total)})" if total else "")
