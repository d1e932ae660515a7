"""How a person's own file of points is read."""

from __future__ import annotations

from typing import Any

import streamlit as st

from kanon_engine.project import Project
from pages._shared.data import reading_expander
from pages._shared.records import File
from pages._shared.widgets import given, pick_column, pick_counts, pick_unit
from pages._shared.wording import DROP_POSITIONS, FILE_SYSTEM, WEIGHT

UNASKED = ("id", "layer")  # of the reader's parameters


def choose_reading(file: File) -> dict[str, Any]:
    """Widgets for the reader's arguments, which it guesses where a person says nothing."""
    if file.rows is None:
        return {}
    key = file.key
    with reading_expander(file):
        x = pick_column("Longitude or x", file.columns, f"{key}_x", "The column with the east-west coordinate.")
        y = pick_column("Latitude or y", file.columns, f"{key}_y", "The column with the north-south coordinate.")
        help = "How many records a point stands for."
        counts = pick_counts(WEIGHT, file.columns, key, "weight", help)
        drop = st.checkbox(DROP_POSITIONS, key=f"{key}_drop_bad", persist_state="session")
        crs = st.text_input(
            FILE_SYSTEM,
            placeholder="as the file says",
            key=f"{key}_crs",
            help="Needed where the file does not say it: EPSG:4326 is longitude and latitude.",
            persist_state="session",
        )
        settings = given(x=x, y=y, drop_bad=drop, unit=pick_unit(key), crs=crs.strip() or None)
        return settings | counts | _choose_projection(key)


def restore_reading(file: File, project: Project) -> None:
    """What a project says of the reading in other words than the widgets."""
    st.session_state.pop("rectangles_suggested", None)  # the grid is the project's
    if file.key:
        system = project.reading.get("project")
        known = {None: "none", "utm": "utm"}
        st.session_state[f"{file.key}_project"] = known.get(system, "other")
        if system not in known:
            st.session_state[f"{file.key}_system"] = system


def _choose_projection(key: str) -> dict[str, Any]:
    """Which coordinate system rectangles are cut in."""
    words = {"none": "as they are", "utm": "metres (best UTM zone)", "other": "another system …"}
    picked = st.selectbox(
        "Cut the coordinates",
        list(words),
        format_func=words.__getitem__,
        key=f"{key}_project",
        help="Rectangles of longitude and latitude get narrower towards the poles; in metres they are true rectangles. "
        "Downloaded shapes are longitude and latitude all the same.",
        persist_state="session",
    )
    if picked != "other":
        return {} if picked == "none" else {"project": picked}
    help = "Its EPSG code, as EPSG:5070 for the United States or EPSG:3035 for Europe."
    text = st.text_input("Coordinate system to cut in", "EPSG:3857", key=f"{key}_system", help=help)
    return given(project=text.strip() or None)
