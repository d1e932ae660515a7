"""Find where a text is not a table, for engines that do not say."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import CODE, EXACT, LONG, MISSING, PLAIN, WHOLE
from kanon_engine.model.run import ProgressCallback
from kanon_engine.model.words import counted
from kanon_engine.records.engines import Engine
from kanon_engine.records.files import Files

if TYPE_CHECKING:
    import ibis.expr.types as ir


LONGEST = 2**31 - 1  # characters of a value; Python's own limit is far below that of engines


def broken_line(files: Files) -> InvalidInput | None:
    """An error for the first line that no engine can read; None if every line can be read.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("zip,age\\n06604,41\\n06605\\n")
    >>> str(broken_line(Files.at(path))).partition("; ")[0]
    'people.csv cannot be read as a table: line 3 has 1 value instead of 2'
    """
    expected = len(files.columns) - len(files.partitions)
    for path in files.paths:
        line = _broken_in(path, files.delimiter, expected)
        if line is not None:
            return line
    return None


def uneven(name: str, line: int | str, values: int | str, expected: int | str) -> InvalidInput:
    """A line with too many or too few values."""
    return InvalidInput(
        f"{name} cannot be read as a table: line {line} has {counted(int(values), 'value')} instead of {expected}; "
        "correct that line, or save the file again as CSV."
    )


def misquoted(name: str, line: int | str) -> InvalidInput:
    """A line with an unmatched quotation mark."""
    return InvalidInput(
        f"{name} cannot be read as a table: a quotation mark in line {line} is never closed, or is in the wrong "
        "place; correct it."
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
# Columns as they are released: the cells that `kanon.apply` makes from the same records in memory.
# ---------------------------------------------------------------------------------------------------------------------


def cells_leaving(
    engine: Engine,
    table: ir.Table,
    names: Sequence[str],
    untyped: bool,
    progress: ProgressCallback | None = None,
) -> dict[str, ir.Column]:
    """Numbers, booleans or text, as in `kanon_engine.release.released`, for records without NaN and empty text.

    Whole numbers have no decimal point. Text of a CSV loses outer spaces and markers such as NA, and a column that
    holds only numbers becomes a column of numbers; a zip code with a leading zero is not a number. Times with a zone
    are in UTC.

    Complexity
    ----------
    One pass over the table.
    """
    cells = {name: table[name] for name in names}
    measures = dict[str, Any]()
    for place, (name, cell) in enumerate(cells.items()):
        if untyped:
            stripped = cell.strip()
            text = cells[name] = stripped.isin(MISSING).ifelse(None, stripped)
            whole, number = text.re_search(f"^{WHOLE}$"), text.try_cast("float64")
            unlike = ~text.re_search(f"^{PLAIN}$") | text.re_search(f"^{CODE}$") | number.isnull() | number.isinf()
            measures |= {
                f"known_{place}": text.count(),
                f"others_{place}": table.count(where=text.notnull() & unlike),
                f"parts_{place}": table.count(where=~whole),
                f"long_{place}": table.count(where=whole & text.try_cast("int64").isnull()),
                f"lost_{place}": table.count(where=whole & (text.length() > LONG)),
            }
        elif cell.type().is_floating():
            number = cell
        else:
            continue
        measures[f"fractions_{place}"] = table.count(where=(number % 1 != 0) | (number.abs() > EXACT))
    counts = (
        {} if not measures else dict(engine.run(table.aggregate(**measures), progress, "Looking for numbers").iloc[0])
    )
    for place, (name, cell) in enumerate(cells.items()):
        kind = cell.type()
        whole_numbers = not counts.get(f"fractions_{place}", True)
        if untyped:
            if not counts[f"known_{place}"] or counts[f"others_{place}"]:
                continue
            if not counts[f"parts_{place}"]:
                cells[name] = cell if counts[f"long_{place}"] else cell.cast("int64")
            elif not counts[f"lost_{place}"]:
                number = cell.cast("float64") + 0.0  # zero has no sign
                cells[name] = number.cast("int64") if whole_numbers else number
        elif kind.is_floating():
            cells[name] = cell.cast("int64") if whole_numbers else cell.cast("float64")
        elif kind.is_integer() and not kind.is_uint64():
            cells[name] = cell.cast("int64")
        elif not kind.is_boolean():
            cells[name] = cell.cast("string")
    return cells
