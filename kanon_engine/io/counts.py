"""Columns of counts: text as numbers, and what is no count refused in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.validate import whole_numbers

GROUPED = r"[1-9]\d{0,2}(?:([,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*"  # 1,234,567 or 1'234'567 or 1 234 567


def counts_of(
    column: pd.Series, what: str, source_name: str, minimum: int = 0, places: Sequence[str] | None = None
) -> Any:
    """A text or number column as whole numbers; thousands separators are understood, anything else is refused in words.

    A refusal names the row of the source, or its place in `places`.

    Returns
    -------
    (n,) int64 array
    """
    if places is None:
        places = [f"row {row + 1} of {source_name}" for row in range(len(column))]
    if pd.api.types.is_bool_dtype(column):
        return whole_numbers(column.to_numpy(), what, minimum, places)
    if not pd.api.types.is_numeric_dtype(column):
        refuse_points(column, what)
        numbers = numbers_in(column)
        empty = column.isna() | (column.astype("string").str.strip() == "").fillna(True)
        values = numbers.astype(object).where(numbers.notna() | empty, column.astype(object))
        return whole_numbers([None if pd.isna(value) else value for value in values], what, minimum, places)
    return whole_numbers(column.to_numpy(dtype="float64", na_value=float("nan")), what, minimum, places)


def refuse_points(column: pd.Series, what: str) -> None:
    """1.000 is one or a thousand, and nobody can tell which."""
    texts = column.dropna().astype("string").str.strip()
    odd = texts[texts.str.fullmatch(r"[1-9]\d{0,2}(\.\d{3})+").fillna(False)]
    if len(odd):
        raise InvalidInput(
            f"The {what} hold “{odd.iloc[0]}”, which may be a fraction or a number with thousands set apart; write "
            f"whole numbers without points."
        )


def thousands_told(column: pd.Series) -> list[str]:
    """A note where signs between digits were read as separating thousands."""
    if pd.api.types.is_numeric_dtype(column):
        return []
    texts = column.dropna().astype("string").str.strip()
    grouped = texts[texts.str.fullmatch(GROUPED).fillna(False)]
    return [f"“{grouped.iloc[0]}” in column {column.name} was read with thousands set apart."] if len(grouped) else []


def numbers_in(column: pd.Series) -> pd.Series:
    """A column as numbers with thousands separators understood, missing where it holds none.

    Example
    -------
    >>> numbers_in(pd.Series(["1,234", "5", "1'234'567", "about 3"])).tolist()
    [1234, 5, 1234567, <NA>]
    """
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return column
    text = column.astype("string").str.strip()
    grouped = text.str.fullmatch(GROUPED).fillna(False)
    text = text.where(~grouped, text.str.replace(r"\D", "", regex=True))
    return pd.to_numeric(text, errors="coerce")
