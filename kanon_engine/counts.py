"""Columns of counts: text as numbers, and what is no count refused in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.validate import whole_numbers

GROUPED = r"\d{1,3}(?:([,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*"  # 1,234,567 or 1'234'567 or 1 234 567


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
        numbers = numbers_in(column)
        empty = column.isna() | (column.astype("string").str.strip() == "").fillna(True)
        values = numbers.astype(object).where(numbers.notna() | empty, column.astype(object))
        return whole_numbers([None if pd.isna(value) else value for value in values], what, minimum, places)
    return whole_numbers(column.to_numpy(dtype="float64", na_value=float("nan")), what, minimum, places)


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


def refuse_unreadable_counts(column: pd.Series, where: str, way_out: str) -> None:
    """A column that is named like counts and holds digits, but whose values are no numbers, is not to be overlooked."""
    texts = column.dropna().astype("string").str.strip()
    odd = texts[numbers_in(texts).isna() & (texts != "")]
    if len(odd) and texts.str.contains(r"\d").any():
        raise InvalidInput(
            f"Column {column.name} of {where} is named like counts but holds “{str(odd.iloc[0])[:40]}”, which is no "
            f"number; correct it, {way_out}."
        )
