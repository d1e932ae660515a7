"""What later pages need, made ready while the first one is looked at: their imports, and compiled kernels."""

from __future__ import annotations

import ast
import os
import sys
from importlib import import_module
from subprocess import DEVNULL, PIPE, Popen
from threading import Thread

import streamlit as st

from kanon_engine.folders import APP


@st.cache_resource(show_spinner=False)
def prepare() -> Thread:
    """Begin it, once for the server; it ends with the server."""
    thread = Thread(target=_prepare, name="prepare pages", daemon=True)
    thread.start()
    return thread


def _prepare() -> None:
    import_all()
    if os.environ.get("KANON_COMPILE") != "0":
        compile_all()


def import_all() -> None:
    """Import what each page imports: a click then does not wait for it."""
    for page in sorted((APP / "pages").glob("*.py")):
        for statement in ast.parse(page.read_text("utf-8")).body:
            if isinstance(statement, ast.ImportFrom) and statement.module:
                import_module(statement.module)


def compile_all() -> None:
    """Compile the kernels on one core at the lowest priority, unless they are compiled."""
    from kanon_engine.kernel_cache import uncompiled

    if uncompiled():
        command = [sys.executable, "-m", "kanon_engine.cli.compile"]
        with Popen(command, cwd=APP, stdin=PIPE, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True) as process:
            if hasattr(os, "setpriority"):
                os.setpriority(os.PRIO_PROCESS, process.pid, 19)
            process.wait()
