"""Excel workbooks, read as a stream: what a sheet says of its own size is not believed, and gaps are counted."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.limits import MB, limits, passed, require_size


def read_workbook(data: bytes, name: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The first sheet, every cell as text, as pandas reads it; and a note where there are several sheets.

    Parameters
    ----------
    data : bytes
    name : str
        For sentences.

    Raises
    ------
    InvalidInput
        More rows, columns or megabytes than are allowed, or no sheet with cells.
    """
    import openpyxl
    from pandas.io.parsers import TextParser  # type: ignore[attr-defined]  # what pandas reads workbooks with

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked, most = sum(entry.file_size for entry in archive.infolist()), limits().workbook
    if unpacked > most:
        raise passed(name, f"unpacks to {unpacked // MB:,} MB", f"{most // MB:,} MB", "save it as CSV")
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    title = book.sheetnames[0]
    sheet: Any = book[title]
    if not hasattr(sheet, "reset_dimensions"):
        raise InvalidInput(f"The first sheet of {name}, “{title}”, holds a chart and no cells; move the table there.")
    sheet.reset_dimensions()
    rows = list(_rows(sheet, name))
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise InvalidInput(f"The first sheet of {name}, “{title}”, is empty; move the table there.")
    width = max(map(len, rows))
    require_size(name, len(rows), width)
    rows = [row + [""] * (width - len(row)) for row in rows]
    frame = TextParser(rows, header=0, dtype=str, skip_blank_lines=False).read()
    several = len(book.sheetnames) > 1
    return frame, (f"The workbook has several sheets; the first, “{title}”, was read.",) if several else ()


def _rows(sheet: Any, name: str) -> Iterator[list[Any]]:
    """The cells of each row up to the last with a value; a sheet that is too large ends at once."""
    most, cells = limits(), 0
    for number, row in enumerate(sheet.rows):
        last = next((place for place in range(len(row) - 1, -1, -1) if row[place].value not in (None, "")), -1)
        cells += last + 1
        if number > most.rows or last >= most.columns or cells > most.cells:
            require_size(name, number, max(last + 1, cells // (number + 1)))
        yield [_value(cell) for cell in row[: last + 1]]


def _value(cell: Any) -> Any:
    """A cell as pandas understands it: "" is empty, an error is missing, 5.0 is 5."""
    if cell.value is None:
        return ""
    if cell.data_type == "e":
        return np.nan
    if cell.data_type == "n":
        return int(cell.value) if int(cell.value) == cell.value else float(cell.value)
    return cell.value
