"""Excel workbooks, read as a stream: the size that a sheet declares is not trusted, and gaps are counted."""

from __future__ import annotations

import functools
import inspect
import io
import os
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput, KanonError, Remedy
from kanon_engine.io.limits import MB, limits, passed, require_size
from kanon_engine.io.source import Source
from kanon_engine.model.words import enumerated
from kanon_engine.validate import told

Reader = TypeVar("Reader", bound=Callable[..., Any])

LOOKED_AT = 50  # rows of a sheet that show whether it holds a table
FEW_ROWS = 15  # two columns with so few words may be notes
MOST_NAMED = 12  # sheets that a sentence lists


def with_sheet(
    source: Source, sheet: str | int | None = None, columns: Collection[str | None] = (), parameter: str = "sheet"
) -> Source:
    """The source with the sheet of a workbook to read; files of other kinds unchanged.

    Parameters
    ----------
    sheet : str or int, optional
        Its name, or its number from 1; a file of another kind has only number 1. If None, the first sheet with most of
        the wanted columns, and among several the first that holds a table, not a title or notes.
    wanted : The given columns; None among them is ignored.
    parameter : The reader's name for `sheet`.

    Raises `InvalidInput`: there is no such sheet, or the workbook is broken.
    """
    if source.kind != "excel":
        if sheet not in (None, 1):
            raise InvalidInput(
                f"{source.name} is not a workbook, so it has no sheet {told(sheet)}",
                parameter=parameter,
                value=sheet,
                remedy=Remedy("leave the sheet out"),
            )
        return source
    if source.sheets:
        return source
    try:
        book = _opened(source)
        sheets = tuple(book.sheetnames)
        fitting = _fitting(book, {name for name in columns if name is not None}) if sheet is None else ""
    except (MemoryError, KanonError):
        raise
    except Exception as error:  # broken files raise all kinds of library errors
        raise source.broken() from error
    chosen = fitting if sheet is None else _named(sheets, sheet, source.name, parameter)
    name = source.name if len(sheets) == 1 else f"{source.name} (sheet “{chosen}”)"
    return replace(source, name=name, sheet=chosen, sheets=sheets)


def read_workbook(source: Source, *, header: bool = True) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A sheet with every cell as text, as pandas reads it; and a note if there are several sheets.

    Parameters
    ----------
    source : A source whose sheet `with_sheet` has set.
    header : Whether the first row holds the column names.

    Raises `InvalidInput`: more rows, columns or megabytes than are allowed, or a sheet without cells.
    """
    from pandas.io.parsers import TextParser  # type: ignore[attr-defined]  # the library that pandas uses for workbooks

    cells = _opened(source)[source.sheet]
    place = source.name if len(source.sheets) > 1 else f"{source.name} (sheet “{source.sheet}”)"
    if not hasattr(cells, "reset_dimensions"):
        raise InvalidInput(f"{place} holds a chart but no cells; add a sheet with your table.")
    cells.reset_dimensions()
    rows = list(_rows(cells, source.name))
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise InvalidInput(f"{place} is empty; put your table there.")
    width = max(map(len, rows))
    require_size(source.name, len(rows), width)
    rows = [row + [""] * (width - len(row)) for row in rows]
    names = None if header else [f"column {place + 1}" for place in range(width)]
    frame = TextParser(rows, header=0 if header else None, names=names, dtype=str, skip_blank_lines=False).read()
    others = [title for title in source.sheets if title != source.sheet]
    return frame, (f"The sheet “{source.sheet}” was read; the workbook also has {_listed(others)}.",) if others else ()


def lists_sheets(**sheets: str) -> Callable[[Reader], Reader]:
    """Let a reader's errors list the other sheets of their workbook.

    `**sheets`: for each parameter that is a file, the parameter that names its sheet.
    """

    def decorate(reader: Reader) -> Reader:
        signature = inspect.signature(reader)

        @functools.wraps(reader)
        def read(*arguments: Any, **settings: Any) -> Any:
            try:
                return reader(*arguments, **settings)
            except InvalidInput as error:
                bound = signature.bind(*arguments, **settings).arguments
                files = {parameter: _workbook(bound.get(file)) for file, parameter in sheets.items()}
                workbooks = {parameter: source for parameter, source in files.items() if source is not None}
                mentioned = {one: source for one, source in workbooks.items() if source.name in error.message}
                for parameter, source in (mentioned or workbooks).items():
                    if error.parameter != parameter:
                        _list_others(error, source, parameter)
                raise

        return read  # type: ignore[return-value]

    return decorate


def _workbook(file: Any) -> Source | None:
    """A reader's file, if it is a workbook; objects that were read to their end are not."""
    if not isinstance(file, Source | str | bytes | os.PathLike):
        return None
    with suppress(InvalidInput):
        source = Source.open(file)
        return source if source.kind == "excel" else None
    return None


def _list_others(error: InvalidInput, source: Source, parameter: str) -> None:
    """Add another sheet as a way out."""
    try:
        titles = _opened(source).sheetnames
    except Exception:  # broken, as the error says
        return
    others = [title for title in titles if f"(sheet “{title}”)" not in error.message]
    if len(titles) == 1 or not others:
        return
    if not error.remedy:  # the sentence itself says what to do, after its semicolon
        head, semicolon, rest = error.message.removesuffix(".").rpartition("; ")
        error.message = head if semicolon else rest
        error.remedy = (Remedy(rest),) if semicolon else ()
    error.remedy = (*error.remedy, Remedy(f"choose another sheet ({_listed(others)})", parameter))


def _opened(source: Source) -> Any:
    import openpyxl

    with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
        unpacked, most = sum(entry.file_size for entry in archive.infolist()), limits().workbook
    if unpacked > most:
        raise passed(source.name, f"unpacks to {unpacked // MB:,} MB", f"{most // MB:,} MB", "save it as CSV")
    return openpyxl.load_workbook(io.BytesIO(source.data), read_only=True, data_only=True, keep_links=False)


def _named(sheets: Sequence[str], sheet: Any, name: str, parameter: str) -> str:
    if sheet in sheets:
        return str(sheet)
    text = str(sheet).strip() if isinstance(sheet, str | int) and not isinstance(sheet, bool) else ""
    if text.isdecimal() and 1 <= int(text) <= len(sheets):
        return sheets[int(text) - 1]
    raise InvalidInput(
        f"There is no sheet {told(sheet)} in {name}; the workbook has {_listed(sheets)}.",
        parameter=parameter,
        value=sheet,
    )


def _fitting(book: Any, columns: Collection[str]) -> str:
    """The first sheet with most of the wanted columns, with preference for one that holds a table."""

    def rank(title: str) -> tuple[int, bool, bool]:
        sheet = book[title]
        if not hasattr(sheet, "reset_dimensions"):
            return 0, False, False
        sheet.reset_dimensions()
        rows = [[_value(cell) for cell in row] for row in islice(sheet.rows, LOOKED_AT)]
        names = {str(value).strip() for value in rows[0]} if rows else set()
        return len(names & {*columns}), sheet.sheet_state == "visible" and _is_table(rows), any(map(_filled, rows))

    titles: list[str] = book.sheetnames
    return titles[0] if len(titles) == 1 else max(titles, key=rank)  # the first among equals


def _is_table(rows: list[list[Any]]) -> bool:
    """Whether rows look like column names with values below, not like a title or notes."""
    width = max(map(_filled, rows), default=0)
    header, *body = [(row + [""] * width)[:width] for row in rows if row is rows[0] or _filled(row)] or [[]]
    if not body or "" in header:
        return False
    columns = [[value for value in column if value != ""] for column in zip(*body, strict=True)]
    if width == 1:
        return len({*map(str, columns[0])}) < len(columns[0])  # one label per record
    numbers = any(column and all(map(_is_number, column)) for column in columns)
    return width > 2 or numbers or len(body) > FEW_ROWS


def _filled(row: Sequence[Any]) -> int:
    return next((place + 1 for place in range(len(row) - 1, -1, -1) if row[place] != ""), 0)


def _is_number(value: Any) -> bool:
    return bool(pd.notna(pd.to_numeric(str(value).replace(",", ""), errors="coerce")))


def _listed(titles: Sequence[str]) -> str:
    more = [f"{len(titles) - MOST_NAMED} more"] if len(titles) > MOST_NAMED else []
    return enumerated([f"“{title}”" for title in titles[:MOST_NAMED]] + more)


def _rows(sheet: Any, name: str) -> Iterator[list[Any]]:
    """The cells of each row up to the last with a value; a sheet that is too large is refused at once."""
    most, cells = limits(), 0
    for number, row in enumerate(sheet.rows):
        last = next((place for place in range(len(row) - 1, -1, -1) if row[place].value not in (None, "")), -1)
        cells += last + 1
        if number > most.rows or last >= most.columns or cells > most.cells:
            require_size(name, number, max(last + 1, cells // (number + 1)))
        yield [_value(cell) for cell in row[: last + 1]]


def _value(cell: Any) -> Any:
    """A cell as pandas reads it: "" is empty, an error is missing, 5.0 is 5."""
    if cell.value is None:
        return ""
    if cell.data_type == "e":
        return np.nan
    if cell.data_type == "n":
        return int(cell.value) if int(cell.value) == cell.value else float(cell.value)
    return cell.value
