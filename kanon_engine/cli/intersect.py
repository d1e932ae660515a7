"""`kanon intersect`: what two releases of the same file tell together."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

import kanon_engine as kanon
from kanon_engine.cli.files import require_writable, text_writer, write_files
from kanon_engine.cli.reading import read_again
from kanon_engine.cli.standard import STANDARD, called, given
from kanon_engine.cli.summary import Format, as_json, columns
from kanon_engine.errors import InvalidInput
from kanon_engine.io.source import Source
from kanon_engine.release.spreadsheet import csv_text

MOST_SHOWN = 20


def run_intersect(
    first: Annotated[Path, typer.Argument(help="What --certificate wrote of one release.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="What it wrote of the other.", show_default=False)],
    file: Annotated[Path, typer.Argument(help="The file that both were made from.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(help="Write all cells as .csv (internal: it holds their counts).", show_default=False)
    ] = None,
    form: Annotated[Format, typer.Option("--format", help="How the result is printed.")] = Format.TABLE,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
    **files: Any,
) -> None:
    """Verify both certificates, then say which counts below k follow from both releases."""
    if out is not None:
        require_writable([out], [first, second, file, *files.values()], force)
    *claimed, source = given(first, second, file)
    one, other = (kanon.Generalization.from_json(Source.open(entry).data) for entry in claimed)
    instance = read_again(one.reading, source, files)
    kanon.verify(instance, one)
    if other.instance_digest != instance.digest:
        raise InvalidInput(f"{second.name} is of other data than {first.name}, or of the same read in another way.")
    kanon.verify(instance, other)
    found = kanon.intersect(instance, one, other)
    light = found.cells[found.cells["exposed"]].sort_values("weight", kind="stable")
    if out is not None:
        write_files({out: text_writer(lambda: csv_text(found.cells))})
    say = partial(typer.echo, err=out == STANDARD)
    if form is Format.JSON:
        rows = light.astype(object).where(light.notna(), None).to_dict(orient="records")
        told = {"k": found.k, "unit": found.unit, "cells": len(found.cells), "exact": found.exact}
        say(as_json(told | {"single": found.single, "sentence": found.sentence, "exposed": rows}))
    else:
        say(found.sentence)
        if len(light):
            say("\n" + _table(light.head(MOST_SHOWN)))
        if len(light) > MOST_SHOWN:
            say(f"… and {len(light) - MOST_SHOWN:,} more; --out writes all.")
        say("\nThree releases can tell more than any two of them.")
    if out is not None:
        typer.echo(f"Written: {called(out)} (internal). It holds the counts that must not leave.", err=True)


def _table(light: pd.DataFrame) -> str:
    shown = {"group": "group", "other_group": "of the other", "items": "items", "low": "least", "high": "most"}
    cells = light[list(shown)].astype(object)
    rows = [["left out" if pd.isna(end) else f"{end:,}" for end in row] for row in cells.to_numpy().tolist()]
    return columns(rows, list(shown.values()), range(len(shown)))
