"""`kanon figure7`: the paper's experiment on name files, for every k."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import kanon_engine as kanon
from kanon_engine.cli.files import Writer, require_writable, text_writer, write_files
from kanon_engine.cli.progress import progress_bar
from kanon_engine.cli.summary import Format, as_json, columns
from kanon_engine.errors import InvalidInput
from kanon_engine.release.spreadsheet import csv_text

if TYPE_CHECKING:
    import pandas as pd

SAMPLES = Path(__file__).parents[2] / "sample_data" / "names_1990"
NAMES = ("dist.female.first", "dist.male.first", "dist.all.last")


def run_figure7(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE]...", help="Files with labels. Default: the three name files of the 1990 census."
        ),
    ] = None,
    seeds: Annotated[str, typer.Option(help="A random order each, as 0,1,2.")] = "0,1,2,3,4",
    ranges: Annotated[int, typer.Option(min=1, help="Number of sub-ranges of k.")] = 60,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            help="For each file: every ratio and the largest of each sub-range as CSV, the figure as HTML and PNG.",
            show_default=False,
        ),
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How the summary is printed.")] = Format.TABLE,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """Pack every file with every variant at every k, and sum up."""
    from kanon_engine.teaching.studies.figure7 import distances, observations, overfull_ratios

    orders = _seeds(seeds)
    chosen = files or _samples()
    if len({file.name for file in chosen}) < len(chosen):
        raise InvalidInput("Two of the files have the same name, so their outputs would too; rename one.")
    if out_dir is not None:
        require_writable([out_dir / name for file in chosen for name in _outputs(file)], chosen, force)
    rows: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    writers: dict[Path, Writer] = {}
    for file in chosen:
        labels = kanon.read_labels(file)
        with progress_bar(file.name) as progress:
            table = overfull_ratios(labels, seeds=orders, progress=progress)
        for row in distances(table).to_dict("records"):
            rows.append({"file": file.name} | {str(name): value for name, value in row.items()})
        found += [{"file": file.name} | asdict(observation) for observation in observations(table)]
        if out_dir is not None:
            writers |= _writers(out_dir, file, table, ranges, labels.unit)
    write_files(writers)
    typer.echo(as_json({"variants": rows, "observations": found}) if form is Format.JSON else _text(rows, found))
    for path in writers:
        typer.echo(f"Written: {path}", err=True)


def _seeds(text: str) -> list[int]:
    try:
        seeds = [int(part) for part in text.split(",")]
    except ValueError:
        seeds = [-1]
    if min(seeds) < 0 or len(set(seeds)) < len(seeds):
        raise typer.BadParameter(f"{text!r} is no list of different whole numbers as 0,1,2.", param_hint="--seeds")
    return seeds


def _samples() -> list[Path]:
    if not SAMPLES.is_dir():
        raise InvalidInput(
            f"There are no sample files in {SAMPLES} (they come with kanon's source code); name your own files."
        )
    return [SAMPLES / name for name in NAMES]


def _outputs(file: Path) -> list[str]:
    return [f"figure7-{file.name}{ending}" for ending in ("-every-k.csv", "-maxima.csv", ".html", ".png")]


def _writers(folder: Path, file: Path, table: pd.DataFrame, ranges: int, unit: str) -> dict[Path, Writer]:
    from kanon_engine.plot.export import html, png
    from kanon_engine.teaching.studies.figure7 import sub_range_maxima
    from kanon_engine.teaching.studies.plot import figure7

    maxima = sub_range_maxima(table, ranges)
    figure = figure7(table, ranges, unit)
    every, largest, page, picture = (folder / name for name in _outputs(file))
    writers = {
        every: text_writer(lambda: csv_text(table)),
        largest: text_writer(lambda: csv_text(maxima)),
        page: text_writer(lambda: html(figure)),
    }
    drawn = png(figure)
    if drawn is None:
        typer.echo(f"No Chromium was found, so {picture.name} is left out; open {page.name} instead.", err=True)
    else:
        writers[picture] = lambda path: path.write_bytes(drawn)
    return writers


def _text(rows: list[dict[str, Any]], found: list[dict[str, Any]]) -> str:
    header = [
        "file",
        "variant",
        "k from",
        "to",
        "mean ratio",
        "largest",
        "at k",
        "mean / bound",
        "largest",
        "at k",
        "proven best",
    ]
    lines = [
        [
            row["file"],
            row["variant"],
            f"{row['k_from']:,}",
            f"{row['k_to']:,}",
            f"{row['mean_ratio']:.3f}",
            f"{row['largest_ratio']:.3f}",
            f"{row['at_k']:,}",
            f"{row['mean_ratio_to_bound']:.4f}",
            f"{row['largest_ratio_to_bound']:.4f}",
            f"{row['bound_at_k']:,}",
            f"{100 * row['optimal_share']:.1f} %",
        ]
        for row in rows
    ]
    told = [f"- {row['file']}: {row['name']}: {_holds(row['holds'])}. {row['sentence']}" for row in found]
    return "\n".join([columns(lines, header, range(2, len(header))), "", "What the paper observed:", *told])


def _holds(holds: bool) -> str:
    return "holds" if holds else "does not hold"
