"""The first rows of a file, before anybody has said what its columns mean."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kanon_engine.io.confined import confined
from kanon_engine.io.frames import has_shapes, read_frame
from kanon_engine.io.geofile import read_shapes
from kanon_engine.io.source import TABLES, Source
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
    sheet : Which sheet of a workbook, by its name or its number from 1; the first that fits when None.
    layer : The one of a file with several.

    Raises
    ------
    InvalidInput : The file is neither a table nor a file with shapes, or it is broken.
    """
    source = with_sheet(Source.open(file, filename), sheet)
    if source.kind in TABLES and not has_shapes(source):
        return read_frame(source)[0].head(rows)
    frame, _ = read_shapes(source, layer)
    return pd.DataFrame(frame.drop(columns=frame.geometry.name)).head(rows)


@confined("file")
def sheets_of(file: Any, filename: str | None = None) -> tuple[tuple[str, ...], str]:
    """The sheets of a workbook, and the one that is read where nobody names one; none of a file of another kind.

    >>> sheets_of(b"zip,people\\n06001,5\\n")
    ((), '')
    """
    source = with_sheet(Source.open(file, filename))
    return source.sheets, source.sheet
