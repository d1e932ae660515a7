"""Ages over 89, and dates finer than a year, as releases show them."""

from __future__ import annotations

import re

NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
OPEN_ABOVE = re.compile(
    r"(≥|>=|>|over|above|from|at least)\s*(\d+(?:\.\d+)?)|(\d+(?:\.\d+)?)\s*(\+|(?:or|and) [a-z]+)", re.I
)
BEFORE = re.compile(r"(≤|<=|until|up to|<|before|under)\s*(\d{4})", re.I)
OLDEST = 89
YEARS = (1800, 2100)


def over_89(text: str) -> bool:
    """Whether what is shown of an age tells one above 89, but for a category that begins at 90 or below and is open.

    Example
    -------
    >>> [over_89(text) for text in ("89", "90", "≥ 90", "85+", "90 or older", "80–89", "any", "80 to under 90")]
    [False, True, False, False, False, False, False, False]
    >>> [over_89(text) for text in ("≥ 91", "> 90", "85–94", "≤ 95", "over 89", "[80, 95)", "89.5")]
    [True, True, True, True, False, True, False]
    """
    plain = text.strip()
    above = OPEN_ABOVE.fullmatch(plain)
    if above:
        least = float(above[2] or above[3])
        return least >= OLDEST + 1 if above[1] in (">", "over", "above") else least > OLDEST + 1
    numbers = [float(number.replace(",", ".")) for number in NUMBER.findall(plain)]
    if not numbers:
        return False
    below = "under" in plain or "below" in plain or plain.endswith(")") or re.search(r"<(?!=)", plain)
    return max(numbers) > OLDEST + 1 if below else max(numbers) >= OLDEST + 1


def only_years(text: str) -> bool:
    """Whether what is shown of a date is a year, or a range of years.

    Example
    -------
    >>> [only_years(text) for text in ("1980", "1980–1989", "≥ 1990", "1980.0", "12", "1980-05", "19800512")]
    [True, True, True, True, False, False, False]
    """
    numbers = re.findall(r"\d+", text.removesuffix(".0"))
    return bool(numbers) and all(len(number) == 4 and YEARS[0] <= int(number) <= YEARS[1] for number in numbers)


def born_over_89(text: str, year: int) -> bool:
    """Whether years of birth tell somebody over 89 in a year, but for one open category of all who are 90 or older.

    Example
    -------
    >>> [born_over_89(text, 2020) for text in ("1931", "1930", "1925–1934", "≤ 1930", "≤ 1940", "≤ 1929", "any")]
    [False, True, True, False, False, True, False]
    """
    before = BEFORE.fullmatch(text.strip())
    if before:
        last = int(before[2]) - (before[1] in ("<", "before", "under"))
        return last < year - OLDEST - 1
    years = [int(number) for number in re.findall(r"(?<!\d)\d{4}(?!\d)", text)]
    return bool(years) and min(years) < year - OLDEST
