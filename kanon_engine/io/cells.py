"""Cells of a file as values: which are missing, which are numbers, and what was unusual in a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.model.values import Value

MISSING = ("", "?", "NA", "N/A", "#N/A", "nan", "NaN", "null", "NULL", "<NA>")
PLAIN = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
CODE = r"[-+]?0\d+"  # a zip code, not a number
THOUSANDS = r"[-+]?[1-9]\d{0,2}(?:,\d{3})+"
COMMA = r"[-+]?\d+(?:,\d+)?"
WHOLE = r"[-+]?\d+"
EXACT = 2**53  # whole numbers up to this are exact as floats
LISTED = 5  # bad rows that a message lists
LONG, LONGEST = 15, 300  # digits: shorter whole numbers are certainly exact, and longer ones certainly not


def typed(column: pd.Series) -> tuple[pd.Series, list[Value] | None, tuple[str, ...]]:
    """A column with numbers as numbers and missing cells missing.

    `column`: as `read_frame` gives it.

    Returns
    -------
    values : Numbers, or text without outer spaces; cells of another type in the file keep it.
    order : list or None
        For a column with numbers and words: the numbers by value, then the words; None for the usual order.
    notes : What was missing or unusual, in sentences.

    >>> typed(pd.Series(["7", " ?", "10 "], name="age"))[0].tolist()
    [7.0, nan, 10.0]
    """
    if not (pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column)):
        empty = int(column.isna().sum())
        missing_notes = (_missing(empty, str(column.name), ""),) if empty else ()
        return (column.astype("string") if column.dtype.kind == "M" else column), None, missing_notes
    is_text = isinstance(column.dtype, pd.StringDtype)  # avoids a second copy of text as objects
    raw = column.fillna("") if is_text else column.astype(object).where(column.notna(), "").astype(str)
    text = raw.str.strip()
    marked = text.isin(MISSING)
    present_text = text.where(~marked, None)
    notes = _told(str(column.name), text[marked])
    spaces = int((raw[~marked] != text[~marked]).sum())
    if spaces:
        notes += (f"Spaces around values of “{column.name}” were removed {times(spaces)}.",)
    present = text[~marked]
    numbers, more = _numbers(str(column.name), present)
    if numbers is not None:
        if marked.any() and pd.api.types.is_integer_dtype(numbers) and not numbers.between(-EXACT, EXACT).all():
            unsigned = pd.api.types.is_unsigned_integer_dtype(numbers)  # a nullable type that is exact
            numbers = numbers.astype(pd.UInt64Dtype() if unsigned else pd.Int64Dtype())
        return numbers.reindex(column.index), None, (*notes, *more)
    plain = present[present.str.fullmatch(PLAIN)]
    order: list[Value] | None = None
    if 0 < len(plain) < len(present) and 2 * len(plain) >= len(present):
        words = sorted(set(present) - set(plain))
        order = [*sorted(set(plain), key=lambda value: (float(value), value)), *words]
        more = (f"“{column.name}” holds numbers and also words such as “{words[0][:40]}”; all were read as words. "
                "The numbers come first, in order; the others follow alphabetically.",)  # fmt: skip
    return present_text, order, (*notes, *more)


def _told(name: str, missing: pd.Series) -> tuple[str, ...]:
    """How often each marker of a missing cell occurs."""
    if missing.empty:
        return ()
    counts = missing.value_counts().items()
    marks = ", ".join(f"“{mark}” {times(count)}" if mark else f"empty {times(count)}" for mark, count in counts)
    return (_missing(len(missing), name, f" ({marks})"),)


def _missing(count: int, name: str, marks: str) -> str:
    cells = "1 cell" if count == 1 else f"{count:,} cells"
    end = "is missing{} and counts as a value." if count == 1 else "are missing{} and together count as one value."
    return f"{cells} of “{name}” {end.format(marks)}"


def times(count: int) -> str:
    """How often, in words.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if count == 1 else f"{count:,} times"


def _numbers(name: str, present: pd.Series) -> tuple[pd.Series | None, tuple[str, ...]]:
    if present.empty:
        return None, ()
    if present.str.fullmatch(PLAIN).all():
        if present.str.fullmatch(CODE).any():
            return None, (f"“{name}” holds codes with leading zeros; they were read as words.",)
        numbers = _parsed(present)
        if not pd.api.types.is_integer_dtype(numbers):  # two IDs must not become one
            whole = present[present.str.fullmatch(WHOLE) & (present.str.len() > LONG)].unique().tolist()
            lost = next((text for text in whole if len(text) > LONGEST or int(text) != float(text)), None)
            if lost is not None:
                long = f"“{name}” holds whole numbers that are too long to be exact, such as {lost[:40]}"
                return None, (f"{long}; they were read as words.",)
        return numbers, ()
    if not present.str.contains(",").any():
        return None, ()
    if present.str.fullmatch(f"{THOUSANDS}|{PLAIN}").all():
        return _parsed(present.str.replace(",", "")), (f"Commas in “{name}” were read as thousands separators.",)
    if present.str.fullmatch(COMMA).all():
        return _parsed(present.str.replace(",", ".")), (f"Commas in “{name}” were read as decimal commas.",)
    return None, ()


def _parsed(texts: pd.Series) -> pd.Series:
    numbers = pd.to_numeric(texts, errors="coerce")
    return numbers.where(np.isfinite(numbers), None)


def describe_bad_rows(bad: np.ndarray, reason: Callable[[int], str]) -> str:
    """The first rows with a bad value, with the reason for each."""
    rows = np.flatnonzero(bad)
    listing = "; ".join(f"row {row + 1}: {reason(row)}" for row in rows[:LISTED].tolist())
    return listing + ("; …" if len(rows) > LISTED else "")


def describe_bad_cell(name: str, cell: Any, flaw: str) -> str:
    """The problem with a cell of a column."""
    missing = pd.isna(cell) or not str(cell).strip()
    return f"{name} is missing" if missing else f"{name} is {str(cell)[:30]!r}, {flaw}"


def as_values(order: Sequence[Any], column: pd.Series) -> list[Any]:
    """An order that a person wrote as text, with numbers for a column of numbers and missing markers as None."""
    if not pd.api.types.is_numeric_dtype(column) or pd.api.types.is_bool_dtype(column):
        return [None if isinstance(value, str) and value.strip() in MISSING else value for value in order]
    return [_number(value) for value in order]


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text in MISSING:
        return None
    return float(text) if re.fullmatch(PLAIN, text) else value
