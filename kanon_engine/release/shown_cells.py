"""What a cell is in every file that leaves: two cells are the same if and only if a file shows the same in them.

- None, NaN, NaT, NA and the empty text are missing: a CSV shows nothing in all of them.
- Zero has no sign, and whole numbers are exact. Beside fractions they are numbers with a point where that loses
  nothing, else the column is text.
- Categories are their values. Dates and times are text, with every digit of a second; a time that knows its zone shows
  it. Decimals are text: 1.0 and 1.00 are two.
- In a column of several types 1, 1.0 and True are three cells, and 1 and "1" are one.
- Text is compared by its code points: case, accents and spaces tell cells apart.

Writers, what reads a file again, and audits take cells from here, in memory and where records live.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kanon_engine.io.cells import EXACT

if TYPE_CHECKING:
    import ibis.expr.types as ir


def shown_frame(frame: Any) -> Any:
    """The same table with its cells as every file shows them; shapes stay."""
    made = frame.copy()
    for place, kind in enumerate(frame.dtypes):
        if str(kind) != "geometry":
            made.isetitem(place, shown_column(frame.iloc[:, place]))
    return made


def shown_column(column: pd.Series) -> pd.Series:
    """A column with its cells as every file shows them, a missing one as missing.

    Example
    -------
    >>> shown_column(pd.Series([2**53 + 1, 0.5, None, ""], dtype=object)).tolist()
    ['9007199254740993', '0.5', None, None]
    """
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind) or pd.api.types.is_integer_dtype(kind):
        return column
    if pd.api.types.is_float_dtype(kind):
        return column.astype("float64") + 0.0
    if getattr(kind, "kind", "O") in "Mm" or isinstance(kind, pd.PeriodDtype):
        return column.astype("string")
    if isinstance(kind, pd.StringDtype) or pd.api.types.infer_dtype(column, skipna=True) == "string":
        return column.mask(column.isna() | column.isin([""]), None)
    cells = _of_objects([plain_cell(value) for value in column.astype(object).tolist()])
    return pd.Series(cells, index=column.index, name=column.name, dtype=object)


def compared_column(column: pd.Series) -> pd.Series:
    """A column whose cells are equal if and only if a file shows the same in them: numbers, or text.

    Example
    -------
    >>> compared_column(pd.Series([1, True, 1.0, "1"], dtype=object)).tolist()
    ['1', 'True', '1.0', '1']
    """
    made = shown_column(column)
    if not pd.api.types.is_object_dtype(made):
        return made
    return made.map(str, na_action="ignore")


def shown_codes(column: pd.Series) -> np.ndarray:
    """(n,) int64: equal where a file shows the same, numbered from 0 as cells first occur; a missing one has its own.

    Example
    -------
    >>> shown_codes(pd.Series([1, True, 1, True], dtype=object)).tolist(), shown_codes(pd.Series(["", None])).tolist()
    ([0, 1, 0, 1], [0, 0])
    """
    return pd.factorize(compared_column(column), use_na_sentinel=False)[0].astype(np.int64)


def plain_cell(value: Any) -> str | int | float | bool | None:
    """A cell as every file can hold it: None where it is missing, text for what is neither a number nor yes or no."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    return value if isinstance(value, str | bool | int | float) else str(value)


def _of_objects(cells: list[Any]) -> list[Any]:
    """Plain cells, those as text whose types a file would not tell apart or could not hold."""
    cells = [None if cell == "" and isinstance(cell, str) else cell for cell in cells]
    kinds = {type(cell) for cell in cells if cell is not None}
    if float in kinds:
        cells = [cell + 0.0 if isinstance(cell, float) else cell for cell in cells]
    if kinds == {int, float} and all(abs(cell) <= EXACT for cell in cells if isinstance(cell, int)):
        return [None if cell is None else float(cell) for cell in cells]
    texts = {cell for cell in cells if isinstance(cell, str)}
    alike = any(cell is not None and not isinstance(cell, str) and str(cell) in texts for cell in cells)
    if kinds == {int, float} or alike:
        return [None if cell is None else str(cell) for cell in cells]
    return cells


def shown_in_engine(column: ir.Column) -> ir.Column:
    """The same of records where they live, as an expression: numbers, yes or no, or text; times with a zone in UTC."""
    import ibis

    kind = column.type()
    if kind.is_string():
        return column.nullif("")
    if kind.is_boolean():
        return column
    if kind.is_floating():
        number = column.cast("float64") + 0.0
        return ibis.ifelse(number.isnan(), None, number)
    if kind.is_integer() and not kind.is_uint64():
        return column.cast("int64")
    return column.cast("string")
