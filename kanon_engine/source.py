"""Where data comes from: a path or bytes, and what kind of file it is by its content, not its name."""

from __future__ import annotations

import csv
import io
import os
import re
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput

MAGIC = {
    b"PAR1": "parquet",
    b"SQLite format 3\x00": "geopackage",
    b"fgb\x03": "flatgeobuf",
    b"\xd0\xcf\x11\xe0": "old excel",
    b"%PDF": "pdf",
    b"\x89PNG": "picture",
    b"\xff\xd8\xff": "picture",
    b"\x1f\x8b": "gzip",
    b"RDX3": "R data",
    b"RDX2": "R data",
    b"\x00\x00\x27\x0a": "shapefile",
}


@dataclass(frozen=True)
class Source:
    """The content of one file.

    Attributes
    ----------
    data : bytes
    name : str
        For sentences; "the upload" when nothing is known.
    kind : str
        "parquet", "geopackage", "flatgeobuf", "json", "shapefile", "excel", "zip", "text", or what it is instead.
    path : Path, optional
        Where it stands, for the files that belong to it and stand beside it.
    """

    data: bytes
    name: str
    kind: str
    path: Path | None = None

    @classmethod
    def open(cls, file: Any, name: str | None = None) -> Source:
        """A source from a path, bytes or a readable object.

        Raises
        ------
        InvalidInput
            No such file, a folder, not readable, empty.
        """
        if isinstance(file, Source):
            return file
        path = None
        if isinstance(file, str | os.PathLike):
            path = Path(file)
            name = name or path.name
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                raise InvalidInput(f"There is no file {path}; check the path.") from None
            except OSError as error:
                raise InvalidInput(f"{path} cannot be read ({error.strerror}); choose a file that can.") from error
        else:
            data = bytes(file) if isinstance(file, bytes | bytearray | memoryview) else file.read()
            name = name or getattr(file, "name", None) or "the upload"
        if not data.strip():
            raise InvalidInput(f"{name} is empty; choose a file with data.")
        return cls(data, name, _kind(data), path)

    def text(self) -> tuple[str, str]:
        """The content as text, and its encoding."""
        return _text(self.data)

    def refuse(self, wanted: str) -> InvalidInput:
        """The error that says what was wanted and what this is."""
        return InvalidInput(f"{self.name} is a file of kind “{self.kind}”; load {wanted} instead.")


def _kind(data: bytes) -> str:
    for magic, kind in MAGIC.items():
        if data.startswith(magic):
            return kind
    if data.startswith(b"PK"):
        try:
            names = zipfile.ZipFile(io.BytesIO(data)).namelist()
        except zipfile.BadZipFile:
            return "broken zip"
        return "excel" if any(entry.startswith("xl/") for entry in names) else "zip"
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return "json"
    if b"\x00" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "unknown binary"
    return "text"


def read_frame(source: Source, *, header: bool = True) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """A table from CSV (any delimiter and encoding), Parquet or Excel.

    Parameters
    ----------
    source : Source
    header : bool
        Whether the first line of a text file holds the column names; else they are "column 1", "column 2", …

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
        Another kind of file, a broken one, no rows.
    """
    notes: tuple[str, ...] = ()
    try:
        if source.kind == "parquet":
            frame = pd.read_parquet(io.BytesIO(source.data))
        elif source.kind == "excel":
            sheets = pd.ExcelFile(io.BytesIO(source.data), engine="openpyxl")
            frame = pd.read_excel(sheets, sheet_name=sheets.sheet_names[0], dtype=str)
            if len(sheets.sheet_names) > 1:
                notes = (
                    f"The workbook has several sheets; the first, “{sheets.sheet_names[0]}”, was read.",
                )
        elif source.kind == "text":
            frame, notes = _delimited(source, header)
        else:
            raise source.refuse("a CSV, Parquet or Excel file")
    except (ValueError, KeyError, OSError, zipfile.BadZipFile, csv.Error) as error:
        if isinstance(error, InvalidInput):
            raise
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InvalidInput(f"{source.name} cannot be read as a table ({first}); save it again as CSV.") from error
    frame.columns = [str(column).strip() for column in frame.columns]
    rows = len(frame)
    frame = frame.dropna(how="all").reset_index(drop=True)
    if len(frame) < rows:
        notes = (*notes, f"{rows - len(frame):,} empty rows were left out.")
    if frame.empty:
        raise InvalidInput(f"{source.name} has column names but no rows; choose a file with data.")
    return frame, notes


def _delimited(source: Source, header: bool) -> tuple[pd.DataFrame, tuple[str, ...]]:
    text, encoding = source.text()
    delimiter = _delimiter(text)
    frame = pd.read_csv(
        io.StringIO(text),
        sep=r"\s+" if delimiter == " " else delimiter,
        dtype=str,
        header=0 if header else None,
        keep_default_na=False,
        na_values=[""],
        skipinitialspace=True,
        index_col=False,
        on_bad_lines="error",
    )
    if not header:
        frame.columns = [f"column {place + 1}" for place in range(frame.shape[1])]
    notes = []
    if encoding not in ("ascii", "utf_8"):
        notes.append(f"The text was read as {encoding}; if letters look wrong, save the file as UTF-8.")
    if delimiter != ",":
        words = {"\t": "tabs", ";": "semicolons", "|": "bars", " ": "spaces"}
        notes.append(f"Columns are separated by {words[delimiter]}.")
    return frame, tuple(notes)


def _text(data: bytes) -> tuple[str, str]:
    for encoding in ("utf-8-sig", "utf-16") if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig",):
        try:
            return data.decode(encoding), "utf_8" if encoding == "utf-8-sig" else "utf_16"
        except UnicodeDecodeError:
            continue
    from charset_normalizer import from_bytes

    best = from_bytes(data[:200_000]).best()
    encoding = best.encoding if best is not None else "latin_1"
    return data.decode(encoding, errors="replace"), encoding


def _delimiter(text: str) -> str:
    """The delimiter that splits the first lines into the same number of columns, more than one where possible."""
    lines = [line for line in text[:20_000].splitlines() if line.strip()][:20]
    if len(lines) > 1 and len(text) > 20_000:
        lines = lines[:-1] or lines
    best, columns = ",", 1
    for delimiter in (",", ";", "\t", "|"):
        counts = {len(row) for row in csv.reader(lines, delimiter=delimiter)}
        if len(counts) == 1 and max(counts) > columns:
            best, columns = delimiter, max(counts)
    aligned = {len(re.split(r"\s{2,}", line.strip())) for line in lines}
    if columns == 1 and len(aligned) == 1 and max(aligned) > 1:
        return " "
    return best


def counts_of(
    column: pd.Series, what: str, source_name: str, minimum: int = 0, places: Sequence[str] | None = None
) -> Any:
    """A text or number column as whole numbers; thousands separators are understood, anything else is refused in words.

    A refusal names the row of the source, or its place in `places`.

    Returns
    -------
    (n,) int64 array
    """
    from kanon_engine.validate import whole_numbers

    if places is None:
        places = [f"row {row + 1} of {source_name}" for row in range(len(column))]
    if not pd.api.types.is_numeric_dtype(column):
        text = column.astype("string").str.strip()
        grouped = text.str.fullmatch(r"\d{1,3}(,\d{3})+").fillna(False)
        text = text.where(~grouped, text.str.replace(",", ""))
        numbers = pd.to_numeric(text, errors="coerce")
        readable = numbers.notna() | text.isna() | (text == "")
        values = numbers.astype(object).where(readable, column.astype(object))
        return whole_numbers([None if pd.isna(value) else value for value in values], what, minimum, places)
    return whole_numbers(column.to_numpy(dtype="float64", na_value=float("nan")), what, minimum, places)
