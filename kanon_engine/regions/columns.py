"""Which columns hold ids, names and counts, and the ids of areas in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.counts import CountCandidates, has_numbers, one_row_an_id, refuse_unreadable_counts
from kanon_engine.io.roles import plain
from kanon_engine.model.words import counted
from kanon_engine.validate import known_column

# best first; a year may follow: zcta5ce10, GEOID20
ID_NAMES = (
    *("zip", "zipcode", "zip5", "zcta", "zcta5", "zcta5ce", "modzcta", "modifiedzcta"),
    *("geoid", "fips", "fipscode", "areakey", "areaid", "regionid", "poltract", "tract"),
    *("tractid", "geocode", "gisjoin", "postcode", "postalcode", "plz", "nutsid", "code", "id", "key"),
)
AREA_NAMES = ("name", "place", "areaname", "town", "city", "county", "municipality", "label")


ONE = "one"  # in place of a column of counts: each area counts as one
# best first, names before codes
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
    InvalidInput : No such column; it lists the columns. Only the default name "population" may be guessed.
    """
    columns = data_columns(frame)
    if wanted == ONE and ONE not in columns:
        return None, None
    if wanted in columns or wanted != "population":
        return known_column(columns, wanted, f"weight of {where}"), None
    candidates = CountCandidates(frame[columns], where, "weight", taken, rounds=True)
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
    ChoiceNeeded : Nobody can tell which column counts.
    """
    if wanted is not None:
        if per_record:
            raise InvalidInput(f"Where every row is one record, there is no count column; leave out {wanted!r}.")
        return known_column(data_columns(frame), wanted, f"counts of {where}")
    if per_record:
        return None
    candidates = CountCandidates(frame, where, "counts_column", [key], rounds=True)
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


def column_ids(column: pd.Series, where: str) -> list[str | int]:
    """Text stripped, whole numbers as they are; a missing id is refused with its row."""
    ids: list[str | int] = []
    for row, (value, missing) in enumerate(zip(column.tolist(), without_id(column).tolist(), strict=True)):
        if missing:
            raise InvalidInput(f"Row {row + 1} of {where} has no id in column {column.name}; give every row one.")
        whole = isinstance(value, float) and value.is_integer()
        ids.append(
            value.strip() if isinstance(value, str) else int(value) if whole or isinstance(value, int) else str(value)
        )
    return ids


def without_id(column: pd.Series) -> np.ndarray:
    """Which rows have no id."""
    blank = [isinstance(value, str) and not value.strip() for value in column.tolist()]
    return column.isna().to_numpy() | np.array(blank, dtype=bool)


def require_unique(ids: Sequence[Any], where: str, *ways: Remedy) -> None:
    """Refuse an id that stands twice, with its rows."""
    first: dict[Any, int] = {}
    for row, value in enumerate(ids):
        if value in first:
            what = f"The id {value} stands in rows {first[value] + 1} and {row + 1} of {where}"
            raise InvalidInput(what, remedy=ways)
        first[value] = row


def aligned(ones: Sequence[Any], others: Sequence[Any], where: str) -> tuple[list[str], list[str], str | None]:
    """Both lists of ids as text; where one lost its leading zeros, they are put back and a note says so.

    >>> aligned([6001, 10001], ["06001", "10001"], "counts.csv")[0]
    ['06001', '10001']
    """
    one, other = [str(value) for value in ones], [str(value) for value in others]
    digits = [len(value) for value in {*one, *other} if value.isdecimal()]
    if not digits or set(one) == set(other):
        return one, other, None
    width = max(digits)
    padded_one, padded_other = (
        [value.zfill(width) if value.isdecimal() else value for value in values] for values in (one, other)
    )
    before, after = set(one) & set(other), set(padded_one) & set(padded_other)
    runs_together = len(set(padded_one)) < len(set(one)) or len(set(padded_other)) < len(set(other))
    if len(after) <= len(before) or runs_together:
        return one, other, None
    changed = sorted({value for value in (*one, *other) if value.isdecimal() and len(value) < width})
    note = (
        f"Leading zeros were put back to match ids with {where}: {counted(len(changed), 'id')} such as {changed[0]} → "
        f"{changed[0].zfill(width)}."
    )
    return padded_one, padded_other, note


def some(values: Sequence[Any], most: int = 5) -> str:
    """The first few of many, for a sentence."""
    shown = ", ".join(str(value) for value in values[:most])
    return shown if len(values) <= most else f"{shown}, …"
