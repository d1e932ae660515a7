"""Which columns hold ids, names and counts, and the ids of areas in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.roles import (
    Column,
    Counts,
    Resolved,
    Roles,
    column_for,
    data_columns,
    numeric,
    one_row_an_id,
    resolve,
)
from kanon_engine.model.words import counted
from kanon_engine.validate import require_known_name

ONE = "one"  # in place of a column of counts: each area counts as one
ID = Column(
    "id",
    (
        *("zip", "zipcode", "zip5", "zcta", "zcta5", "zcta5ce", "modzcta", "modifiedzcta"),
        *("geoid", "fips", "fipscode", "areakey", "areaid", "regionid", "poltract", "tract"),
        *("tractid", "geocode", "gisjoin", "postcode", "postalcode", "plz", "nutsid", "code", "id", "key"),
    ),
)
NAME = Column("name", ("name", "place", "areaname", "town", "city", "county", "municipality", "label"))
COUNTY = Column(
    "counties",
    (
        *("countyname", "county", "countynm", "cntyname", "ctyname", "coname", "namelsadco", "parish"),
        *("countyfp", "countyfips", "cntyfips", "cnty"),  # names before codes
    ),
)
WEIGHT: Roles = {
    "weight": Counts(
        worst=4,
        item="area",
        rows=False,
        rounds=True,
        note="The weight was taken from column {}, based on its name.",
        first=Remedy("give the counts in a second table", "counts"),
        last=Remedy("count each area as one", "weight", ONE),
    )
}
SECOND: Roles = {"counts_column": Counts(worst=4, rounds=True, lacking=", but rows represent areas, which need counts")}


def weight_column(frame: pd.DataFrame, requested: str, where: str, id: str | None, name: str | None) -> Resolved:
    """The column of counts of the areas, or None if each counts as one.

    Raises
    ------
    InvalidInput : No such column; it lists the columns. Only the default name "population" may be guessed.
    """
    columns = data_columns(frame)
    explicit = requested if requested in columns or requested != "population" else None
    if requested == ONE and ONE not in columns:
        return Resolved(frame, where, WEIGHT, {"weight": None}, ())
    if explicit is not None:
        require_known_name(columns, requested, f"weight of {where}")
    return resolve(frame, WEIGHT, {"weight": explicit}, where, per_record=False, excluded=(id, name))


def count_column(
    frame: pd.DataFrame, requested: str | None, where: str, key: str, keys: Sequence[Any], per_record: bool | None
) -> Resolved:
    """The column of a second table that holds counts, or None if each row is one record.

    Rows are records if a person says so, or if no column name suggests counts and ids repeat as those of records do. If
    each id appears in one row next to numbers, the table is one of areas, and its rows are not records.

    Raises
    ------
    ChoiceNeeded : It is unclear which column holds the counts.
    """
    resolved = resolve(frame, SECOND, {"counts_column": requested}, where, per_record=per_record, excluded=(key,))
    if requested is not None:
        require_known_name(list(frame.columns), requested, f"counts of {where}")
    alone = resolved.columns["counts_column"] is None and per_record is None
    if alone and any(name != key and numeric(frame[name]) for name in frame.columns) and one_row_an_id(keys):
        raise resolved.ask(rows=True)
    return resolved


def county_column(
    frame: pd.DataFrame, requested: str | None, where: str, excluded: Iterable[str | None] = ()
) -> str | None:
    """The column of the county that each area lies in, if there is one: several areas share some of its values."""
    free = frame if requested is not None else frame[[name for name in data_columns(frame) if name not in excluded]]
    column = column_for(free, COUNTY, requested, where)
    return (
        column if requested is not None or (column is not None and frame[column].dropna().duplicated().any()) else None
    )


def column_ids(column: pd.Series, where: str) -> list[str | int]:
    """Text stripped, whole numbers as they are; a missing id is refused with its row."""
    ids: list[str | int] = []
    for row, (value, missing) in enumerate(zip(column.tolist(), without_id(column).tolist(), strict=True)):
        if missing:
            raise InvalidInput(f"Row {row + 1} of {where} has no id in column {column.name}; give every row an id.")
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
    """Refuse a duplicate id, giving its rows."""
    first: dict[Any, int] = {}
    for row, value in enumerate(ids):
        if value in first:
            what = f"The id {value} appears in rows {first[value] + 1} and {row + 1} of {where}"
            raise InvalidInput(what, remedy=ways)
        first[value] = row


def aligned(ones: Sequence[Any], others: Sequence[Any], where: str) -> tuple[list[str], list[str], str | None]:
    """Both lists of ids as text; if one lost its leading zeros, they are put back and a note says so.

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
    # padding must not make one id of two
    runs_together = len(set(padded_one)) < len(set(one)) or len(set(padded_other)) < len(set(other))
    # without a gain, ids stay as they were written
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
    text = ", ".join(str(value) for value in values[:most])
    return text if len(values) <= most else f"{text}, …"
