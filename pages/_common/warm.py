"""The first search on a machine waits for its kernels to be compiled; begin with that before somebody asks."""

import subprocess
import sys
from pathlib import Path

import streamlit as st

_ENGINE = Path(__file__).parents[2] / "kanon_engine"
_SEARCH = """
import kanon_engine as kanon
square = kanon.Regions(range(4), [1, 1, 1, 1], [(0, 1), (1, 2), (2, 3), (0, 3)])
kanon.generalize(square, 2, "recombine")
"""


@st.cache_resource(show_spinner=False)
def compile_kernels() -> None:
    """Once a server: let another process compile the search for areas and keep it on disk, unless it is there."""
    if not any((_ENGINE / "regions" / "__pycache__").glob("recombine_kernels.*.nbi")):
        subprocess.Popen(
            [sys.executable, "-c", _SEARCH], cwd=_ENGINE.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
