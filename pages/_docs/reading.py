"""Choosing a document, reading it, and following its links."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import streamlit as st
from streamlit import runtime

from pages._docs.documents import PAGE, Document, with_links
from pages._shared.link import address, write_link
from pages._shared.wording import escaped, shortened

FIRST = "algorithms.md"
_FOLDER = Path(__file__).parent / "links_component"

_links = st.components.v2.component(
    "kanon_links",
    js=(_FOLDER / "links.js").read_text(encoding="utf-8"),
    css=(_FOLDER / "links.css").read_text(encoding="utf-8"),
    isolate_styles=False,  # it is the page's text that is styled and listened to
)


def choose_document(known: Mapping[str, Document]) -> Document:
    """The document of the address bar, the one that was read last, or the first; and a list to choose from."""
    first = FIRST if FIRST in known else next(iter(known))
    asked = address().get(PAGE, st.session_state.get("docs_page", first))
    if asked not in known:
        st.warning(f"There is no document “{escaped(shortened(asked))}”; choose one from the list.")
    name = asked if asked in known else first
    st.session_state["docs_page"] = st.session_state["docs_picked"] = name
    with st.container(key="documents"):
        st.selectbox(
            "Document",
            list(known),
            format_func=lambda one: known[one].title,
            key="docs_picked",
            on_change=lambda: _open(st.session_state["docs_picked"]),
        )
    write_link({PAGE: name})
    return known[name]


def show_document(document: Document, known: Mapping[str, Document]) -> None:
    """The text. A click on a link to another document shows that one, and a search that runs goes on."""
    with st.container(key="documentation"):
        st.markdown(with_links(document.text(), document.name, known))
    if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
        return
    serial, heading = st.session_state.get("docs_opened", (0, ""))
    _links(key="docs_links", data={"serial": serial, "heading": heading}, on_opened_change=_follow)


def show_none() -> None:
    """Where kanon was installed without docs/."""
    st.info("The documentation is not installed here; it is in the folder docs of kanon's source.")


def _follow() -> None:
    opened = st.session_state["docs_links"].opened
    if opened is not None:
        _open(str(opened["page"]), str(opened["heading"]))


def _open(name: str, heading: str = "") -> None:
    """Show this document from its beginning, or from a heading."""
    write_link({PAGE: name})
    st.session_state["docs_opened"] = st.session_state.get("docs_opened", (0, ""))[0] + 1, heading
