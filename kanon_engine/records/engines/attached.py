"""A database of DuckDB, from which nothing but its own tables is read, whatever its views ask for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.engines.duckdb import DuckDB, quoted_name, quoted_text
from kanon_engine.records.files import Files

if TYPE_CHECKING:
    import ibis.expr.types as ir

OWN = ("SEQ_SCAN", "DUMMY_SCAN", "EMPTY_RESULT", "CHUNK_GET", "DELIM_GET", "CTE_SCAN", "REC_CTE_SCAN", "CTE_REF")
TABLES = (
    "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'source' UNION ALL "
    "SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = 'source' AND NOT internal"
)
DEFINITIONS = (
    "SELECT sql FROM duckdb_tables() WHERE database_name = 'source' UNION ALL "
    "SELECT sql FROM duckdb_views() WHERE database_name = 'source' AND NOT internal UNION ALL "
    "SELECT macro_definition FROM duckdb_functions() WHERE database_name = 'source' AND macro_definition IS NOT NULL"
)
SETTING = "current_setting"  # the only function of single values that says something of the machine


class Attached(DuckDB):
    """A connection that may not look outside of one database. Files are another connection's work.

    Parameters
    ----------
    path : Path
        Of the database, which is only read.
    memory, threads
        As `DuckDB` takes them.
    """

    def __init__(self, path: Path, memory: str | None = None, threads: int | None = None) -> None:
        super().__init__(memory, threads)
        self._files = DuckDB(memory, threads)

        def attach() -> list[tuple[str, str]]:
            self._connection.execute(f"ATTACH {quoted_text(str(path.absolute()))} AS source (READ_ONLY, TYPE duckdb)")
            self._connection.execute("SET enable_external_access = false")  # but what it spills may be written
            self._connection.execute("SET explain_output = 'all'")
            return list(self._connection.execute(TABLES).fetchall())

        self._known = {
            name if schema == "main" else f"{schema}.{name}": f"source.{quoted_name(schema)}.{quoted_name(name)}"
            for schema, name in self._followed(attach, None, "")
        }

    def tables(self) -> list[str]:
        """Names of the tables and views, as "people" or "schema.people"."""
        return sorted(self._known)

    def open_table(self, table: str) -> ir.Table:
        """A table of the database.

        Raises
        ------
        InvalidInput
            A view of anything but tables of the same database.
        """
        import duckdb

        query = f"SELECT * FROM {self._known[table]}"

        def look() -> tuple[list[str], list[tuple[str]]]:
            try:
                plans = self._connection.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()
            except duckdb.PermissionException:
                return ["another file"], []
            leaves = _leaves(json.loads(plans[0][1]))  # of the first plan, before anything is simplified
            foreign = [leaf.lower() for leaf in leaves if leaf not in OWN]
            return foreign, self._connection.execute(DEFINITIONS).fetchall()

        foreign, definitions = self._followed(look, None, "")
        if foreign or any(SETTING in sql.lower() for (sql,) in definitions):
            who, what = (table, foreign[0]) if foreign else ("The database", SETTING)
            raise InvalidInput(
                f"{who} reads {what}, and nothing but the tables of the database itself is read; store what it shows "
                "as a table, and name that."
            )
        return self._view(table, query)

    def open_files(self, files: Files) -> ir.Table:
        """Files as a table of the other connection, to which `run` sends it."""
        return self._files.open_files(files)

    def run(
        self, expression: ir.Table, progress: ProgressCallback | None = None, doing: str = "Counting records"
    ) -> pd.DataFrame:
        """The rows of an expression."""
        if expression.get_backend() is not self._ibis:
            return self._files.run(expression, progress, doing)
        return super().run(expression, progress, doing)

    def write(self, expression: ir.Table, path: Path, progress: ProgressCallback | None = None) -> None:
        """Rows in the order of the expression, batch by batch through the other connection."""
        if expression.get_backend() is not self._ibis:
            self._files.write(expression, path, progress)
            return
        query = self.sql(expression)
        batches = self._followed(lambda: self._connection.sql(query).to_arrow_reader(), None, "")
        self._files.write_batches(batches, path, progress, self._connection.interrupt)

    def stop(self) -> None:
        """Both connections are closed."""
        super().stop()
        self._files.stop()


def _leaves(nodes: list[dict[str, Any]]) -> list[str]:
    """What the operators of a plan are called that take rows from no other."""
    found: list[str] = []
    for node in nodes:
        children = node["children"]
        found += _leaves(children) if children else [str(node["name"]).strip()]
    return found
