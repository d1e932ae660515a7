"""The tab "Download": files that are made when they are asked for."""

from __future__ import annotations

from typing import Any

import streamlit as st

from kanon_engine import Generalization
from kanon_engine.publication import Output, outputs
from pages._common.room import Room
from pages._common.sentence import NOT_ANONYMOUS

FORMULAS = (
    "In CSV files, text that a spreadsheet would take for a formula (it begins with =, +, − or @) has an apostrophe in "
    "front. Numbers stay numbers."
)


def show_downloads(room: Room, instance: Any, g: Generalization) -> None:
    """A button a file, each with what is in it and what is not; what may be published first."""
    files = outputs(instance, g, **room.surroundings(instance))
    if g.status == "relaxed":
        st.error(f"**{NOT_ANONYMOUS}**", icon=":material/block:")
    for title, publishable in (("May be published", True), ("Stays inside", False)):
        mine = [file for file in files if file.publishable == publishable]
        if mine:
            st.markdown(f"##### {title}")
            for file in mine:
                _row(room, g, file)
    st.caption(FORMULAS)


def _row(room: Room, g: Generalization, file: Output) -> None:
    left, right = st.columns([1, 3], vertical_alignment="center")
    left.download_button(
        file.label,
        file.make,
        f"kanon-{room.family}-k{g.k}-{file.ending}",
        file.mime,
        key=f"{room.family}_{file.label}",
        on_click="ignore",
        width="stretch",
    )
    right.markdown(file.contents)
