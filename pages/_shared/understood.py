"""What was understood of the data, and what was counted in a person's own file."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages._shared.offer import offer
from pages._shared.records import Data
from pages._shared.wording import escaped


def show_understood(data: Data, more: Callable[[], object] = lambda: None) -> None:
    """What was understood of the data and what was odd, with what `more` draws."""
    with st.expander("What was understood"):
        for note in data.instance.notes:
            st.markdown(f"- {escaped(note)}")
        st.caption(data.origin)
        more()


def show_counted(data: Data) -> None:
    """What was counted in a person's own file, changed with one click."""
    counted = data.instance.counted
    if counted is None or not data.key:
        return
    line = counted_line(data.family, f"Counted: {counted.words}.")
    if counted.choices:  # a popover with another key is a closed one
        with line.popover("change", type="tertiary", key=f"{data.key}_change_{counted.words}"):
            offer(data.key, counted.parameter, counted.choices, "Count instead")
    if counted.doubt:
        st.warning(escaped(counted.doubt), icon=":material/warning:")


def counted_line(family: str, words: str) -> DeltaGenerator:
    """A line that begins with these words, with space for a button behind them."""
    line = st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{family}_counted")
    line.caption(escaped(words), width="content")
    return line
