"""Databases, opened: DuckDB's and SQLite's files, and servers by their address."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kanon_engine.errors import InvalidInput
from kanon_engine.records.address import Address
from kanon_engine.records.engines import Engine
from kanon_engine.records.engines.attached import Attached
from kanon_engine.records.engines.duckdb import DuckDB
from kanon_engine.records.engines.other import Other, scrubbed
from kanon_engine.records.engines.postgres import Postgres
from kanon_engine.records.engines.sqlite import SQLite

if TYPE_CHECKING:
    import ibis.expr.types as ir

PASSWORD = "KANON_PASSWORD"  # the name of a variable of the environment
FILES = ("duckdb", "sqlite")  # Ibis would write to them, and make one where there is none
KEYRING = "kanon"  # the service under which a keyring holds the password of an address
SECONDS = 30.0  # in which a server is to answer, before anything is counted
Opened = TypeVar("Opened")


class NoAnswer(InvalidInput):
    """No database answers at an address. What its driver says may tell hosts and ports."""


def kind_of_database(path: Path) -> str:
    """Whether a file is a database, by its content: "duckdb", "sqlite" or "".

    Example
    -------
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
        raise InvalidInput(f"{path} cannot be read ({error.strerror}); choose a file that can.") from error
    if start.startswith(b"SQLite format 3\x00"):
        return "sqlite"
    return "duckdb" if start[8:12] == b"DUCK" else ""


def open_database(
    path: Path, kind: str, table: str, memory: str | None, threads: int | None
) -> tuple[str, ir.Table, Engine]:
    """A table of a database in a file, which is only read: its name, the table and the engine.

    Raises
    ------
    InvalidInput
        The file is broken or locked; no such table, or none is named where there are several.
    """
    engine = Attached(path, memory, threads) if kind == "duckdb" else SQLite(path, DuckDB(memory, threads))
    name = _chosen(table, engine.tables(), path.name)
    return name, engine.open_table(name), engine


def open_server(address: Address, table: str, memory: str | None, threads: int | None) -> tuple[str, ir.Table, Engine]:
    """A table of a server: its name, the table and the engine.

    The password is that in the variable KANON_PASSWORD, or what a keyring holds for the service "kanon" and the
    address; where there is neither, the driver looks in its own places, as PGPASSWORD.

    Raises
    ------
    InvalidInput
        No driver, no answer, no such table, or none is named where there are several.
    """
    secret = _secret(address.text)
    if address.scheme in FILES:
        raise InvalidInput(f"A database of {address.scheme} is a file that is only read; give its path alone.")
    if address.scheme not in _schemes():
        raise InvalidInput(
            f"No engine is known for {address.scheme}; choose spark, postgresql or another of Ibis, or give a path."
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
        wanted = (
            "kanon-engine[postgres]" if address.scheme.startswith("postgres") else f"ibis-framework[{address.scheme}]"
        )
        raise InvalidInput(
            f"The driver for {address.scheme} is not installed; install it with pip install '{wanted}'."
        ) from error
    except Exception as error:  # each driver has its own tree of errors, and some repeat the password
        raise NoAnswer(
            f"{address.scheme} does not answer: {scrubbed(error, secret)}; check the address, and the password in "
            f"{PASSWORD}."
        ) from None


def _in_time(work: Callable[[], Opened], scheme: str) -> Opened:
    """What a server answers; drivers wait for minutes, or forever, where something listens and says nothing."""
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
            f"{scheme} did not answer within {SECONDS:g} seconds; check the address, and whether a database is there."
        ) from None


def _schemes() -> set[str]:
    """The schemes of addresses that Ibis has a backend for."""
    from importlib.metadata import entry_points

    return {entry.name for entry in entry_points(group="ibis.backends")} | {"postgresql"}


def _secret(address: str) -> str:
    given = os.environ.get(PASSWORD, "")
    if given:
        return given
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        return ""
    try:
        return keyring.get_password(KEYRING, address) or ""
    except KeyringError:
        return ""


def _chosen(table: str, known: list[str], where: str) -> str:
    if table in known or (not table and len(known) == 1):
        return table or known[0]
    listing = ", ".join(known) or "none"
    if table:
        raise InvalidInput(f"{where} has no table {table!r}; the tables are: {listing}.")
    raise InvalidInput(f"Name the table of {where} that holds the records; the tables are: {listing}.")
