"""Which columns hold ids, names and counts: as named by the person, or by their usual names where that is clear."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.column_names import plain
from kanon_engine.io.counted import Candidates, has_numbers, one_row_an_id, refuse_unreadable_counts
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
        "modzcta",
        "modifiedzcta",
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


# best first, names before codes
ONE = "one"  # in place of a column of counts: each area counts as one
COUNTY_NAMES = (
    *("countyname", "county", "countynm", "cntyname", "ctyname", "coname", "namelsadco", "parish"),
    *("countyfp", "countyfips", "cntyfips", "cnty"),
)


def data_columns(frame: pd.DataFrame) -> list[str]:
    """All columns but the geometry."""
    return [column for column in frame.columns if str(frame[column].dtype) != "geometry"]


def weight_column(
    frame: pd.DataFrame, wanted: str, where: str, taken: Sequence[str | None] = ()
) -> tuple[str | None, str | None]:
    """The column of counts, or None where each area counts as one; and, where it was guessed, a note.

    `taken` are columns with another role.

    Raises
    ------
    InvalidInput
        No such column; it lists the columns. Only the default name "population" may be guessed.
    """
    columns = data_columns(frame)
    if wanted == ONE and ONE not in columns:
        return None, None
    if wanted in columns or wanted != "population":
        return known_column(columns, wanted, f"weight of {where}"), None
    candidates = Candidates(frame[columns], where, "weight", taken, rounds=True)
    found = candidates.best_named(rows=False)
    if found is None:
        raise candidates.ask(
            rows=False,
            first=Remedy("give the counts in a second table", "counts"),
            last=Remedy("count each area as one", "weight", ONE),
        )
    return found, f"The weight was taken from column {found}, for its name."


def count_column(
    frame: pd.DataFrame, wanted: str | None, where: str, key: str, keys: Sequence[Any], per_record: bool | None
) -> str | None:
    """The column of a second table that holds counts, or None where each row is one record.

    Rows are records where a person says so, or where no column is named like counts and ids repeat as those of records
    do. Where each id stands in one row beside numbers, the table is one of areas, and its rows are no records.

    Raises
    ------
    ChoiceNeeded
        Nobody can tell which column counts.
    """
    if wanted is not None:
        if per_record:
            raise InvalidInput(f"Where every row is one record, there is no count column; leave out {wanted!r}.")
        return known_column(data_columns(frame), wanted, f"counts of {where}")
    if per_record:
        return None
    candidates = Candidates(frame, where, "counts_column", [key], rounds=True)
    found = candidates.best_named(rows=True)
    if found is not None:
        return found
    if per_record is None:
        refuse_unreadable_counts(frame, where, [key])
    if per_record is False or (has_numbers(frame, [key]) and one_row_an_id(keys)):
        raise candidates.ask(", and rows stand for areas", rows=per_record is None)
    return None


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


def county_column(frame: pd.DataFrame, wanted: str | None, where: str, taken: Iterable[str | None] = ()) -> str | None:
    """The column of the county that each area lies in, if there is one: several areas share some of its values."""
    columns = data_columns(frame)
    if wanted is not None:
        return known_column(columns, wanted, f"counties of {where}")
    found = _by_name([name for name in columns if name not in taken], COUNTY_NAMES)
    return found if found is not None and frame[found].dropna().duplicated().any() else None
