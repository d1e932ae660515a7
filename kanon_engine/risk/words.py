"""How risk figures are written."""

from __future__ import annotations

from kanon_engine.model.words import number_text

LEAST = 1e-5  # smallest share that is shown


def decimal(value: float) -> str:
    """Three significant digits, and all of those before the point.

    >>> decimal(0.2), decimal(0.64657), decimal(1508.1), decimal(1 / 20034), decimal(0)
    ('0.2', '0.647', '1,508', '0.0000499', '0')
    """
    return number_text(value, 3)


def percent(share: float) -> str:
    """A share in percent.

    >>> percent(0.0613), percent(1), percent(0), percent(1e-9), percent(0.99999)
    ('6.13 %', '100 %', '0 %', 'below 0.001 %', 'above 99.9 %')
    """
    if 0.999 < share < 1:
        return "above 99.9 %"
    return "below 0.001 %" if 0 < share < LEAST else f"{decimal(100 * share)} %"


def chance(people: int) -> str:
    """The chance of picking the right one of this many.

    >>> chance(5), chance(20034), chance(1)
    ('1 in 5 (20 %)', '1 in 20,034 (0.00499 %)', '1 in 1 (100 %)')
    """
    return f"1 in {people:,} ({percent(1 / people)})"


def average_chance(share: float) -> str:
    """A share in percent, and as 1 in how many.

    >>> average_chance(0.04447), average_chance(1 / 29296), average_chance(0)
    ('4.45 %, 1 in 22.5', '0.00341 %, 1 in 29,296', '0 %')
    """
    return f"{percent(share)}, 1 in {decimal(1 / share)}" if share else percent(share)


def of_all(count: int, total: int, unit: str) -> str:
    """A count out of a total, with its share.

    >>> of_all(12, 1000, "records"), of_all(0, 0, "people")
    ('12 of 1,000 records (1.2 %)', '0 of 0 people')
    """
    return f"{count:,} of {total:,} {unit}" + (f" ({percent(count / total)})" if total else "")
