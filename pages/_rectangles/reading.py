"""How a person's own file of points is read."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.project import Project
from pages._shared.reading_steps import Step, show_reading
from pages._shared.records import File
from pages._shared.widgets import (
    forget_unknown,
    given,
    pick_column,
    pick_counts,
    pick_unit,
    picked_column,
    picked_counts,
    picked_text,
)
from pages._shared.wording import DROP_POSITIONS, FILE_SYSTEM, WEIGHT, escaped

UNASKED = ("id", "layer")  # of the reader's parameters


def chosen_reading(file: File) -> dict[str, Any]:
    """The reader's arguments that a person chose in the steps; all else the reader guesses."""
    if file.rows is None:
        return {}
    key, state = file.key, st.session_state
    project = state.get(f"{key}_project", "none")
    if project == "other":
        project = picked_text(f"{key}_system") or "none"
    return given(
        x=picked_column(f"{key}_x", file.columns),
        y=picked_column(f"{key}_y", file.columns),
        drop_bad=bool(state.get(f"{key}_drop_bad")),
        unit=picked_text(f"{key}_unit"),
        crs=picked_text(f"{key}_crs"),
        project=None if project == "none" else project,
    ) | picked_counts(key, "weight", file.columns)


def restore_reading(file: File, project: Project) -> None:
    """What a project says of the reading in other words than the widgets."""
    st.session_state.pop("rectangles_suggested", None)  # the grid is the project's
    if file.key:
        system = project.reading.get("project")
        known = {None: "none", "utm": "utm"}
        st.session_state[f"{file.key}_project"] = known.get(system, "other")
        if system not in known:
            st.session_state[f"{file.key}_system"] = system


def show_steps(file: File, points: kanon.Points | None, error: kanon.KanonError | None) -> None:
    """How a file of points is read, in steps."""
    if file.rows is not None:
        words = "" if points is None else f"{file.words} · {points.notes[0].rstrip('.')}"
        show_reading(file, points, error, STEPS, words)


def _choose_position(file: File, points: kanon.Points | None, seen: bool) -> None:
    key = file.key
    left, right = st.columns(2)
    for name in ("x", "y"):
        forget_unknown(f"{key}_{name}", file.columns)
    with left:
        pick_column("Longitude or x", file.columns, f"{key}_x", "The column with the east-west coordinate.")
        pick_column("Latitude or y", file.columns, f"{key}_y", "The column with the north-south coordinate.")
        st.checkbox(DROP_POSITIONS, key=f"{key}_drop_bad", persist_state="session")
    right.dataframe(file.rows, hide_index=True, height=220)


def _choose_counts(file: File, points: kanon.Points | None, seen: bool) -> None:
    left, right = st.columns(2)
    forget_unknown(f"{file.key}_weight", file.columns)
    with left:
        pick_counts(WEIGHT, file.columns, file.key, "weight", "How many records a point stands for.")
        pick_unit(file.key)
    with right:
        for note in () if points is None else points.notes[:6]:
            st.caption(escaped(note))


def _choose_place(file: File, points: kanon.Points | None, seen: bool) -> None:
    """Where the points lie, and which coordinate system rectangles are cut in."""
    key = file.key
    left, right = st.columns(2)
    left.text_input(
        FILE_SYSTEM,
        placeholder="as the file says",
        key=f"{key}_crs",
        help="Needed where the file does not say it: EPSG:4326 is longitude and latitude.",
        persist_state="session",
    )
    words = {"none": "as they are", "utm": "metres (best UTM zone)", "other": "another system …"}
    with right:
        picked = st.selectbox(
            "Cut the coordinates",
            list(words),
            format_func=words.__getitem__,
            key=f"{key}_project",
            help="Rectangles of longitude and latitude get narrower towards the poles; in metres they are true "
            "rectangles. Downloaded shapes are longitude and latitude all the same.",
            persist_state="session",
        )
        if picked == "other":
            st.text_input(
                "Coordinate system to cut in",
                key=f"{key}_system",
                placeholder="EPSG:3857",
                help="Its EPSG code, as EPSG:5070 for the United States or EPSG:3035 for Europe.",
                persist_state="session",
            )


STEPS = (
    Step("1 Position", ("x", "y", "drop_bad"), _choose_position),
    Step("2 Counts", ("weight", "per_record", "unit"), _choose_counts),
    Step("3 Place", ("crs", "project"), _choose_place),
)
