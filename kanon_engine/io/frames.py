"""Tables from text, Excel and Parquet files, and from memory, as frames."""

from __future__ import annotations

import csv
import datetime
import decimal
import enum
import io
import os
import re
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.io.cells import EXACT
from kanon_engine.io.confined import confined
from kanon_engine.io.limits import MB, limits, passed, require_size
from kanon_engine.io.source import TABLES, Source
from kanon_engine.io.workbook import read_workbook, with_sheet
from kanon_engine.model.words import counted

if TYPE_CHECKING:
    import geopandas


@confined("source")
def read_frame(
    source: Source, *, header: bool = True, columns: Collection[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A table from CSV (any delimiter and encoding), Parquet or Excel.

    Parameters
    ----------
    header : bool
        Whether the first line of a file other than Parquet holds the column names; else they are "column 1",
        "column 2", …
    columns : Columns by which the sheet of a workbook is chosen, if none was given.

    Returns
    -------
    frame : DataFrame
        Columns of text files and Excel sheets stay text, so that the zip code 06001 keeps its zero; empty cells are
        missing. Parquet columns keep their types.
    notes : What was guessed: delimiter, encoding, sheet.

    Raises `InvalidInput`: a file of another kind, a broken file, no rows, or too many rows.
    """
    if source.kind not in TABLES:
        raise source.refuse("a CSV, Parquet or Excel file")
    if source.table is not None:
        return _whole_rows(*plain_frame(source.table, source.name), source.name)
    try:
        if source.kind == "parquet":
            frame, notes = _parquet(source)
        elif source.kind == "excel":
            source = with_sheet(source, columns=columns)
            frame, notes = read_workbook(source, header=header)
        else:
            frame, notes = _delimited(source, header)
    except (MemoryError, KanonError):
        raise
    except pd.errors.ParserError as error:
        raise InvalidInput(_uneven(source.name, str(error))) from error
    except Exception as error:  # broken files raise all kinds of library errors
        raise source.broken() from error
    require_size(source.name, *frame.shape)
    return _whole_rows(frame, notes, source.name)


@confined("source")
def frame_with_columns(source: Source, columns: Sequence[str]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table; if the first line of a text holds values, not names, the columns are "column 1", "column 2", …"""
    frame, notes = read_frame(source, columns=columns)
    if source.kind != "text" or (columns and set(columns) <= set(frame.columns)):
        return frame, notes
    like_values = [bool((frame[name].astype("string").str.strip() == name).any()) for name in frame.columns]
    if 2 * sum(like_values) <= len(like_values) and not any(name.startswith("column ") for name in columns):
        return frame, notes
    frame, notes = read_frame(source, header=False)
    return frame, (*notes, "The first line was read as a record, not as column names.")


def _whole_rows(frame: pd.DataFrame, notes: tuple[str, ...], name: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table with distinct column names and without empty rows."""
    frame.columns, twice = unique_names([str(column).strip() for column in frame.columns])
    notes += twice
    bytes_in = [
        place
        for place, dtype in enumerate(frame.dtypes)
        if pd.api.types.is_object_dtype(dtype) and any(isinstance(value, bytes) for value in frame.iloc[:, place])
    ]
    if bytes_in:  # shapes as Parquet stores them, neither text nor numbers
        notes += (f"Columns that hold bytes, not text, were left out: {', '.join(frame.columns[bytes_in])}.",)
        frame = frame.iloc[:, [place for place in range(frame.shape[1]) if place not in bytes_in]]
    rows = len(frame)
    frame = frame.dropna(how="all").reset_index(drop=True)
    if len(frame) < rows:
        empty = rows - len(frame)
        notes = (*notes, f"{counted(empty, 'empty row')} {'was' if empty == 1 else 'were'} left out.")
    if frame.empty:
        raise InvalidInput(f"{name} has column names but no rows; choose a file with data.")
    return frame, notes


def _uneven(name: str, reason: str) -> str:
    """Why a text is not a table; only the numbers of the parser's message are used."""
    line = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", reason)
    if line is not None:
        return (
            f"{name} cannot be read as a table: line {line[2]} has {counted(int(line[3]), 'value')} instead of "
            f"{line[1]}; correct that line, or save the file again as CSV."
        )
    if "EOF inside string" in reason:
        return f"{name} cannot be read as a table: a quotation mark is opened but never closed; correct it."
    return f"{name} cannot be read as a table; save it again as CSV."


def _parquet(source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A table without the columns that hold lists or records."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    lists = parquet_lists(source)
    plain = None
    if lists:
        plain = [name for name in pq.read_schema(io.BytesIO(source.data)).names if name not in lists]
    frame = pd.read_parquet(io.BytesIO(source.data), columns=plain)
    rounded = [name for name in frame.select_dtypes("float") if frame[name].abs().max() >= EXACT]
    if rounded:  # perhaps whole numbers with missing cells, which pandas reads as floats
        exact = pq.read_table(io.BytesIO(source.data), columns=rounded)
        for name, column in zip(exact.column_names, exact.columns, strict=True):
            if pa.types.is_integer(column.type):
                missing = column.is_null().to_numpy()
                frame[name] = pd.arrays.IntegerArray(column.fill_null(0).to_numpy(), missing)
    return frame.reset_index() if any(name is not None for name in frame.index.names) else frame, lists_notes(lists)


def parquet_lists(source: Source, shapes: frozenset[str] = frozenset()) -> list[str]:
    """The columns of a Parquet file that hold lists or records, but not shapes; its size is checked first.

    Raises `InvalidInput`: it declares more rows, columns or megabytes than are allowed.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    about = pq.ParquetFile(io.BytesIO(source.data)).metadata
    schema = about.schema.to_arrow_schema()
    require_size(source.name, about.num_rows, len(schema.names))
    unpacked = sum(about.row_group(group).total_byte_size for group in range(about.num_row_groups))
    most = limits().unpacked
    if unpacked > most:
        raise passed(source.name, f"unpacks to {unpacked // MB:,} MB", f"{most // MB:,} MB", "split it")
    return [column.name for column in schema if pa.types.is_nested(column.type) and column.name not in shapes]


def lists_notes(names: list[str]) -> tuple[str, ...]:
    """A note about columns that were left out."""
    return (f"Columns that hold lists instead of single values were left out: {', '.join(names)}.",) if names else ()


def _delimited(source: Source, header: bool) -> tuple[pd.DataFrame, tuple[str, ...]]:
    text, encoding = source.text()
    delimiter = delimiter_of(text)
    spaced = delimiter == " "
    if spaced:
        text = "\n".join(line.strip() for line in text.splitlines())
    else:
        _refuse_nameless_values(text, delimiter, source.name)
    frame = pd.read_csv(
        io.StringIO(text),
        sep=r"\s{2,}" if spaced else delimiter,
        engine="python" if spaced else "c",
        dtype=str,
        header=0 if header else None,
        keep_default_na=False,
        na_values=[""],
        skipinitialspace=True,
        index_col=False,
        on_bad_lines="error",
        nrows=limits().rows + 1,
    )
    if not header:
        frame.columns = [f"column {place + 1}" for place in range(frame.shape[1])]
    notes = []
    if encoding not in ("ascii", "utf_8"):
        notes.append(f"The text was read in the encoding {encoding}; if characters look wrong, save the file as UTF-8.")
    if delimiter != ",":
        words = {"\t": "tabs", ";": "semicolons", "|": "bars", " ": "spaces"}
        notes.append(f"Columns are separated by {words[delimiter]}.")
    twice = sorted({name for name in frame.columns if f"{name}.1" in frame.columns})
    if twice:
        notes.append(f"Two columns are called “{twice[0]}”; the second was read as “{twice[0]}.1”.")
    return frame, tuple(notes)


def _refuse_nameless_values(text: str, delimiter: str, name: str) -> None:
    """Refuse extra values, because pandas drops those beyond the last column name if the first row has some."""
    lines = [row for row in csv.reader(io.StringIO(text[:100_000], newline=""), delimiter=delimiter) if row][:2]
    if len(lines) < 2 or len(lines[1]) <= len(lines[0]):
        return
    names = len(lines[0])
    for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)):
        if any(value.strip() for value in row[names:]):
            raise InvalidInput(
                f"Row {number} of {name} has {len(row)} values, but the first line names {names} "
                f"column{'s' * (names > 1)}; give every column a name, and leave out lines above the names."
            )


def has_shapes(source: Source) -> bool:
    """Whether a table in memory has shapes, or a Parquet file is GeoParquet (its metadata has the key "geo")."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if source.table is not None:
        return getattr(source.table, "active_geometry_name", None) is not None
    try:
        return source.kind == "parquet" and b"geo" in (pq.read_schema(io.BytesIO(source.data)).metadata or {})
    except (pa.ArrowException, OSError):
        return False  # read_frame reports what is wrong with it


# ---------------------------------------------------------------------------------------------------------------------
# How a text is split into columns, based on its first lines, and how columns of one name are renamed.
# ---------------------------------------------------------------------------------------------------------------------


MOST_TOLD = 20  # columns of one name


def unique_names(names: list[str]) -> tuple[list[str], tuple[str, ...]]:
    """The names, with duplicates numbered as pandas does; "a" and "a " are the same to a person.

    >>> unique_names(["a", "b", "a", "a.1"])
    (['a', 'b', 'a.2', 'a.1'], ('Two columns are called “a”; the second was read as “a.2”.',))
    """
    used, occurrences, result = set(names), Counter[str](), []
    messages: list[str] = []
    for name in names:
        occurrences[name] += 1
        if occurrences[name] > 1:
            number = occurrences[name] - 1
            while f"{name}.{number}" in used:
                number += 1
            occurrences[name] = number + 1
            messages.append(f"Two columns are called “{name}”; the second was read as “{name}.{number}”.")
            name = f"{name}.{number}"
            used.add(name)
        result.append(name)
    notes = (
        messages
        if len(messages) <= MOST_TOLD
        else [*messages[:MOST_TOLD], f"The same was done for {len(messages) - MOST_TOLD:,} more columns."]
    )
    return result, tuple(notes)


def first_rows(text: str, delimiter: str) -> list[list[str]]:
    """About 20 rows; a quoted value may span several lines."""
    beginning = text[:20_000]
    reader = csv.reader(io.StringIO(beginning, newline=""), delimiter=delimiter, skipinitialspace=True)
    rows = [row for row in islice(reader, 21) if any(value.strip() for value in row)]
    cut = len(rows) < 21 and len(beginning) < len(text)
    return rows[:-1] if cut and len(rows) > 1 else rows


# Not csv.Sniffer, which fails on one column and on columns aligned by spaces; nor clevercsv, which mistakes the stars
# of masked values (8000*;800**) for delimiters.
def delimiter_of(text: str) -> str:
    """The delimiter that splits the first lines into the same number of columns, more than one if possible."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()][:20]
    if len(lines) > 1 and len(text) > 20_000:
        lines = lines[:-1] or lines
    best, columns = ",", 1
    for delimiter in (",", ";", "\t", "|"):
        counts = {len(row) for row in first_rows(text, delimiter)}
        if len(counts) == 1 and max(counts) > columns:
            best, columns = delimiter, max(counts)
    aligned = {len(re.split(r"\s{2,}", line.strip())) for line in lines}
    if columns == 1 and len(aligned) == 1 and max(aligned) > 1:
        return " "
    if columns > 1:
        return best
    for delimiter in (";", "\t", "|", ","):  # for a table with short lines, and none longer than the first
        first, *others = [len(row) for row in first_rows(text, delimiter)] or [0]
        if first > 1 and max(others, default=first + 1) <= first and 2 * others.count(first) >= len(others):
            return delimiter
    return best


# ---------------------------------------------------------------------------------------------------------------------
# Tables in memory, made as plain as those from a file: numbers, dates and text, with text as column names.
# ---------------------------------------------------------------------------------------------------------------------


SINGLE = (
    *(str, bool, int, float, np.generic, decimal.Decimal, uuid.UUID, enum.Enum),
    *(datetime.date, datetime.time, datetime.timedelta, pd.Period, pd.Interval),
)


def plain_frame(table: pd.DataFrame, name: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A copy with plain columns, and a note about columns without single values.

    A named index becomes a column, as in a file.

    Raises `InvalidInput`: column names with several levels, no columns, no column with single values.
    """
    if table.columns.nlevels > 1:
        raise InvalidInput(f"{name} has column names with {table.columns.nlevels} levels; give each column one name.")
    if table.shape[1] == 0:
        raise InvalidInput(f"{name} has no columns; choose a file that has data.")
    index = table.index
    levels = [index.get_level_values(level) for level in range(index.nlevels) if index.names[level] is not None]
    columns = [pd.Series(values, name=values.name) for values in levels]
    columns += [table.iloc[:, place] for place in range(table.shape[1])]
    candidates = [(_text(column.name), _plain(column)) for column in columns]
    left_out = [label.strip() for label, column in candidates if column is None]
    retained = [(label, column) for label, column in candidates if column is not None]
    if not retained:
        raise InvalidInput(f"No column of {name} holds text or numbers; choose a file that has data.")
    frame = pd.DataFrame(dict(enumerate(column for _, column in retained)), copy=False)
    frame.columns = pd.Index([label for label, _ in retained], dtype=object)
    note = f"Columns that do not hold text or numbers were left out: {', '.join(left_out)}."
    return frame, (note,) if left_out else ()


def plain_shapes(table: pd.DataFrame, name: str) -> tuple[geopandas.GeoDataFrame, tuple[str, ...]]:
    """The same for a table with shapes, which are then in the column "geometry".

    Raises `InvalidInput`: no column with shapes, or a duplicate name.
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
    """Numbers and dates as numpy types, everything else as text; None for lists, bytes, complex numbers …"""
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
    """The value that a file would hold; empty text is missing there, too."""
    if isinstance(cell, enum.Enum):
        cell = cell.value
    try:
        text = str(cell)
    except ValueError:  # a number with more digits than Python can print
        text = "inf" if cell > 0 else "-inf"
    return text.encode("utf-8", "replace").decode("utf-8")


@confined("value")
def sets_in(value: Any) -> Any:
    """Lists of names from a file, one per line; anything but a file unchanged.

    >>> sets_in(b"flu, cold\\n\\ngout\\n"), sets_in([{"flu", "cold"}]) == [{"flu", "cold"}]
    ([['flu', 'cold'], ['gout']], True)
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes | os.PathLike) and not hasattr(value, "read"):
        return value
    lines = csv.reader(Source.open(value, None).text()[0].splitlines(), skipinitialspace=True)
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return [row for row in rows if row]


def same_sets_notes(sets: dict[str, tuple[tuple[Any, ...], ...]], item: str) -> list[str]:
    """A sentence for each kind of wish that has sets.

    >>> same_sets_notes({"together": (("flu", "cold"),), "apart": ()}, "label")
    ['1 set of labels stays together.']
    """
    return [
        f"{len(same_sets):,} set{'s' * (len(same_sets) > 1)} of {item}s {SAID[name][len(same_sets) > 1]}."
        for name, same_sets in sets.items()
        if same_sets
    ]


SAID = {
    "together": ("stays together", "stay together"),
    "apart": ("has each member in a different group", "have each member in a different group"),
    "barriers": ("is a barrier", "are barriers"),
}
