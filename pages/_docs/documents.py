"""The documents that can be shown: only the pages below docs/, whatever a link requests."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import streamlit as st
from streamlit import runtime

from kanon_engine.folders import DOCS
from pages._shared.link import address, write_link
from pages._shared.wording import escaped, shortened

PAGE = "page"  # its name in the address bar
_PIECES = re.compile(r"(?P<code>```.*?```|`[^`]*`)|\[(?P<words>[^\]]+)\]\((?P<target>[^)\s]+)\)", re.DOTALL)


@dataclass(frozen=True)
class Document:
    """A page of docs/."""

    name: str  # its path below docs/
    title: str  # its heading; for a proof, after the family
    path: Path

    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")


def documents(folder: Path = DOCS) -> dict[str, Document]:
    """Every document by its name, proofs last; empty if the folder does not exist."""
    home = folder.resolve()
    paths = [path for path in folder.rglob("*.md") if path.resolve().is_relative_to(home)]
    entries = [_document(path, path.relative_to(folder).as_posix()) for path in paths]
    return {one.name: one for one in sorted(entries, key=lambda one: (one.name.count("/"), one.title))}


def _document(path: Path, name: str) -> Document:
    with path.open(encoding="utf-8") as lines:
        heading = lines.readline().lstrip("#").strip()
    folder = posixpath.basename(posixpath.dirname(name))
    family = f"{folder.capitalize()}: " if name.count("/") > 1 else ""
    return Document(name, f"{family}{heading}" or name, path)


def with_links(text: str, name: str, names: Container[str]) -> str:
    """The text of a document: links to documents as the page follows them, links to other local files as plain words.

    >>> print(with_links("[a](../x.md#b), [c](https://d.org), [e](f.py), `[g](x.md)`", "proofs/y.md", {"x.md"}))
    [a](?page=x.md#b), [c](https://d.org), e, `[g](x.md)`
    """

    def piece(match: re.Match[str]) -> str:
        target = match["target"]
        if match["code"] or "://" in target or target.startswith("#"):
            return match[0]
        file, _, heading = target.partition("#")
        other = posixpath.normpath(posixpath.join(posixpath.dirname(name), file))
        if other not in names:
            return match["words"]
        return f"[{match['words']}](?{PAGE}={quote(other)}{'#' if heading else ''}{heading})"

    return _PIECES.sub(piece, text)


# ---------------------------------------------------------------------------------------------------------------------
# Choosing a document, reading it, and following its links.
# ---------------------------------------------------------------------------------------------------------------------


FIRST = "algorithms.md"
_FOLDER = Path(__file__).parent / "links_component"

_links = st.components.v2.component(
    "kanon_links",
    js=(_FOLDER / "links.js").read_text(encoding="utf-8"),
    css=(_FOLDER / "links.css").read_text(encoding="utf-8"),
    isolate_styles=False,  # the component styles the page's text and listens to its links
)


def choose_document(catalog: Mapping[str, Document]) -> Document:
    """The document in the address bar, the last one read, or the first; and a list to choose from."""
    first = FIRST if FIRST in catalog else next(iter(catalog))
    requested = address().get(PAGE, st.session_state.get("docs_page", first))
    if requested not in catalog:
        st.warning(f"There is no document “{escaped(shortened(requested))}”; choose one from the list.")
    name = requested if requested in catalog else first
    st.session_state["docs_page"] = st.session_state["docs_picked"] = name
    with st.container(key="documents"):
        st.selectbox(
            "Document",
            list(catalog),
            format_func=lambda one: catalog[one].title,
            key="docs_picked",
            on_change=lambda: _open(st.session_state["docs_picked"]),
        )
    write_link({PAGE: name})
    return catalog[name]


def show_document(document: Document, catalog: Mapping[str, Document]) -> None:
    """The text. A click on a link to another document shows it without stopping a running search."""
    with st.container(key="documentation"):
        st.markdown(with_links(document.text(), document.name, catalog))
    if not runtime.exists():  # a page run as a plain script has no browser to show it in
        return
    serial, heading = st.session_state.get("docs_opened", (0, ""))
    _links(key="docs_links", data={"serial": serial, "heading": heading}, on_opened_change=_follow)


def show_none() -> None:
    st.info("The documentation is not installed here; find it in the “docs” folder of kanon's source.")


def _follow() -> None:
    opened = st.session_state["docs_links"].opened
    if opened is not None:
        _open(str(opened["page"]), str(opened["heading"]))


def _open(name: str, heading: str = "") -> None:
    """Show this document from the start or from a heading."""
    write_link({PAGE: name})
    st.session_state["docs_opened"] = st.session_state.get("docs_opened", (0, ""))[0] + 1, heading
