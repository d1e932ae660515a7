"""The tab "Released table": what leaves the house, to look at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.tables.release import kept_columns, released_frame
from pages._shared.headline import percent
from pages._shared.wording import escaped

SAMPLE_ROWS = 200


def show_released(table: kanon.Table, g: kanon.Generalization) -> None:
    """Some rows of the release, and how many there are."""
    frame = _released(g.digest, table, g)
    missing = len(table) - len(frame)
    left_out = f"{missing:,} are left out ({percent(missing / len(table))})" if missing else "none is left out"
    rows = np.unique(np.linspace(0, len(frame) - 1, min(SAMPLE_ROWS, len(frame))).round().astype(int))
    which = "All of them" if len(rows) == len(frame) else f"{len(rows):,} of them"
    st.markdown(
        f"{len(frame):,} of {len(table):,} {escaped(table.unit)} are released, {left_out}. {which}, sorted by what "
        "they show; nothing of the order of the file is left."
    )
    st.dataframe(frame.iloc[rows], hide_index=True, key="tables_release", alt="A sample of the released rows")


@st.cache_data(scope="session", max_entries=4, show_spinner="Making the release …")
def _released(digest: str, _table: kanon.Table, _g: kanon.Generalization) -> pd.DataFrame:
    return released_frame(_table, _g, kept_columns(_table))
