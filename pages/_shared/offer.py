"""Choices that a person is asked to make, each a click."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kanon_engine.errors import Remedy
from kanon_engine.io.counts import ROWS
from pages._shared.wording import PICKED, escaped

MOST_BUTTONS = 8


def offer(key_of_file: str, parameter: str, choices: Sequence[str], words: str) -> None:
    """A button for each choice, a list where there are many; the file is read again with what is clicked."""
    key = f"{key_of_file}_choose_{parameter}"
    st.markdown(words if words.endswith("?") else f"{words}:")
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
    row = st.container(horizontal=True)
    for number, choice in enumerate(choices):
        row.button(
            _told(parameter, choice),
            key=f"{key}_{number}",
            on_click=take,
            args=(key_of_file, parameter, choice),
        )


def _told(parameter: str, choice: str) -> str:
    if parameter == "dates":  # COLUMN=FORMAT, the column as the question says
        return escaped(choice.rpartition("=")[2])
    return choice if choice == ROWS else PICKED.get((parameter, choice)) or f"column {escaped(choice)}"


def take(key_of_file: str, parameter: str, choice: str | None) -> None:
    """As if it had been picked under “Correct how it is read”."""
    if choice == ROWS and parameter == "repeated":  # which says what the counts are
        parameter = "counts_column"
    if choice is not None:
        st.session_state[f"{key_of_file}_{parameter}"] = choice


def offer_remedies(key_of_file: str, remedies: Sequence[Remedy]) -> None:
    """A button for each remedy that needs nothing else; the file is read again with what is clicked."""
    for number, remedy in enumerate(remedies):
        if remedy.parameter and remedy.value is not None:
            st.button(
                remedy.words.capitalize(),
                key=f"{key_of_file}_remedy_{number}",
                on_click=_follow,
                args=(key_of_file, remedy),
            )


def _follow(key_of_file: str, remedy: Remedy) -> None:
    ticked = remedy.value is True or (remedy.parameter, remedy.value) == ("unmatched", "drop")
    st.session_state[f"{key_of_file}_{remedy.parameter}"] = True if ticked else remedy.value
