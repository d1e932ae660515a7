"""Which columns hold ids, names and counts: as named by the person, or by their usual names where that is clear."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from kanon_engine.counts import numbers_in, refuse_unreadable_counts
from kanon_engine.errors import InvalidInput
from kanon_engine.validate import known_column

# best first; a year may follow: zcta5ce10, GEOID20
ID_NAMES = (
    *(
        "zip",
        "zipcode",
        "zip5",
        "zcta",
        "zcta5",
        "zcta5ce",
        "geoid",
        "fips",
        "fipscode",
        "areakey",
        "areaid",
        "regionid",
    ),
    *(
        "poltract",
        "tract",
        "tractid",
        "geocode",
        "gisjoin",
        "postcode",
        "postalcode",
        "plz",
        "nutsid",
        "code",
        "id",
        "key",
    ),
)
AREA_NAMES = ("name", "place", "areaname", "town", "city", "county", "municipality", "label")
PEOPLE = re.compile(
    r"(tot|total)?(pop|population|people|persons|residents|inhabitants)(tot|total)?\d{0,4}(est|estimate)?"
)
COUNTS = re.compile(r"(n|count|counts|number|num|freq|frequency|records|cases|births|deaths|total|value|weight)\d{0,4}")
CERTAIN_COUNTS = re.compile(r"(counts?|freq|frequency|(tot|total)?(pop|population|people|persons))\d{0,4}")


def plain(name: object) -> str:
    """A column name without case and signs."""
    return re.sub(r"[^a-z0-9]", "", str(name).lower())


def data_columns(frame: pd.DataFrame) -> list[str]:
    """All columns but the geometry."""
    return [column for column in frame.columns if str(frame[column].dtype) != "geometry"]


def weight_column(frame: pd.DataFrame, wanted: str, where: str, ids: str | None = None) -> tuple[str, str | None]:
    """The column of counts and, where it was guessed, a note.

    Raises
    ------
    InvalidInput
        No such column; it lists the columns. Only the default name "population" may be guessed.
    """
    columns = data_columns(frame)
    if wanted in columns or wanted != "population":
        return known_column(columns, wanted, f"weight of {where}"), None
    candidates = _candidates(frame, columns, ids)
    if len(candidates) == 1:
        return candidates[0], f"The weight was taken from column {candidates[0]}, for its name."
    listing = ", ".join(map(str, columns)) or "none"
    found = (
        f"several columns could be the counts ({', '.join(candidates)})"
        if candidates
        else "no column is named like counts"
    )
    raise InvalidInput(f"In {where} {found}; choose one as weight: the columns are: {listing}.")


def count_column(frame: pd.DataFrame, wanted: str | None, where: str, ids: str) -> str | None:
    """The column of a second table that holds counts, or None where each row is one record."""
    columns = data_columns(frame)
    if wanted is not None:
        return known_column(columns, wanted, f"counts of {where}")
    candidates = _candidates(frame, columns, ids)
    if len(candidates) > 1:
        raise InvalidInput(
            f"In {where} several columns could be the counts ({', '.join(candidates)}); choose one with counts_column=."
        )
    if not candidates:
        for column in columns:
            if column != ids and CERTAIN_COUNTS.fullmatch(plain(column)):
                refuse_unreadable_counts(frame[column], where, "or rename it if every row is one record")
    return candidates[0] if candidates else None


def _candidates(frame: pd.DataFrame, columns: list[str], ids: str | None) -> list[str]:
    for pattern in (PEOPLE, COUNTS):
        found = [name for name in columns if name != ids and pattern.fullmatch(plain(name)) and _numbers(frame[name])]
        if found:
            return found
    return []


def _numbers(column: pd.Series) -> bool:
    numbers = numbers_in(column.dropna())
    return bool(numbers.notna().mean() > 0.5) if len(numbers) else False


def id_column(frame: pd.DataFrame, wanted: str | None, where: str) -> tuple[str | None, str | None]:
    """The column of ids, or None for row numbers; and, where it was guessed, a note."""
    columns = data_columns(frame)
    if wanted is not None:
        return known_column(columns, wanted, f"id of {where}"), None
    found = _by_name(columns, ID_NAMES)
    if found is None:
        return (
            None,
            f"No column of {where} is named like an id, so areas are numbered 1 to {len(frame):,} as in the file.",
        )
    return found, f"The ids were taken from column {found}, for its name."


def name_column(frame: pd.DataFrame, wanted: str | None, where: str) -> str | None:
    """The column of what people call the areas, if there is one."""
    columns = data_columns(frame)
    return known_column(columns, wanted, f"name of {where}") if wanted is not None else _by_name(columns, AREA_NAMES)


def _by_name(columns: Iterable[str], names: Iterable[str]) -> str | None:
    by_plain = {re.sub(r"(?<=\D)\d\d$", "", plain(column)): column for column in columns}
    return next((by_plain[name] for name in names if name in by_plain), None)


def counts_people(column: str | None) -> bool:
    """Whether a column is named like a number of people."""
    return column is not None and PEOPLE.fullmatch(plain(column)) is not None
