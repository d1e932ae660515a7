"""Spark, in local mode or on a cluster."""

from __future__ import annotations

import importlib
import itertools
import os
import re
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.engines.running import followed, frame_of
from kanon_engine.records.files import Files
from kanon_engine.records.texts import broken_line

if TYPE_CHECKING:
    import ibis.expr.types as ir

MEMORY = "1g"  # for the driver in local mode; Spark spills beyond its share
NUMBERS = itertools.count(1)


class Spark:
    """A Spark session; a process has one, which all sources share and which lives as long as the process.

    Parameters
    ----------
    master : "local", which uses the cores of this machine, or the address of a cluster, as "spark://host:7077".
    memory : Memory of the driver, as "2GB"; 1 GB if None.
    threads : Threads in local mode; as many as there are cores if None.
    """

    name = "Spark"

    def __init__(self, master: str = "local", memory: str | None = None, threads: int | None = None) -> None:
        self._session = _session(master, memory, threads)
        self._views: list[str] = []
        self._texts: list[Files] = []
        self._seen = 0  # texts that were already checked

    def open_files(self, files: Files) -> ir.Table:
        """Files as a view with their intended columns."""
        from pyspark.sql import functions
        from pyspark.sql.types import StringType, StructField, StructType

        hidden = [path.name for path in files.paths if path.name.startswith(("_", "."))]
        if hidden:
            raise InvalidInput(f"Spark ignores {hidden[0]} because its name starts with “_” or “.”; rename it.")
        paths = [_without_patterns(path) for path in files.paths]
        reader = self._session.read
        if files.partitions:
            reader = reader.option("basePath", str(files.root))
        if files.kind == "parquet":
            data = self._refusing(lambda: reader.parquet(*paths))
            columns = [functions.col(_name(there)).alias(here) for there, here in files.columns]
        else:
            stored = [here for _, here in files.columns if here not in files.partitions]
            options = {"header": True, "mode": "FAILFAST", "multiLine": True, "sep": files.delimiter, "quote": '"'}
            options |= {"escape": '"', "unescapedQuoteHandling": "RAISE_ERROR", "columnPruning": False}
            options |= {"maxCharsPerColumn": -1, "enforceSchema": True, "encoding": "UTF-8"}
            schema = StructType([StructField(here, StringType()) for here in stored])
            data = self._refusing(lambda: reader.schema(schema).options(**options).csv(paths))
            names = {here: _name(here) for here in stored}
            values = {here: name if here in files.spaced else f"ltrim({name})" for here, name in names.items()}
            columns = [functions.expr(f"nullif({value}, '')").alias(here) for here, value in values.items()]
            columns += [functions.col(_name(here)) for here in files.partitions]
            self._texts.append(files)
        return self._view(data.select(*columns), files.name)

    def open_table(self, table: str) -> ir.Table:
        """A table of the session's catalog, as "people" or "database.people"."""
        if not self._refusing(lambda: self._session.catalog.tableExists(table)):  # csv.`/a/path` is not one
            raise InvalidInput(f"Spark has no table {table!r}; check its name and database.")
        data = self._refusing(lambda: self._session.table(table))
        return self._view(data, table)

    def run(
        self, expression: ir.Table, progress: ProgressCallback | None = None, doing: str = "Counting records"
    ) -> pd.DataFrame:
        """The rows of an expression. Texts are checked once before, for content that Spark would misread."""
        query = self.sql(expression)
        self._look_through(progress)
        return frame_of(self._followed(lambda: self._session.sql(query).toArrow(), progress, doing))

    def sql(self, expression: ir.Table) -> str:
        """The query, in lines."""
        import ibis

        return str(ibis.to_sql(expression, dialect="pyspark"))

    def upload(self, frame: pd.DataFrame) -> ir.Table:
        """A view of the session over rows that the driver holds."""
        import pyarrow as pa

        content = pa.Table.from_pandas(frame, preserve_index=False)
        return self._view(self._session.createDataFrame(content), "kanon_upload")

    def write(self, expression: ir.Table, path: Path, progress: ProgressCallback | None = None) -> None:
        """Rows in the order of the expression; the files of a folder are in that order when sorted by name."""
        query = self.sql(expression)
        self._look_through(progress)
        single = path.suffix in (".csv", ".parquet")
        folder = path.with_name(f".{path.name}.parts") if single else path

        def work() -> None:
            rows = self._session.sql(query)
            writer = (rows.coalesce(1) if single else rows).write.mode("overwrite")
            if path.suffix == ".csv":
                writer.options(header=True, escape='"', emptyValue="").csv(str(folder))
            else:
                writer.option("compression", "zstd").parquet(str(folder))

        try:
            self._followed(work, progress, "Writing records")
            parts = sorted(part for part in folder.iterdir() if not part.name.startswith((".", "_")))
            if single:
                parts[0].replace(path)
            else:
                _rename_parts(folder, parts)
        finally:
            if single:
                shutil.rmtree(folder, ignore_errors=True)

    def read_written(self, path: Path) -> ir.Table:
        """The written rows; CSV as text."""
        return self.open_files(Files.at(path))

    def stop(self) -> None:
        """Drop the views; the session stays, because others in this process may use it."""
        for view in self._views:
            self._session.catalog.dropTempView(_name(view))
        self._views.clear()

    def _view(self, data: Any, name: str) -> ir.Table:
        """A view named after its source; a session's views are shared, so a number distinguishes them."""
        import ibis
        from ibis.backends.pyspark.datatypes import PySparkType

        view = f"{name} {next(NUMBERS)}"
        data.createOrReplaceTempView(_name(view))
        self._views.append(view)
        return ibis.table(ibis.schema(PySparkType.to_ibis(data.schema)), name=view)

    def _look_through(self, progress: ProgressCallback | None) -> None:
        """Refuse texts that are not in UTF-8 or have unmatched quotation marks, which Spark would misread silently."""
        from pyspark.sql import functions

        for files in self._texts[self._seen :]:
            lines = self._session.read.text([_without_patterns(path) for path in files.paths])
            line = functions.col("value")
            marks = functions.length(line) - functions.length(functions.replace(line, functions.lit('"')))
            query = lines.groupBy(functions.input_file_name()).agg(
                functions.sum(marks).alias("marks"),
                functions.max((~functions.is_valid_utf8(line)).cast("int")).alias("odd"),
            )
            bad = query.filter("marks % 2 = 1 OR odd = 1").limit(1)
            if self._followed(bad.toArrow, progress, "Checking text").num_rows:
                raise broken_line(files) or InvalidInput(
                    f"{files.name} cannot be read as a table; save it again as CSV."
                )
            self._seen += 1

    def _followed(self, work: Callable[[], Any], progress: ProgressCallback | None, doing: str) -> Any:
        """Do work as one group of jobs, with reports meanwhile; errors in words."""
        context = self._session.sparkContext
        group = f"kanon {next(NUMBERS)}"

        def grouped() -> Any:
            context.setJobGroup(group, doing, True)
            return work()

        def share() -> float:
            tracker = context.statusTracker()
            jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
            stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
            tasks = sum(stage.numTasks for stage in stages if stage)
            return sum(stage.numCompletedTasks for stage in stages if stage) / tasks if tasks else 0.0

        return self._refusing(lambda: followed(grouped, progress, doing, share, lambda: context.cancelJobGroup(group)))

    def _refusing(self, work: Callable[[], Any]) -> Any:
        """Do work, with Spark errors in words."""
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        try:
            return work()
        except (Py4JError, PySparkException) as error:
            raise self._in_words(str(error)) from error

    def _in_words(self, text: str) -> InvalidInput:
        """An error of Spark, without its stack trace."""
        if "MALFORMED_RECORD" in text or "FAILED_READ_FILE" in text or "TextParsingException" in text:
            for files in self._texts:
                problem = broken_line(files)
                if problem is not None:
                    return problem
        if "URISyntaxException" in text:
            return InvalidInput(
                "Spark cannot read a file with a colon in its name, or a folder that holds such a file; rename the "
                "file."
            )
        if "OutOfMemoryError" in text or "maxResultSize" in text:
            return InvalidInput(
                "Spark needs more memory than it is allowed; allow more memory, or count fewer columns."
            )
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("at ")]
        reason = next(
            (line for line in lines if line.startswith(("[", ":"))), lines[0] if lines else "no reason is given"
        )
        return InvalidInput(f"Spark reports an error: {reason.lstrip(': ')[:300]}")


def _session(master: str, memory: str | None, threads: int | None) -> Any:
    import ibis

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PySpark's warning about pandas 3, which is not used here
        try:
            from pyspark.errors import PySparkException
            from pyspark.sql import SparkSession

            importlib.import_module("pyspark.sql.pandas.functions")  # it warns when it is first accessed
        except ImportError as error:
            raise InvalidInput("Spark is not installed; install it with pip install 'kanon-engine[spark]'.") from error
        place = master
        if master == "local":
            place = f"local[{threads or '*'}]"
        active = SparkSession.getActiveSession()
        if active is not None:
            there = str(active.sparkContext.master)
            if there != place and not (master == "local" and threads is None and there.startswith("local")):
                raise InvalidInput(
                    f"Spark is already running in this process, on {there}; use that address, or start another process."
                )
            return active
        builder = SparkSession.builder.appName("kanon").master(place)
        if master == "local":
            builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
            builder = builder.config("spark.sql.shuffle.partitions", str(2 * (threads or os.cpu_count() or 1)))
        for name, value in {
            "spark.driver.memory": re.sub(r"(?i)\s*([kmgt])i?b$", r"\1", memory) if memory else MEMORY,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.log.level": "OFF",
            "spark.sql.session.timeZone": "UTC",
            "spark.io.encryption.enabled": "true",  # of spilled data
            "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
            "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
        }.items():
            builder = builder.config(name, value)
        try:
            session = builder.getOrCreate()
            ibis.pyspark.from_connection(session)  # sets the options that its compiler reads
            return session
        except PySparkException as error:
            raise InvalidInput(
                "Spark does not start: it needs Java 17 or newer on this machine, and if it runs on a cluster, the "
                "cluster must answer."
            ) from error


def _rename_parts(folder: Path, parts: list[Path]) -> None:
    """Names that reveal nothing about the run."""
    for path in folder.iterdir():
        if path not in parts:
            path.unlink()
    for number, part in enumerate(parts):
        part.rename(folder / f"part-{number:05d}.parquet")


def _without_patterns(path: Path) -> str:
    """A path that Hadoop does not take for a pattern."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", str(path))


def _name(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
