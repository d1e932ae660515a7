"""Where a text is no table, for engines that do not say."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator
from pathlib import Path

from kanon_engine.errors import InvalidInput
from kanon_engine.records.files import Files

LONGEST = 2**31 - 1  # letters of a value; Python's own limit is far below what engines read


def broken_line(files: Files) -> InvalidInput | None:
    """The first line that no engine can read, in words; None where every line can be read.

    Example
    -------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,age\\n06604,41\\n06605\\n")
    >>> str(broken_line(Files.at(path))).partition("; ")[0]
    'people.csv cannot be read as a table: line 3 has 1 values where 2 are expected'
    """
    expected = len(files.columns) - len(files.partitions)
    for path in files.paths:
        found = _within(path, files.delimiter, expected)
        if found is not None:
            return found
    return None


def uneven(name: str, line: int | str, values: int | str, expected: int | str) -> InvalidInput:
    """A line with too many or too few values."""
    return InvalidInput(
        f"{name} cannot be read as a table: line {line} has {values} values where {expected} are expected; "
        "correct that line, or save the file again as CSV."
    )


def misquoted(name: str, line: int | str) -> InvalidInput:
    """A line with a quotation mark that has no partner."""
    return InvalidInput(
        f"{name} cannot be read as a table: a quotation mark in line {line} opens and is never closed, or stands where "
        "none can; correct it."
    )


def undecodable(name: str, line: int | str) -> InvalidInput:
    """A line in another encoding."""
    return InvalidInput(f"Line {line} of {name} is not in UTF-8; save the file as UTF-8, or as Parquet.")


def _within(path: Path, delimiter: str, expected: int) -> InvalidInput | None:
    lines, number = _lines(path), 0
    csv.field_size_limit(LONGEST)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        begins = reader.line_num + 1
        try:
            row = next(reader, None)
        except UnicodeDecodeError:
            return undecodable(path.name, reader.line_num + 1)
        except csv.Error:
            return misquoted(path.name, begins)
        if row is None:
            return None
        number += 1
        if row and number > 1 and len(row) != expected:
            return uneven(path.name, begins, len(row), expected)


def _lines(path: Path) -> Iterator[str]:
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        for line in file:
            yield line.decode("utf-8")
