"""The first rows of a file, before the meaning of its columns is set."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kanon_engine.io.confined import confined
from kanon_engine.io.geofile import read_rows
from kanon_engine.io.source import Source
from kanon_engine.io.workbook import with_sheet


@confined("file")
def preview(
    file: Any, filename: str | None = None, rows: int = 5, sheet: str | int | None = None, layer: str | None = None
) -> pd.DataFrame:
    """Column names and first rows, without shapes.

    Parameters
    ----------
    file : path, bytes, readable object or Source
    filename : What to call uploaded bytes in sentences.
    rows : int
    sheet : Sheet of a workbook, by name or by number, starting at 1; the first that fits if None.
    layer : The layer of a file with several.

    Raises
    ------
    InvalidInput : The file is broken, or neither a table nor a file with shapes.
    """
    frame, _ = read_rows(with_sheet(Source.open(file, filename), sheet), layer)
    shapes = getattr(frame, "active_geometry_name", None)
    return (frame if shapes is None else pd.DataFrame(frame.drop(columns=shapes))).head(rows)


@confined("file")
def sheets_of(file: Any, filename: str | None = None) -> tuple[tuple[str, ...], str]:
    """The sheets of a workbook, and the one that is read by default; none for a file of another kind.

    >>> sheets_of(b"zip,people\\n06001,5\\n")
    ((), '')
    """
    source = with_sheet(Source.open(file, filename))
    return source.sheets, source.sheet
