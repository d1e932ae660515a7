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
    """The engine does not have enough memory for a query."""


class Engine(Protocol):
    """The operations that differ between engines. Expressions are those of Ibis, on tables from the engine."""

    name: str  # for sentences: "DuckDB", "Spark"

    def open_files(self, files: Files) -> ir.Table:
        """Files as a table; nothing is read yet. Text stays text, empty cells are missing."""

    def run(self, expression: ir.Table, progress: ProgressCallback | None = None, doing: str = ...) -> pd.DataFrame:
        """The rows of an expression; whole numbers with missing values have the type Int64.

        Raises
        ------
        InvalidInput : A broken row, no memory left, or another error of the engine, in words.
        SearchEnded : `progress` returned False.
        """

    def sql(self, expression: ir.Table) -> str:
        """The query of `run`, in the engine's own SQL. Nothing runs."""

    def upload(self, frame: pd.DataFrame) -> ir.Table:
        """A small table, such as a crosswalk, that expressions can join. It is removed when the engine stops."""

    def write(self, expression: ir.Table, path: Path, progress: ProgressCallback | None = None) -> None:
        """Write rows in order, as a file that ends in .csv or .parquet, or a folder of Parquet files."""

    def read_written(self, path: Path) -> ir.Table:
        """The output of `write`, read by the engine; CSV as text."""

    def stop(self) -> None:
        """Release everything that the engine holds, including files that it spilled to disk."""
