"""What a person types as a number, and one sentence where it is none."""

from __future__ import annotations

import re

import kanon_engine as kanon
from pages._shared.wording import shortened

LARGEST = 2**53 - 1  # as large as a browser keeps exact
_SPACES = " \u00a0\u202f\u2009"
_GROUPED = re.compile(rf"\d{{1,3}}(?:([,'’_{_SPACES}])\d{{3}})(?:\1\d{{3}})*")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+")


def whole_number(text: str, name: str, least: int = 0, most: int = LARGEST) -> int:
    """A whole number, with or without separators of thousands.

    Raises
    ------
    InvalidInput
        It is none, or not from `least` to `most`.

    Example
    -------
    >>> whole_number("20,000", "k"), whole_number(" 20 000 ", "k")
    (20000, 20000)
    """
    words = _stripped(text)
    ask, told = f"write a whole number of at least {least:,}", f"{name} is “{shortened(words)}”"
    if not words:
        raise kanon.InvalidInput(f"{name} is empty: {ask}.")
    if _POINTS.fullmatch(words):
        raise kanon.InvalidInput(f"{told}, which can be read in two ways: write it without a point.")
    digits = re.sub(r"\D", "", words) if _GROUPED.fullmatch(words.lstrip("-")) else words.lstrip("-")
    if not digits.isdecimal() or words.startswith("--"):
        raise kanon.InvalidInput(f"{told}, which is no whole number: {ask}, such as 100 or 20,000.")
    if len(digits.lstrip("0")) > len(str(most)):
        raise kanon.InvalidInput(f"{name} is too large: write a whole number of at most {most:,}.")
    value = -int(digits) if words.startswith("-") else int(digits)
    return int(_within(value, name, least, most, "a whole number"))


def decimal_number(text: str, name: str, least: float | None = None, most: float | None = None) -> float:
    """A number with a point for its fraction.

    Raises
    ------
    InvalidInput
        It is none, or not from `least` to `most`.

    Example
    -------
    >>> decimal_number("0.03", "Snap")
    0.03
    """
    words = _stripped(text)
    if not words:
        raise kanon.InvalidInput(f"{name} is empty: write a number.")
    try:
        value = float(words)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf") or "_" in words:
        raise kanon.InvalidInput(
            f"{name} is “{shortened(words)}”, which is no number: write digits, with a point for a fraction, as 0.5."
        )
    return _within(value, name, least, most, "a number")


def in_field(value: float | None) -> str:
    """A number as a field shows it."""
    return "" if value is None else f"{value:.15g}"


def _within(value: float, name: str, least: float | None, most: float | None, what: str) -> float:
    if least is not None and value < least:
        raise kanon.InvalidInput(f"{name} is {value:,}, which is too small: write {what} of at least {least:,}.")
    if most is not None and value > most:
        raise kanon.InvalidInput(f"{name} is {value:,}, which is too large: write {what} of at most {most:,}.")
    return value


def _stripped(text: str) -> str:
    return text.strip().replace("−", "-")
