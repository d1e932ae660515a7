"""The tabs above the stage, which say what it shows. The open one outlasts results, other pages and a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from pages._shared.link import begin, linked, one_of
from pages._shared.widgets import put_in_widget

COMPARE = "Compare"


def tabs_of(picture: str, *more: str) -> tuple[str, ...]:
    """The tabs of a page: its picture under the word for it, those that every page has, and those of its own."""
    return (picture, "What if", "How it works", COMPARE, "Groups", *more, "Publish")


def begin_tab(family: str, tabs: Sequence[str]) -> str:
    """The tab that is open: the first, unless the link says another; for the address bar."""
    known = {_in_link(tab): tab for tab in tabs}
    parse = one_of(known)
    first = COMPARE if linked(family, "compare") is not None else tabs[0]
    key = begin(family, "tab", first, lambda text: known[parse(text)], lambda tab: f"“{tab}”")
    return _in_link(st.session_state[key])


def is_open(family: str, tab: str) -> bool:
    """Whether the stage shows this."""
    return bool(st.session_state.get(f"{family}_tab") == tab)


def show_tabs(family: str, tabs: Sequence[str]) -> Sequence[Any]:
    """A container for each, the first open until another is; only the one that is open need be drawn."""
    # Streamlit forgets which tab is open when a page is drawn without a result, so the page keeps it.
    key, widget = f"{family}_tab", f"{family}_tabs"
    put_in_widget(widget, st.session_state.setdefault(key, tabs[0]))

    def follow() -> None:
        st.session_state[key] = st.session_state[widget]

    return st.tabs(tabs, key=widget, on_change=follow)


def _in_link(tab: str) -> str:
    return tab.lower().replace(" ", "-")
