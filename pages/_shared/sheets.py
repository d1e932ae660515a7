"""Which sheet of a workbook is read, chosen where there are several."""

from __future__ import annotations

import streamlit as st

import kanon_engine as kanon
from kanon_engine.io.preview import sheets_of
from pages._shared.widgets import put_in_widget
from pages._shared.wording import SHEET


def choose_sheet(key: str, name: str, content: bytes, words: str = SHEET) -> str | None:
    """The sheet of an uploaded file, with a field to choose another; None where there is no choice.

    Parameters
    ----------
    key : str
        The session's entry with the choice, which a project can set.
    name, content
        Of the file.
    words : str
        What the field is called.
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
    """The session's entry with the choice of the sheet of a person's own file."""
    return f"{family}_{digest[:8]}_sheet"


def chosen_sheet(key: str, name: str, content: bytes) -> str | None:
    """The sheet that a person or a project chose, by its name or its number; else the one that fits."""
    sheets, fitting = sheets_in(name, content)
    if len(sheets) < 2:
        return None
    chosen = st.session_state.get(key)
    return sheets[chosen - 1] if chosen == 1 else chosen if chosen in sheets else fitting


def sheets_in(name: str, content: bytes) -> tuple[tuple[str, ...], str]:
    """The sheets of a workbook and the one that fits; none of a file of another kind."""
    return _sheets(kanon.content_digest(data=content), name, content) if content.startswith(b"PK") else ((), "")


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _sheets(digest: str, name: str, _content: bytes) -> tuple[tuple[str, ...], str]:
    try:
        return sheets_of(_content, name)
    except kanon.KanonError:  # the reader says why
        return (), ""
