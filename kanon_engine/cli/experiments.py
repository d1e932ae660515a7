"""`kanon experiments k-optimize`: the figures of the K-Optimize paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kanon_engine.cli.files import Writer, require_writable, text_writer, write_files
from kanon_engine.cli.progress import progress_bar
from kanon_engine.cli.summary import Format, as_json, columns
from kanon_engine.release.spreadsheet import csv_text
from kanon_engine.teaching.studies import sample

if TYPE_CHECKING:
    import pandas as pd
    from plotly import graph_objects as go

PARTITIONS = {"coarse": "adult-coarse", "fine": "adult-fine"}
FIGURES = ("6a", "6b", "7a", "7b")


def run_k_optimize(
    ks: Annotated[str, typer.Option(help="Every k of Figures 6a, 6b and 7a.")] = "1000,500,250,100,50,25,10,5",
    partitions: Annotated[str, typer.Option(help="How ages are partitioned.")] = "coarse,fine",
    metrics: Annotated[str, typer.Option(help="DM, CM or both.")] = "DM,CM",
    limits: Annotated[str, typer.Option(help="How many records may be suppressed; none is no limit.")] = "0,100,none",
    seconds: Annotated[float, typer.Option(min=0.1, help="Most seconds for each run; a stopped run says so.")] = 600.0,
    race_k: Annotated[int, typer.Option(min=1, help="The k of Figure 7b, on the finest partition asked for.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything random.")] = 0,
    out_dir: Annotated[
        Path | None, typer.Option(help="The figures as HTML and PNG, their numbers as CSV.", show_default=False)
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How the table is printed.")] = Format.TABLE,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Run the grid and the race, print the table, write the figures."""
    from kanon_engine.teaching.studies.k_optimize import METRICS, cost_over_time, k_optimize_grid

    values = [_whole(part, "--ks") for part in ks.split(",")]
    allowed = [None if part.strip() == "none" else _whole(part, "--limits", 0) for part in limits.split(",")]
    chosen = _some(partitions, tuple(PARTITIONS), "--partitions")
    names = [f"k-optimize-{name}{ending}" for name in ("grid", "7b") for ending in (".csv",)]
    names += [f"k-optimize-{name}{ending}" for name in FIGURES for ending in (".html", ".png")]
    if out_dir is not None:
        require_writable([out_dir / name for name in names], [], force)
    tables = {name: sample(PARTITIONS[name]) for name in chosen}
    with progress_bar("K-Optimize") as progress:
        wanted = _some(metrics, METRICS, "--metrics")
        grid = k_optimize_grid(tables, values, wanted, allowed, seconds=seconds, seed=seed, progress=progress)
    race = cost_over_time(tables[chosen[-1]], race_k, seconds=seconds, seed=seed)
    writers = {} if out_dir is None else _writers(out_dir, grid, race)
    write_files(writers)
    typer.echo(as_json({"grid": _rows(grid), "race": _rows(race)}) if form is Format.JSON else _text(grid, race))
    for path in writers:
        typer.echo(f"Written: {path}", err=True)


def _whole(text: str, flag: str, least: int = 1) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise typer.BadParameter(f"{text!r} is no whole number of at least {least}.", param_hint=flag)
    return value


def _some(text: str, known: tuple[str, ...], flag: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not parts or any(part not in known for part in parts) or len(set(parts)) < len(parts):
        raise typer.BadParameter(f"{text!r} is no list of some of {', '.join(known)}.", param_hint=flag)
    return sorted(parts, key=known.index)


def _writers(folder: Path, grid: pd.DataFrame, race: pd.DataFrame) -> dict[Path, Writer]:
    from kanon_engine.plot.export import browser_found, png
    from kanon_engine.teaching.studies.plot import figure6a, figure6b, figure7a, figure7b

    writers: dict[Path, Writer] = {
        folder / "k-optimize-grid.csv": text_writer(lambda: csv_text(grid)),
        folder / "k-optimize-7b.csv": text_writer(lambda: csv_text(race)),
    }
    figures = {"6a": figure6a(grid), "6b": figure6b(grid), "7a": figure7a(grid), "7b": figure7b(race)}
    for name, figure in figures.items():
        writers[folder / f"k-optimize-{name}.html"] = _page(figure)
        drawn = png(figure) if browser_found() else None
        if drawn is not None:
            writers[folder / f"k-optimize-{name}.png"] = _bytes(drawn)
    if not browser_found():
        typer.echo("No Chromium was found, so the PNGs are left out; open the HTML files instead.", err=True)
    return writers


def _page(figure: go.Figure) -> Writer:
    from kanon_engine.plot.export import html

    return text_writer(lambda: html(figure))


def _bytes(content: bytes) -> Writer:
    return lambda path: path.write_bytes(content)


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return table.astype(object).where(table.notna(), None).to_dict(orient="records")  # type: ignore[return-value]


def _text(grid: pd.DataFrame, race: pd.DataFrame) -> str:
    header = ["ages", "metric", "limit", "k", "seeded", "cost", "lower bound", "status", "nodes", "seconds", "nodes/s"]
    lines = [
        [
            row["partition"],
            row["metric"],
            "none" if row["limit"] is None else f"{row['limit']:,}",
            f"{row['k']:,}",
            "yes" if row["seeded"] else "no",
            f"{row['cost']:,}",
            f"{row['lower_bound']:,}",
            row["status"],
            f"{row['nodes']:,}",
            f"{row['seconds']:,.1f}",
            f"{row['nodes'] / max(row['seconds'], 1e-9):,.0f}",
        ]
        for row in _rows(grid)
    ]
    ended = int((grid["status"] == "optimal").sum())
    ends = race.groupby("method", sort=False).last()
    told = [
        f"{method}: best {int(row['cost']):,}, first reached after "
        f"{race[(race['method'] == method) & (race['cost'] == row['cost'])]['seconds'].min():,.1f} s, "
        f"over after {row['seconds']:,.1f} s."
        for method, row in ends.iterrows()
    ]
    table = columns(lines, header, {2, 3, 5, 6, 8, 9, 10})
    return "\n".join([table, "", f"{ended} of {len(grid)} searched to the end.", *told])
