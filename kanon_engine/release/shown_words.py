"""Words of a release as their reader takes them: what values one shown cell can stand for.

Words are those of `kanon_engine/tables/words.py`, and those that other programs write: "[20, 40)" and "{a, b}" (ARX,
anjana), "20-40", ">=50", "476**", "(20.0, 40.0]" (pandas).
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass

from kanon_engine.tables.domain import MISSING, Value, is_number, value_words
from kanon_engine.tables.words import ANY

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
PLAIN = re.compile(NUMBER)
BRACKETS = re.compile(rf"([\[\](])\s*(-?inf|{NUMBER})\s*(?:,|;|–|-|\.\.|…| to )\s*(\+?inf|{NUMBER})\s*([\])\[])")
FROM_TO = re.compile(rf"({NUMBER})\s*(?:–|—|-|\.\.|…|to)\s*({NUMBER})")
TO_UNDER = re.compile(rf"({NUMBER})\s*to\s*(?:under|<)\s*({NUMBER})")
LEAST = re.compile(rf"(≥|>=|=>|>|over|above|at least|from)\s*({NUMBER})")
MOST = re.compile(rf"(≤|<=|=<|<|under|below|at most|up to)\s*({NUMBER})")
AND_MORE = re.compile(rf"({NUMBER})\s*(?:\+|(?:and|or) (?:over|above|more|older))")
AND_LESS = re.compile(rf"({NUMBER})\s*(?:and|or) (?:under|below|less|younger)")
RUN = re.compile(r"(.*) … (.*) \(([\d,]+) values\)", re.DOTALL)
NOT_MISSING = f"not {MISSING}"
OR_MISSING = f" or {MISSING}"
STRICT = (">", "<", "over", "above", "under", "below")
UNDIVIDED = str.maketrans({"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ı": "i", "æ": "ae", "œ": "oe", "þ": "th"})
DIGITS = 10  # that a release writes of a number with a fraction


@dataclass(frozen=True)
class Ends:
    """An interval of numbers; each end belongs to it or not."""

    low: float
    high: float
    has_low: bool = True
    has_high: bool = True


@dataclass(frozen=True)
class Meaning:
    """What one shown cell can stand for: whatever fits any of these.

    Attributes
    ----------
    text : str
        The cell itself, with plain signs.
    everything, missing : bool
        Any value at all; a missing one. `known` is any value that is not missing.
    ends : Ends or None
        Numbers.
    listed : str
        A list of values, with ", " around each; empty where it is none.
    certain : bool
        Whether it is a list whatever values there are.
    run : (str, str, int) or None
        First, last and number of values that stand in alphabetical order.
    mask : str
        Letters and stars, each star for one letter, as "476**".
    """

    text: str
    everything: bool = False
    known: bool = False
    missing: bool = False
    ends: Ends | None = None
    listed: str = ""
    certain: bool = False
    run: tuple[str, str, int] | None = None
    mask: str = ""


def plain_signs(text: str) -> str:
    """Without spaces around it, and with the minus sign that programs write."""
    return text.strip().replace("−", "-")


def folded(text: str) -> str:
    """In small letters without accents.

    Example
    -------
    >>> folded("MÜLLER"), folded("São"), folded("Straße"), folded("Łódź")
    ('muller', 'sao', 'strasse', 'lodz')
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(one for one in letters if not unicodedata.combining(one)).translate(UNDIVIDED)


def number_in(value: Value) -> float | None:
    """The number that a value or a text is, as far as a release writes it out; None for all else.

    Example
    -------
    >>> number_in(17), number_in("−2.50"), number_in("Masters"), number_in(0.123456789012)
    (17, -2.5, None, 0.123456789)
    """
    if isinstance(value, str):
        text = plain_signs(value)
        if PLAIN.fullmatch(text) is None:
            return None
        value = int(text) if text.lstrip("+-").isdigit() else float(text)
    if not is_number(value):
        return None
    number: float = value  # type: ignore[assignment]
    return number if isinstance(number, int) else float(f"{number:.{DIGITS}g}")


def ends_in(value: Value) -> Ends | None:
    """The numbers that a value or a word stands for; None where it stands for none.

    Example
    -------
    >>> ends_in("30–39"), ends_in("≥ 40").low, ends_in("30 to under 40").has_high, ends_in("Masters")
    (Ends(low=30, high=39, has_low=True, has_high=True), 40, False, None)
    """
    number = number_in(value)
    if number is not None:
        return Ends(number, number)
    if not isinstance(value, str):
        return None
    text = plain_signs(value)
    found = BRACKETS.fullmatch(text)
    if found:
        low, high = _end(found[2]), _end(found[3])
        return _proper(Ends(low, high, found[1] == "[" and low > -math.inf, found[4] == "]" and high < math.inf))
    found = TO_UNDER.fullmatch(text)
    if found:
        return _proper(Ends(_end(found[1]), _end(found[2]), has_high=False))
    found = FROM_TO.fullmatch(text)
    if found:
        return _proper(Ends(_end(found[1]), _end(found[2])))
    found = LEAST.fullmatch(text)
    if found:
        return Ends(_end(found[2]), math.inf, found[1] not in STRICT, False)
    found = MOST.fullmatch(text)
    if found:
        return Ends(-math.inf, _end(found[2]), False, found[1] not in STRICT)
    found = AND_MORE.fullmatch(text)
    if found:
        return Ends(_end(found[1]), math.inf, True, False)
    found = AND_LESS.fullmatch(text)
    return Ends(-math.inf, _end(found[1]), False, True) if found else None


def meaning_of(cell: Value) -> Meaning:
    """What a reader takes one shown cell for, who knows nothing of the column.

    Example
    -------
    >>> meaning_of("any").everything, meaning_of("30–39 or missing").missing, meaning_of("Masters or Doctorate").listed
    (True, True, ', Masters, Doctorate, ')
    >>> meaning_of("1st … 4th (4 values)").run, meaning_of("476**").mask
    (('1st', '4th', 4), '476**')
    """
    if cell is None:
        return Meaning("", missing=True)
    text = plain_signs(value_words(cell))
    if text.casefold() == ANY or (text and not text.strip("*")):
        return Meaning(text, everything=True)
    if text == NOT_MISSING:
        return Meaning(text, known=True)
    if text == MISSING:
        return Meaning(text, missing=True)
    base = text.removesuffix(OR_MISSING)
    missing = base != text
    run = RUN.fullmatch(base)
    if run:
        ends = run[1], run[2], int(run[3].replace(",", ""))
        return Meaning(text, missing=missing or run[2] == MISSING, run=ends)
    numbers = ends_in(base if isinstance(cell, str) else cell)
    if numbers is not None:
        return Meaning(base, missing=missing, ends=numbers)
    if "*" in base and base.strip("*"):
        return Meaning(base, missing=missing, mask=base)
    listed, certain = _list(base)
    return Meaning(base, missing=missing, listed=listed, certain=certain)


def _list(text: str) -> tuple[str, bool]:
    """The values of a list between commas, and whether it is one for certain."""
    braces = (text[:1], text[-1:]) in (("{", "}"), ("[", "]"))
    inner = text[1:-1] if braces else text
    if braces:
        parts = [part.strip() for part in re.split(r"[,;]", inner)]
        return f", {', '.join(parts)}, ", True
    if " or " in text:
        return f", {text.replace(' or ', ', ')}, ", True
    return (f", {text}, ", False) if ", " in text else ("", False)


def _end(text: str) -> float:
    if text.lstrip("+-") == "inf":
        return -math.inf if text.startswith("-") else math.inf
    number = number_in(text)
    return math.nan if number is None else number


def _proper(ends: Ends) -> Ends | None:
    """None where the first number is above the last: this was no range."""
    return ends if ends.low <= ends.high else None
