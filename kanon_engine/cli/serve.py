"""`kanon app`: the pages in a browser."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import typer

from kanon_engine.errors import InvalidInput

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
