"""Counted rows as the records that they stand for: written in pieces, read again in pieces, never all in memory."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kanon_engine.errors import CertificateError
from kanon_engine.release.formats import arrow_column, harmless
from kanon_engine.release.reread import CHECK

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 250_000  # of a piece, and of what Parquet calls a row group
BATCH = 50_000  # counted rows that are turned into records at a time
BLOCK = 1 << 24  # bytes of a CSV that are parsed at a time; no line may be longer
Heard = Callable[[int], None]  # told how many records are done


@dataclass(frozen=True, eq=False)
class CountedRows:
    """What leaves, each different row once with the number of records that show it, in the order of the release."""

    path: Path  # Parquet: `group`, the row of `shown`; the named columns as v0, v1, …; and the count
    shown: pd.DataFrame  # what the groups show
    names: tuple[str, ...]  # of the named columns
    # group, count: what the first and the last column are called
    group: str
    count: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the release."""
        return (*map(str, self.shown.columns), *self.names)

    def batches(self) -> Iterator[tuple[pa.Table, np.ndarray]]:
        """Different rows as they leave, and how many records show each."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        words = [arrow_column(self.shown.iloc[:, place]) for place in range(self.shown.shape[1])]
        with pq.ParquetFile(self.path) as file:
            for batch in file.iter_batches(BATCH):
                own = batch.column(self.group)
                columns = [word.take(own) for word in words]
                columns += [batch.column(f"v{place}") for place in range(len(self.names))]
                yield pa.table(columns, names=list(self.columns)), batch.column(self.count).to_numpy()

    def records(self) -> Iterator[pa.Table]:
        """All records in pieces of `ROWS`; the last may be smaller."""
        yield from in_pieces(part for rows, counts in self.batches() for part in repeated(_numbered(rows), counts))

    def texts(self, formulas: str) -> Iterator[tuple[pa.Table, np.ndarray]]:
        """As `batches`, with the cells that stand in a CSV."""
        import pyarrow as pa

        for rows, counts in self.batches():
            plain = harmless(
                pd.DataFrame({name: rows.column(name).to_pylist() for name in rows.column_names}, dtype=object),
                formulas,
            )
            cells = [
                pa.array([csv_cell(value) for value in plain.iloc[:, place]], pa.string())
                for place in range(plain.shape[1])
            ]
            yield pa.table(cells, names=list(map(str, plain.columns))), counts


def write_parquet(rows: CountedRows, path: Path, heard: Heard) -> None:
    """All records as one file: no metadata, row groups of `ROWS`, so that its bytes follow from its rows alone."""
    import pyarrow.parquet as pq

    pieces = rows.records()
    first = next(pieces)
    settings = {"compression": "zstd", "version": "2.6", "store_schema": False, "write_statistics": False}
    with pq.ParquetWriter(path, first.schema, **settings) as writer:
        done = 0
        for piece in chain([first], pieces):
            writer.write_table(piece, row_group_size=ROWS)
            done += len(piece)
            heard(done)


def write_csv(rows: CountedRows, path: Path, formulas: str, heard: Heard) -> None:
    """All records as one CSV."""
    done = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        for number, (texts, counts) in enumerate(rows.texts(formulas)):
            if number == 0:
                file.write(_line(texts.column_names))
            cells = zip(*(column.to_pylist() for column in texts.columns), strict=True)
            for line, count in zip(map(_line, map(list, cells)), counts.tolist(), strict=True):
                for begin in range(0, count, ROWS):
                    file.write(line * min(ROWS, count - begin))
            done += int(counts.sum())
            heard(done)


def require_same(path: Path, rows: CountedRows, formulas: str, heard: Heard) -> None:
    """Read a release again, and compare it with what it was to hold, record by record.

    Raises
    ------
    CertificateError : It cannot be read, or holds something else.
    """
    import pyarrow as pa

    if path.suffix == ".parquet":
        wanted, read = rows.records(), in_pieces(_parquet(path))
    else:
        wanted = in_pieces(part for texts, counts in rows.texts(formulas) for part in repeated(texts, counts))
        read = in_pieces(_csv(path))
    done = 0
    try:
        for piece in wanted:
            got = next(read, None)
            if got is None or not _equal(got, piece):
                raise CertificateError(CHECK, f"after {done:,} records it holds something else than was meant.")
            done += len(piece)
            heard(done)
        if next(read, None) is not None:
            raise CertificateError(CHECK, f"it holds more than the {done:,} records that were meant.")
    except (pa.ArrowInvalid, ValueError) as error:
        raise CertificateError(CHECK, f"what was written as {path.suffix} cannot be read again.") from error


def _equal(got: pa.Table, wanted: pa.Table) -> bool:
    """Whether two pieces show the same, whatever numbers their words have."""
    return got.schema.equals(wanted.schema) and all(
        _same(one.combine_chunks(), other.combine_chunks())
        for one, other in zip(got.columns, wanted.columns, strict=True)
    )


def _same(got: pa.Array, wanted: pa.Array) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_dictionary(wanted.type):
        return bool(got.equals(wanted))
    number = pc.fill_null(pc.index_in(got.dictionary, wanted.dictionary), -1)  # -1: a word that was not meant
    return bool(number.take(got.indices).equals(wanted.indices))


def repeated(rows: pa.Table, counts: np.ndarray) -> Iterator[pa.Table]:
    """Each row as often as it was counted, in parts of at most `ROWS`.

    >>> import pyarrow as pa
    >>> [part["a"].to_pylist() for part in repeated(pa.table({"a": ["x", "y"]}), np.array([2, 1]))]
    [['x', 'x', 'y']]
    """
    import pyarrow as pa

    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    for begin in range(0, total, ROWS):
        end = min(begin + ROWS, total)
        first, last = np.searchsorted(ends, [begin, end - 1], side="right").tolist()
        own = counts[first : last + 1].copy()
        own[-1] -= ends[last] - end
        own[0] -= begin - (ends[first] - counts[first])
        yield rows.take(pa.array(np.repeat(np.arange(first, last + 1), own)))


def in_pieces(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """The same rows in pieces of `ROWS`; the last may be smaller."""
    import pyarrow as pa

    waiting: list[pa.Table] = []
    size = 0
    for table in tables:
        waiting.append(table)
        size += len(table)
        while size >= ROWS:
            whole = pa.concat_tables(waiting)
            yield whole.slice(0, ROWS).combine_chunks()
            waiting, size = [whole.slice(ROWS)], size - ROWS
    if size:
        yield pa.concat_tables(waiting).combine_chunks()


def _numbered(rows: pa.Table) -> pa.Table:
    """Text as numbers in a list of the words that these rows show, so that no word is copied for each record."""
    import pyarrow as pa

    for place, column in enumerate(rows.columns):
        if pa.types.is_string(column.type):
            rows = rows.set_column(place, rows.column_names[place], column.dictionary_encode())
    return rows


def csv_cell(value: object) -> str:
    """A cell as text.

    >>> [csv_cell(value) for value in (5.0, 5, None, True, "a")]
    ['5.0', '5', '', 'True', 'a']
    """
    return repr(value) if isinstance(value, float) else "" if value is None else str(value)


def _line(cells: Sequence[str]) -> str:
    """A row of a CSV.

    >>> _line(["a", "b, c"]), _line(["c\\rd", "e"]), _line([""])
    ('a,"b, c"\\n', '"c\\rd",e\\n', '""\\n')
    """
    quoted = ['"' + cell.replace('"', '""') + '"' if any(sign in cell for sign in ',"\r\n') else cell for cell in cells]
    return f"{','.join(quoted)}\n" if cells != [""] else '""\n'


def _parquet(path: Path) -> Iterator[pa.Table]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    words = [field.name for field in pq.read_schema(path) if pa.types.is_string(field.type)]
    with pq.ParquetFile(path, read_dictionary=words) as file:
        if file.metadata.metadata or file.schema_arrow.metadata:
            raise ValueError("metadata beside the columns")
        for batch in file.iter_batches(ROWS):
            yield pa.Table.from_batches([batch])


def _csv(path: Path) -> Iterator[pa.Table]:
    import pyarrow as pa
    import pyarrow.csv as pc

    with path.open(encoding="utf-8", newline="") as file:
        names = next(csv.reader(file, strict=True))
    reader = pc.open_csv(
        path,
        read_options=pc.ReadOptions(use_threads=False, block_size=BLOCK, column_names=names, skip_rows_after_names=1),
        parse_options=pc.ParseOptions(newlines_in_values=True),
        convert_options=pc.ConvertOptions(
            column_types={name: pa.string() for name in names}, strings_can_be_null=False
        ),
    )
    for batch in reader:
        yield pa.Table.from_batches([batch])
