"""Open records where they live: a file, a folder or a database, as one table of an engine."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import entry_points
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from kanon_engine.errors import InvalidInput
from kanon_engine.records.address import Address
from kanon_engine.records.engines import Engine
from kanon_engine.records.engines.duckdb import Attached, DuckDB
from kanon_engine.records.engines.other import Other, Postgres, scrubbed
from kanon_engine.records.engines.sqlite import SQLite
from kanon_engine.records.files import Files
from kanon_engine.shown import Shown
from kanon_engine.validate import require_known_name

if TYPE_CHECKING:
    import ibis.expr.types as ir


HAVE_NAN = ("DuckDB", "Spark", "PostgreSQL")  # engines whose numbers may be NaN


@dataclass(frozen=True, eq=False, repr=False)
class Records(Shown):
    """Records where they live."""

    name: str  # for sentences; never with a password
    table: ir.Table  # one row per record
    engine: Engine  # the engine that counts them
    notes: tuple[str, ...] = ()  # what was guessed, and which columns were left out
    files: Files | None = None  # the file or folder that holds them, if an engine reads files
    untyped: bool = False  # whether all columns are text because a CSV has no types

    @classmethod
    def open(
        cls,
        source: str | Path | Records,
        table: str | None = None,
        *,
        memory: str | None = None,
        threads: int | None = None,
    ) -> Records:
        """Records at a path, counted by DuckDB within this process, or at the address of an engine.

        Columns of CSV are text as they are, so that the zip code 06001 keeps its zero; empty cells are missing.

        Parameters
        ----------
        source : path, address or Records
            A CSV (also with gzip) or Parquet file, a folder of such files with the same columns, or a DuckDB or SQLite
            database; "spark:local?path=people", "spark://host:7077?path=people" with a path that all machines
            of the cluster see; "postgresql://ada@host/database" or the address of another database that Ibis knows.
            Never with a password: set KANON_PASSWORD, or keep it in a keyring (service "kanon", the address as user) or
            where the driver looks for it.
        table : For a database or address, as "people" or "schema.people"; a file or folder has none.
        memory : The engine's memory limit, as "2GB"; beyond that it spills to disk. 600 MB if None.
        threads : As many as there are cores if None.

        Raises
        ------
        InvalidInput : Nothing there, another kind of file, files with different columns, a text that is not in UTF-8.

        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "people.csv"
        >>> _ = path.write_text("zip,age\\n06604,41\\n06604,30\\n")
        >>> records = Records.open(path)
        >>> records.name, records.columns, records.engine.name
        ('people.csv', ('zip', 'age'), 'DuckDB')
        """
        if isinstance(source, Records):
            return source
        records = cls._found(source, table, memory, threads)
        return replace(records, table=_in_cells(records))

    @classmethod
    def _found(cls, source: str | Path, table: str | None, memory: str | None, threads: int | None) -> Records:
        if not isinstance(source, str | Path):
            raise InvalidInput(f"A {type(source).__name__} does not say where records are; give a path or address.")
        address = Address.of(str(source))
        if address is not None:
            if table and address.table and table != address.table:
                raise InvalidInput(
                    f"The address already names the table {address.table!r}, so {table!r} cannot be given as well; "
                    f"leave out {table!r}."
                )
            return _at(address, address.table or table or "", memory, threads)
        kind = kind_of_database(Path(source))
        if kind:
            return cls(*open_database(Path(source), kind, table or "", memory, threads))
        if table is not None:
            raise InvalidInput(f"{source} is a file or folder, which has no table {table!r}; leave out the table.")
        files = Files.at(Path(source))
        engine = DuckDB(memory, threads)
        return cls(files.name, engine.open_files(files), engine, files.notes, files, files.kind == "csv")

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.table.columns)

    def _facts(self) -> dict[str, object]:
        return {"name": self.name, "columns": self.columns, "engine": self.engine.name}

    def require(self, columns: tuple[str, ...], role: str) -> None:
        """Refuse columns that do not exist, are listed twice, or hold lists, bytes and the like instead of cells."""
        for name in columns:
            require_known_name(list(self.columns), name, role)
            if columns.count(name) > 1:
                raise InvalidInput(f"{name!r} is listed twice for the {role}; list it once.")
            kind = self.table[name].type()
            single = (kind.is_string(), kind.is_numeric(), kind.is_boolean(), kind.is_temporal())
            if not any(single) or kind.is_interval():
                raise InvalidInput(f"Column {name!r} does not hold text or numbers; leave it out.")

    @property
    def root(self) -> Path | None:
        """The file or folder that holds them, if an engine reads files."""
        return None if self.files is None else self.files.root

    def with_spaces(self, columns: tuple[str, ...]) -> Records:
        """The same records, with the leading spaces of a CSV kept in these columns, because readers can see them."""
        if self.files is None or not self.untyped:
            return self
        return replace(self, table=self.engine.open_files(replace(self.files, spaced=columns)))

    def close(self) -> None:
        """Release the engine."""
        self.engine.stop()

    def __enter__(self) -> Records:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _at(address: Address, table: str, memory: str | None, threads: int | None) -> Records:
    """The records at an address."""
    if address.scheme != "spark":
        return Records(*open_server(address, table, memory, threads))
    if bool(table) == bool(address.path):
        raise InvalidInput(
            f"Say which records of {address.text} you mean: give a table, or end the address with ?path= and a path."
        )
    from kanon_engine.records.engines.spark import Spark

    master = "local" if address.text == "spark:local" else address.text
    files = Files.at(Path(address.path)) if address.path else None
    engine = Spark(master, memory, threads)
    if files is None:
        return Records(table, engine.open_table(table), engine)
    return Records(files.name, engine.open_files(files), engine, files.notes, files, files.kind == "csv")


def _in_cells(records: Records) -> ir.Table:
    """The table with NaN and empty text as missing values, as in every file, and UUIDs as text.

    Nanoseconds with a zone are text, too: DuckDB has them, but Ibis has no such type.
    """
    import ibis

    table, engine, cells = records.table, records.engine, {}
    for name, kind in table.schema().items():
        if kind.is_floating() and engine.name in HAVE_NAN:
            cells[name] = ibis.ifelse(table[name].isnan(), None, table[name])
        elif kind.is_string() and not records.untyped:  # in a CSV they are already missing
            cells[name] = table[name].nullif("")
        elif kind.is_uuid() or (kind.is_unknown() and str(kind.raw_type) == "TIMESTAMPTZ_NS"):
            cells[name] = table[name].cast("string")
    return table.mutate(**cells) if cells else table


@contextmanager
def opened(source: str | Path | Records) -> Iterator[Records]:
    """Records for the duration of a block; anything opened for it is closed afterwards."""
    records = Records.open(source)
    try:
        yield records
    finally:
        if records is not source:
            records.close()


# ---------------------------------------------------------------------------------------------------------------------
# Databases, opened: DuckDB's and SQLite's files, and servers by their address.
# ---------------------------------------------------------------------------------------------------------------------


PASSWORD = "KANON_PASSWORD"  # the name of a variable of the environment
FILES = ("duckdb", "sqlite")  # Ibis would write to them, and create a missing one
KEYRING = "kanon"  # the service under which a keyring holds the password of an address
SECONDS = 30.0  # time limit for a server's first answer
Opened = TypeVar("Opened")


class NoAnswer(InvalidInput):
    """No database answers at an address. The driver's message may reveal hosts and ports."""


def kind_of_database(path: Path) -> str:
    """Whether a file is a database, by its content: "duckdb", "sqlite" or "".

    >>> import sqlite3, tempfile
    >>> path = Path(tempfile.mkdtemp()) / "people"
    >>> with sqlite3.connect(path) as database:
    ...     _ = database.execute("CREATE TABLE people (zip TEXT)")
    >>> kind_of_database(path)
    'sqlite'
    """
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            start = file.read(16)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read ({error.strerror}); choose a file that can be read.") from error
    if start.startswith(b"SQLite format 3\x00"):
        return "sqlite"
    return "duckdb" if start[8:12] == b"DUCK" else ""


def open_database(
    path: Path, kind: str, table: str, memory: str | None, threads: int | None
) -> tuple[str, ir.Table, Engine]:
    """A table of a database file, opened read-only: its name, the table and the engine.

    Raises
    ------
    InvalidInput : The file is broken or locked; no such table, or none is given and there are several.
    """
    engine = Attached(path, memory, threads) if kind == "duckdb" else SQLite(path, DuckDB(memory, threads))
    name = _chosen(table, engine.tables(), path.name)
    return name, engine.open_table(name), engine


def open_server(address: Address, table: str, memory: str | None, threads: int | None) -> tuple[str, ir.Table, Engine]:
    """A table of a server: its name, the table and the engine.

    The password is in the variable KANON_PASSWORD, or in a keyring for the service "kanon" and the address; if there is
    neither, the driver looks in its own places, such as PGPASSWORD.

    Raises
    ------
    InvalidInput : No driver, no answer, no such table, or none is given and there are several.
    """
    secret = _secret(address.text)
    if address.scheme in FILES:
        raise InvalidInput(f"A {address.scheme} database is a file; give only its path.")
    if address.scheme not in {entry.name for entry in entry_points(group="ibis.backends")} | {"postgresql"}:
        raise InvalidInput(
            f"There is no engine for {address.scheme}; choose spark, postgresql or another engine of the library Ibis, "
            "or give a path."
        )

    def work() -> tuple[str, ir.Table, Engine]:
        backend = _connected(address, secret)
        kind = Postgres if backend.name == "postgres" else Other
        engine = kind(backend, secret, DuckDB(memory, threads))
        name = table or _chosen("", engine.tables(), address.text)
        return name, engine.open_table(name), engine

    return _in_time(work, address.scheme)


def _connected(address: Address, secret: str) -> Any:
    """A connection of Ibis."""
    import ibis

    try:
        return ibis.connect(address.text, **({"password": secret} if secret else {}))
    except ImportError as error:
        package = (
            "kanon-engine[postgres]" if address.scheme.startswith("postgres") else f"ibis-framework[{address.scheme}]"
        )
        raise InvalidInput(
            f"The driver for {address.scheme} is not installed; install it with pip install '{package}'."
        ) from error
    except Exception as error:  # each driver has its own error classes, and some repeat the password
        raise NoAnswer(
            f"{address.scheme} is not responding: {scrubbed(error, secret)}; check the address, and the password in "
            f"{PASSWORD}."
        ) from None


def _in_time(work: Callable[[], Opened], scheme: str) -> Opened:
    """A server's answer; drivers wait for minutes, or forever, if something listens but does not answer."""
    answer: Future[Opened] = Future()

    def aside() -> None:
        try:
            answer.set_result(work())
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=aside, daemon=True).start()
    try:
        return answer.result(SECONDS)
    except TimeoutError:
        raise NoAnswer(
            f"{scheme} did not answer within {SECONDS:g} seconds; check the address, and whether a database is "
            "running there."
        ) from None


def _secret(address: str) -> str:
    password = os.environ.get(PASSWORD, "")
    if password:
        return password
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return ""
    try:
        return keyring.get_password(KEYRING, address) or ""
    except KeyringError:
        return ""


def _chosen(table: str, tables: list[str], where: str) -> str:
    if table in tables or (not table and len(tables) == 1):
        return table or tables[0]
    listing = ", ".join(tables) or "none"
    if table:
        raise InvalidInput(f"{where} has no table {table!r}; the tables are: {listing}.")
    raise InvalidInput(f"Give the table of {where} that holds the records; the tables are: {listing}.")
