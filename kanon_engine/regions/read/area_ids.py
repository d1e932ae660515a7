"""Ids of areas: text that keeps its zeros, and the matching of ids between two files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.model.words import counted


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

    Example
    -------
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
