"""Choices that a person is asked to make, each a click."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kanon_engine.io.counted import ROWS
from pages._shared.wording import escaped

MOST_BUTTONS = 8


def offer(key_of_file: str, parameter: str, choices: Sequence[str], words: str) -> None:
    """A button for each choice, a list where there are many; the file is read again with what is clicked."""
    key = f"{key_of_file}_choose_{parameter}"
    st.markdown(f"{words}:")
    if len(choices) > MOST_BUTTONS:
        st.selectbox(
            words,
            choices,
            index=None,
            key=key,
            label_visibility="collapsed",
            on_change=lambda: take(key_of_file, parameter, st.session_state[key]),
        )
        return
    for number, choice in enumerate(choices):
        st.button(
            choice if choice == ROWS else f"column {escaped(choice)}",
            key=f"{key}_{number}",
            on_click=take,
            args=(key_of_file, parameter, choice),
        )


def take(key_of_file: str, parameter: str, choice: str | None) -> None:
    """As if it had been picked under “Correct how it is read”."""
    if choice is not None:
        st.session_state[f"{key_of_file}_{parameter}"] = choice
