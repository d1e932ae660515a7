"""Limits for a file, and for a search on a page."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, fields

from kanon_engine.errors import InvalidInput

MB = 2**20
VARIABLE = "KANON_LIMITS"
MORE = f"start kanon with {VARIABLE}=10, which makes every limit ten times as large"


@dataclass(frozen=True)
class FileLimits:
    """Limits for reading one file, the same on every page, on the command line and in the library; and for a search."""

    seconds: float = 60.0  # of processor time; `patience` times as much elapsed time, because the machine may be shared
    memory: int = 3_000 * MB  # bytes beyond those of an idle worker
    # file, unpacked, workbook: bytes of the file, of the used parts of a zip or Parquet file, and of an Excel file when
    # unpacked
    file: int = 500 * MB
    unpacked: int = 1_000 * MB
    workbook: int = 200 * MB
    # rows, columns, cells: of a table, or of the columns besides shapes
    rows: int = 2_000_000
    columns: int = 1_000
    cells: int = 50_000_000
    # vertices, borders: of all shapes together, and pairs of neighbors beyond 20 per area: the areas of a map have 6 on
    # average
    vertices: int = 20_000_000
    borders: int = 200_000
    answer: int = 2_000 * MB  # bytes that a worker may send back
    search_seconds: float = 3_600.0  # elapsed time after which a search on a page stops with its best result
    search_memory: int = 4_000 * MB  # bytes of a search on a page, beyond those of an idle worker

    @property
    def patience(self) -> float:
        """Elapsed seconds after which a worker is ended, whatever it does."""
        return 3 * self.seconds + 5

    def times(self, factor: float) -> FileLimits:
        """Every limit multiplied by this factor."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return FileLimits(**{name: type(value)(value * factor) for name, value in values.items()})


_given: FileLimits | None = None


def limits() -> FileLimits:
    """The limits in force: those given to a worker, else the usual ones times the variable KANON_LIMITS.

    Raises `InvalidInput`: the variable is not a number of at least 1.
    """
    if _given is not None:
        return _given
    text = os.environ.get(VARIABLE, "1")
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not 1 <= factor <= 1_000_000:
        raise InvalidInput(
            f"{VARIABLE} is {text!r}; give a number from 1 to 1,000,000, by which every limit is multiplied."
        )
    return FileLimits() if factor == 1 else FileLimits().times(factor)


def hold_to(given: FileLimits) -> None:
    """Set the limits of this process from here on, whatever its environment says."""
    global _given
    _given = given


def passed(name: str, what: str, limit: str, way_out: str) -> InvalidInput:
    return InvalidInput(f"{name} {what}, more than the limit of {limit}; {way_out}, or {MORE}.")


def require_size(name: str, rows: int, columns: int) -> None:
    """Refuse a table that is too long or too wide."""
    most = limits()
    if columns > most.columns:
        raise passed(name, f"has {columns:,} columns", f"{most.columns:,}", "leave out those that are not needed")
    if rows > most.rows:
        raise passed(
            name,
            "has too many rows",
            f"{most.rows:,}",
            "split it, or replace equal rows with one row and a count",
        )
    if rows * columns > most.cells:
        raise passed(name, f"has {rows * columns:,} cells", f"{most.cells:,}", "leave out columns or rows")


def in_words(shapes: bool) -> str:
    """The limits in one line, to show where a file is chosen, which may have shapes.

    >>> in_words(shapes=False)
    'At most 500 MB, 2,000,000 rows, 1,000 columns, and 60 seconds of reading.'
    """
    most = limits()
    vertices = f"{most.vertices:,} vertices of shapes, " if shapes else ""
    return (
        f"At most {most.file // MB:,} MB, {most.rows:,} rows, {most.columns:,} columns, {vertices}and "
        f"{most.seconds:,.0f} seconds of reading."
    )
