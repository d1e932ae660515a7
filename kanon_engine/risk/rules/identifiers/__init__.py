"""The eighteen identifiers of Safe Harbor, as far as names and contents of released columns show them.

A check finds what looks like an identifier. That it finds none does not say that there is none: a name in a column
called “remark” looks like any other text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from kanon_engine.release.released import Released
from kanon_engine.risk.rules.case import Case
from kanon_engine.risk.rules.facts import Facts
from kanon_engine.risk.rules.identifiers.ages import born_over_89, over_89, unit_of
from kanon_engine.risk.rules.identifiers.codes import numbered
from kanon_engine.risk.rules.identifiers.contents import identifiers_in
from kanon_engine.risk.rules.identifiers.dates import numbers_are_dates, only_years, part_of_date, whole
from kanon_engine.risk.rules.identifiers.names import THINGS, kinds_of, word_set, words_of
from kanon_engine.risk.rules.identifiers.people import names_in_column
from kanon_engine.risk.rules.identifiers.places import areas_leave, longest_zip, place_in, three_digits

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
LONG = 10**8  # numbers from here on may be those of phones, cards, accounts
NUMBERS = "DEGHIJKLMQR"  # what has a digit in it
WHOLE = ("any", "*", "", "missing", "nan", "none", "unknown", "other", "not given", "not known", "n/a", "na")
FLAGS = word_set("""
    yes no y n true false 0 1 unknown ja nein oui non si sí given missing present absent positive
""")
# What is no place although its column is called “location” or “home”.
NO_PLACE = word_set("""
    home hospital clinic icu er ed emergency inpatient outpatient surgery surgical medical ward office school work
    nursing hospice rural urban suburban north south east west northeast northwest southeast southwest midwest central
    left right upper lower arm leg head neck chest back abdomen breast colon lung liver kidney brain skin bone heart
    foot hand knee hip shoulder own owned rent rented yes no unknown other general intensive care facility maternity
    pediatrics cardiology oncology neurology bilateral proximal distal anterior posterior room unit alone with family
    assisted living in the
""")


@dataclass(frozen=True)
class Seen:
    """What looks like an identifier.

    Attributes
    ----------
    letter : str
    column : str
    why : str
        As words that follow the name of the column.
    example : str
        One such value, masked.
    """

    letter: str
    column: str
    why: str
    example: str

    @property
    def words(self) -> str:
        """The finding with its example, as a sentence has it."""
        return f"“{self.column}” {self.why}, as in “{self.example}”"


def masked(text: str) -> str:
    """A value of which only the beginning can be read.

    Example
    -------
    >>> masked("06401"), masked("91"), masked("a@b.org"), masked("078-05-1120")
    ('06•••', '9•', 'a@•.•••', '07•-••-••••')
    """
    shown = 1 if len(text) < 4 else 2
    return text[:shown] + re.sub(r"\w", "•", text[shown:40]) + ("…" if len(text) > 40 else "")


def seen_identifiers(case: Case) -> list[Seen]:
    """What of the released columns looks like an identifier, but for zip codes of three digits; see `three_digits`.

    Example
    -------
    >>> from kanon_engine.release.released import Released
    >>> from kanon_engine.risk.rules.facts import Facts
    >>> release = Released(pd.DataFrame({"age": ["80–89", "≥ 90", "80–94"], "mail": ["x", "y", "a@b.org"]}), ("age",))
    >>> [(one.letter, one.words) for one in seen_identifiers(Case(release, None, None, Facts(), ()))]
    [('C', '“age” tells an age over 89, as in “80–••”'), ('F', '“mail” is called so, as in “x”')]
    """
    return list(_seen(case.released, tuple(case.facts.harmless), case.facts.year, areas_leave(case)))


@lru_cache(maxsize=1)  # two rules ask it, and a page asks again whenever somebody says something
def _seen(released: Released, harmless: tuple[str, ...], year: int | None, areas: bool) -> tuple[Seen, ...]:
    case, found = Case(released, None, None, Facts(harmless=harmless, year=year), ()), list[Seen]()
    for name in case.released.frame.columns:
        if name in case.facts.harmless or name == case.released.counts or name in case.released.sums:
            continue
        if name != _geometry(case.released.frame):
            found += list(_of_column(case, name, areas))
    return tuple(found)


def _geometry(frame: pd.DataFrame) -> str | None:
    return getattr(frame, "_geometry_column_name", None)


def _of_column(case: Case, name: str, areas: bool) -> Iterator[Seen]:
    """By the name of the column and by its values; of each letter the first that is found."""
    texts = [text for text in case.texts(name) if text.strip().lower() not in WHOLE]
    letters = set[str]()
    for letter, why, example in _found(case, name, texts, areas) if texts else ():
        if letter not in letters:
            letters.add(letter)
            yield Seen(letter, str(name), why, masked(example.strip()))


def _found(case: Case, name: str, texts: list[str], areas: bool) -> Iterator[tuple[str, str, str]]:
    column, kinds = case.released.frame[name], kinds_of(str(name))
    numeric = pd.api.types.is_numeric_dtype(column)
    group = case.released.groups_leave and name in case.released.quasi_identifiers  # the name of a group is nobody's
    called = [] if group else list(_by_name(kinds, texts, _own(case, texts)))
    yield from called
    if not areas:
        yield from _by_place(kinds, texts, numeric)
    yield from _by_time(case, name, texts)
    numbers = whole(texts) or []
    written = not numeric or min(numbers, default=0) >= LONG
    in_text = list(identifiers_in(texts)) if written and not pd.api.types.is_datetime64_any_dtype(column) else []
    if set(words_of(str(name))) & THINGS:  # codes of drugs and products have as many digits
        in_text = [found for found in in_text if found[0] not in "DGJM"]
    coded = bool(kinds & {"zip", "age"}) or any(letter == "C" for letter, _, _ in in_text)
    for letter, why, example in in_text:
        if not (group and letter == "A") and not (letter == "C" and kinds & {"age", "zip"}):
            yield letter, why, example
    if group or called:
        return
    named = None if numeric or coded or kinds & {"place", "where"} else names_in_column(texts)
    if named is not None:
        yield "A", "names people", named
    if not case.released.groups_leave and not coded and not in_text:
        why = numbered(column, str(name), texts, quasi=name in case.released.quasi_identifiers)
        if why:
            yield "R", why, texts[0]


def _own(case: Case, texts: list[str]) -> bool:
    """Whether half of the records have a value of their own."""
    return 2 * len(texts) >= len(case.released.frame)


def _by_name(kinds: frozenset[str], texts: list[str], own: bool) -> Iterator[tuple[str, str, str]]:
    """Columns that are called so; a few words without a digit are kinds of devices or licenses, and no numbers."""
    plain = {text.strip().lower().removesuffix(".0") for text in texts}
    if plain <= FLAGS and plain != {"1"}:
        return
    for letter in IDENTIFIERS:
        if letter in kinds:
            if letter in NUMBERS and not own and not any(char.isdigit() for text in texts for char in text):
                return
            yield letter, "is called so" if letter != "R" else "is called as identifiers are", texts[0]
            return


def _by_place(kinds: frozenset[str], texts: list[str], numeric: bool) -> Iterator[tuple[str, str, str]]:
    if "zip" in kinds and not three_digits(texts):
        yield "B", "tells more than the first three digits of a zip code", longest_zip(texts)
    elif "place" in kinds:
        yield "B", "tells places", texts[0]
    elif "where" in kinds:
        named = [text for text in texts if not text.islower()]
        where = [text for text in named if not set(re.findall(r"[a-z]+", text.lower())) <= NO_PLACE]
        if where and not (numeric and len(texts) < 3):
            yield "B", "tells places", where[0]
    found = place_in(texts, numeric) if not kinds & {"zip", "age"} else None
    if found is not None:
        yield "B", *found


def _by_time(case: Case, name: str, texts: list[str]) -> Iterator[tuple[str, str, str]]:
    kinds, words, column = kinds_of(str(name)), words_of(str(name)), case.released.frame[name]
    if "age" in kinds:
        per_year = unit_of(words, texts)
        old = next((text for text in texts if over_89(text, per_year)), None)
        if old is not None:
            yield "C", "tells an age over 89", old
        return
    if pd.api.types.is_datetime64_any_dtype(column) or isinstance(column.dtype, pd.PeriodDtype):
        yield "C", "holds dates", texts[0]
        return
    named = bool(kinds & {"date", "event", "birth"})
    numbers = whole(texts)
    if numbers is not None and not kinds & {"zip", "place"}:
        told = numbers_are_dates(numbers, named=named)
        if told:
            yield "C", f"tells {told}", texts[0]
    part = part_of_date(kinds, texts)
    if part:
        yield "C", f"tells {part}", texts[0]
    finer = next((text for text in texts if not only_years(text)), None)
    if finer is not None and "date" in kinds:
        yield "C", "tells more than the year", finer
    year = case.facts.year
    if "birth" in kinds and year is not None:
        born = next((text for text in texts if born_over_89(text, year)), None)
        if born is not None:
            yield "C", "tells a year of birth of somebody over 89", born


def born_columns(case: Case) -> list[str]:
    """Columns of years of birth, which nobody can judge without the year of the release."""
    return [
        str(name)
        for name in case.released.frame.columns
        if "birth" in kinds_of(str(name)) and name not in case.facts.harmless
    ]
