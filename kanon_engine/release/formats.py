"""Tables as files of each kind, with the same bytes whenever and wherever they are written."""

from __future__ import annotations

import datetime
import io
import math
import re
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree.ElementTree import canonicalize

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.cells import EXACT
from kanon_engine.model.words import enumerated
from kanon_engine.release.released import displayed_frame, plain_cell
from kanon_engine.verification.bundle import zip_of

if TYPE_CHECKING:
    import geopandas
    import pyarrow as pa


BEGINNING = datetime.date(1980, 1, 1)  # the creation time in a file, as for zips in `archive`
LAYER = "groups"
PIECE = 1_048_576  # rows of a Parquet row group
MOST_ROWS, MOST_COLUMNS, LONGEST = 1_048_576, 16_384, 32_767  # limits of an Excel sheet and cell
CONTENT_TYPES = "[Content_Types].xml"  # lists the types of the others, and comes first
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
PROPERTIES = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<cp:coreProperties '
    'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"/>'
)


def written(frame: pd.DataFrame, ending: str, *, formulas: str = "escape", date: datetime.date = BEGINNING) -> bytes:
    """A table as a file.

    No file holds an index, a time, an author's name, or a row number.

    Parameters
    ----------
    frame : DataFrame or GeoDataFrame
    ending : One of `FORMATS`.
    formulas : What to do in CSV and Excel with text that a spreadsheet may take for a formula; see `csv_text`.
    date : The date of last change in a GeoPackage.

    Raises
    ------
    InvalidInput
        An unknown ending, a table without shapes, a formula if these are refused, or more than a file of this kind can
        hold.

    >>> written(pd.DataFrame({"group": [1, 2], "name": ["=1+1", None]}), "csv")
    b"group,name\\n1,'=1+1\\n2,\\n"
    """
    if ending not in FORMATS:
        raise InvalidInput(f"A table cannot be written as {ending!r}; choose {', '.join(FORMATS)}.")
    form = FORMATS[ending]
    if form.shapes and not _has_shapes(frame):
        raise InvalidInput(f"There are no shapes to write as .{ending}; write the table as {dotted(TABLE)}.")
    if not form.shapes and _has_shapes(frame):
        frame = pd.DataFrame(frame.drop(columns=frame.geometry.name))  # type: ignore[attr-defined]
    frame = displayed_frame(frame)
    content = form.write(_uniform(frame) if form.shapes else frame, formulas)
    return dated(content, date) if ending == "gpkg" else content


def _has_shapes(frame: pd.DataFrame) -> bool:
    return any(str(kind) == "geometry" for kind in frame.dtypes)


def _parquet(frame: pd.DataFrame, formulas: str) -> bytes:
    import pyarrow as pa

    names = [str(name) for name in frame.columns]
    columns = [arrow_column(frame.iloc[:, place]) for place in range(len(names))]
    target = io.BytesIO()
    write_parquet([pa.table(columns, names=names)], target)
    return target.getvalue()


def write_parquet(pieces: Iterable[pa.Table], target: Path | io.BytesIO) -> None:
    """A table as one file, whose bytes depend only on its rows if all pieces but the last have `PIECE` rows."""
    import pyarrow.parquet as pq

    rest = iter(pieces)
    first = next(rest)
    with pq.ParquetWriter(target, first.schema, compression="zstd", version="2.6") as writer:
        for piece in chain([first], rest):
            writer.write_table(piece, row_group_size=PIECE)


def arrow_column(column: pd.Series) -> Any:
    """A column as an Arrow array, with its Parquet type."""
    import pyarrow as pa

    codes, cells, kind = _of_one_kind(column)
    types = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    return pa.array(cells, type=types[kind]).take(pa.array(codes))


def _of_one_kind(column: pd.Series) -> tuple[np.ndarray, list[Any], type]:
    """`_distinct`; numbers and booleans keep their type if a column holds nothing else; everything else is text."""
    codes, distinct = _distinct(column)
    cells = list(map(plain_cell, distinct))
    kinds = {type(cell) for cell in cells if cell is not None}
    kind = float if kinds == {int, float} else kinds.pop() if len(kinds) == 1 else str
    if kind is int and any(cell is not None and not -(2**63) <= cell < 2**63 for cell in cells):  # type: ignore[operator]
        kind = str
    return codes, [None if cell is None else kind(cell) for cell in cells], kind


def _distinct(column: pd.Series) -> tuple[np.ndarray, list[Any]]:
    """Which of its different cells each row of a column has, and these; 1, 1.0 and True are three."""
    if not pd.api.types.is_object_dtype(column):
        codes, found = pd.factorize(column, use_na_sentinel=False)
        return codes, pd.Series(found).astype(object).tolist()
    known: dict[tuple[type, Any], int] = {}
    codes = np.array([known.setdefault((type(cell), cell), len(known)) for cell in column], dtype=np.int64)
    return codes, [cell for _, cell in known]


def _uniform(frame: geopandas.GeoDataFrame) -> geopandas.GeoDataFrame:
    """The same with columns of one type, for GDAL: dates and mixed columns as text."""
    result = frame.copy()
    for place, name in enumerate(frame.columns):
        if name != frame.geometry.name and not pd.api.types.is_numeric_dtype(frame.dtypes.iloc[place]):
            codes, cells, kind = _of_one_kind(frame.iloc[:, place])
            result.isetitem(place, pd.Series(cells, dtype=object if kind is str else None).array[codes])
    return result


def _xlsx(frame: pd.DataFrame, formulas: str) -> bytes:
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.utils.exceptions import IllegalCharacterError

    if len(frame) >= MOST_ROWS or len(frame.columns) > MOST_COLUMNS:
        raise InvalidInput(
            f"Excel holds at most {MOST_ROWS - 1:,} rows and {MOST_COLUMNS:,} columns; write .parquet or .csv."
        )
    plain = harmless(frame, formulas)
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Sheet1")

    def cell(value: Any, name: object) -> Any:
        content = plain_cell(value)
        if (isinstance(content, int) and abs(content) >= EXACT) or (isinstance(content, float) and math.isinf(content)):
            content = str(content)
        if not isinstance(content, str):
            return content
        content = content.replace("\r\n", "\n").replace("\r", "\n")  # XML has one kind of line break, and so has Excel
        if len(content) > LONGEST:
            raise InvalidInput(
                f"A cell of “{name}” has {len(content):,} characters, more than Excel can hold; write .csv."
            )
        try:
            result = WriteOnlyCell(sheet, content)
        except IllegalCharacterError:
            raise InvalidInput(f"A cell of “{name}” holds a character that Excel cannot hold; write .csv.") from None
        result.data_type = "s"
        return result

    sheet.append([cell(str(name), name) for name in plain.columns])
    names = list(plain.columns)
    columns = [plain.iloc[:, place].astype(object).tolist() for place in range(len(names))]
    for row in zip(*columns, strict=True):
        sheet.append([cell(value, name) for value, name in zip(row, names, strict=True)])
    target = io.BytesIO()
    book.save(target)
    with zipfile.ZipFile(target) as file:
        # openpyxl's own output depends on whether lxml is installed
        members: dict[str, str | bytes] = {
            name: DECLARATION + canonicalize(file.read(name).decode())
            for name in sorted(file.namelist(), key=lambda member: (member != CONTENT_TYPES, member))
        }
    return archive(members | {"docProps/core.xml": PROPERTIES})


def _shapes_as(driver: str, **form: Any) -> Callable[[Any, str], bytes]:
    def write(frame: geopandas.GeoDataFrame, formulas: str) -> bytes:
        """Written in memory, so that no full or read-only disk can interfere."""
        import pyogrio

        target = io.BytesIO()
        try:
            pyogrio.write_dataframe(frame, target, driver=driver, layer=LAYER, **form)
        except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, pyogrio.errors.FeatureError) as error:
            raise InvalidInput(
                f"The groups cannot be written as {driver}, most likely because memory ran out; write groups without "
                f"shapes as CSV, or free memory and try again."
            ) from error
        return target.getvalue()

    return write


class FileFormat(NamedTuple):
    """How tables are written as files of one kind; `reread` has its reader."""

    name: str  # for a person
    media_type: str
    write: Callable[[Any, str], bytes]  # of a table, and of what to do with formulas
    shapes: bool = False  # whether it needs shapes; the others leave them out
    sheet: bool = False  # whether text that a spreadsheet takes for a formula has an apostrophe in front


EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
FORMATS = {  # by the ending of a file
    "csv": FileFormat("CSV", "text/csv", lambda frame, formulas: csv_text(frame, formulas).encode(), sheet=True),
    "parquet": FileFormat("Parquet", "application/vnd.apache.parquet", _parquet),
    "xlsx": FileFormat("Excel", EXCEL, _xlsx, sheet=True),
    "gpkg": FileFormat(
        "GeoPackage", "application/geopackage+sqlite3", _shapes_as("GPKG", promote_to_multi=True), shapes=True
    ),
    "geojson": FileFormat("GeoJSON", "application/geo+json", _shapes_as("GeoJSON"), shapes=True),
}
TABLE = tuple(ending for ending, form in FORMATS.items() if not form.shapes)
SHAPES = tuple(ending for ending, form in FORMATS.items() if form.shapes)


def dotted(endings: Iterable[str]) -> str:
    """Endings for a sentence.

    >>> dotted(TABLE)
    '.csv, .parquet or .xlsx'
    """
    return enumerated([f".{ending}" for ending in endings], "or")


# ---------------------------------------------------------------------------------------------------------------------
# Tables as CSV text, with cells that a spreadsheet would run as a formula made harmless or refused.
# ---------------------------------------------------------------------------------------------------------------------


FORMULAS = ("escape", "refuse")
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
ESCAPE = "'"  # a spreadsheet takes the following text as text
WINDOWS = "\r\n"  # Python only quotes its own kind of line break


def csv_text(frame: pd.DataFrame, formulas: str = "escape") -> str:
    """A table as CSV that no spreadsheet runs as formulas.

    Parameters
    ----------
    formulas : str
        What to do with text that a spreadsheet may take for a formula (it starts with =, +, -, @, a tab or a line
        break): "escape" puts an apostrophe in front, even if there are apostrophes already, "refuse" raises an error.
        Headers count, too. Numbers are never changed, nor is text that is only a number, such as "-5".

    Raises
    ------
    InvalidInput : An unknown choice for `formulas`; a formula if these are refused.

    >>> csv_text(pd.DataFrame({"@name": ["=1+1", "Ada", "-5"], "change": [-2.5, 0.0, 1.0]})).splitlines()
    ["'@name,change", "'=1+1,-2.5", 'Ada,0.0', '-5,1.0']
    """
    return "".join(csv_lines(harmless(frame, formulas)))


def csv_lines(frame: pd.DataFrame) -> list[str]:
    """The header and each row as lines of a CSV; text with a line break of any system is quoted.

    >>> csv_lines(pd.DataFrame({"a": ["b, c", "c\\rd", None]}))
    ['a\\n', '"b, c"\\n', '"c\\rd"\\n', '""\\n']
    """
    lines: Any = _Lines()
    frame.to_csv(lines, index=False, lineterminator=WINDOWS)
    return [line.removesuffix(WINDOWS) + "\n" for line in lines]


class _Lines(list[str]):
    """Collects a CSV writer's output, one line at a time."""

    write = list.append


def harmless(frame: pd.DataFrame, formulas: str = "escape") -> pd.DataFrame:
    """A table with an apostrophe before text (also column names) that a spreadsheet may take for a formula."""
    if formulas not in FORMULAS:
        raise InvalidInput(f"{formulas!r} is not a way to handle formulas; choose one of {', '.join(FORMULAS)}.")
    plain = frame.copy()
    for place, name in enumerate(frame.columns):
        column = frame.iloc[:, place]
        if pd.api.types.is_numeric_dtype(column):
            continue
        codes, cells = _distinct(column)
        risky = [cell for cell in cells if (is_formula if formulas == "refuse" else _is_escaped)(cell)]
        if risky and formulas == "refuse":
            raise _refused(risky[0], f"in column {str(name)!r}")
        if risky:
            values = [f"{ESCAPE}{cell}" if _is_escaped(cell) else cell for cell in cells]
            plain.isetitem(place, pd.Series(values, dtype=object).array[codes])
    risky_names = [str(name) for name in frame.columns if is_formula(name)]
    if risky_names and formulas == "refuse":
        raise _refused(risky_names[0], "the name of a column")
    if formulas == "escape":
        names = [f"{ESCAPE}{name}" if _is_escaped(name) else name for name in frame.columns]
        plain.columns = pd.Index(names, dtype=object)
    return plain


def is_formula(value: object) -> bool:
    """Whether a spreadsheet may take a cell for a formula.

    >>> [is_formula(value) for value in ("=A1", "-5", "-5+A1", "−5 to 2", "", -5, None)]
    [True, False, True, False, False, False, False]
    """
    return isinstance(value, str) and value.startswith(STARTS) and NUMBER.fullmatch(value) is None


def _is_escaped(value: object) -> bool:
    """Whether a cell gets an apostrophe: a formula, or one that already has apostrophes, so that both stay distinct."""
    return isinstance(value, str) and is_formula(value.lstrip(ESCAPE))


def _refused(text: str, where: str) -> InvalidInput:
    return InvalidInput(
        f"“{text[:40]}” is {where}; a spreadsheet may run it as a formula. Correct it, or have formulas escaped."
    )


def unescaped(frame: pd.DataFrame) -> pd.DataFrame:
    """A table as it was before `csv_text` put apostrophes before formulas.

    >>> unescaped(pd.DataFrame({"'@name": ["'=1+1", "''=1+1", "'tis"]})).to_dict("list")
    {'@name': ['=1+1', "'=1+1", "'tis"]}
    """
    plain = frame.copy()
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column):
            plain.isetitem(place, column.map(_unescaped).array)
    plain.columns = pd.Index([_unescaped(name) for name in frame.columns], dtype=object)
    return plain


def _unescaped(value: object) -> object:
    return value[1:] if isinstance(value, str) and value.startswith(ESCAPE) and _is_escaped(value) else value


# ---------------------------------------------------------------------------------------------------------------------
# Several files as one zip, the same bytes on every machine and at every time.
# ---------------------------------------------------------------------------------------------------------------------


MOST, LARGEST = 100, 500_000_000  # limits on the members and bytes of a package that is read


def archive(members: Mapping[str, str | bytes], *, stored: bool = False) -> bytes:
    """Files by their names as the bytes of a zip, in the order given.

    Parameters
    ----------
    stored : Whether files are not compressed, so that the bytes do not depend on the version of a compressor.

    >>> zipfile.ZipFile(io.BytesIO(archive({"a.txt": "one", "b.txt": b"two"}))).namelist()
    ['a.txt', 'b.txt']
    """
    files = {name: content.encode() if isinstance(content, str) else content for name, content in members.items()}
    return zip_of(files, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)


def unpacked(content: bytes, called: str) -> dict[str, bytes]:
    """The files in a zip by their names.

    Parameters
    ----------
    called : Its name in sentences.

    Raises
    ------
    InvalidInput : Not a zip, broken or encrypted, with folders, a duplicate name, or more than a package may hold.

    >>> unpacked(archive({"a.txt": "one"}), "a.zip")
    {'a.txt': b'one'}
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as file:
            entries = file.infolist()
            names = [entry.filename for entry in entries]
            if len(names) > MOST or sum(entry.file_size for entry in entries) > LARGEST:
                raise InvalidInput(
                    f"{called} holds more files or bytes than a kanon package can; give a package as kanon wrote it."
                )
            if len(set(names)) < len(names) or any("/" in name or "\\" in name for name in names):
                raise InvalidInput(f"{called} has folders or duplicate names in it; give a package as kanon wrote it.")
            return {name: file.read(name) for name in names}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        raise InvalidInput(f"{called} is not a zip, or is broken; give a package as kanon wrote it.") from error


# ---------------------------------------------------------------------------------------------------------------------
# A GeoPackage with a given date instead of the time when it was written.
# ---------------------------------------------------------------------------------------------------------------------


CHANGES, VALID_FOR = slice(24, 28), slice(92, 96)  # in SQLite's header: the number of writes; both are the same


def dated(content: bytes, date: datetime.date) -> bytes:
    """The same GeoPackage, with a date as its last change; the same bytes whenever it was written."""
    with closing(sqlite3.connect(":memory:")) as store:
        store.deserialize(content)
        store.execute("update gpkg_contents set last_change = ?", (f"{date.isoformat()}T00:00:00.000Z",))
        store.commit()
        store.execute("vacuum")  # else the old content would still be in the file
        data = bytearray(store.serialize())
    data[CHANGES] = data[VALID_FOR] = (1).to_bytes(4, "big")
    return bytes(data)
