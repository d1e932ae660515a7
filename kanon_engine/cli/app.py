"""`kanon app`: the pages in a browser."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import typer

from kanon_engine.errors import InvalidInput
from kanon_engine.folders import APP, open_app
from kanon_engine.model.known import FAMILIES


def run_app(context: typer.Context) -> None:
    """Replace this process with streamlit, running app.py with the other arguments."""
    if not (APP / "app.py").is_file():
        raise InvalidInput(f"There is no app.py in {APP}; install kanon again.")
    raise typer.Exit(open_app(context.args))


# ---------------------------------------------------------------------------------------------------------------------
# `kanon warm`: compile all kernels, for an installation that several people will use.
# ---------------------------------------------------------------------------------------------------------------------


def run_warm() -> None:
    """Compile each family in its own process, as many at a time as there are cores."""
    from kanon_engine.cli.compile import warm

    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        names = sorted(FAMILIES, reverse=True)  # tables first, because they take longest
        futures = {pool.submit(warm, name): name for name in names}
        for done in as_completed(futures):
            done.result()
            typer.echo(f"Compiled: {futures[done]}", err=True)
    typer.echo(
        "kanon's code is compiled for this processor and these versions of kanon, Python and the compiler numba; a "
        "change to any of these makes kanon compile its code again.",
        err=True,
    )
