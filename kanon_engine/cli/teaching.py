"""`kanon figure7`: the paper's experiment on name files, for every k."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.files import STANDARD, Content, require_writable, write_files
from kanon_engine.cli.flags import argument, option, whole_numbers_in
from kanon_engine.cli.guard import progress_bar
from kanon_engine.cli.summary import Format, as_json, records_of, table_of
from kanon_engine.errors import InvalidInput
from kanon_engine.folders import SAMPLES
from kanon_engine.release.formats import csv_text
from kanon_engine.teaching.studies import sample
from kanon_engine.teaching.studies.recoding import FullDomain, compare_recodings, generated_tables

if TYPE_CHECKING:
    import pandas as pd

    from kanon_engine import Table


NAME_FILES = SAMPLES / "names_1990"
FIGURE7 = {
    "file": ("file", ""),
    "variant": ("variant", ""),
    "k_from": ("k from", ","),
    "k_to": ("to", ","),
    "mean_ratio": ("mean ratio", ".3f"),
    "largest_ratio": ("largest ratio", ".3f"),
    "at_k": ("at k", ","),
    "mean_ratio_to_bound": ("mean / bound", ".4f"),
    "largest_ratio_to_bound": ("largest / bound", ".4f"),
    "bound_at_k": ("at k", ","),
    "share": ("proven best", ">"),
}
NAMES = ("dist.female.first", "dist.male.first", "dist.all.last")


def run_figure7(
    files: Annotated[
        list[Path] | None,
        argument("Files with labels. Default: the three name files of the 1990 census."),
    ] = None,
    seeds: Annotated[
        str, option("Seeds of the random orders of labels, one order per seed, such as 0,1,2.")
    ] = "0,1,2,3,4",
    ranges: Annotated[int, option("Into how many ranges to divide the values of k.", min=1)] = 60,
    out_dir: Annotated[
        Path | None,
        option(
            "Folder for the results of each input file: all ratios, and the largest ratio in each range of k, as CSV; "
            "the figure as HTML and PNG."
        ),
    ] = None,
    form: Annotated[Format, option("Output format of the summary.", "--format")] = Format.TABLE,
    force: Annotated[bool, option("Overwrite existing files.", "--force")] = False,
) -> None:
    """Pack every file with every variant at every k, and summarize."""
    from kanon_engine.teaching.studies.figure7 import distances, observations, overfull_ratios

    orders = _seeds(seeds)
    if not files and not NAME_FILES.is_dir():
        raise InvalidInput(f"There are no sample files in {NAME_FILES}; give your own files.")
    chosen = files or [NAME_FILES / name for name in NAMES]
    if len({file.name for file in chosen}) < len(chosen):
        raise InvalidInput("Two files have the same name, so their outputs would have the same name; rename one.")
    if out_dir is not None:
        require_writable([out_dir / name for file in chosen for name in _outputs(file)], chosen, force)
    rows: list[dict[str, Any]] = []
    observed: list[dict[str, Any]] = []
    contents: dict[Path, Content] = {}
    for file in chosen:
        labels = kanon.read_labels(file)
        with progress_bar(file.name) as progress:
            table = overfull_ratios(labels, seeds=orders, progress=progress)
        for row in distances(table).to_dict("records"):
            rows.append({"file": file.name} | {str(name): value for name, value in row.items()})
        observed += [{"file": file.name} | asdict(observation) for observation in observations(table)]
        if out_dir is not None:
            contents |= _figure7_contents(out_dir, file, table, ranges, labels.unit)
    write_files(contents)
    typer.echo(
        as_json({"variants": rows, "observations": observed}) if form is Format.JSON else _figure7_text(rows, observed)
    )
    for path in contents:
        typer.echo(f"Written: {path}", err=True)


def _seeds(text: str) -> list[int]:
    seeds = whole_numbers_in(text, "--seeds")
    if min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise typer.BadParameter(
            f"{text!r} is not a list of different whole numbers of at least 0; write it like 0,1,2.",
            param_hint="--seeds",
        )
    return seeds


def _outputs(file: Path) -> list[str]:
    return [f"figure7-{file.name}{ending}" for ending in ("-every-k.csv", "-maxima.csv", ".html", ".png")]


def _figure7_contents(folder: Path, file: Path, table: pd.DataFrame, ranges: int, unit: str) -> dict[Path, Content]:
    from kanon_engine.plot.export import html, png
    from kanon_engine.teaching.studies.figure7 import sub_range_maxima
    from kanon_engine.teaching.studies.plot import figure7

    maxima = sub_range_maxima(table, ranges)
    figure = figure7(table, ranges, unit)
    every, largest, page, picture = (folder / name for name in _outputs(file))
    contents: dict[Path, Content] = {
        every: lambda: csv_text(table),
        largest: lambda: csv_text(maxima),
        page: lambda: html(figure),
    }
    drawn = png(figure)
    if drawn is None:
        typer.echo(f"No Chromium browser was found, so {picture.name} is left out; open {page.name} instead.", err=True)
    else:
        contents[picture] = lambda: drawn
    return contents


def _figure7_text(rows: list[dict[str, Any]], observed: list[dict[str, Any]]) -> str:
    lines = table_of([{**row, "share": f"{100 * row['optimal_share']:.1f} %"} for row in rows], FIGURE7)
    sentences = [
        f"- {row['file']}: {row['name']}: {'holds' if row['holds'] else 'does not hold'}. {row['sentence']}"
        for row in observed
    ]
    return "\n".join([lines, "", "What the paper observed, and whether it holds here:", *sentences])


# ---------------------------------------------------------------------------------------------------------------------
# `kanon experiments k-optimize`: the figures of the K-Optimize paper.
# ---------------------------------------------------------------------------------------------------------------------


PARTITIONS = {"coarse": "adult-coarse", "fine": "adult-fine"}
GRID = {
    "partition": ("ages", ""),
    "metric": ("metric", ""),
    "limit": ("suppression limit", ">"),
    "k": ("k", ","),
    "seeded": ("known cost", ""),
    "cost": ("cost", ","),
    "lower_bound": ("lower bound", ","),
    "status": ("status", ""),
    "nodes": ("nodes", ","),
    "seconds": ("seconds", ",.1f"),
    "speed": ("nodes/s", ",.0f"),
}
FIGURES = ("6a", "6b", "7a", "7b")


def run_k_optimize(
    ks: Annotated[str, option("The values of k for Figures 6a, 6b and 7a.")] = "1000,500,250,100,50,25,10,5",
    partitions: Annotated[str, option("How finely to divide the ages: coarse, fine or both.")] = "coarse,fine",
    metrics: Annotated[str, option("What to minimize: DM (discernibility), CM (classification) or both.")] = "DM,CM",
    limits: Annotated[
        str, option("Limits on how many records may be suppressed; “none” means no limit.")
    ] = "0,100,none",
    seconds: Annotated[float, option("Time limit of each run, in seconds; a stopped run is marked.", min=0.1)] = 600.0,
    race_k: Annotated[
        int, option("The k for Figure 7b. This figure uses the finest division of ages in --partitions.", min=1)
    ] = 50,
    seed: Annotated[int, option("Random seed.", min=0)] = 0,
    out_dir: Annotated[Path | None, option("Folder for the figures as HTML and PNG, and their numbers as CSV.")] = None,
    form: Annotated[Format, option("Output format of the table.", "--format")] = Format.TABLE,
    force: Annotated[bool, option("Overwrite existing files.", "--force")] = False,
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
        selected = _some(metrics, METRICS, "--metrics")
        grid = k_optimize_grid(tables, values, selected, allowed, seconds=seconds, seed=seed, progress=progress)
    race = cost_over_time(tables[chosen[-1]], race_k, seconds=seconds, seed=seed)
    contents = {} if out_dir is None else _experiments_contents(out_dir, grid, race)
    write_files(contents)
    typer.echo(
        as_json({"grid": records_of(grid), "race": records_of(race)})
        if form is Format.JSON
        else _experiments_text(grid, race)
    )
    for path in contents:
        typer.echo(f"Written: {path}", err=True)


def _whole(text: str, flag: str, least: int = 1) -> int:
    try:
        value = int(text)
    except ValueError:
        value = least - 1
    if value < least:
        raise typer.BadParameter(f"{text!r} is not a whole number of at least {least}.", param_hint=flag)
    return value


def _some(text: str, choices: tuple[str, ...], flag: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if not parts or any(part not in choices for part in parts) or len(set(parts)) < len(parts):
        raise typer.BadParameter(
            f"{text!r} is not a list of one or more of {', '.join(choices)}, each at most once.", param_hint=flag
        )
    return sorted(parts, key=choices.index)


def _experiments_contents(folder: Path, grid: pd.DataFrame, race: pd.DataFrame) -> dict[Path, Content]:
    from kanon_engine.plot.export import browser_found, html, png
    from kanon_engine.teaching.studies.plot import figure6a, figure6b, figure7a, figure7b

    contents: dict[Path, Content] = {
        folder / "k-optimize-grid.csv": lambda: csv_text(grid),
        folder / "k-optimize-7b.csv": lambda: csv_text(race),
    }
    figures = {"6a": figure6a(grid), "6b": figure6b(grid), "7a": figure7a(grid), "7b": figure7b(race)}
    for name, figure in figures.items():
        contents[folder / f"k-optimize-{name}.html"] = partial(html, figure)
        drawn = png(figure) if browser_found() else None
        if drawn is not None:
            contents[folder / f"k-optimize-{name}.png"] = partial(bytes, drawn)
    if not browser_found():
        typer.echo("No Chromium browser was found, so the PNGs are left out; open the HTML files instead.", err=True)
    return contents


def _experiments_text(grid: pd.DataFrame, race: pd.DataFrame) -> str:
    rows = records_of(grid)
    for row in rows:
        row["limit"] = "none" if row["limit"] is None else f"{row['limit']:,}"
        row["seeded"] = "yes" if row["seeded"] else "no"
        row["speed"] = row["nodes"] / max(row["seconds"], 1e-9)
    ended = int((grid["status"] == "optimal").sum())
    ends = race.groupby("method", sort=False).last()
    sentences = [
        f"{method} reached its best cost, {int(row['cost']):,}, after "
        f"{race[(race['method'] == method) & (race['cost'] == row['cost'])]['seconds'].min():,.1f} s "
        f"and ended after {row['seconds']:,.1f} s."
        for method, row in ends.iterrows()
    ]
    return "\n".join([table_of(rows, GRID), "", f"{ended} of {len(grid)} searches finished.", *sentences])


# ---------------------------------------------------------------------------------------------------------------------
# `kanon experiments recoding`: recodings of tables side by side.
# ---------------------------------------------------------------------------------------------------------------------


RECODINGS = {
    "table": ("table", ""),
    "algorithm": ("algorithm", ""),
    "metric": ("minimizes", ""),
    "k": ("k", ","),
    "dm": ("DM", ","),
    "average": ("average group size", ",.1f"),
    "loss": ("loss", ".3f"),
    "groups": ("groups", ","),
    "lower_bound": ("lower bound", ","),
    "status": ("status", ""),
    "seconds": ("seconds", ",.1f"),
}


def run_recoding(
    ks: Annotated[str, option("The values of k, such as 5,10,20.")] = "5,10,25,50,100,250",
    seconds: Annotated[float, option("Time limit of each run, in seconds; a stopped run is marked.", min=0.1)] = 60.0,
    seed: Annotated[int, option("Seed of the generated tables.", min=0)] = 0,
    anjana: Annotated[
        Path | None,
        option(
            "The Python interpreter of an environment that has the package anjana. This package is then compared too."
        ),
    ] = None,
    hierarchies: Annotated[
        Path | None,
        option("A folder of hierarchies in the format of the tool ARX; each file's name ends in its column's name."),
    ] = None,
    out: Annotated[Path | None, option("Write the table as .csv.")] = None,
    form: Annotated[Format, option("Output format of the table.", "--format")] = Format.TABLE,
    force: Annotated[bool, option("Overwrite an existing file.", "--force")] = False,
) -> None:
    """Run every algorithm on Adult and on two generated tables; anjana on Adult alone."""
    values = whole_numbers_in(ks, "--ks")
    if (anjana is None) != (hierarchies is None):
        raise typer.BadParameter("give both of these flags or neither of them.", param_hint="--anjana, --hierarchies")
    require_writable([out], [], force)
    tables = {"adult": sample("adult-fine")} | generated_tables(seed)
    others = {}
    if anjana is not None and hierarchies is not None:
        others["adult"] = FullDomain(anjana, _by_column(tables["adult"], hierarchies))
    with progress_bar("recodings") as progress:
        results = compare_recodings(tables, values, seconds=seconds, others=others, progress=progress)
    write_files({out: lambda: csv_text(results)})
    rows = records_of(results)
    if form is Format.JSON:
        typer.echo(as_json(rows))
        return
    typer.echo(
        table_of([{**row, "lower_bound": row["lower_bound"] if row["bound"] else None} for row in rows], RECODINGS)
    )


def _by_column(table: Table, folder: Path) -> dict[str, Path]:
    """The file of each quasi-identifier."""
    file_of = {}
    for name in table.quasi_identifiers:
        files = sorted(path for path in folder.glob("*.csv") if path.stem == name or path.stem.endswith(f"_{name}"))
        if len(files) != 1:
            raise InvalidInput(f"{folder} has {len(files)} files whose names end in {name}.csv; it should have one.")
        file_of[name] = files[0]
    return file_of


# ---------------------------------------------------------------------------------------------------------------------
# `kanon lessons`: the lessons as one HTML file that needs no server and no network.
# ---------------------------------------------------------------------------------------------------------------------


def run_lessons(
    out: Annotated[Path, option("The file to write, or “-” for standard output.", "--out", "-o")] = Path(
        "lessons.html"
    ),
    force: Annotated[bool, option("Overwrite an existing file.", "--force")] = False,
) -> None:
    """Build the lessons from the samples, and write them."""
    from kanon_engine.teaching.lessons import lessons, page_of

    require_writable([out], [], force)
    page = page_of(lessons())
    write_files({out: lambda: page})
    if out != STANDARD:
        typer.echo(f"Written: {out} ({len(page.encode()) / 1000:,.0f} kB)", err=True)
