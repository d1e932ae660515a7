"""The first rows of a file, before anybody has said what its columns mean."""

from __future__ import annotations

from typing import Any

import pandas as pd

from kanon_engine.io.confined import confined
from kanon_engine.io.frames import has_shapes, read_frame
from kanon_engine.io.geofile import read_shapes
from kanon_engine.io.source import TABLES, Source


@confined("file")
def preview(file: Any, filename: str | None = None, rows: int = 5) -> pd.DataFrame:
    """Column names and first rows, without shapes.

    Parameters
    ----------
    file : path, bytes, readable object or Source
    filename : str, optional
        What to call uploaded bytes in sentences.
    rows : int

    Returns
    -------
    DataFrame

    Raises
    ------
    InvalidInput
        The file is neither a table nor a file with shapes, or it is broken.
    """
    source = Source.open(file, filename)
    if source.kind in TABLES and not has_shapes(source):
        return read_frame(source)[0].head(rows)
    frame, _ = read_shapes(source)
    return pd.DataFrame(frame.drop(columns=frame.geometry.name)).head(rows)
