"""Groups that are to stay as they are: nothing is moved into or out of them, and the next search keeps them."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from pages._shared.records import Data
from pages._shared.wording import escaped

Sets = tuple[tuple[Any, ...], ...]


def locks(data: Data) -> Sets:
    """The ids of the areas of each locked group."""
    found: Sets = st.session_state.get(f"{data.rules}_locks", ())
    return found


def held(data: Data) -> Sets:
    """Those that the search keeps: all that were locked when it was last asked for."""
    found: Sets = st.session_state.get(f"{data.rules}_held", ())
    return found


def lock(data: Data, members: tuple[Any, ...]) -> None:
    _put(data, "locks", (*locks(data), members))


def unlock(data: Data, members: tuple[Any, ...]) -> None:
    """Let it change; a search that kept it is not asked for any more."""
    for name, sets in (("locks", locks(data)), ("held", held(data))):
        _put(data, name, tuple(own for own in sets if own != members))


def search_keeping(data: Data) -> None:
    """The next search keeps all that is locked now."""
    _put(data, "held", locks(data))


def put_locks(data: Data, sets: Sets, kept: Sets) -> None:
    """Exactly these are locked, and the search keeps some of them."""
    _put(data, "locks", sets)
    _put(data, "held", kept)


def locked_groups(data: Data, g: kanon.Generalization) -> set[int]:
    """The numbers of the groups that are locked."""
    regions, found = data.instance, set()
    for members in locks(data):
        own = g.assignment == g.assignment[regions.place_of[members[0]]]
        if tuple(regions.ids[own].tolist()) == members:
            found.add(int(g.assignment[regions.place_of[members[0]]]))
    return found


def show_locks(data: Data) -> None:
    """A row for each locked group, with a button that unlocks it."""
    regions = data.instance
    for number, members in enumerate(locks(data)):
        words, button = st.columns([4, 1], vertical_alignment="center", gap="small")
        told = regions.listing(regions.places([members])[0])
        words.caption(f"Locked: {escaped(told)}")
        button.button("✕", key=f"{data.rules}_unlock_{number}", help="Unlock it", on_click=unlock, args=(data, members))


def _put(data: Data, name: str, sets: Sets) -> None:
    st.session_state[f"{data.rules}_{name}"] = sets
