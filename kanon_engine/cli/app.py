"""`kanon app`: the pages in a browser."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path

import typer

from kanon_engine.errors import InvalidInput
from kanon_engine.model.known import FAMILIES

CHECKOUT = Path(__file__).parents[2]


def run_app(context: typer.Context) -> None:
    """Become streamlit, with app.py and the further arguments."""
    places = (place for place in (CHECKOUT, Path.cwd()) if (place / "app.py").is_file())
    folder = next((place for place in places if (place / "pages" / "_shared").is_dir()), None)
    if folder is None:
        raise InvalidInput(
            f"There is no app.py with its pages in {CHECKOUT}; they come with kanon's source code and not with the "
            f"installed package, so run kanon app in a checkout."
        )
    os.chdir(folder)  # where streamlit looks for its settings
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *context.args]
    if os.name == "posix":
        os.execv(sys.executable, command)  # signals then reach streamlit itself
    else:
        raise typer.Exit(subprocess.run(command, check=False).returncode)


# ---------------------------------------------------------------------------------------------------------------------
# `kanon warm`: compile all kernels, for an installation that several people will use.
# ---------------------------------------------------------------------------------------------------------------------


def run_warm() -> None:
    """Compile in one process a family, as many at a time as there are cores."""
    from kanon_engine.cli.compile import warm

    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn")) as pool:
        names = sorted(FAMILIES, reverse=True)  # tables first, which take longest
        begun = {pool.submit(warm, name): name for name in names}
        for done in as_completed(begun):
            done.result()
            typer.echo(f"Compiled: {begun[done]}", err=True)
    typer.echo(
        "All kernels are compiled, for this processor, kanon, Python and numba; with another of these it is done anew.",
        err=True,
    )
