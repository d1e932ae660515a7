"""The location of the app, its documents and its samples: in a checkout next to the engine, in a wheel inside it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_ENGINE = Path(__file__).parent
_PACKED = _ENGINE / "_app"
APP = _PACKED if (_PACKED / "app.py").is_file() else _ENGINE.parent  # with app.py, pages, docs and sample_data
DOCS = APP / "docs"
SAMPLES = APP / "sample_data"
KERNELS = _ENGINE / "_kernels"  # the compiled kernels that came with a wheel


def open_app(arguments: list[str]) -> int:
    """Replace this process with streamlit running app.py; if that is not possible, run it and return its exit code."""
    os.chdir(APP)  # where streamlit looks for its settings
    command = [sys.executable, "-m", "streamlit", "run", "app.py", *arguments]
    if os.name == "posix":
        os.execv(sys.executable, command)  # signals then reach streamlit itself
    return subprocess.run(command, check=False).returncode
