"""Columns that tell where people are, and zip codes that are cut after three digits."""

from __future__ import annotations

import re

from kanon_engine.io.role_names import plain_name
from kanon_engine.risk.rules.case import Case
from kanon_engine.risk.rules.identifiers.names import PLACES, ZIPS


def areas_leave(case: Case) -> bool:
    """Whether a row of the release is an area and the records in it; a person says what kind of area."""
    return case.released.groups_leave and (case.on_the_ground or bool(case.facts.areas))


def zip_columns(case: Case) -> list[str]:
    """Columns of zip codes that tell three digits at most."""
    named = [str(name) for name in case.released.frame.columns if plain_name(str(name)) in ZIPS]
    return [name for name in named if name not in case.facts.harmless and three_digits(case.texts(name))]


def place_columns(case: Case) -> list[str]:
    """Columns that are called as places or zip codes are, whatever they tell."""
    return [str(name) for name in case.released.frame.columns if plain_name(str(name)) in PLACES | ZIPS]


def three_digits(texts: list[str]) -> bool:
    """Whether zip codes are cut after three digits at most, or hidden.

    Example
    -------
    >>> three_digits(["064", "065**", "066–068", "000"]), three_digits(["06401"]), three_digits(["6401"])
    (True, False, False)
    """
    return all(len(digits) <= 3 for text in texts for digits in re.findall(r"\d+", text.removesuffix(".0")))


def longest_zip(texts: list[str]) -> str:
    """The first that tells more."""
    return next(text for text in texts if not three_digits([text]))
