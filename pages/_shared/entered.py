"""What a person enters in a component of the page: heard once, and never answered by what stood there before.

A widget of Streamlit holds a state of its own in the browser and sends it along with every run of the page, also with
runs that a timer asked for. So a value that the page sets can be answered by the one that stood there before. Here the
value is the page's alone: the browser shows it, and tells what a person entered, once.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

ENTRIES = Path(__file__).with_name("entered.js")


def component(name: str, folder: Path) -> Callable[..., Any]:
    """A component from ``folder/name.js`` and ``folder/name.css``, whose script can use `Entries`."""
    scripts = (ENTRIES, folder / f"{name}.js")
    return st.components.v2.component(
        f"kanon_{name}",
        js="\n".join(script.read_text(encoding="utf-8") for script in scripts),
        css=(folder / f"{name}.css").read_text(encoding="utf-8"),
    )


def hearing(key: str, scope: str = "") -> dict[str, Any]:
    """What the browser must know to tell an answer from what was said before.

    Parameters
    ----------
    key : str
        The component's.
    scope : str
        The session's entry that tells one set of data from the next: what was entered for the one before is dropped.
    """
    heard = {"visit": _visit(), "serial": st.session_state.get(f"{key}_heard", 0)}
    return {"key": key, "scope": _value(scope), "heard": heard}


def listener(key: str, take: Callable[[str], None], scope: str = "") -> Callable[[], None]:
    """Streamlit calls it when the component of this key tells something."""

    def listen() -> None:
        event = st.session_state[key].entered
        if event is None:
            return
        st.session_state[f"{key}_heard"] = event["serial"]
        if event["scope"] == _value(scope):
            take(event["text"])

    return listen


def _value(scope: str) -> str:
    return str(st.session_state.get(scope, "")) if scope else ""


def _visit() -> str:
    """Another one after a reload: then the browser's count begins anew."""
    found: str = st.session_state.setdefault("_visit", secrets.token_hex(4))
    return found
