"""Where a text is no table, for engines that do not say."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import LONG
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.engines import Engine
from kanon_engine.records.files import Files

if TYPE_CHECKING:
    import ibis.expr.types as ir


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
        found = _broken_in(path, files.delimiter, expected)
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


def _broken_in(path: Path, delimiter: str, expected: int) -> InvalidInput | None:
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


# ---------------------------------------------------------------------------------------------------------------------
# Columns of files without types that hold numbers alone, as numbers: as the same file is read into memory.
# ---------------------------------------------------------------------------------------------------------------------


PLAIN = r"^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]{1,2})?$"  # as in `io.cells`, of sizes that engines hold
CODE = r"^[-+]?0[0-9]+$"
WHOLE = r"^[-+]?[0-9]+$"
SURELY = 18  # letters of a whole number that 64 bits hold


def numbers_in(
    engine: Engine, table: ir.Table, names: Sequence[str], progress: ProgressCallback | None = None
) -> dict[str, ir.Column]:
    """Those of these columns of text that hold numbers alone, as numbers; a zip code with a zero in front is none.

    Complexity
    ----------
    One pass over the table.
    """
    texts = {name: table[name].strip() for name in dict.fromkeys(names)}
    asked: dict[str, Any] = {}
    for place, text in enumerate(texts.values()):
        whole = text.re_search(WHOLE)
        asked |= {
            f"known_{place}": text.count(),
            f"others_{place}": table.count(where=~text.re_search(PLAIN) | text.re_search(CODE)),
            f"fractions_{place}": table.count(where=~whole),
            f"long_{place}": table.count(where=whole & (text.length() > LONG)),
            f"too_long_{place}": table.count(where=text.length() > SURELY),
        }
    found = engine.run(table.aggregate(**asked), progress, "Looking for numbers").iloc[0]
    cells = {}
    for place, (name, text) in enumerate(texts.items()):
        if not found[f"known_{place}"] or found[f"others_{place}"]:
            continue
        if not found[f"fractions_{place}"] and not found[f"too_long_{place}"]:
            cells[name] = text.cast("int64")
        elif found[f"fractions_{place}"] and not found[f"long_{place}"]:
            cells[name] = text.cast("float64")
    return cells
