"""Small widgets that several pages use."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from kanon_engine.io.counts import ROWS

GUESS = "guess from the names"


def put_in_widget(key: str, value: Any) -> None:
    """Give a widget of Streamlit the page's value, unless it has it.

    A value that is given is sent to the browser, where it takes the place of what a person enters at that moment.
    """
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def pick_column(
    words: str, columns: list[str], key: str, help: str, none: str = GUESS, shown: Callable[[str], str] = str
) -> str | None:
    """A column, or None for the first choice."""
    picked = st.selectbox(words, [none, *columns], format_func=shown, key=key, help=help, persist_state="session")
    return None if picked == none else picked


def pick_counts(words: str, columns: list[str], key: str, parameter: str, help: str) -> dict[str, Any]:
    """The column of counts, or that each row is one record; nothing for the first choice, a guess."""
    picked = st.selectbox(words, [GUESS, ROWS, *columns], key=f"{key}_{parameter}", help=help, persist_state="session")
    return {} if picked == GUESS else {"per_record": True} if picked == ROWS else {parameter: picked}


def picked_column(key: str, columns: list[str]) -> str | None:
    """What was picked there, if the file has such a column."""
    picked = st.session_state.get(key)
    return picked if picked in columns else None


def picked_counts(key: str, parameter: str, columns: list[str]) -> dict[str, Any]:
    """What was picked by `pick_counts`, for the reader."""
    if st.session_state.get(f"{key}_{parameter}") == ROWS:
        return {"per_record": True}
    return given(**{parameter: picked_column(f"{key}_{parameter}", columns)})


def picked_text(key: str) -> str | None:
    """What was typed there."""
    return (st.session_state.get(key) or "").strip() or None


def forget_unknown(key: str, choices: Iterable[str]) -> None:
    """A project can name columns that this file does not have."""
    if st.session_state.get(key) not in {None, GUESS, ROWS, *choices}:
        del st.session_state[key]


def pick_tiles(key: str) -> bool:
    """Whether the map may fetch a background from the network; off until the person turns it on."""
    return st.toggle(
        "Street map behind",
        key=f"{key}_tiles",
        help="Off: nothing leaves this machine. On: the browser fetches map tiles from openstreetmap.org, which then "
        "learns your network address and which part of the world you look at.",
    )


def pick_colours(family: str) -> str:
    """Whether the colours tell groups apart, or say how full they are."""
    return st.radio(
        "Colour by",
        ["group", "fullness"],
        format_func={"group": "group (neighbours differ)", "fullness": "size ÷ k"}.__getitem__,
        key=f"{family}_colour",
        persist_state="session",
    )


def given(**settings: Any) -> dict[str, Any]:
    """The settings that are not None."""
    return {name: value for name, value in settings.items() if value is not None}


def pick_unit(key: str) -> str | None:
    """What the counts count, or None where the reader shall say."""
    help = "The word that sentences and pictures use: people, births, patients …"
    words = "What is counted"
    text = st.text_input(
        words, placeholder="as the column is called", key=f"{key}_unit", help=help, persist_state="session"
    )
    return text.strip() or None
