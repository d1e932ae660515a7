"""`kanon lessons`: the lessons as one HTML file that needs no server and no network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kanon_engine.cli.files import require_writable, text_writer, write_files
from kanon_engine.cli.standard import STANDARD


def run_lessons(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The file to write; “-” is standard output.", show_default=True)
    ] = Path("lessons.html"),
    force: Annotated[bool, typer.Option("--force", help="Replace a file that exists.")] = False,
) -> None:
    """Build the lessons from the samples, and write them."""
    from kanon_engine.teaching.lessons import lessons, page_of

    require_writable([out], [], force)
    page = page_of(lessons())
    write_files({out: text_writer(lambda: page)})
    if out != STANDARD:
        typer.echo(f"Written: {out} ({len(page.encode()) / 1000:,.0f} kB)", err=True)
