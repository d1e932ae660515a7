"""A table that a person uploads to a review."""

from __future__ import annotations

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.io.frames import read_frame
from kanon_engine.io.source import Source
from pages._shared.entry import stop_page
from pages._shared.wording import escaped, on_page


def table_of(upload: tuple[str, bytes]) -> pd.DataFrame:
    """The table in a file of a person; where there is none, the page says why and stops."""
    try:
        return _read(kanon.content_digest(data=upload[1]), upload[0], upload[1])
    except kanon.KanonError as error:
        st.error(f"{escaped(upload[0])}: {on_page(error)}", icon=":material/error:")
        stop_page()


@st.cache_data(scope="session", max_entries=4, show_spinner="Reading the file …")
def _read(digest: str, name: str, _content: bytes) -> pd.DataFrame:
    return read_frame(Source.open(_content, name))[0]
