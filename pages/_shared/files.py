"""A file that the user uploaded, for the whole visit: Streamlit forgets it when another page opens."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.folders import SAMPLES
from kanon_engine.io.limits import in_words
from kanon_engine.io.preview import sheets_of
from kanon_engine.plot.maps import Atlas
from pages._shared.widgets import put_in_widget
from pages._shared.wording import CONTROLS, escaped


def choose_upload(
    words: str, types: Collection[str], key: str, help: str, when_changed: Callable[[], object] | None = None
) -> tuple[str, bytes] | None:
    """Name and content of the chosen file; `when_changed` is called when it is chosen or removed."""
    uploaded = f"{key}_uploaded"

    def take() -> None:
        file = st.session_state.get(key)
        if file is None:
            st.session_state.pop(uploaded, None)
        else:
            st.session_state[uploaded] = file.name, file.getvalue()
        if when_changed is not None:
            when_changed()

    file = st.file_uploader(words, type=list(types), key=key, on_change=take, help=help)
    if file is None:
        st.caption(in_words(shapes="geojson" in types))
    if file is None and uploaded in st.session_state:
        name = st.session_state[uploaded][0]
        st.caption(f"{escaped(name)} is still loaded. A new file will replace it.")
        st.button(f"Forget {name}", icon=":material/close:", key=f"{key}_forget", on_click=take)
    return st.session_state.get(uploaded)


# ---------------------------------------------------------------------------------------------------------------------
# The sheet of a workbook to read, chosen if there are several.
# ---------------------------------------------------------------------------------------------------------------------


def choose_sheet(key: str, name: str, content: bytes, words: str = CONTROLS["sheet"]) -> str | None:
    """The sheet of an uploaded file, with a field to choose another; None if there is no choice.

    Parameters
    ----------
    key : The session key of the choice, which a project can set.
    name, content : Of the file.
    words : The label of the field.
    """
    sheet, field = chosen_sheet(key, name, content), f"{key}_field"
    if sheet is None:
        return None

    def follow() -> None:
        st.session_state[key] = st.session_state[field]

    put_in_widget(field, sheet)
    st.selectbox(words, sheets_in(name, content)[0], key=field, on_change=follow)
    return sheet


def sheet_key(family: str, digest: str) -> str:
    """The session key of the chosen sheet of a user's own file."""
    return f"{family}_{digest[:8]}_sheet"


def chosen_sheet(key: str, name: str, content: bytes) -> str | None:
    """The sheet that the user or a project chose, by name or number; otherwise the one that fits."""
    sheets, fitting = sheets_in(name, content)
    if len(sheets) < 2:
        return None
    chosen = st.session_state.get(key)
    return sheets[chosen - 1] if chosen == 1 else chosen if chosen in sheets else fitting


def sheets_in(name: str, content: bytes) -> tuple[tuple[str, ...], str]:
    """The sheets of a workbook and the one that fits; none for other kinds of file."""
    return _sheets(kanon.content_digest(data=content), name, content) if content.startswith(b"PK") else ((), "")


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _sheets(digest: str, name: str, _content: bytes) -> tuple[tuple[str, ...], str]:
    try:
        return sheets_of(_content, name)
    except kanon.KanonError:  # the reader says why
        return (), ""


# ---------------------------------------------------------------------------------------------------------------------
# The sample data that comes with kanon.
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """One entry of sample_data/catalog.json."""

    key: str  # short name for the address bar
    family: str
    title: str
    path: Path
    options: dict[str, Any]  # arguments of the family's reader
    k: int  # a k that makes an interesting picture
    source: str
    license: str


@cache
def samples(family: str) -> dict[str, Sample]:
    """The samples of a family by key, the default first."""
    entries = json.loads((SAMPLES / "catalog.json").read_text(encoding="utf-8"))
    return {
        entry["key"]: Sample(path=SAMPLES / entry["file"], **{name: entry[name] for name in entry if name != "file"})
        for entry in entries
        if entry["family"] == family
    }


def stored_answer(family: str, digest: str) -> kanon.Generalization | None:
    """What the default algorithm made of the sample with this digest, at its own k; its claims are not checked here."""
    return _stored_answers(family).get(digest)


@cache
def _stored_answers(family: str) -> dict[str, kanon.Generalization]:
    """The files that sample_data/make/answers.py wrote, by the digest of their instance."""
    paths = [SAMPLES / "answers" / f"{key}.json.gz" for key in samples(family)]
    every = [kanon.Generalization.from_json(gzip.decompress(path.read_bytes())) for path in paths if path.is_file()]
    return {g.instance_digest: g for g in every}


@cache
def atlas() -> Atlas:
    """Land, water, borders and places, for orientation on a map without a network."""
    return Atlas(SAMPLES / "atlas.npz")


@cache
def outlines() -> Any:
    """A GeoDataFrame of US states, for guessing where shapes without a coordinate system are."""
    import geopandas

    return geopandas.read_file(SAMPLES / "us_states.geojson")
