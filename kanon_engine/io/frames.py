"""Tables of text, Excel and Parquet files, and those in memory, as frames."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Sequence

import pandas as pd

from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.io.cells import EXACT
from kanon_engine.io.confined import confined
from kanon_engine.io.delimiters import delimiter_of, told_apart
from kanon_engine.io.in_memory import plain_frame
from kanon_engine.io.limits import MB, limits, passed, require_size
from kanon_engine.io.source import TABLES, Source
from kanon_engine.io.workbook import read_workbook, with_sheet


@confined("source")
def read_frame(
    source: Source, *, header: bool = True, wanted: Collection[str] = ()
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A table from CSV (any delimiter and encoding), Parquet or Excel.

    Parameters
    ----------
    source : Source
    header : bool
        Whether the first line of a file that is no Parquet holds the column names; else they are "column 1",
        "column 2", …
    wanted : collection of str
        Columns by which the sheet of a workbook is chosen, where nobody named one.

    Returns
    -------
    frame : DataFrame
        Columns of text files and Excel sheets stay text, so that the zip code 06001 keeps its zero; empty cells are
        missing. Parquet columns keep their types.
    notes : tuple of str
        What was guessed: delimiter, encoding, sheet.

    Raises
    ------
    InvalidInput
        Another kind of file, a broken one, no rows, more of them than is allowed.
    """
    if source.kind not in TABLES:
        raise source.refuse("a CSV, Parquet or Excel file")
    if source.table is not None:
        return _whole_rows(*plain_frame(source.table, source.name), source.name)
    try:
        if source.kind == "parquet":
            frame, notes = _parquet(source)
        elif source.kind == "excel":
            source = with_sheet(source, wanted=wanted)
            frame, notes = read_workbook(source, header=header)
        else:
            frame, notes = _delimited(source, header)
    except (MemoryError, KanonError):
        raise
    except pd.errors.ParserError as error:
        raise InvalidInput(_uneven(source.name, str(error))) from error
    except Exception as error:  # broken files raise everything that the libraries have
        raise source.broken() from error
    require_size(source.name, *frame.shape)
    return _whole_rows(frame, notes, source.name)


@confined("source")
def named_frame(source: Source, wanted: Sequence[str]) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The table; where the first line of a text holds values, not names, the columns are "column 1", "column 2", …"""
    frame, notes = read_frame(source, wanted=wanted)
    if source.kind != "text" or (wanted and set(wanted) <= set(frame.columns)):
        return frame, notes
    like_values = [bool((frame[name].astype("string").str.strip() == name).any()) for name in frame.columns]
    if 2 * sum(like_values) <= len(like_values) and not any(name.startswith("column ") for name in wanted):
        return frame, notes
    frame, notes = read_frame(source, header=False)
    return frame, (*notes, "The first line was read as a record, not as column names.")


def _whole_rows(frame: pd.DataFrame, notes: tuple[str, ...], name: str) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Columns with different names, and rows that hold something."""
    frame.columns, twice = told_apart([str(column).strip() for column in frame.columns])
    notes += twice
    frame, left_out = _without_bytes(frame)
    notes += left_out
    rows = len(frame)
    frame = frame.dropna(how="all").reset_index(drop=True)
    if len(frame) < rows:
        notes = (*notes, f"{rows - len(frame):,} empty rows were left out.")
    if frame.empty:
        raise InvalidInput(f"{name} has column names but no rows; choose one with data.")
    return frame, notes


def _uneven(name: str, reason: str) -> str:
    """What keeps a text from being a table; of the parser's words only the numbers are taken."""
    line = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", reason)
    if line is not None:
        return (
            f"{name} cannot be read as a table: line {line[2]} has {line[3]} values where {line[1]} are expected; "
            f"correct that line, or save the file again as CSV."
        )
    if "EOF inside string" in reason:
        return f"{name} cannot be read as a table: a quotation mark opens and is never closed; correct it."
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
    if rounded:  # perhaps whole numbers beside missing cells, which pandas reads as numbers with a point
        exact = pq.read_table(io.BytesIO(source.data), columns=rounded)
        for name, column in zip(exact.column_names, exact.columns, strict=True):
            if pa.types.is_integer(column.type):
                missing = column.is_null().to_numpy()
                frame[name] = pd.arrays.IntegerArray(column.fill_null(0).to_numpy(), missing)
    return _with_named_index(frame), lists_told(lists)


def parquet_lists(source: Source, shapes: frozenset[str] = frozenset()) -> list[str]:
    """The columns of a Parquet file that hold lists or records and are no shapes; its size is checked first.

    Raises
    ------
    InvalidInput
        It says that it has more rows, columns or megabytes than are allowed.
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


def lists_told(names: list[str]) -> tuple[str, ...]:
    """A note on columns that were left out."""
    return (f"Columns that hold lists and no single values were left out: {', '.join(names)}.",) if names else ()


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
        notes.append(f"The text was read as {encoding}; if letters look wrong, save the file as UTF-8.")
    if delimiter != ",":
        words = {"\t": "tabs", ";": "semicolons", "|": "bars", " ": "spaces"}
        notes.append(f"Columns are separated by {words[delimiter]}.")
    twice = sorted({name for name in frame.columns if f"{name}.1" in frame.columns})
    if twice:
        notes.append(f"Two columns are called “{twice[0]}”; the second was read as “{twice[0]}.1”.")
    return frame, tuple(notes)


def _refuse_nameless_values(text: str, delimiter: str, name: str) -> None:
    """pandas would drop values beyond the last column name when the first row has such already."""
    lines = [row for row in csv.reader(io.StringIO(text[:100_000], newline=""), delimiter=delimiter) if row][:2]
    if len(lines) < 2 or len(lines[1]) <= len(lines[0]):
        return
    names = len(lines[0])
    for number, row in enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)):
        if any(value.strip() for value in row[names:]):
            raise InvalidInput(
                f"Row {number} of {name} has {len(row)} values, but the first line names {names} "
                f"column{'s' * (names > 1)}; give every column a name, and leave lines above the names out."
            )


def _without_bytes(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Bytes, as shapes are stored in Parquet, are neither text nor numbers."""
    kinds = [dtype.kind == "O" for dtype in frame.dtypes]
    found = [
        place
        for place, mixed in enumerate(kinds)
        if mixed and any(isinstance(value, bytes) for value in frame.iloc[:, place])
    ]
    if not found:
        return frame, ()
    names = ", ".join(frame.columns[found])
    kept = [place for place in range(frame.shape[1]) if place not in found]
    return frame.iloc[:, kept], (f"Columns that hold bytes and no text were left out: {names}.",)


def _with_named_index(frame: pd.DataFrame) -> pd.DataFrame:
    """An index with a name is a column of the file."""
    return frame.reset_index() if any(name is not None for name in frame.index.names) else frame


def has_shapes(source: Source) -> bool:
    """Whether a table in memory has shapes, or a Parquet file is GeoParquet: its metadata then has the key "geo"."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if source.table is not None:
        return getattr(source.table, "active_geometry_name", None) is not None
    try:
        return source.kind == "parquet" and b"geo" in (pq.read_schema(io.BytesIO(source.data)).metadata or {})
    except (pa.ArrowException, OSError):
        return False  # read_frame says what is wrong with it
