"""The tab "Released table": what leaves the house, to look at, and what it is still good for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.requirement import percent_up
from kanon_engine.tables.domain import plain_value
from kanon_engine.tables.instance import too_many
from kanon_engine.tables.release import kept_columns, released_frame
from kanon_engine.tables.words import value_words
from pages._shared.wording import escaped
from pages._tables.utility import show_utility

ROWS, BEFORE_AND_AFTER = "Rows", "Before and after"
MOST_ROWS = 10_000  # that are sent to a browser at a time
MOST_CHOICES = 300  # words of a column among which one picks; of more one writes a part


def show_released(table: kanon.Table, g: kanon.Generalization) -> None:
    """The rows, or what is lost."""
    if why := too_many(table):
        st.info(escaped(why), icon=":material/info:")
        return
    view = st.segmented_control(
        "Show",
        [ROWS, BEFORE_AND_AFTER],
        default=ROWS,
        required=True,
        key="tables_released_view",
        label_visibility="collapsed",
        persist_state="session",
    )
    if view == ROWS:
        _show_rows(table, g)
    else:
        show_utility(table, g)


def _show_rows(table: kanon.Table, g: kanon.Generalization) -> None:
    """All rows of the release, or those that one asks for, and how many there are."""
    frame = _released(g.digest, tuple(kept_columns(table)), table, g)
    missing = table.total - len(frame)
    left_out = f"{missing:,} are left out ({percent_up(missing / table.total)})" if missing else "none is left out"
    words, button, number = st.columns([6, 2, 2], vertical_alignment="center")
    words.markdown(
        f"{len(frame):,} of {table.total:,} {escaped(table.unit)} are released, {left_out}. They are sorted by what "
        "they show; nothing is left of the order in which they came."
    )
    with button.popover("Pick rows", width="stretch"):
        there = _picked(frame)
    if not there.all():
        st.caption(f"{there.sum():,} of these {len(frame):,} show what you picked.")
        frame = frame[there]
    pages = -(-len(frame) // MOST_ROWS)
    first = 0
    if pages > 1:
        help = f"{MOST_ROWS:,} rows each"
        page = number.number_input(f"Page of {pages:,}", 1, pages, key="tables_release_page", help=help)
        first = (int(page) - 1) * MOST_ROWS
    st.dataframe(frame.iloc[first : first + MOST_ROWS], hide_index=True, key="tables_release", alt="The released rows")


def _picked(frame: pd.DataFrame) -> np.ndarray:
    """Which rows show what a person picks in each column."""
    there = np.ones(len(frame), dtype=bool)
    for place, name in enumerate(frame.columns):
        key = f"tables_pick_{place}_{name}"
        codes, values = pd.factorize(frame[name], use_na_sentinel=False)
        words = [value_words(plain_value(value)) for value in values]
        if len(words) > MOST_CHOICES:
            part = st.text_input(f"{escaped(name)} has in it", key=key).strip().lower()
            fits = np.array([part in word.lower() for word in words])
        else:
            shown = list(dict.fromkeys(words))
            st.session_state[key] = [word for word in st.session_state.get(key, ()) if word in shown]
            chosen = st.multiselect(f"{escaped(name)} is", shown, key=key, placeholder="anything")
            fits = np.array([not chosen or word in chosen for word in words])
        if len(fits):
            there &= fits[codes]
    return there


@st.cache_data(scope="session", max_entries=4, show_spinner="Making the release …")
def _released(digest: str, kept: tuple[str, ...], _table: kanon.Table, _g: kanon.Generalization) -> pd.DataFrame:
    return released_frame(_table, _g, kept)
