"""The engines that count: one protocol, one file each."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.files import Files

if TYPE_CHECKING:
    import ibis.expr.types as ir


class TooLittleMemory(InvalidInput):
    """The engine has not the memory for what it is asked."""


class Engine(Protocol):
    """What differs between engines. Expressions are those of Ibis, on tables that the engine gave."""

    name: str  # for sentences: "DuckDB", "Spark"

    def open_files(self, files: Files) -> ir.Table:
        """Files as a table; nothing is read yet. Text stays text, empty cells are missing."""

    def run(self, expression: ir.Table, progress: ProgressCallback | None = None, doing: str = ...) -> pd.DataFrame:
        """The rows of an expression; whole numbers with missing ones among them are of the type Int64.

        Raises
        ------
        InvalidInput : A row that is broken, no memory left, or else what the engine refuses, in words.
        SearchEnded : `progress` returned False.
        """

    def sql(self, expression: ir.Table) -> str:
        """What `run` sends, in the engine's own SQL. Nothing runs."""

    def upload(self, frame: pd.DataFrame) -> ir.Table:
        """A small table, a crosswalk for instance, where expressions can join it. It is gone when the engine stops."""

    def write(self, expression: ir.Table, path: Path, progress: ProgressCallback | None = None) -> None:
        """Rows in their order, as a file that ends in .csv or .parquet, or a folder of Parquet files."""

    def read_written(self, path: Path) -> ir.Table:
        """What `write` wrote, read by the engine; CSV as text."""

    def stop(self) -> None:
        """Everything that the engine holds is let go, files that it spilled to the disk as well."""
