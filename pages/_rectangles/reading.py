"""How a user's own file of points is read."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.words import counted
from kanon_engine.project import Project
from kanon_engine.rectangles.kd_tree import suggested_snap
from kanon_engine.rectangles.plot import neighbors
from kanon_engine.rectangles.read import study_area
from kanon_engine.rectangles.snap import SNAP
from pages._shared.controls import begin_option
from pages._shared.files import choose_upload
from pages._shared.form import Control, Form, ReadingStep, counts_step, rows, show_notes
from pages._shared.records import File
from pages._shared.tasks import once
from pages._shared.widgets import begin_number, pick_colors, pick_tiles
from pages._shared.wording import on_page

AS_THEY_ARE, OTHER = "none", "other"
PROJECT = Control(
    "project",
    "Coordinates used for the cuts",
    "Rectangles of longitude and latitude get narrower toward the poles; in meters they are true rectangles. "
    "Downloaded shapes always use longitude and latitude.",
    "choice",
    ((AS_THEY_ARE, "as they are"), ("utm", "meters (best zone of the UTM map grid)"), (OTHER, "another system …")),
    AS_THEY_ARE,
)
SYSTEM = Control(
    "system",
    "Coordinate system for the cuts",
    "Its EPSG code, such as EPSG:5070 for the United States or EPSG:3035 for Europe.",
    "text",
    example="EPSG:3857",
)


def _coordinate_system(file: File) -> dict[str, Any]:
    """The coordinate system typed in, if none of the list is picked."""
    if PROJECT.value(f"{file.key}_project") != OTHER:
        return {}
    return {"project": SYSTEM.value(f"{file.key}_system")}


def restore_reading(file: File, project: Project) -> None:
    """Reading settings that a project spells differently from the widgets."""
    st.session_state.pop("rectangles_suggested", None)  # the grid is the project's
    system = project.reading.get("project")
    if file.key and system not in (None, "utm"):
        st.session_state[f"{file.key}_project"], st.session_state[f"{file.key}_system"] = OTHER, system


def _choose_system(file: File, points: Any) -> None:
    if PROJECT.value(f"{file.key}_project") == OTHER:
        SYSTEM.draw(f"{file.key}_system")


FORM = Form(
    (
        ReadingStep(
            "1: Position",
            (
                Control("x", "Longitude or x", "The column with the east-west coordinate."),
                Control("y", "Latitude or y", "The column with the north-south coordinate."),
                Control("drop_bad", kind="flag"),
            ),
            beside=rows(220),
        ),
        counts_step("2: Counts", "weight", "How many records a point represents.", show_notes),
        ReadingStep(
            "3: Place",
            (
                Control(
                    "crs",
                    help="Needed if the file does not state it. EPSG:4326 is longitude and latitude.",
                    kind="text",
                    example="as stated in the file",
                ),
            ),
            (PROJECT,),
            _choose_system,
        ),
    ),
    more=_coordinate_system,
    unasked=("id", "layer"),
)


# ---------------------------------------------------------------------------------------------------------------------
# Options of the map of rectangles.
# ---------------------------------------------------------------------------------------------------------------------


WITH_GRID = "Sides lie at multiples of {:.10g}; no side touches a point."
WHY_GRID = (
    "A side through a point would reveal the point's exact coordinate. The outer sides still reveal the outermost "
    "points to within one grid step. For the guarantee above, points that no grid line separates are treated as one "
    "place. Set the step with “Snap” under Options."
)
WITHOUT_GRID = (
    "Snap is off: the outer sides are the exact coordinates of the outermost points, and inner sides may lie halfway "
    "between two points. Set “Snap” under Options before you release anything."
)
AREA = "Study area (optional)"
AREA_TYPES = ("geojson", "json", "gpkg", "fgb", "topojson", "zip", "parquet")
AREA_HELP = "A polygon that clips the drawn rectangles. The groups stay whole rectangles."


def choose_layers() -> dict[str, Any]:
    """A study area, read by `study_area_of`, and widgets for arguments of `rectangles_figure`."""
    snap = st.session_state.get("rectangles_snap")
    if snap is None:
        st.caption(WITHOUT_GRID)
    with st.expander("Picture"):
        if snap is not None:
            st.caption(WITH_GRID.format(snap), help=WHY_GRID)
        layers = {"color_by": pick_colors("rectangles"), "tiles": pick_tiles("rectangles")}
        choose_upload(AREA, AREA_TYPES, "rectangles_area", AREA_HELP)
    return layers


def borders(points: kanon.Points, g: kanon.Generalization) -> np.ndarray:
    return neighbors(g.details.rectangles)


def number_of_points(points: kanon.Points, members: np.ndarray) -> str:
    """The contents column of a rectangle in the table of groups."""
    return counted(len(members), "point")


def study_area_of(points: kanon.Points) -> Any:
    """The study area that the user loaded; None without one, or if it cannot be read, which the page reports."""
    upload = st.session_state.get("rectangles_area_uploaded")
    if upload is None:
        return None
    name, content = upload
    try:
        on_map = points.crs is not None
        of = kanon.content_digest(data=content), name, on_map
        return once(study_area, content, name, on_map=on_map, of=of, words="Reading the study area …")
    except kanon.KanonError as error:
        st.error(f"The study area is not shown: {on_page(error)}", icon=":material/error:")
        return None


# ---------------------------------------------------------------------------------------------------------------------
# The grid on which rectangles are cut.
# ---------------------------------------------------------------------------------------------------------------------


def suggest_snap(points: kanon.Points, k: int) -> None:
    """Turn the grid on, with a size that suits data and k; the user's choice stays until the data change."""
    key, before = "rectangles_snap", st.session_state.get("rectangles_suggested", (None, None))
    k = min(k, points.total)
    of, words = (points.digest, k), "Choosing a grid …"
    now = points.digest, once(suggested_snap, points, k, of=of, most=20, words=words)
    untouched = before[0] != points.digest or before[1] == st.session_state.get(key)
    if before[0] is not None and untouched and now != before:
        begin_number(key, now[1])
    st.session_state["rectangles_suggested"] = now
    begin_option("rectangles", SNAP, now[1])
