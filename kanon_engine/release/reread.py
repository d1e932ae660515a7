"""Read a file again from its bytes before it is offered, and compare it with the certificate."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
import sqlite3
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pandas as pd

from kanon_engine.errors import CertificateError
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.known import get_family
from kanon_engine.release.formats import FORMATS, LAYER, PROPERTIES, harmless, unescaped
from kanon_engine.release.released import Released, displayed_column, displayed_frame, plain_cell
from kanon_engine.release.sets import joined
from kanon_engine.shown import Shown

if TYPE_CHECKING:
    import pyarrow as pa

CHECK = "file read again"
SHORTENED = 1e-14  # relative to a number: GDAL writes 15 digits to GeoJSON, openpyxl 16 to Excel
ROWS = 250_000  # rows of a piece that is read at a time
BLOCK = 1 << 24  # bytes of a CSV that are parsed at a time
NEAR = 1e-12  # relative to the largest coordinate, for the same reason
GEOPACKAGE_TABLES = {
    LAYER,
    "gpkg_contents",
    "gpkg_extensions",
    "gpkg_geometry_columns",
    "gpkg_ogr_contents",
    "gpkg_spatial_ref_sys",
    "gpkg_tile_matrix",
    "gpkg_tile_matrix_set",
    "sqlite_sequence",
}
WORKBOOK = {
    "[Content_Types].xml",
    "_rels/.rels",
    "docProps/app.xml",
    "docProps/core.xml",
    "xl/_rels/workbook.xml.rels",
    "xl/sharedStrings.xml",
    "xl/styles.xml",
    "xl/theme/theme1.xml",
    "xl/workbook.xml",
    "xl/worksheets/sheet1.xml",
}


@dataclass(frozen=True)
class Claim:
    """What a table must show according to the certificate."""

    columns: tuple[str, ...]  # that distinguish its sets
    sizes: Mapping[tuple[str, ...], int]  # a set's values in these columns, as text → its number of records
    counts: str | None  # the column that says how many records a row represents; a row is one record if None
    least: int  # the least size of every set


def groups_claim(g: Generalization, counts: str = "weight") -> Claim:
    """One row per class, numbered from 1, with its weight.

    >>> import kanon_engine as kanon
    >>> groups_claim(kanon.generalize(kanon.Labels("abc", [5, 4, 1]), 5, "fold")).sizes
    {('1',): 5, ('2',): 5}
    """
    weights: list[int] = g.class_weights.tolist()
    sizes: dict[tuple[str, ...], int] = {(str(number + 1),): weight for number, weight in enumerate(weights)}
    return Claim(("group",), sizes, counts, g.k)


def reread(
    content: bytes,
    ending: str,
    frame: pd.DataFrame,
    instance: Any,
    g: Generalization,
    claim: Claim | None = None,
    *,
    formulas: str = "escape",
    singles: bool = True,
    **answers: Any,
) -> None:
    """Compare a file with the table that it was written from, and that with the certificate.

    Parameters
    ----------
    content : Content of the file.
    ending : As in `formats.written`, which shares no code with the readers here.
    frame : DataFrame or GeoDataFrame. Its intended content, cell by cell and shape by shape, and nothing else.
    instance, g : No single item may be in it, and no digest.
    claim : The sets and sizes that it must show.
    formulas : As when it was written.
    singles : Whether nothing about single items may be in it; a person's own columns may hold values like ids.
    **answers : What the family's release `asks`.

    Raises
    ------
    CertificateError : The file's content is wrong, or it holds what it must not hold.
    """
    try:
        names, columns, shapes = READERS[ending](content)
        read = list(map(Numbered.of, columns))
    except Exception as error:  # broken files raise all kinds of library errors
        raise CertificateError(CHECK, f"the written .{ending} file cannot be read again.") from error
    shaped = [name for name, kind in frame.dtypes.items() if str(kind) == "geometry"]
    plain_frame = displayed_frame(pd.DataFrame(frame.drop(columns=shaped)))
    expected = harmless(plain_frame, formulas) if FORMATS[ending].sheet else plain_frame
    require_columns(names, list(map(str, expected.columns)))
    near = SHORTENED if ending in ("geojson", "xlsx") else 0.0
    for place, name in enumerate(names):
        expected_cells = Numbered.of(expected.iloc[:, place], ending)
        require_rows(len(read[place].codes), len(expected_cells.codes))
        read[place].require_same(expected_cells, name, near)
    if shapes is not None:
        _require_shapes(shapes, frame.geometry.to_numpy())  # type: ignore[attr-defined]
    for digest in (instance.digest, g.digest):
        if digest and (
            digest.encode() in content or any(digest in str(cell) for plain_frame in read for cell in plain_frame.cells)
        ):
            raise CertificateError(CHECK, "it holds a digest, which could confirm a guess about the data.")
    if claim is not None:
        require_claimed(plain_frame, claim)
    release = get_family(g.family).release
    if singles and release is not None and release.private is not None:
        leak = release.private(instance, g, frame, **release.asked(answers))
        if leak:
            raise CertificateError(CHECK, f"it holds {leak}.")


def require_claimed(frame: pd.DataFrame, claim: Claim) -> None:
    """Compare the sets of a table with those of the certificate.

    Raises
    ------
    CertificateError : A set that is missing, is not in the result, has a wrong size, or is too small.
    """
    missing = [name for name in (*claim.columns, claim.counts) if name is not None and name not in frame.columns]
    if missing:
        raise CertificateError(CHECK, f"it lacks the column “{missing[0]}”.")
    codes = [Numbered.of(frame[name]).codes for name in claim.columns]
    sets = pd.factorize(joined(codes, len(frame)))[0]  # numbered as they first occur
    first = frame.iloc[np.unique(sets, return_index=True)[1]]
    keys = zip(*(map(cell_key, first[name].astype(object)) for name in claim.columns), strict=True)
    counts = (np.bincount(sets) if claim.counts is None else frame[claim.counts].groupby(sets).sum()).tolist()
    sizes: dict[tuple[str, ...], int] = {}
    for key, count in zip(keys, counts, strict=True):
        sizes[key] = sizes.get(key, 0) + count
    if len(sizes) != len(claim.sizes):
        raise CertificateError(CHECK, f"it shows {len(sizes):,} groups, but the certificate has {len(claim.sizes):,}.")
    for key, size in sizes.items():
        if claim.sizes.get(key) != size:
            raise CertificateError(CHECK, f"the certificate has no group “{', '.join(key)}” of size {size:,}.")
        if size < claim.least:
            raise CertificateError(CHECK, f"“{', '.join(key)}” has size {size:,}, below {claim.least:,}.")


def cell_key(value: Any) -> str:
    """A cell as text, whatever its type.

    >>> [cell_key(value) for value in (3, 3.0, "3", None, 2.5)]
    ['3', '3', '3', '', '2.5']
    """
    plain = plain_cell(value)
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    return "" if plain is None else str(plain)


def same_cell(cell: Any, expected: Any, near: float) -> bool:
    """Whether a read cell has its intended value; text files hold text, and nothing for a missing cell."""
    plain = plain_cell(expected)
    if plain is None or plain == "":
        return cell is None or cell == "" or (isinstance(cell, float) and math.isnan(cell))
    if isinstance(plain, bool) or isinstance(cell, bool):
        return str(cell) == str(plain)
    if isinstance(plain, str) or cell is None:
        return isinstance(cell, str) and cell == plain
    if isinstance(cell, str):
        try:
            cell = int(cell)
        except ValueError:
            try:
                cell = float(cell)
            except ValueError:
                return False
    return cell == plain or (near > 0 and math.isclose(cell, plain, rel_tol=near))


def require_columns(names: Sequence[str], expected: Sequence[str]) -> None:
    """Raise `CertificateError` if a file has different columns."""
    if list(names) != list(expected):
        raise CertificateError(CHECK, f"its columns are {', '.join(names)}, not {', '.join(expected)}.")


def require_rows(rows: int, expected: int) -> None:
    """Raise `CertificateError` if a file has a different number of rows."""
    if rows != expected:
        raise CertificateError(CHECK, f"it holds {rows:,} rows, not {expected:,}.")


@dataclass(frozen=True, eq=False)
class Numbered:
    """A column as its distinct cells, and the index of each row's cell."""

    codes: np.ndarray  # (n,) int64: the index of each row's cell in `cells`
    cells: list[Any]  # each once; 1, 1.0 and True are three

    @classmethod
    def of(cls, column: Iterable[Any], ending: str = "") -> Numbered:
        """From cells, or from a column of pandas or Arrow, as a file of a kind can hold them.

        >>> found = Numbered.of([1, True, "a", 1])
        >>> found.codes.tolist(), found.cells
        ([0, 1, 2, 0], [1, True, 'a'])
        """
        import pyarrow as pa

        if isinstance(column, pd.Series) and (column.dtype != object or pd.api.types.infer_dtype(column) == "string"):
            column = pa.table([pa.array(column, from_pandas=True)], [""]).column(0)
        if hasattr(column, "combine_chunks"):
            encoded = column.combine_chunks().dictionary_encode("encode")
            codes, cells = encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()
        else:
            numbers: dict[tuple[type, Any], int] = {}
            codes = np.array([numbers.setdefault((type(cell), cell), len(numbers)) for cell in column], dtype=np.int64)
            cells = [cell for _, cell in numbers]
        if ending == "xlsx":  # a workbook has one line break
            cells = ["\n".join(re.split("\r\n|\r", one)) if isinstance(one, str) else one for one in cells]
        return cls(codes, cells)

    def difference(self, expected: Numbered, near: float = SHORTENED) -> int | None:
        """The first row whose cell does not have its intended value; None if there is none."""
        pairs, first = np.unique(self.codes * len(expected.cells) + expected.codes, return_index=True)
        both = zip(pairs.tolist(), first.tolist(), strict=True)
        many = len(expected.cells)
        wrong = [
            row for pair, row in both if not same_cell(self.cells[pair // many], expected.cells[pair % many], near)
        ]
        return min(wrong, default=None)

    def require_same(self, expected: Numbered, name: str, near: float, before: int = 0) -> None:
        """Raise `CertificateError` for a wrong cell; `before` is the number of rows of the file before these."""
        wrong = self.difference(expected, near)
        if wrong is not None:
            place = f"row {before + wrong + 1:,} of “{name}”"
            raise CertificateError(CHECK, f"{place} does not hold the intended value.")


def _require_shapes(shapes: Sequence[Any], expected: np.ndarray) -> None:
    import shapely

    actual = np.array(list(shapes), dtype=object)
    for place, (one, other) in enumerate(zip(actual, expected, strict=True)):
        if one is None or other is None or one.is_empty or other.is_empty:
            good = (one is None or one.is_empty) and (other is None or other.is_empty)
        else:
            near = NEAR * max(1.0, *np.abs(other.bounds))
            good = bool(shapely.equals_exact(_parts(one), _parts(other), tolerance=near))
        if not good:
            raise CertificateError(CHECK, f"the shape of row {place + 1:,} is not the intended one.")


def _parts(shape: Any) -> Any:
    """The same in a standard order, whether one shape or several of a kind."""
    import shapely

    return shapely.normalize(shapely.GeometryCollection(list(getattr(shape, "geoms", [shape]))))


Read = tuple[list[str], list[Any], list[Any] | None]  # columns: a list of cells each, or an Arrow column


def _by_column(names: list[str], rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in names]


def _of_pieces(names: list[str], pieces: Iterator[pa.Table]) -> Read:
    import pyarrow as pa

    tables = list(pieces)
    return names, pa.concat_tables(tables).columns if tables else [[] for _ in names], None


def csv_pieces(file: BinaryIO, block: int = BLOCK) -> tuple[list[str], Iterator[pa.Table]]:
    """The columns of a CSV, and its cells as text, a number of rows at a time.

    Parameters
    ----------
    block : Bytes that are parsed at a time; no line may be longer.
    """
    import pyarrow as pa
    import pyarrow.csv as pc

    text = io.TextIOWrapper(file, "utf-8", newline="")
    names = next(csv.reader(text, strict=True))
    text.detach()
    file.seek(0)
    reader = pc.open_csv(
        file,
        pc.ReadOptions(use_threads=False, block_size=block, column_names=names, skip_rows_after_names=1),
        pc.ParseOptions(newlines_in_values=True, ignore_empty_lines=False),
        pc.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
    )
    return names, (pa.Table.from_batches([batch]) for batch in reader)


def parquet_pieces(file: BinaryIO) -> tuple[list[str], Iterator[pa.Table]]:
    """The columns of a Parquet file, and its cells, a number of rows at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    read = pq.ParquetFile(file)
    if set(read.metadata.metadata or ()) - {b"ARROW:schema"} or read.schema_arrow.metadata:
        raise ValueError("metadata besides the columns")
    return list(read.schema_arrow.names), (pa.Table.from_batches([batch]) for batch in read.iter_batches(ROWS))


PIECES = {"csv": csv_pieces, "parquet": parquet_pieces}


def _xlsx(content: bytes) -> Read:
    from openpyxl import load_workbook

    with zipfile.ZipFile(io.BytesIO(content)) as file:
        if not set(file.namelist()) <= WORKBOOK or file.read("docProps/core.xml").decode() != PROPERTIES:
            raise ValueError("parts besides the sheet")
        if b"<f>" in file.read("xl/worksheets/sheet1.xml"):
            raise ValueError("a formula")
    book = load_workbook(io.BytesIO(content), read_only=True)
    (sheet,) = book.worksheets
    first, *rows = sheet.iter_rows(values_only=True)
    names = ["" if name is None else str(name) for name in first]
    return names, _by_column(names, [(*row, *[None] * (len(names) - len(row))) for row in rows]), None


def _gpkg(content: bytes) -> Read:
    import shapely

    with closing(sqlite3.connect(":memory:")) as store:
        store.deserialize(content)
        tables = {name for (name,) in store.execute("select name from sqlite_master where type = 'table'")}
        strangers = {name for name in tables - GEOPACKAGE_TABLES if not name.startswith(f"rtree_{LAYER}_geom")}
        if strangers:
            raise ValueError(f"other tables: {sorted(strangers)}")
        cursor = store.execute(f'select * from "{LAYER}" order by fid')
        names = [entry[0] for entry in cursor.description]
        columns = _by_column(names, cursor.fetchall())
        yes = {row[1] for row in store.execute(f'pragma table_info("{LAYER}")') if row[2].upper() == "BOOLEAN"}
    cells = dict(zip(names, columns, strict=True))
    if cells.pop("fid") != list(range(1, len(columns[0]) + 1)):
        raise ValueError("rows that are not numbered from 1")
    shapes = [None if blob is None else shapely.from_wkb(_body(blob)) for blob in cells.pop("geom")]
    for name in yes:
        cells[name] = [None if cell is None else bool(cell) for cell in cells[name]]
    return list(cells), list(cells.values()), shapes


def _body(blob: bytes) -> bytes:
    """A geometry without the GeoPackage header, whose third bit gives the length of its box."""
    envelope = (0, 32, 48, 48, 64)[blob[3] >> 1 & 7]
    return blob[8 + envelope :]


def _geojson(content: bytes) -> Read:
    import shapely

    document = json.loads(content)
    strangers = set(document) - {"type", "name", "crs", "features", "xy_coordinate_resolution"}
    features = document["features"]
    if strangers or any(set(one) != {"type", "properties", "geometry"} for one in features):
        raise ValueError("entries besides the list of shapes and their columns")
    names = list(features[0]["properties"]) if features else []
    columns = [[one["properties"][name] for one in features] for name in names]
    if any(len(one["properties"]) != len(names) for one in features):
        raise ValueError("shapes with different columns")
    shapes = [
        None if one["geometry"] is None else shapely.from_geojson(json.dumps(one["geometry"])) for one in features
    ]
    return names, columns, shapes


READERS: dict[str, Callable[[bytes], Read]] = {
    "csv": lambda content: _of_pieces(*csv_pieces(io.BytesIO(content), max(BLOCK, len(content)))),
    "parquet": lambda content: _of_pieces(*parquet_pieces(io.BytesIO(content))),
    "xlsx": _xlsx,
    "gpkg": _gpkg,
    "geojson": _geojson,
}


# ---------------------------------------------------------------------------------------------------------------------
# The files of a release, read from their bytes: their tables, and the release that a reader sees in them.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedFile(Shown):
    """One file of a release.

    >>> file = ReleasedFile("groups.csv", b"group,weight\\n1,5\\n2,6\\n")
    >>> file.table.values.tolist(), file.digest[:8]
    ([['1', '5'], ['2', '6']], '93c68c84')
    """

    name: str
    content: bytes

    @property
    def ending(self) -> str:
        """The kind of file."""
        return self.name.rpartition(".")[2].lower()

    @property
    def digest(self) -> str:
        """SHA-256, as 64 hexadecimal digits."""
        return hashlib.sha256(self.content).hexdigest()

    @cached_property
    def table(self) -> pd.DataFrame | None:
        """The cells as they are in the file, without shapes; None if it is not a table."""
        if self.ending not in READERS:
            return None
        try:
            names, columns, _ = READERS[self.ending](self.content)
            cells = [column if isinstance(column, list) else column.to_pylist() for column in columns]
        except Exception as error:  # broken files raise all kinds of library errors
            raise CertificateError(self.name, f"it cannot be read as .{self.ending}.") from error
        frame = pd.DataFrame({place: pd.Series(column, dtype=object) for place, column in enumerate(cells)})
        return frame.set_axis(pd.Index(names, dtype=object), axis=1)

    def _facts(self) -> dict[str, object]:
        return {"file": self.name, "bytes": len(self.content)}


def read_back(files: Mapping[str, bytes], expected: Released) -> Released:
    """A release as its first table shows it, with the roles of its columns.

    Columns of the file that `expected` lacks follow from the others: the number of areas of a group, its weight over k.
    The rows of clusters with kept columns stay separate, which reveals more than their file does.

    Parameters
    ----------
    files : Each was compared with the result when it was written.
    expected : Roles and meanings of the columns, and the values that their cells must have.

    Raises
    ------
    CertificateError : A cell of the file differs from that of `made`.

    >>> made = Released(pd.DataFrame({"group": [1, 2], "weight": [5, 6]}), ("group",), counts="weight", k=5)
    >>> found = read_back({"groups.csv": b"group,weight,items\\n1,5,2\\n2,6,1\\n"}, made)
    >>> found.frame.values.tolist(), found.derived
    ([[1, 5, 2], [2, 6, 1]], ('items',))
    """
    opened = (ReleasedFile(name, content) for name, content in files.items())
    file = next((one for one in opened if one.table is not None), None)
    if file is None or file.table is None or len(file.table) != len(expected.frame):
        return expected
    table = unescaped(file.table) if FORMATS[file.ending].sheet else file.table
    columns = {str(name): _typed(table[name], expected.frame.get(str(name)), file) for name in table.columns}
    frame = pd.DataFrame(columns, index=expected.frame.index)
    listed_names = {
        *expected.quasi_identifiers,
        *expected.sensitive,
        *expected.sums,
        expected.counts,
        *expected.derived,
        *expected.frame.columns,
    }
    return replace(
        expected,
        frame=frame,
        quasi_identifiers=tuple(name for name in expected.quasi_identifiers if name in columns),
        derived=(*expected.derived, *(name for name in columns if name not in listed_names)),
    )


def _typed(cells: pd.Series, expected: pd.Series | None, file: ReleasedFile) -> pd.Series:
    """Cells with the types that they had before they were written."""
    if expected is None:
        numbers = pd.to_numeric(cells, errors="coerce")
        return numbers if bool(numbers.notna().all()) else cells
    expected_cells = Numbered.of(displayed_column(expected), file.ending)
    wrong = Numbered.of(cells).difference(expected_cells)
    if wrong is not None:
        raise CertificateError(file.name, f"row {wrong + 1:,} of “{cells.name}” does not match the result.")
    return expected


def require_cells(file: ReleasedFile, expected: ReleasedFile) -> None:
    """Raise `CertificateError` if a table does not have the cells that it must have; shapes are not compared."""
    if file.table is None or expected.table is None:
        return
    alike = list(file.table.columns) == list(expected.table.columns) and len(file.table) == len(expected.table)
    both = zip(*([column for _, column in one.items()] for one in (file.table, expected.table)), strict=False)
    if not alike or any(Numbered.of(one).difference(Numbered.of(other)) is not None for one, other in both):
        raise CertificateError(file.name, "its content does not match the result.")
