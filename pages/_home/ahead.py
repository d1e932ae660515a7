"""What the other pages import, imported while the first one is looked at: a click then does not wait for it."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path
from threading import Thread

import streamlit as st

PAGES = Path(__file__).parents[1]


@st.cache_resource(show_spinner=False)
def import_ahead() -> Thread:
    """Begin it, once for the server; it ends with the server."""
    thread = Thread(target=_import_all, name="import ahead", daemon=True)
    thread.start()
    return thread


def _import_all() -> None:
    for page in sorted(PAGES.glob("*.py")):
        for statement in ast.parse(page.read_text("utf-8")).body:
            if isinstance(statement, ast.ImportFrom) and statement.module:
                import_module(statement.module)
