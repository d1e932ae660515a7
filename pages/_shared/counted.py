"""What of a person's own file was counted: said beside the sentence, changed with one click."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from kanon_engine.io.counted import ROWS
from kanon_engine.registry import family_named
from pages._shared.room import Room
from pages._shared.source import Data
from pages._shared.table_roles import open_editor
from pages._shared.wording import escaped

MOST_BUTTONS = 8


def show_counted(room: Room, data: Data) -> None:
    """One line: what was counted, and what could be counted instead."""
    counted = data.instance.counted
    if counted is None or not data.place:
        return
    words = f"Counted: {counted.words}."
    if room.columns is not None:
        words += f" Columns that could be linked: {', '.join(data.instance.quasi_identifiers)}."
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{room.family}_counted"):
        st.caption(escaped(words), width="content")
        if room.columns is not None:
            st.button("change", type="tertiary", key=f"{data.place}_change", on_click=open_editor, args=(data.place,))
        elif counted.choices:
            with st.popover(
                "change", type="tertiary", key=f"{data.place}_change_{counted.words}"
            ):  # a new one is closed
                offer(data.place, counted.parameter, counted.choices, "Count instead")
    if counted.doubt:
        st.warning(escaped(counted.doubt), icon=":material/warning:")


def show_asked(family: str) -> None:
    """The choices where a file could not be read because nobody can tell which column is meant."""
    asked = st.session_state.pop(f"{family}_asked", None)
    if asked is not None and asked[2]:
        place, parameter, choices = asked
        known = family_named(family).reader.parameter(parameter)
        offer(place, parameter, choices, (known and known.asked) or "Count")


def offer(place: str, parameter: str, choices: Sequence[str], words: str) -> None:
    """A button for each choice, a list where there are many; the file is read again with what is clicked."""
    key = f"{place}_choose_{parameter}"
    st.markdown(f"{words}:")
    if len(choices) > MOST_BUTTONS:
        st.selectbox(
            words,
            choices,
            index=None,
            key=key,
            label_visibility="collapsed",
            on_change=lambda: take(place, parameter, st.session_state[key]),
        )
        return
    for number, choice in enumerate(choices):
        st.button(
            choice if choice == ROWS else f"column {escaped(choice)}",
            key=f"{key}_{number}",
            on_click=take,
            args=(place, parameter, choice),
        )


def take(place: str, parameter: str, choice: str | None) -> None:
    """As if it had been picked under “Correct how it is read”."""
    if choice is not None:
        st.session_state[f"{place}_{parameter}"] = choice
