"""`kanon experiments recoding`: recodings of tables side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanon_engine.cli.files import require_writable, text_writer, write_files
from kanon_engine.cli.progress import progress_bar
from kanon_engine.cli.summary import Format, as_json, columns
from kanon_engine.errors import InvalidInput
from kanon_engine.release.spreadsheet import csv_text
from kanon_engine.teaching.studies import sample
from kanon_engine.teaching.studies.recoding import FullDomain, compare_recodings, generated_tables

if TYPE_CHECKING:
    import pandas as pd

    from kanon_engine import Table


def run_recoding(
    ks: Annotated[str, typer.Option(help="Every k.")] = "5,10,25,50,100,250",
    seconds: Annotated[float, typer.Option(min=0.1, help="Most seconds for each run; a stopped run says so.")] = 60.0,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the generated tables.")] = 0,
    anjana: Annotated[
        Path | None,
        typer.Option(help="A Python that has anjana, which needs versions of its own.", show_default=False),
    ] = None,
    hierarchies: Annotated[
        Path | None,
        typer.Option(help="A folder of ARX hierarchies; a file ends in its column's name.", show_default=False),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Write the table as .csv.", show_default=False)] = None,
    form: Annotated[Format, typer.Option("--format", help="How the table is printed.")] = Format.TABLE,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Run every algorithm on Adult and on two generated tables; anjana on Adult alone."""
    try:
        values = [int(part) for part in ks.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{ks!r} is no list of whole numbers as 5,10,20.", param_hint="--ks") from None
    if (anjana is None) != (hierarchies is None):
        raise typer.BadParameter("anjana needs both.", param_hint="--anjana, --hierarchies")
    if out is not None:
        require_writable([out], [], force)
    tables = {"adult": sample("adult-fine")} | generated_tables(seed)
    others = {}
    if anjana is not None and hierarchies is not None:
        others["adult"] = FullDomain(anjana, _by_column(tables["adult"], hierarchies))
    with progress_bar("recodings") as progress:
        found = compare_recodings(tables, values, seconds=seconds, others=others, progress=progress)
    if out is not None:
        write_files({out: text_writer(lambda: csv_text(found))})
    typer.echo(as_json(_rows(found)) if form is Format.JSON else _text(found))


def _by_column(table: Table, folder: Path) -> dict[str, Path]:
    """The file of each quasi-identifier."""
    found = {}
    for name in table.quasi_identifiers:
        files = sorted(path for path in folder.glob("*.csv") if path.stem == name or path.stem.endswith(f"_{name}"))
        if len(files) != 1:
            raise InvalidInput(f"{folder} has {len(files)} files that end in {name}.csv; it should have one.")
        found[name] = files[0]
    return found


def _rows(found: pd.DataFrame) -> list[dict[str, object]]:
    return found.astype(object).where(found.notna(), None).to_dict(orient="records")  # type: ignore[return-value]


def _text(found: pd.DataFrame) -> str:
    header = ["table", "algorithm", "for", "k", "DM", "average group", "loss", "groups", "lower bound", "status", "s"]
    rows: Any = found.itertuples()
    lines = [
        [
            row.table,
            row.algorithm,
            row.metric,
            f"{row.k:,}",
            f"{row.dm:,}",
            f"{row.average:,.1f}",
            f"{row.loss:.3f}",
            f"{row.groups:,}",
            f"{row.lower_bound:,}" if row.bound else "",
            row.status,
            f"{row.seconds:,.1f}",
        ]
        for row in rows
    ]
    return columns(lines, header, {3, 4, 5, 6, 7, 8, 10})
