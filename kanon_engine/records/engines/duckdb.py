"""DuckDB, within this process: files and folders of any size."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.records.engines import TooLittleMemory
from kanon_engine.records.engines.running import followed, frame_of
from kanon_engine.records.files import PARTITION, Files
from kanon_engine.records.folder_lock import held
from kanon_engine.records.texts import misquoted, undecodable, uneven

if TYPE_CHECKING:
    import ibis.expr.types as ir
    import pyarrow as pa


MEMORY = "600MB"  # for the engine's own work; counts in memory come on top of it
UNEVEN = re.compile(r"CSV Error on Line: (\d+).*?Expected Number of Columns: (\d+) Found: (\d+)", re.DOTALL)
LINE = re.compile(r"CSV Error on Line: (\d+)")
FILE = re.compile(r"^\s*file = (.+)$", re.MULTILINE)
PATTERN = re.compile(r"[*?\[\\]")  # DuckDB treats a path with one of these as a pattern


class DuckDB:
    """One connection, used by one thread at a time.

    Parameters
    ----------
    memory : DuckDB's memory limit, as "2GB"; beyond that it spills to disk. 600 MB if None.
    threads : As many as there are cores if None.
    """

    name = "DuckDB"

    def __init__(self, memory: str | None = None, threads: int | None = None) -> None:
        import duckdb
        import ibis

        spilled = Spilled()
        config: dict[str, Any] = {
            "memory_limit": memory or MEMORY,
            "temp_directory": str(spilled.path),
            "temp_file_encryption": True,
            "force_mbedtls_unsafe": True,  # without it and without OpenSSL spilled data cannot be encrypted
            "autoinstall_known_extensions": False,  # nothing is fetched from the network
            "autoload_known_extensions": False,
            "python_enable_replacements": False,  # Python variables must not become tables
            "preserve_insertion_order": False,
        }
        if threads is not None:
            config["threads"] = threads
        self._links = spilled.path / "links"
        self._linked: dict[str, str] = {}  # the file name behind each link
        self._gone = weakref.finalize(self, spilled.remove)
        try:
            self._connection = duckdb.connect(":memory:", config=config)
        except (duckdb.Error, ValueError) as error:
            raise InvalidInput(
                f"DuckDB, which counts the records, cannot start with the settings memory = {memory!r} and threads = "
                f"{threads!r}."
            ) from error
        self._connection.execute("SET TimeZone = 'UTC'")
        self._connection.execute("SET enable_progress_bar = true")  # else queries report no progress
        self._connection.execute("SET enable_progress_bar_print = false")
        self._ibis = ibis.duckdb.from_connection(self._connection)
        self._lock = threading.RLock()
        self._tables = 0
        self._views: set[str] = set()

    def open_files(self, files: Files) -> ir.Table:
        """Files as a view with their intended columns."""
        paths = ", ".join(map(quoted_text, self._plain(files)))
        folders = f", hive_partitioning = {bool(files.partitions)}".lower() + ", hive_types_autocast = false"
        if files.kind == "parquet":
            reading = f"read_parquet([{paths}], can_have_nan = true{folders})"  # Parquet's statistics ignore NaN
            expressions = [_as(quoted_name(there), here) for there, here in files.columns]
        else:
            stored = [here for _, here in files.columns if here not in files.partitions]
            types = ", ".join(f"{quoted_text(here)}: 'VARCHAR'" for here in stored)
            reading = (
                f"read_csv([{paths}], auto_detect = false, header = true, strict_mode = true, columns = {{{types}}}, "
                f"delim = {quoted_text(files.delimiter)}, quote = '\"', escape = '\"'{folders})"
            )
            names = {here: quoted_name(here) for here in stored}
            values = {here: name if here in files.spaced else f"ltrim({name}, ' ')" for here, name in names.items()}
            expressions = [_as(f"nullif({value}, '')", here) for here, value in values.items()]
            expressions += [_as(quoted_name(here), here) for here in files.partitions]
        return self._view(files.name, f"SELECT {', '.join(expressions)} FROM {reading}")

    def run(
        self, expression: ir.Table, progress: ProgressCallback | None = None, doing: str = "Counting records"
    ) -> pd.DataFrame:
        """The rows of an expression."""
        query = self.sql(expression)
        whole = 1.0 if progress is None else self._read_share(query)
        return frame_of(self._followed(lambda: self._connection.sql(query).to_arrow_table(), progress, doing, whole))

    def sql(self, expression: ir.Table) -> str:
        """The query, in lines."""
        import ibis

        return str(ibis.to_sql(expression, dialect="duckdb"))

    def upload(self, frame: pd.DataFrame) -> ir.Table:
        """A table of the connection."""
        import pyarrow as pa

        content = pa.Table.from_pandas(frame, preserve_index=False)
        self._tables += 1
        name = f"kanon_{self._tables}"
        with self._lock:
            self._connection.register("kanon_upload", content)
            self._connection.execute(f"CREATE TEMP TABLE {quoted_name(name)} AS SELECT * FROM kanon_upload")
            self._connection.unregister("kanon_upload")
        return self._named(name)

    def write(self, expression: ir.Table, path: Path, progress: ProgressCallback | None = None) -> None:
        """Rows in the order of the expression; a folder gets one file, part-0.parquet."""
        self._copy(self.sql(expression), path, progress)

    def write_batches(
        self,
        batches: pa.RecordBatchReader,
        path: Path,
        progress: ProgressCallback | None,
        interrupt: Callable[[], object],
    ) -> None:
        """The same for rows from another connection, which `interrupt` ends."""

        def heard(report: Progress) -> object:
            going = progress is None or progress(report)
            if going is False:
                interrupt()  # DuckDB waits for the next batch, and does not react to a stop meanwhile
            return going

        with self._lock:
            self._connection.register("kanon_batches", batches)
            try:
                self._copy("SELECT * FROM kanon_batches", path, None if progress is None else heard)
            finally:
                self._connection.unregister("kanon_batches")

    def read_written(self, path: Path) -> ir.Table:
        """The written rows; CSV as text."""
        return self.open_files(Files.at(path))

    def stop(self) -> None:
        """Close the connection and remove spilled files."""
        with self._lock:
            self._connection.close()
        self._gone()

    def _plain(self, files: Files) -> list[str]:
        """Paths that DuckDB reads literally: links to files whose own paths it would not read literally.

        It expands patterns, and takes columns from the names of all folders, even of those above the root.
        """
        paths = [str(path.absolute()) for path in files.paths]
        above = files.partitions and "=" in str(files.root.absolute())
        if not above and not any(map(PATTERN.search, paths)):
            return paths
        links = []
        try:
            for path in files.paths:
                link = self._links / str(len(self._linked))
                for part in path.relative_to(files.root).parts[:-1]:
                    if PARTITION.fullmatch(part):
                        link /= PATTERN.sub(lambda match: f"%{ord(match[0]):02X}", part)
                link /= "records.gz" if path.suffix.lower() == ".gz" else "records"
                link.parent.mkdir(parents=True)
                link.symlink_to(path.absolute())
                links.append(str(link))
                self._linked[str(link)] = path.name
        except OSError as error:
            raise InvalidInput(
                f"The path of {files.name} holds *, ?, [ or \\, which DuckDB takes for a pattern; rename the path."
            ) from error
        return links

    def _copy(self, query: str, path: Path, progress: ProgressCallback | None) -> None:
        target = path
        if path.suffix not in (".csv", ".parquet"):
            path.mkdir(parents=True, exist_ok=True)
            target = path / "part-0.parquet"
        options = "FORMAT csv, HEADER" if target.suffix == ".csv" else "FORMAT parquet, COMPRESSION zstd"
        command = f"COPY ({query}) TO {quoted_text(str(target.absolute()))} ({options}, PRESERVE_ORDER true)"
        self._followed(lambda: self._connection.execute(command), progress, "Writing records")

    def _view(self, name: str, query: str) -> ir.Table:
        view, number = name, 1
        while view in self._views:
            number += 1
            view = f"{name} {number}"
        self._views.add(view)
        self._followed(lambda: self._connection.execute(f"CREATE TEMP VIEW {quoted_name(view)} AS {query}"), None, "")
        return self._named(view)

    def _named(self, name: str) -> ir.Table:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Ibis calls a method that DuckDB has renamed
            return self._ibis.table(name)

    def _read_share(self, query: str) -> float:
        """The share that DuckDB reports when all records are read."""
        plan = self._followed(lambda: self._connection.execute(f"EXPLAIN (FORMAT json) {query}").fetchall(), None, "")
        return read_share(plan[-1][1])

    def _followed(
        self, work: Callable[[], Any], progress: ProgressCallback | None, doing: str, whole: float = 1.0
    ) -> Any:
        """Do work with progress reports, 1 when DuckDB's share is `whole`; errors in words."""
        import duckdb

        with self._lock:
            try:
                return followed(work, progress, doing, lambda: self._share() / whole, self._connection.interrupt)
            except duckdb.Error as error:
                raise _in_words(error, self._linked) from error

    def _share(self) -> float:
        return float(self._connection.query_progress()) / 100


def _in_words(error: Exception, linked: dict[str, str]) -> InvalidInput:
    """An error of DuckDB, without values of records and without its own paths."""
    import duckdb

    text = str(error)
    match = FILE.search(text)
    path = match[1].strip() if match else "The file"
    name = linked.get(path) or Path(path).name
    counts, line = UNEVEN.search(text), LINE.search(text)
    if counts is not None:
        return uneven(name, counts[1], counts[3], counts[2])
    if line is not None and "unicode" in text:
        return undecodable(name, line[1])
    if line is not None and "Maximum line size" in text:
        return InvalidInput(
            f"Line {line[1]} of {name} is longer than 2,000,000 bytes, or a quotation mark there is never closed; "
            "correct it, or save the file as Parquet."
        )
    if "state machine" in text:
        return InvalidInput(
            f"{name} cannot be read as a table: its lines have different endings, or a quotation mark is in the wrong "
            "place; save it again as CSV."
        )
    if line is not None and "quote" in text:
        return misquoted(name, line[1])
    if line is not None:
        return InvalidInput(f"{name} cannot be read as a table: line {line[1]} is broken; correct it.")
    if isinstance(error, duckdb.OutOfMemoryException):
        return TooLittleMemory(
            "DuckDB, which counts the records, needs more memory than it is allowed, or more disk space than there is; "
            "allow more memory, or count fewer columns."
        )
    kind, _, rest = text.partition(":")
    return InvalidInput(f"DuckDB reports an error: {rest.strip().splitlines()[0] if rest.strip() else kind}")


def _as(expression: str, name: str) -> str:
    return f"{expression} AS {quoted_name(name)}"


def quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# ---------------------------------------------------------------------------------------------------------------------
# A DuckDB database, of which only its own tables are read, whatever its views request.
# ---------------------------------------------------------------------------------------------------------------------


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
SETTING = "current_setting"  # the only scalar function that reveals something about the machine


class Attached(DuckDB):
    """A connection that cannot access anything outside one database. Another connection handles files.

    Parameters
    ----------
    path : Path of the database, opened read-only.
    memory, threads : As in `DuckDB`.
    """

    def __init__(self, path: Path, memory: str | None = None, threads: int | None = None) -> None:
        super().__init__(memory, threads)
        self._files = DuckDB(memory, threads)

        def attach() -> list[tuple[str, str]]:
            self._connection.execute(f"ATTACH {quoted_text(str(path.absolute()))} AS source (READ_ONLY, TYPE duckdb)")
            self._connection.execute("SET enable_external_access = false")  # but it may spill to disk
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
        InvalidInput : A view that reads anything but tables of the same database.
        """
        import duckdb

        query = f"SELECT * FROM {self._known[table]}"

        def look() -> tuple[list[str], list[tuple[str]]]:
            try:
                plans = self._connection.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()
            except duckdb.PermissionException:
                return ["another file"], []
            leaves = _leaves(json.loads(plans[0][1]))  # in the first plan, before simplification
            foreign = [leaf.lower() for leaf in leaves if leaf not in OWN]
            return foreign, self._connection.execute(DEFINITIONS).fetchall()

        foreign, definitions = self._followed(look, None, "")
        if foreign or any(SETTING in sql.lower() for (sql,) in definitions):
            who, what = (table, foreign[0]) if foreign else ("The database", SETTING)
            raise InvalidInput(
                f"{who} reads {what}, but only tables of the database itself may be read; store its content as a "
                "table, and give that table."
            )
        return self._view(table, query)

    def open_files(self, files: Files) -> ir.Table:
        """Files as a table of the other connection, which `run` uses for it."""
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
        """Close both connections."""
        super().stop()
        self._files.stop()


def _leaves(nodes: list[dict[str, Any]]) -> list[str]:
    """The names of a plan's operators that have no inputs."""
    names: list[str] = []
    for node in nodes:
        children = node["children"]
        names += _leaves(children) if children else [str(node["name"]).strip()]
    return names


# ---------------------------------------------------------------------------------------------------------------------
# The progress of a DuckDB query: the share of records that it has read.
# ---------------------------------------------------------------------------------------------------------------------


BREAKS = ("GROUP_BY", "AGGREGATE", "ORDER_BY", "TOP_N", "WINDOW", "DISTINCT")  # read on from what they hold


def read_share(plan: str) -> float:
    """The share that DuckDB reports when it has read everything that a plan reads.

    Its own share counts the rows that it reads and the rows that it makes from them, both estimated. It estimates that
    most rows differ, so it reports a count as half done when everything is read and little is left to do.

    Parameters
    ----------
    plan : As "EXPLAIN (FORMAT json)" gives it.

    Returns
    -------
    float : Above 0, at most 1; 1 if the plan has joins or rows without an estimate.

    >>> scan = {"name": "READ_CSV ", "children": [], "extra_info": {"Estimated Cardinality": "60"}}
    >>> groups = {"name": "HASH_GROUP_BY", "children": [scan], "extra_info": {"Estimated Cardinality": "40"}}
    >>> read_share(json.dumps([groups]))
    0.6
    """
    read, produced = 0, 0
    nodes = json.loads(plan)
    while nodes:
        node = nodes.pop()
        children = node.get("children", [])
        rows = node.get("extra_info", {}).get("Estimated Cardinality", "")
        if len(children) > 1 or (not str(rows).isdecimal() and (not children or _breaks(node))):
            return 1.0
        if not children:
            read += int(rows)
        elif _breaks(node):
            produced += int(rows)
        nodes += children
    return read / (read + produced) if read else 1.0


def _breaks(node: dict[str, object]) -> bool:
    return any(word in str(node.get("name", "")) for word in BREAKS)


# ---------------------------------------------------------------------------------------------------------------------
# A folder for an engine's spilled files. The next run removes those of a killed run.
# ---------------------------------------------------------------------------------------------------------------------


PREFIX = "kanon-spilled-"  # nothing else has such names: unlocked ones are removed
CAN_HOLD = os.name == "posix"


class Spilled:
    """A new folder that only its owner may open, locked by this process.

    Attributes
    ----------
    path : Path
    """

    def __init__(self) -> None:
        self._lock: int | None = None
        if CAN_HOLD:
            _clear(Path(tempfile.gettempdir()))
        while True:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
            if not CAN_HOLD:
                return
            with suppress(FileNotFoundError):  # another run removed it before it was locked
                self._lock = held(self.path)
                if self._lock is not None:
                    return

    def remove(self) -> None:
        """Remove the folder with all its files."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _clear(place: Path) -> None:
    """Remove the folders of runs that have ended; the system has released their locks."""
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another run is removing it right now
            if folder.lstat().st_uid != os.getuid():
                continue
            lock = held(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)
