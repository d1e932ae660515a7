"""`kanon intersect`: what two or more releases of the same file reveal together."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

import kanon_engine as kanon
from kanon_engine.cli.counting import Again, DryRun, Table
from kanon_engine.cli.files import STANDARD, announce_file, given, require_writable, write_files
from kanon_engine.cli.flags import argument, option
from kanon_engine.cli.reading import OpenedCertificate
from kanon_engine.cli.summary import Format, as_json, columns, records_of
from kanon_engine.disclosure.intersection import group_columns
from kanon_engine.errors import InvalidInput
from kanon_engine.io.names import column_list
from kanon_engine.release.formats import csv_text

MOST_SHOWN = 20
FEWEST = 3  # paths: two certificates and a file


def run_intersect(
    paths: Annotated[
        list[str],
        argument(
            "The certificates of two or more releases, then the data that all of them were made from: a file, or the "
            "place where the records are stored."
        ),
    ],
    out: Annotated[
        Path | None, option("Write a .csv of all intersections of groups, with their counts (internal).")
    ] = None,
    carry: Annotated[
        str | None,
        option("Second counts whose sums are published with each release, such as cases,births. Default: all."),
    ] = None,
    form: Annotated[Format, option("Output format of the result.", "--format")] = Format.TABLE,
    force: Annotated[bool, option("Overwrite an existing file.", "--force")] = False,
    records: Again = None,
    table: Table = None,
    dry_run: DryRun = False,
    **files: Any,
) -> None:
    """Verify all certificates, then report which counts below k the releases reveal together."""
    if len(paths) < FEWEST:
        raise InvalidInput("Give two or more certificates, followed by the file that they were made from.")
    require_writable([out], [*map(Path, paths), *files.values()], force)
    *claimed, source = given(*paths)
    claims = [OpenedCertificate.opened(entry, source, files, records, table) for entry in claimed]
    if dry_run:
        typer.echo(claims[0].sql())
        return
    instance, results = claims[0].instance(), [claim.g for claim in claims]
    for path, result in zip(paths, results, strict=False):
        if result is not results[0] and result.instance_digest != instance.digest:
            raise InvalidInput(
                f"{Path(path).name} is for different data than {Path(paths[0]).name}, or for the same data "
                "read in another way."
            )
        kanon.verify(instance, result)
    intersection = kanon.intersect(instance, *results, carry=None if carry is None else column_list(carry))
    light = intersection.cells[intersection.cells["exposed"]].sort_values("weight", kind="stable")
    write_files({out: lambda: csv_text(intersection.cells)})
    say = partial(typer.echo, err=out == STANDARD)
    if form is Format.JSON:
        summary = {
            "k": intersection.k,
            "unit": intersection.unit,
            "cells": len(intersection.cells),
            "exact": intersection.exact,
        }
        details = {"exposed": records_of(light), "counts": intersection.counts.to_dict(orient="records")}
        say(as_json(summary | {"single": intersection.single, "sentence": intersection.sentence, **details}))
    else:
        say(intersection.sentence)
        if len(light):
            say("\n" + _table(light.head(MOST_SHOWN), len(results)))
        if len(light) > MOST_SHOWN:
            say(f"… and {len(light) - MOST_SHOWN:,} more; --out writes all.")
        if len(intersection.counts) > 1:
            lines = intersection.counts[["count", "where", "low", "high"]].astype(str).to_numpy().tolist()
            say("\n" + columns(lines[:MOST_SHOWN], ["second count", "where", "at least", "at most"], (2, 3)))
        if len(results) < FEWEST:
            say("\nThree releases can reveal more than any two of them; give all releases.")
    announce_file(out, "(internal). This file holds the counts that must not be released.")


def _table(light: pd.DataFrame, releases: int) -> str:
    groups = [f"group in release {number}" for number in range(1, releases + 1)]
    titles = dict(zip(group_columns(releases), groups, strict=True))
    titles |= {"items": "items", "low": "at least", "high": "at most"}
    cells = light[list(titles)].astype(object)
    rows = [["left out" if pd.isna(end) else f"{end:,}" for end in row] for row in cells.to_numpy().tolist()]
    return columns(rows, list(titles.values()), range(len(titles)))
