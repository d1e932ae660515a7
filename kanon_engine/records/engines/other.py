"""Any other database that Ibis supports: it counts with its own queries, and DuckDB handles files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from kanon_engine.errors import InvalidInput, KanonError
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.engines.duckdb import DuckDB
from kanon_engine.records.engines.running import followed, frame_of
from kanon_engine.records.files import Files

if TYPE_CHECKING:
    import ibis.expr.types as ir


SYSTEM = ("information_schema", "mysql", "performance_schema", "sys")  # and those of PostgreSQL, which start with pg_


class Other:
    """An Ibis connection that is only read, except for temporary tables.

    Parameters
    ----------
    backend : ibis Backend
    secret : Text that no sentence may repeat; "" for none.
    files : Writes and reads files.
    """

    def __init__(self, backend: Any, secret: str, files: DuckDB) -> None:
        self.name = {"sqlite": "SQLite", "postgres": "PostgreSQL"}.get(backend.name, backend.name)
        self._backend = backend
        self._secret = secret
        self._files = files

    def open_files(self, files: Files) -> ir.Table:
        """Files as a table of DuckDB, where `run` sends it."""
        return self._files.open_files(files)

    def tables(self) -> list[str]:
        """Names of the tables that can be opened without a schema."""
        if _of_the_system(getattr(self._backend, "current_database", None)):
            return []
        names: list[str] = self._refusing(lambda: sorted(self._backend.list_tables()))
        return names

    def open_table(self, table: str) -> ir.Table:
        """A table, as "people" or "schema.people", but not one of the server's own."""
        from ibis.common.exceptions import TableNotFound

        def work() -> Any:
            schema, _, name = ("", "", table) if table in self.tables() else table.rpartition(".")
            if _of_the_system(schema or getattr(self._backend, "current_database", None)):
                raise InvalidInput(
                    f"{table!r} is a system table of {self.name} and holds no records; give another table."
                )
            try:
                return self._backend.table(name, database=schema or None)
            except TableNotFound:
                raise InvalidInput(f"{self.name} has no table {table!r}; check its name and schema.") from None

        return self._refusing(work)

    def run(
        self, expression: ir.Table, progress: ProgressCallback | None = None, doing: str = "Counting records"
    ) -> pd.DataFrame:
        """The rows of an expression."""
        if self._is_of_files(expression):
            return self._files.run(expression, progress, doing)

        def work() -> Any:
            return followed(lambda: self._backend.to_pyarrow(expression), progress, doing, lambda: 0.0, self._interrupt)

        return frame_of(self._refusing(work))

    def sql(self, expression: ir.Table) -> str:
        """The query, in lines."""
        import ibis

        return str(ibis.to_sql(expression))

    def upload(self, frame: pd.DataFrame) -> ir.Table:
        """A table that Ibis creates when an expression needs it, and that is removed with the connection."""
        import ibis
        import pyarrow as pa

        content = pa.Table.from_pandas(frame, preserve_index=False)
        if self.name != "SQLite":
            return ibis.memtable(content)
        cells = {name: [_bound(value) for value in content[name].to_pylist()] for name in content.column_names}
        return ibis.memtable(pd.DataFrame(cells, dtype=object), schema=ibis.Schema.from_pyarrow(content.schema))

    def write(self, expression: ir.Table, path: Path, progress: ProgressCallback | None = None) -> None:
        """Rows in the order of the expression, batch by batch through DuckDB."""
        if self._is_of_files(expression):
            self._files.write(expression, path, progress)
            return

        def work() -> None:
            batches = self._backend.to_pyarrow_batches(expression)
            self._files.write_batches(batches, path, progress, self._interrupt)

        self._refusing(work)

    def read_written(self, path: Path) -> ir.Table:
        """The written rows, as a table of DuckDB."""
        return self._files.read_written(path)

    def stop(self) -> None:
        """Close both connections."""
        self._backend.disconnect()
        self._files.stop()

    def _is_of_files(self, expression: ir.Table) -> bool:
        return bool(expression.get_backend() is not self._backend)

    def _interrupt(self) -> None:
        connection = self._backend.con
        for name in ("interrupt", "cancel"):  # of SQLite, of PostgreSQL
            if hasattr(connection, name):
                getattr(connection, name)()

    def _refusing(self, work: Callable[[], Any]) -> Any:
        """Do work, with driver errors in words and without the password."""
        import pyarrow as pa

        try:
            return work()
        except KanonError:
            raise
        except Exception as error:  # each driver has its own error classes
            if isinstance(error, pa.ArrowException) or type(error).__name__ == "DataError":  # psycopg's own message
                raise InvalidInput(
                    f"{self.name} holds values that kanon cannot read. They do not fit the type of their column, such "
                    "as text among numbers, or have a type that kanon does not support, such as numbers with more than "
                    "38 digits. Leave out their column, or give a database view that shows them as text."
                ) from None
            raise InvalidInput(f"{self.name} reports an error: {scrubbed(error, self._secret)}") from None


def _of_the_system(schema: str | None) -> bool:
    """Whether a schema holds the server's own metadata."""
    name = (schema or "").rpartition(".")[2].strip('"`[] ').casefold()
    return name in SYSTEM or name.startswith("pg_")


def _bound(value: Any) -> Any:
    """A value for SQLite: times are text there, and text becomes a number in a column of numbers."""
    return str(value) if isinstance(value, Decimal | date | time) else value


def scrubbed(error: Exception, secret: str) -> str:
    """The first line of an error without a password.

    >>> scrubbed(ValueError("no access for ada:hunter2\\nmore"), "hunter2")
    'no access for ada:…'
    """
    text = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return (text.replace(secret, "…") if secret else text)[:300]


# ---------------------------------------------------------------------------------------------------------------------
# PostgreSQL, whose views can read files, settings and other servers with the user's rights.
# ---------------------------------------------------------------------------------------------------------------------


# Everything but plain tables and functions that a table, its partitions and the views below it read: a view's rule
# holds the numbers of the tables that it reads and of the functions that it calls.
REACHED = r"""
WITH RECURSIVE reached(id) AS (
    SELECT c.oid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = %s AND c.relname = %s
  UNION
    SELECT below.id FROM reached, LATERAL (
        SELECT (number)[1]::oid FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_class v ON v.oid = w.ev_class,
            regexp_matches(w.ev_action::text, ':relid (\d+)', 'g') number
        WHERE v.oid = reached.id AND v.relkind = 'v'
      UNION ALL
        SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = reached.id
    ) below(id)
), called(id) AS (
    SELECT DISTINCT (number)[1]::oid FROM reached JOIN pg_catalog.pg_class v ON v.oid = reached.id
        JOIN pg_catalog.pg_rewrite w ON w.ev_class = v.oid,
        regexp_matches(w.ev_action::text, ':(?:funcid|opfuncid|aggfnoid|winfnoid) (\d+)', 'g') number
    WHERE v.relkind = 'v'
)
SELECT n.nspname || '.' || c.relname FROM reached JOIN pg_catalog.pg_class c ON c.oid = reached.id
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'f' OR n.nspname = 'information_schema' OR n.nspname LIKE 'pg\_%%'
UNION ALL
SELECT p.proname || '()' FROM called JOIN pg_catalog.pg_proc p ON p.oid = called.id
WHERE p.pronamespace <> 'pg_catalog'::regnamespace OR NOT has_function_privilege('public', p.oid, 'execute')
    OR (p.proname <> ALL (%s) AND (
        p.provolatile = 'v' OR (p.proretset AND p.provolatile <> 'i') OR p.proname ~ '^pg_|^current_setting$|_to_xml'
    ))
"""
HARMLESS = [
    "clock_timestamp",
    "gen_random_uuid",
    "pg_sleep",
    "pg_typeof",
    "random",
    "timeofday",
]  # but not plain functions


class Postgres(Other):
    """An Ibis connection to PostgreSQL."""

    def open_table(self, table: str) -> ir.Table:
        """A table, as "people" or "schema.people".

        Raises
        ------
        InvalidInput
            A table of another server or of the system, or a view that reads one or may read more than tables.
        """
        opened_table = super().open_table(table)
        place = opened_table.op()
        schema = place.namespace.database or self._backend.current_database

        def work() -> str | None:
            with self._backend.con.cursor() as cursor:
                row = cursor.execute(REACHED, (schema, place.name, HARMLESS)).fetchone()
            return None if row is None else str(row[0])

        foreign = self._refusing(work)
        if foreign:
            raise InvalidInput(
                f"{table} uses {foreign}, but kanon accepts only tables of the database itself and PostgreSQL's own "
                "plain functions; store its content as a table or a materialized view, and give its name."
            )
        return opened_table
