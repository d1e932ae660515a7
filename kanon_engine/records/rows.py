"""Counted rows as the records that they represent: written and read again in pieces, never all in memory."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kanon_engine.errors import CertificateError
from kanon_engine.release.formats import PIECE, arrow_column, csv_lines, harmless, write_parquet
from kanon_engine.release.reread import CHECK, PIECES, ROWS, Numbered, require_columns, require_rows

if TYPE_CHECKING:
    import pyarrow as pa

BATCH = 50_000  # counted rows that are expanded into records at a time
Heard = Callable[[int], None]  # gets the number of finished records


@dataclass(frozen=True, eq=False)
class CountedRows:
    """The release, each distinct row once with its number of records, in the order of the release."""

    path: Path  # Parquet: `group`, the row of `shown`; the named columns as v0, v1, …; and the count
    shown: pd.DataFrame  # what the groups show
    names: tuple[str, ...]  # of the named columns
    # group, count: names of the first and the last column
    group: str
    count: str
    formulas: str  # what to do with text that a spreadsheet may take for a formula; "" to release it as it is

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the release."""
        return (*map(str, self.shown.columns), *self.names)

    def batches(self) -> Iterator[tuple[pa.Table, np.ndarray]]:
        """Distinct rows as their file shows them, and how many records show each."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        words = [arrow_column(self.shown.iloc[:, place]) for place in range(self.shown.shape[1])]
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(BATCH):
                columns = [word.take(batch.column(self.group)) for word in words]
                columns += [batch.column(f"v{place}") for place in range(len(self.names))]
                rows = pa.table(columns, names=list(self.columns))
                yield self._escaped(rows) if self.formulas else rows, batch.column(self.count).to_numpy()

    def _escaped(self, rows: pa.Table) -> pa.Table:
        import pyarrow as pa

        plain = harmless(frame_of(rows), self.formulas)
        columns = [
            pa.array(plain.iloc[:, place], pa.string()) if pa.types.is_string(column.type) else column
            for place, column in enumerate(rows.columns)
        ]
        return pa.table(columns, names=list(map(str, plain.columns)))


def frame_of(rows: pa.Table) -> pd.DataFrame:
    """The same cells as objects; a missing one is None."""
    return pd.DataFrame({name: rows.column(name).to_pylist() for name in rows.column_names}, dtype=object)


def write(rows: CountedRows, path: Path, progress: Heard) -> None:
    """All records as one file, CSV or Parquet by the name of the path."""
    if path.suffix == ".parquet":
        write_parquet(_records(rows, progress), path)
        return
    done = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, (table, counts) in enumerate(rows.batches()):
            header, *lines = csv_lines(frame_of(table))
            if number == 0:
                file.write(header)
            for line, count in zip(lines, counts.tolist(), strict=True):
                file.writelines(repeat(line, count))
            done += int(counts.sum())
            progress(done)


def _records(rows: CountedRows, progress: Heard) -> Iterator[pa.Table]:
    """All records in pieces of `PIECE`; the last may be smaller."""
    records = Taken(table.take(numbers) for table, counts in rows.batches() for numbers in repeated(counts))
    done = 0
    while len(piece := records.take(PIECE)):
        yield piece.combine_chunks()
        done += len(piece)
        progress(done)


def require_same(path: Path, rows: CountedRows, progress: Heard) -> None:
    """Read a release again, and compare it with its intended content, record by record.

    Raises
    ------
    CertificateError : It cannot be read, or holds something else.
    """
    try:
        with path.open("rb") as file:
            names, pieces = PIECES[path.suffix.removeprefix(".")](file)
            _require_same(names, Taken(pieces), rows, progress, typed=path.suffix == ".parquet")
    except (csv.Error, StopIteration, ValueError) as error:
        raise CertificateError(CHECK, f"the written {path.suffix} file cannot be read again.") from error


def _require_same(names: list[str], read: Taken, rows: CountedRows, progress: Heard, *, typed: bool) -> None:
    done = 0
    for table, counts in rows.batches():
        require_columns(names, table.column_names)
        columns = list(map(Numbered.of, table.columns))
        for numbers in repeated(counts):
            piece = read.take(len(numbers))
            require_rows(done + len(piece), done + len(numbers))
            if typed and not piece.schema.equals(table.schema):
                raise CertificateError(CHECK, "its columns do not have the intended types.")
            for name, column, expected in zip(names, piece.columns, columns, strict=True):
                Numbered.of(column).require_same(replace(expected, codes=expected.codes[numbers]), name, 0.0, done)
            done += len(numbers)
            progress(done)
    require_rows(done + len(read.take(1)), done)


def repeated(counts: np.ndarray) -> Iterator[np.ndarray]:
    """The number of each row as often as it was counted, at most `ROWS` at a time.

    >>> [numbers.tolist() for numbers in repeated(np.array([2, 1]))]
    [[0, 0, 1]]
    """
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, ROWS):
        yield np.searchsorted(ends, np.arange(begin, min(begin + ROWS, total)), side="right")


class Taken:
    """The rows of tables, as many at a time as are requested."""

    def __init__(self, tables: Iterable[pa.Table]) -> None:
        self.tables = iter(tables)
        self.waiting: list[pa.Table] = []

    def take(self, rows: int) -> pa.Table:
        """This many rows, or fewer if no more are left."""
        import pyarrow as pa

        size = sum(map(len, self.waiting))
        for table in self.tables if size < rows else ():
            self.waiting.append(table)
            size += len(table)
            if size >= rows:
                break
        whole = pa.concat_tables(self.waiting) if self.waiting else pa.table({})
        self.waiting = [whole.slice(rows)]
        return whole.slice(0, rows)
