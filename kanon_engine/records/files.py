"""The files that hold records: their list, their columns, and how their text is split."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
from dataclasses import dataclass
from pathlib import Path

from kanon_engine.errors import InvalidInput
from kanon_engine.io.frames import delimiter_of, lists_notes, unique_names
from kanon_engine.io.source import Source

FIRST = 200_000  # bytes of a text that determine how it is split
TEXT, PARQUET = (".csv", ".tsv", ".txt"), (".parquet", ".pq")
PARTITION = re.compile(r"[^=]+=[^=]*")  # the folder "year=2024" in a partitioned set of files


@dataclass(frozen=True)
class Files:
    """Files of one kind with the same columns."""

    name: str  # name of the file or folder, for sentences
    paths: tuple[Path, ...]  # sorted by name
    kind: str  # "csv" or "parquet"
    # each column's name in the files and in kanon; without columns that do not hold single values
    columns: tuple[tuple[str, str], ...]
    partitions: tuple[str, ...]  # columns in the names of folders, as year in "year=2024"; part of `columns`
    delimiter: str  # of a text; "" for Parquet
    root: Path  # the folder, or the file
    notes: tuple[str, ...] = ()  # what was guessed and left out
    # columns of a text whose values keep leading spaces; other values lose them
    spaced: tuple[str, ...] = ()

    @classmethod
    def at(cls, path: Path) -> Files:
        """The files at a path, with their first lines or schemas read.

        Raises
        ------
        InvalidInput
            Nothing there, nothing to read, files of several kinds or with different columns, a text in an unsupported
            encoding, two columns whose names differ only in capitalization.
        """
        name = path.name or str(path)
        try:
            if not path.exists():
                raise InvalidInput(f"There is no file or folder {path}; check the path.")
            paths = _within(path) if path.is_dir() else (_regular(path),)
            kind, *others = sorted(set(map(_kind_by_content, paths)))
            if others:
                kinds = ", ".join([kind, *others])
                raise InvalidInput(f"{name} holds files of several kinds ({kinds}); give a folder with one kind.")
            files = _of_text(name, path, paths) if kind == "csv" else _of_parquet(name, path, paths)
        except OSError as error:
            raise InvalidInput(f"{path} cannot be read ({error.strerror}); choose a file that can be read.") from error
        _require_distinct([column for _, column in files.columns], name)
        return files


def _within(folder: Path) -> tuple[Path, ...]:
    """All files with records below a folder, without hidden files and markers of the program that wrote them."""
    paths = []
    for place, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        for name in folders:
            if Path(place, name).is_symlink():
                raise InvalidInput(
                    f"{Path(place, name)} is a link to a folder, and links to folders are not followed; move the "
                    "folder itself there, or remove the link."
                )
        paths += [Path(place, name) for name in names if not name.startswith((".", "_"))]
    files = tuple(_regular(path) for path in sorted(paths) if _suffix(path) in (*TEXT, *PARQUET))
    if not files:
        raise InvalidInput(f"The folder {folder} holds no CSV or Parquet files; choose one that does.")
    _require_own(folder, files)
    return files


def _raise(error: OSError) -> None:
    raise error


def _regular(path: Path) -> Path:
    """The same path; an error if reading it could wait forever."""
    if not path.is_file():
        raise InvalidInput(
            f"{path} is a pipe, a device or a broken link, not a file with records; copy the records into a file."
        )
    return path


def _require_own(folder: Path, files: tuple[Path, ...]) -> None:
    """Refuse links that lead out of the folder, and links to a file that is already in it."""
    home = folder.resolve()
    visited: dict[Path, Path] = {}
    for path in files:
        real = path.resolve()
        if not real.is_relative_to(home):
            raise InvalidInput(
                f"{path} is a link that leads out of the folder {folder}; copy the file itself there, or remove the "
                "link."
            )
        other = visited.setdefault(real, path)
        if other is not path:
            raise InvalidInput(f"{other} and {path} are the same file, which would be counted twice; remove the link.")


def _suffix(path: Path) -> str:
    return Path(path.name.lower().removesuffix(".gz")).suffix


def _kind_by_content(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(4)
    if start == b"PAR1":
        return "parquet"
    if start.startswith(b"\x1f\x8b") and path.suffix.lower() != ".gz":
        raise InvalidInput(f"{path.name} is compressed with gzip; rename it to end in .gz, or unpack it.")
    source = Source(_first(path), path.name)
    if not source.data or source.data.isspace():
        raise InvalidInput(f"{path.name} is empty; choose a file with data.")
    if source.kind != "text":
        raise source.refuse("a CSV or Parquet file, or a folder of such files")
    return "csv"


def _first(path: Path) -> bytes:
    """The start of a text, unpacked, up to the end of a line."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            data = file.read(FIRST)
    except (EOFError, gzip.BadGzipFile) as error:
        raise InvalidInput(f"The gzip file {path.name} is broken; compress the file again.") from error
    return data[: data.rfind(b"\n") + 1] if len(data) == FIRST and b"\n" in data else data


def _of_text(name: str, root: Path, paths: tuple[Path, ...]) -> Files:
    text = _text(paths[0])
    delimiter = delimiter_of(text)
    if delimiter == " ":
        raise InvalidInput(f"The columns of {paths[0].name} are aligned with spaces; save the file as CSV.")
    header = _header(text, delimiter)
    for path in paths[1:]:
        other = _header(_text(path), delimiter)
        if other != header:
            raise InvalidInput(
                f"{path.name} starts with the columns {', '.join(other)}, but {paths[0].name} starts with "
                f"{', '.join(header)}; give a folder whose files have the same columns."
            )
    columns, notes = unique_names([column.strip() for column in header])
    partitions = _partitions(root, paths)
    twice = [column for column in partitions if column in columns]
    if twice:
        raise InvalidInput(
            f"Column {twice[0]!r} is in the files of {name} and in the names of its folders; rename one of them."
        )
    words = {"\t": "tabs", ";": "semicolons", "|": "bars"}
    if delimiter != ",":
        notes = (*notes, f"Columns are separated by {words[delimiter]}.")
    pairs = [*zip(header, columns, strict=True), *((column, column) for column in partitions)]
    return Files(name, paths, "csv", tuple(pairs), partitions, delimiter, root, notes)


def _text(path: Path) -> str:
    data = _first(path)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is not in UTF-8; save it as UTF-8, or as Parquet.") from None


def _header(text: str, delimiter: str) -> list[str]:
    return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True))


def _of_parquet(name: str, root: Path, paths: tuple[Path, ...]) -> Files:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schemas = []
    for path in paths:
        try:
            schemas.append(pq.read_schema(path))
        except (pa.ArrowException, ValueError) as error:
            raise InvalidInput(
                f"{path.name} cannot be read as Parquet because it is broken; write it again."
            ) from error
    first = schemas[0]
    for path, schema in zip(paths, schemas, strict=True):
        if not schema.remove_metadata().equals(first.remove_metadata()):
            raise InvalidInput(
                f"{path.name} has different columns or types than {paths[0].name}; give a folder with consistent files."
            )
    lists = [column.name for column in first if pa.types.is_nested(column.type)]
    binary = [
        column.name for column in first if pa.types.is_binary(column.type) or pa.types.is_large_binary(column.type)
    ]
    notes = lists_notes(lists)
    if binary:
        notes = (*notes, f"Columns that hold bytes, not text, were left out: {', '.join(binary)}.")
    retained = [column for column in first.names if column not in (*lists, *binary)]
    partitions = tuple(column for column in _partitions(root, paths) if column not in retained)
    if not retained and not partitions:
        raise InvalidInput(f"No column of {name} holds text or numbers; choose a file that has data.")
    columns, twice = unique_names([column.strip() for column in retained])
    pairs = [*zip(retained, columns, strict=True), *((column, column) for column in partitions)]
    return Files(name, paths, "parquet", tuple(pairs), partitions, "", root, (*notes, *twice))


def _partitions(root: Path, paths: tuple[Path, ...]) -> tuple[str, ...]:
    """The columns in the names of folders, which must be the same for all files."""
    if not root.is_dir():
        return ()
    names = {
        tuple(part.partition("=")[0] for part in path.relative_to(root).parts[:-1] if PARTITION.fullmatch(part))
        for path in paths
    }
    if len(names) > 1:
        raise InvalidInput(
            f"Folders in {root.name} have different columns in their names (as in year=2024); give a folder "
            "with consistent folder names."
        )
    return names.pop()


def _require_distinct(columns: list[str], name: str) -> None:
    """Refuse names that differ only in capitalization, because engines treat A and a as one column."""
    visited: dict[str, str] = {}
    for column in columns:
        other = visited.setdefault(column.casefold(), column)
        if other != column:
            raise InvalidInput(
                f"{name} has the columns {other!r} and {column!r}, which differ only in capitalization; rename one."
            )
    if "" in visited:
        raise InvalidInput(f"A column of {name} has no name; give every column a name.")
