"""Where data comes from: a path or bytes, and the kind of file, based on its content, not its name."""

from __future__ import annotations

import io
import os
import select
import stat
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.io.limits import MB, limits, passed

# Not filetype or puremagic: neither knows Parquet or FlatGeobuf, or distinguishes a GeoPackage from SQLite.
MAGIC = {
    b"PAR1": "parquet",
    b"SQLite format 3\x00": "geopackage",
    b"fgb\x03": "flatgeobuf",
    b"\xd0\xcf\x11\xe0": "Excel before 2007",
    b"%PDF": "pdf",
    b"\x89PNG": "picture",
    b"\xff\xd8\xff": "picture",
    b"\x1f\x8b": "gzip",
    b"RDX3": "R data",
    b"RDX2": "R data",
}

GEOPACKAGE = (b"GPKG", b"GP10", b"GP11")  # at byte 68 of an SQLite database

SECONDS = 30.0  # to wait for data in a pipe
SHAPEFILE = b"\x00\x00\x27\x0a"
SHAPEFILE_PARTS = (".shp", ".shx", ".dbf", ".prj", ".cpg")

# guesses of charset-normalizer that are right for short texts, too; other one-byte encodings are read as Windows-1252,
# because it guesses cp1250 or cp864 for a name or two
CLEAR_GUESSES = ("big5", "cp932", "cp949", "cp950", "euc_jp", "euc_kr", "gb18030", "shift_jis", "cp1251", "cp1253")


TABLES = ("text", "excel", "parquet", "frame")  # kinds that `read_frame` accepts
IN_MEMORY = "DataFrame"  # name of a table in memory in sentences


@dataclass(frozen=True)
class Source:
    """The content of one file, or a table in memory that is read as if it came from a file."""

    data: bytes  # None for a table in memory
    name: str  # for sentences; "the upload" when nothing is known
    # for a bare shapefile, the files next to it that belong to it
    beside: Mapping[str, bytes] = field(default_factory=dict)
    table: pd.DataFrame | None = None  # DataFrame or GeoDataFrame, optional: the table in memory
    # the column of this table that kanon made by counting records, "" for none: sentences do not mention it
    counts: str = ""
    sheet: str = ""  # the sheet of a workbook that is read; "" before its sheets were listed
    sheets: tuple[str, ...] = ()  # all sheets of that workbook

    @classmethod
    def open(cls, file: Any, name: str | None = None) -> Source:
        """A source from a path, bytes, a readable object or a table in memory.

        Raises `InvalidInput`: no such file, a folder, not readable, empty, larger than the limit.
        """
        if isinstance(file, Source):
            return file
        if isinstance(file, pd.DataFrame):
            return cls(b"", name or IN_MEMORY, table=file)
        siblings: dict[str, bytes] = {}
        if isinstance(file, str | os.PathLike):
            path = Path(file)
            name = name or os.fsencode(path.name).decode("utf-8", "replace")  # independent of the system's encoding
            try:
                data = _content(path, name)
                if data.startswith(SHAPEFILE):
                    siblings = _beside(path)
            except InvalidInput:
                raise
            except FileNotFoundError:
                raise InvalidInput(f"There is no file {path}; check the path.") from None
            except OSError as error:
                raise InvalidInput(f"{path} cannot be read ({error.strerror}); choose another file.") from error
            except ValueError:  # a character that a path must not contain
                raise InvalidInput(f"There is no file {path!s:.200}; check the path.") from None
        else:
            data = _bytes_of(file)
            name = name or getattr(file, "name", None) or "the upload"
        most = limits().file
        if len(data) > most:
            raise passed(name, "is too large", f"{most // MB:,} MB", "simplify or split it")
        if not data or data.isspace():
            raise InvalidInput(f"{name} is empty; choose a file with data.")
        return cls(data, name, siblings)

    @cached_property
    def kind(self) -> str:
        """The kind: "parquet", "geopackage", "flatgeobuf", "json", "shapefile", "excel", "zip", "text", or another.

        "frame" is a table in memory.
        """
        return "frame" if self.table is not None else _kind(self.data)

    def sheet_read(self, parameter: str = "sheet") -> dict[str, str]:
        """A certificate's entry for the sheet: nothing if there was no choice."""
        return {parameter: self.sheet} if len(self.sheets) > 1 else {}

    def text(self) -> tuple[str, str]:
        if self.table is not None:
            raise self.refuse("the path or the bytes of a text file")
        return _text(self.data)

    def broken(self) -> InvalidInput:
        return InvalidInput(f"{self.name} cannot be read as a table because it is broken; save it again as CSV.")

    def refuse(self, alternative: str) -> InvalidInput:
        """The error that says what was expected and what this is."""
        if self.table is not None:
            return InvalidInput(f"{self.name} is a table in memory; give {alternative} instead.")
        if is_database(self.data):
            return InvalidInput(f"{self.name} is a database; load {alternative} instead.")
        return InvalidInput(f"{self.name} is a file of kind “{self.kind}”; load {alternative} instead.")


def is_database(start: bytes) -> bool:
    """Whether a file that starts so is an SQLite or DuckDB database, and not a GeoPackage.

    >>> is_database(bytes(8) + b"DUCK"), is_database(b"zip,age")
    (True, False)
    """
    return start[8:12] == b"DUCK" or (start.startswith(b"SQLite format 3\x00") and start[68:72] not in GEOPACKAGE)


def _content(path: Path, name: str) -> bytes:
    """Read a file up to the limit; some have no end."""
    with open(path, "rb", opener=_opened) as file:
        return file.read(limits().file + 1)


def _opened(path: str, flags: int) -> int:
    """Wait for data in a pipe up to a limit, because the system would wait forever."""
    if not stat.S_ISFIFO(os.stat(path).st_mode):
        return os.open(path, flags)
    place = os.open(path, flags | os.O_NONBLOCK)
    if not select.select([place], [], [], SECONDS)[0]:
        os.close(place)
        raise InvalidInput(f"{path} is a pipe, and no data arrived within {SECONDS:g} seconds; give a file instead.")
    os.set_blocking(place, True)
    return place


def _beside(path: Path) -> dict[str, bytes]:
    """The parts of a shapefile by their suffix."""
    return {
        other.suffix.lower(): _content(other, other.name)
        for other in sorted(path.parent.iterdir())
        if other.stem.lower() == path.stem.lower() and other.suffix.lower() in SHAPEFILE_PARTS
    }


def _bytes_of(file: Any) -> bytes:
    if isinstance(file, bytes | bytearray | memoryview):
        return bytes(file)
    read = getattr(file, "read", None)
    data = read() if callable(read) else None
    if isinstance(data, str):
        return data.encode("utf-8", "surrogatepass")
    if not isinstance(data, bytes | bytearray):
        raise InvalidInput(f"A {type(file).__name__} is not a file; give a path, the bytes of a file, or an open file.")
    return bytes(data)


def _kind(data: bytes) -> str:
    if data.startswith(SHAPEFILE):
        return "shapefile"
    for magic, kind in MAGIC.items():
        if data.startswith(magic):
            return kind
    if data.startswith(b"PK"):
        try:
            names = zipfile.ZipFile(io.BytesIO(data)).namelist()
        except (zipfile.BadZipFile, NotImplementedError, ValueError, OSError):
            return "broken zip"
        return "excel" if any(entry.startswith("xl/") for entry in names) else "zip"
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        return "json"
    if b"\x00" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "unknown binary"
    return "text"


def _text(data: bytes) -> tuple[str, str]:
    for encoding in ("utf-8-sig", "utf-16") if data.startswith((b"\xff\xfe", b"\xfe\xff")) else ("utf-8-sig",):
        try:
            return data.decode(encoding), "utf_8" if encoding == "utf-8-sig" else "utf_16"
        except UnicodeDecodeError:
            continue
    from charset_normalizer import from_bytes

    best = from_bytes(data[:200_000]).best()
    encoding = best.encoding if best is not None and best.encoding in CLEAR_GUESSES else "cp1252"
    return data.decode(encoding, errors="replace"), encoding
