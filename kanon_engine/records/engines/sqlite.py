"""An SQLite database, whose columns hold values of any type, whatever type is declared."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kanon_engine.errors import InvalidInput
from kanon_engine.records.engines.duckdb import DuckDB, quoted_name
from kanon_engine.records.engines.other import Other, scrubbed

if TYPE_CHECKING:
    import ibis.expr.datatypes as dt
    import ibis.expr.types as ir

NUMBERS = {"integer", "real"}  # SQLite's storage classes, except text, blob and null


class SQLite(Other):
    """A connection that cannot write, for any thread.

    Parameters
    ----------
    files : Writes and reads files.
    """

    def __init__(self, path: Path, files: DuckDB) -> None:
        import ibis

        try:
            self._connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
            self._connection.execute("PRAGMA trusted_schema = OFF")  # no view calls functions that read more
            super().__init__(ibis.sqlite.from_connection(self._connection), "", files)
        except sqlite3.Error as error:
            raise InvalidInput(f"{path.name} cannot be read as an SQLite database: {scrubbed(error, '')}") from error

    def tables(self) -> list[str]:
        """Names of the tables and views, except SQLite's own."""
        return [name for name in super().tables() if not name.startswith("sqlite_")]

    def open_table(self, table: str) -> ir.Table:
        """A table or view, each column with its declared type, or else with the type of its values."""
        import ibis
        import ibis.expr.operations as ops

        def work() -> dict[str, dt.DataType]:
            try:
                self._connection.execute(f"SELECT * FROM {quoted_name(table)} LIMIT 0")
            except sqlite3.Error as error:
                reason = scrubbed(error, "")
                raise InvalidInput(
                    f"SQLite cannot show {table} ({reason}); store its content as a table, and give that table."
                ) from error
            return self._kinds(table)

        kinds = self._refusing(work)
        return ops.DatabaseTable(
            table, schema=ibis.schema(kinds), source=self._backend, namespace=ops.Namespace()
        ).to_expr()

    def _kinds(self, table: str) -> dict[str, dt.DataType]:
        """The type of each column; if values should be text but are stored otherwise, a view converts them to text."""
        rows = self._connection.execute("SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1", (table,))
        declared = dict(rows.fetchall())
        kinds = {name: _declared(kind) for name, kind in declared.items()}
        loose = [name for name, kind in kinds.items() if not _survives_affinity(_affinity(declared[name]), kind)]
        stored = self._stored(table, loose)
        as_text = []
        for name in loose:
            if not self._fits(table, name, kinds[name], stored[name]):
                kinds[name] = _of_values(stored[name])
                if kinds[name].is_string():
                    as_text.append(name)
        if as_text:
            columns = ", ".join(
                f"CAST({quoted_name(name)} AS TEXT) AS {quoted_name(name)}" if name in as_text else quoted_name(name)
                for name in kinds
            )
            view = f"CREATE TEMP VIEW {quoted_name(table)} AS SELECT {columns} FROM main.{quoted_name(table)}"
            self._connection.execute(view)
        return kinds

    def _stored(self, table: str, columns: list[str]) -> dict[str, set[str]]:
        """The storage classes of each column's values, in one pass over the table."""
        if not columns:
            return {}
        types = ", ".join(f"typeof({quoted_name(name)})" for name in columns)
        rows = self._connection.execute(f"SELECT DISTINCT {types} FROM {quoted_name(table)}").fetchall()
        return {name: {row[place] for row in rows} - {"null"} for place, name in enumerate(columns)}

    def _fits(self, table: str, name: str, kind: dt.DataType, stored: set[str]) -> bool:
        """Whether a type shows all values as they are."""
        if kind.is_unknown():
            return False
        if kind.is_decimal() or kind.is_boolean():
            column = quoted_name(name)
            other = f"{column} NOT IN (0, 1)"
            if kind.is_decimal():
                scale = 9 if kind.scale is None else kind.scale
                # SQLite stores decimals as floating point: they fit if rounding to their scale changes nothing
                other = f"{column} <> round({column}, {scale}) OR abs({column}) >= 1e{(kind.precision or 38) - scale}"
            cursor = self._connection.execute(f"SELECT 1 FROM {quoted_name(table)} WHERE {other} LIMIT 1")
            return stored <= NUMBERS and cursor.fetchone() is None
        return stored <= ({"blob"} if kind.is_binary() else {"text"})


def _declared(text: str) -> dt.DataType:
    """The type that Ibis knows for a declared one, whole and other numbers as wide as SQLite has them."""
    import ibis.expr.datatypes as dt
    from ibis.backends.sql.datatypes import SQLiteType

    try:
        kind: Any = SQLiteType.from_string(text.lower())
    except Exception:  # Ibis raises its own errors for int(3) and others
        kind = dt.Unknown()
    if kind.is_unknown() or kind.is_integer() or kind.is_null():
        return {"INTEGER": dt.int64, "REAL": dt.float64, "TEXT": dt.string}.get(_affinity(text), dt.unknown)
    if kind.is_decimal() and kind.precision and kind.scale is None:
        return dt.Decimal(kind.precision, 0)
    return kind


def _affinity(declared: str) -> str:
    """How SQLite stores the values of a column, by the rules of https://sqlite.org/datatype3.html.

    >>> [_affinity(text) for text in ("int(3)", "native character(70)", "double precision", "", "decimal(5,2)")]
    ['INTEGER', 'TEXT', 'REAL', 'BLOB', 'NUMERIC']
    """
    text = declared.upper()
    rules = {"INT": "INTEGER", "CHAR": "TEXT", "CLOB": "TEXT", "TEXT": "TEXT", "BLOB": "BLOB"}
    rules |= {"REAL": "REAL", "FLOA": "REAL", "DOUB": "REAL"}
    return next((kind for part, kind in rules.items() if part in text), "NUMERIC" if text else "BLOB")


def _survives_affinity(affinity: str, kind: dt.DataType) -> bool:
    """Whether SQLite stores such values so that they are shown unchanged, or reading them fails."""
    return (
        (affinity == "TEXT" and kind.is_string())
        or (affinity == "INTEGER" and kind.is_integer())
        or (affinity == "REAL" and kind.is_floating())
    )


def _of_values(stored: set[str]) -> dt.DataType:
    import ibis.expr.datatypes as dt

    if stored == {"integer"}:
        return dt.int64
    if stored == {"blob"}:
        return dt.binary
    return dt.float64 if stored and stored <= NUMBERS else dt.string
