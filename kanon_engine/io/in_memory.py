"""Tables in memory, made as plain as those from a file: numbers, dates and text, with columns called by text."""

from __future__ import annotations

import datetime
import decimal
import enum
import uuid
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput

if TYPE_CHECKING:
    import geopandas

SINGLE = (
    *(str, bool, int, float, np.generic, decimal.Decimal, uuid.UUID, enum.Enum),
    *(datetime.date, datetime.time, datetime.timedelta, pd.Period, pd.Interval),
)


def plain_frame(table: pd.DataFrame, name: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A copy with plain columns, and a note on those that hold no single values.

    An index with a name is a column, as it is in a file.

    Raises
    ------
    InvalidInput
        Names of columns in several levels, no columns, no column with single values.
    """
    if table.columns.nlevels > 1:
        raise InvalidInput(f"{name} has names of columns in {table.columns.nlevels} levels; give each column one name.")
    if table.shape[1] == 0:
        raise InvalidInput(f"{name} has no columns; choose one with data.")
    index = table.index
    named = [index.get_level_values(level) for level in range(index.nlevels) if index.names[level] is not None]
    columns = [pd.Series(values, name=values.name) for values in named]
    columns += [table.iloc[:, place] for place in range(table.shape[1])]
    found = [(_text(column.name), _plain(column)) for column in columns]
    left_out = [label.strip() for label, column in found if column is None]
    kept = [(label, column) for label, column in found if column is not None]
    if not kept:
        raise InvalidInput(f"No column of {name} holds single values, such as text and numbers; choose one with data.")
    frame = pd.DataFrame(dict(enumerate(column for _, column in kept)), copy=False)
    frame.columns = pd.Index([label for label, _ in kept], dtype=object)
    note = f"Columns that hold no single values, such as text and numbers, were left out: {', '.join(left_out)}."
    return frame, (note,) if left_out else ()


def plain_shapes(table: pd.DataFrame, name: str) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """The same of a table with shapes, which stand in the column "geometry" then.

    Raises
    ------
    InvalidInput
        No column with shapes, or a name twice.
    """
    import geopandas

    active = getattr(table, "active_geometry_name", None)
    if active is None or list(table.columns).count(active) != 1:
        raise InvalidInput(f"{name} has no column with shapes; give a GeoDataFrame with one, or a file with shapes.")
    shapes = table[active]
    rest = pd.DataFrame(table.drop(columns=active))
    frame, notes = plain_frame(rest, name) if rest.shape[1] or table.index.names != [None] else (pd.DataFrame(), ())
    frame.columns = pd.Index([label.strip() for label in frame.columns], dtype=object)
    twice = [label for label in ("geometry", *frame.columns) if [*frame.columns, "geometry"].count(label) > 1]
    if twice:
        raise InvalidInput(f"{name} has two columns called {twice[0]!r}; rename one of them.")
    flat = geopandas.GeoSeries(shapes.to_numpy(), crs=shapes.crs).force_2d()
    frame["geometry"] = flat.array
    return geopandas.GeoDataFrame(frame, geometry="geometry", crs=shapes.crs), notes


def _plain(column: pd.Series) -> pd.Series | None:
    """Numbers and dates as numpy has them, everything else as text; None for lists, bytes, complex numbers …"""
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else ""
    if kind and kind in "biu":
        return pd.Series(column.to_numpy(copy=True))
    if kind == "f":
        return pd.Series(column.to_numpy(dtype=np.float64, copy=True))
    if kind == "M" or isinstance(column.dtype, pd.DatetimeTZDtype):
        return column.reset_index(drop=True)
    if kind == "c":
        return None
    cells = column.astype(object).tolist()
    missing = [_is_missing(cell) for cell in cells]
    present = [cell for cell, lacks in zip(cells, missing, strict=True) if not lacks]
    if not all(isinstance(cell, SINGLE) and not isinstance(cell, np.void | np.complexfloating | np.bytes_)
               for cell in present):  # fmt: skip
        return None
    if present and not any(missing) and not kind and pd.api.types.is_numeric_dtype(column.dtype):
        if all(isinstance(cell, bool | np.bool_) for cell in present):
            return pd.Series(np.array(present, dtype=bool))
        if all(isinstance(cell, int | np.integer) and abs(int(cell)) < 2**63 for cell in present):
            return pd.Series(np.array(present, dtype=np.int64))
    return pd.Series([None if lacks else _text(cell) for cell, lacks in zip(cells, missing, strict=True)], dtype="str")


def _is_missing(cell: Any) -> bool:
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return True
    if isinstance(cell, decimal.Decimal):
        return cell.is_nan()
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    return isinstance(cell, float | np.floating) and bool(np.isnan(cell))


def _text(cell: Any) -> str:
    """What a file would hold; empty text is missing there too."""
    if isinstance(cell, enum.Enum):
        cell = cell.value
    try:
        text = str(cell)
    except ValueError:  # a number of more digits than Python writes out
        text = "inf" if cell > 0 else "-inf"
    return text.encode("utf-8", "replace").decode("utf-8")
