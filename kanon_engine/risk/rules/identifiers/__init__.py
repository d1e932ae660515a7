"""The eighteen identifiers of Safe Harbor, as far as names and contents of released columns show them.

A check finds what looks like an identifier. That it finds none does not say that there is none: a name in a column
called “remark” looks like any other text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from kanon_engine.io.role_names import named_identifier, plain_name
from kanon_engine.io.roles import guesses
from kanon_engine.risk.rules.case import Case
from kanon_engine.risk.rules.identifiers.ages import born_over_89, only_years, over_89
from kanon_engine.risk.rules.identifiers.contents import letters_in
from kanon_engine.risk.rules.identifiers.names import AGES, BIRTHS, DATES, NAMED, PLACES, ZIPS
from kanon_engine.risk.rules.identifiers.places import areas_leave, longest_zip, three_digits

IDENTIFIERS = {
    "A": "names",
    "B": "places smaller than a state",
    "C": "dates finer than a year, or ages over 89",
    "D": "telephone numbers",
    "E": "fax numbers",
    "F": "e-mail addresses",
    "G": "social security numbers",
    "H": "medical record numbers",
    "I": "numbers of health plan members",
    "J": "account numbers",
    "K": "certificate and license numbers",
    "L": "vehicles and license plates",
    "M": "devices and serial numbers",
    "N": "web addresses",
    "O": "IP addresses",
    "P": "finger prints, voices and other biometrics",
    "Q": "photographs of faces",
    "R": "any other number, characteristic or code of one person",
}
DIRECT = tuple(letter for letter in IDENTIFIERS if letter not in "BC")
WHOLE = ("any", "*", "", "missing")


@dataclass(frozen=True)
class Seen:
    """What looks like an identifier.

    Attributes
    ----------
    letter : str
    column : str
    why : str
        As words that follow the name of the column.
    """

    letter: str
    column: str
    why: str


def seen_identifiers(case: Case) -> list[Seen]:
    """What of the released columns looks like an identifier, but for zip codes of three digits; see `three_digits`.

    Example
    -------
    >>> from kanon_engine.release.released import Released
    >>> from kanon_engine.risk.rules.facts import Facts
    >>> release = Released(pd.DataFrame({"age": ["80–89", "≥ 90", "80–94"], "mail": ["x", "y", "a@b.org"]}), ("age",))
    >>> [(one.letter, one.column, one.why) for one in seen_identifiers(Case(release, None, None, Facts(), ()))][:2]
    [('C', 'age', 'tells an age over 89 (80–94)'), ('F', 'mail', 'is called so')]
    """
    found = []
    for name in case.released.frame.columns:
        if name in case.facts.harmless or name == case.released.counts or name in case.released.sums:
            continue
        if name != _geometry(case.released.frame):
            found += list(_of_column(case, str(name)))
    return found


def _geometry(frame: pd.DataFrame) -> str | None:
    return getattr(frame, "_geometry_column_name", None)


def _of_column(case: Case, name: str) -> Iterator[Seen]:
    texts = [text for text in case.texts(name) if text.strip() not in WHOLE]
    if not texts:
        return
    yield from _by_name(case, name)
    yield from _by_place(case, name, texts)
    yield from _by_time(case, name, texts)
    column = case.released.frame[name]
    if pd.api.types.is_numeric_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        return
    dated = plain_name(name) in DATES  # looked at already
    for letter in letters_in(texts):
        if letter != "C" or not dated:
            yield Seen(letter, name, f"holds {IDENTIFIERS[letter]}")


def _by_name(case: Case, name: str) -> Iterator[Seen]:
    """Columns that are called so, or have a value of their own for each record; the name of a group is nobody's."""
    plain, quasi = plain_name(name), name in case.released.quasi_identifiers
    if case.released.groups_leave and quasi:
        return
    letter = next((letter for letter, names in NAMED.items() if plain in names), None)
    if letter:
        yield Seen(letter, name, "is called so")
    elif plain not in PLACES and named_identifier(name):
        yield Seen("R", name, "is called as identifiers are")
    elif not quasi and not case.released.groups_leave:
        guess = guesses(case.released.frame[[name]])[name]
        if guess.role == "identifier":
            yield Seen("R", name, guess.reason)


def _by_place(case: Case, name: str, texts: list[str]) -> Iterator[Seen]:
    plain = plain_name(name)
    if plain in PLACES and not areas_leave(case):
        yield Seen("B", name, "tells places")
    if plain in ZIPS and not three_digits(texts):
        yield Seen("B", name, f"tells more than the first three digits ({longest_zip(texts)})")


def _by_time(case: Case, name: str, texts: list[str]) -> Iterator[Seen]:
    plain = plain_name(name)
    old = next((text for text in texts if plain in AGES and over_89(text)), None)
    if old is not None:
        yield Seen("C", name, f"tells an age over 89 ({old})")
    if pd.api.types.is_datetime64_any_dtype(case.released.frame[name]):
        yield Seen("C", name, "holds dates")
        return
    day = next((text for text in texts if plain in DATES and not only_years(text)), None)
    if day is not None:
        yield Seen("C", name, f"tells more than the year ({day})")
        return
    year = case.facts.year
    if plain in BIRTHS and year is not None:
        born = next((text for text in texts if born_over_89(text, year)), None)
        if born is not None:
            yield Seen("C", name, f"tells a year of birth of somebody over 89 ({born})")


def born_columns(case: Case) -> list[str]:
    """Columns of years of birth, which nobody can judge without the year of the release."""
    return [
        str(name)
        for name in case.released.frame.columns
        if plain_name(str(name)) in BIRTHS and name not in case.facts.harmless
    ]
