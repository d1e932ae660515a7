"""PostgreSQL, whose views can read files, settings and other servers with the rights of who asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kanon_engine.errors import InvalidInput
from kanon_engine.records.engines.other import Other

if TYPE_CHECKING:
    import ibis.expr.types as ir

# What is no plain table or function, of all that a table, its partitions and the views below it read: a view's rule
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
HARMLESS = ["clock_timestamp", "gen_random_uuid", "pg_sleep", "pg_typeof", "random", "timeofday"]  # but not plain


class Postgres(Other):
    """A connection of Ibis to PostgreSQL."""

    def open_table(self, table: str) -> ir.Table:
        """A table, as "people" or "schema.people".

        Raises
        ------
        InvalidInput
            A table of another server or of the system, or a view of such or of what may read more than tables.
        """
        found = super().open_table(table)
        place = found.op()
        schema = place.namespace.database or self._backend.current_database

        def work() -> str | None:
            with self._backend.con.cursor() as cursor:
                row = cursor.execute(REACHED, (schema, place.name, HARMLESS)).fetchone()
            return None if row is None else str(row[0])

        foreign = self._refusing(work)
        if foreign:
            raise InvalidInput(
                f"{table} reads {foreign}, and nothing but tables of the database itself and PostgreSQL's own plain "
                "functions may be read; store what it shows as a table or a materialized view, and name that."
            )
        return found
