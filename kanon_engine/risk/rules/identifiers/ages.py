"""Ages over 89, as releases show them: alone, in ranges and sets, in open categories, in months or days, in text."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

OLDEST = 89
PER_YEAR = {"month": 12.0, "months": 12.0, "monate": 12.0, "mois": 12.0, "meses": 12.0, "day": 365.25, "days": 365.25,
            "tage": 365.25, "jours": 365.25, "dias": 365.25, "weeks": 52.18, "wochen": 52.18}  # fmt: skip
UNITS = re.compile(
    r"(?<=[\d+\s])"
    r"(?:years?[- ]old|years?|yrs?|y/?o|yo|y(?! m[aá]s)|a|jahre alt|jahren?|j|ann[eé]es?|ans?|a[nñ]os?)\b\.?",
    re.I,
)
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
NO_END = r"∞|inf(?:inity)?|max|oo"
FROM = r"≥|>=|=>|from|at least|ab|mindestens|à partir de|a partir de|desde|dès|min\.?"
ABOVE = r">|over|above|more than|older than|über|ueber|mehr als|älter als|plus de|más de|mas de|mayor(?:es)? de"
MORE = (
    r"\+|plus|(?:or|and|und|oder|et|ou|y|o)\s+"
    r"(?:older|more|above|over|up|upwards?|higher|älter|aelter|mehr|darüber|plus|más|mas|mayores)"
)
OPEN_ABOVE = re.compile(
    rf"(?P<word>{FROM}|{ABOVE})\s*(?P<after>\d+(?:[.,]\d+)?)|(?P<before>\d+(?:[.,]\d+)?)\s*(?:{MORE})"
    rf"|[\[(]?(?P<least>\d+(?:[.,]\d+)?)\s*(?:[-–—,;]|to|bis)\s*\+?(?:{NO_END})?[\])]?",
    re.I,
)
IN_WORDS = re.compile(
    r"\bninet(?:y|ies)\b|\bhundred\b|nonagenarian|centenarian|neunzig|quatre-vingt-(?:dix|onze|douze)|noventa", re.I
)
IN_TEXT = re.compile(
    r"\b(?:9\d|1[01]\d)(?:[ -]?(?:years?|yrs?)\b(?! (?:or|and) (?:older|above|over|up|more))|[ -]?y/?o\b"
    r"|[ -]?jahre\b(?! (?:und|oder) (?:älter|mehr))|[ -]?jährig\w*|\s?ans\b(?! (?:et|ou) plus)|\s?años\b(?! [yo] más))"
    r"|\baged? (?:9\d|1[01]\d)\b(?!\+| (?:or|and) (?:older|above|over|up|more))",
    re.I,
)


def over_89(text: str, per_year: float = 1.0) -> bool:
    """Whether what is shown of an age tells one above 89, but for a category that begins at 90 or below and is open.

    Example
    -------
    >>> [over_89(text) for text in ("89", "90", "≥ 90", "85+", "90 or older", "80–89", "any", "80 to under 90")]
    [False, True, False, False, False, False, False, False]
    >>> [over_89(text) for text in ("≥ 91", "> 90", "85–94", "≤ 95", "over 89", "[80, 95)", "89.5")]
    [True, True, True, True, False, True, False]
    >>> [over_89(text) for text in ("91y", "{88, 93}", "95 und älter", "90 ans et plus", "[90, inf)", "[85,95)")]
    [True, True, True, False, False, True]
    >>> over_89("1092", 12), over_89("1079", 12)
    (True, False)
    """
    plain = UNITS.sub("", text.strip()).strip()
    if IN_WORDS.search(plain):
        return not re.search(rf"(?:ninety|neunzig|noventa)\s*(?:{MORE})", plain, re.I)
    start = (OLDEST + 1) * per_year
    above = OPEN_ABOVE.fullmatch(plain)
    if above:
        least = _number(above["after"] or above["before"] or above["least"])
        beyond = above["word"] is not None and re.fullmatch(ABOVE, above["word"], re.I) is not None
        return least >= start if beyond else least > start
    if plain[:1] in "[({":
        plain = plain.replace(",", " ")  # in brackets a comma parts two numbers
    numbers = [_number(number) for number in NUMBER.findall(plain)]
    if not numbers:
        return False
    below = re.search(r"under|below|unter|moins de|menos de|<(?!=)", plain, re.I) or plain.endswith(")")
    return max(numbers) > start if below else max(numbers) >= start


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def unit_of(words: Sequence[str], texts: Sequence[str]) -> float:
    """How many of the unit of a column of ages a year has: by its name, or by its values (“18 months”)."""
    named = next((PER_YEAR[word] for word in words if word in PER_YEAR), None)
    if named is not None:
        return named
    units = [PER_YEAR[word] for text in texts[:50] for word in re.findall(r"[a-z]+", text.lower()) if word in PER_YEAR]
    return units[0] if units and len(units) >= len(texts[:50]) / 2 else 1.0


def age_in_text(text: str) -> bool:
    """Whether a text tells somebody's age, and it is over 89.

    Example
    -------
    >>> [age_in_text(text) for text in ("a 93-year-old man", "aged 91", "took 90 mg", "90 years or older")]
    [True, True, False, False]
    """
    return IN_TEXT.search(text) is not None


def born_over_89(text: str, year: int) -> bool:
    """Whether years of birth tell somebody over 89 in a year, but for one open category of all who are 90 or older.

    Example
    -------
    >>> [born_over_89(text, 2020) for text in ("1931", "1930", "1925–1934", "≤ 1930", "≤ 1940", "≤ 1929", "any")]
    [False, True, True, False, False, True, False]
    """
    before = re.fullmatch(r"(≤|<=|until|up to|<|before|under|bis|vor|avant|antes de)\s*(\d{4})", text.strip(), re.I)
    if before:
        last = int(before[2]) - (before[1].lower() in ("<", "before", "under", "vor", "avant", "antes de"))
        return last < year - OLDEST - 1
    years = [int(number) for number in re.findall(r"(?<!\d)(?:18|19|20)\d{2}(?!\d)", text)]
    return min(years, default=math.inf) < year - OLDEST
