"""GPS points: rectangles that tile their bounding box."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.rectangles.plot import rectangles_figure
from kanon_engine.rectangles.plot.clip import study_area
from kanon_engine.rectangles.plot.overview import MOST
from kanon_engine.rectangles.plot.steps import step_of
from kanon_engine.rectangles.snap import SNAP
from kanon_engine.rectangles.snap.grid_size import suggested_snap
from pages._shared.catalogue import outlines
from pages._shared.controls import read_option
from pages._shared.family_page import show
from pages._shared.link import begin
from pages._shared.number_field import begin_number
from pages._shared.room import Draw, Room
from pages._shared.upload import keep_upload
from pages._shared.widgets import given, pick_column, pick_counts, pick_tiles, pick_unit
from pages._shared.wording import DROP_POSITIONS, FILE_SYSTEM, WEIGHT, on_page

GEOPACKAGE = "application/geopackage+sqlite3"
WITH_GRID = "Sides are multiples of {:.10g}; none touches a point."
WHY_GRID = (
    "A side through a point would give its exact coordinate away. The outer sides still tell the outermost points to "
    "within one step of the grid. For the ceiling above, points that no line of the grid parts count as one place. The "
    "step is “Snap” under Options."
)
WITHOUT_GRID = (
    "Snap is off: the outer sides are the exact coordinates of the outermost points, and inner sides may lie halfway "
    "between two points. Set “Snap” under Options before you release anything."
)
AREA = "Study area (optional)"
AREA_TYPES = ("geojson", "json", "gpkg", "fgb", "topojson", "zip", "parquet")
AREA_HELP = "A polygon that the drawn rectangles are cut off at. The groups stay whole rectangles."


def settings(key: str, columns: list[str]) -> dict[str, Any]:
    x = pick_column("Longitude or x", columns, f"{key}_x", "The column with the east-west coordinate.")
    y = pick_column("Latitude or y", columns, f"{key}_y", "The column with the north-south coordinate.")
    counts = pick_counts(WEIGHT, columns, key, "weight", "How many records a point stands for.")
    drop = st.checkbox(DROP_POSITIONS, key=f"{key}_drop", persist_state="session")
    crs = st.text_input(
        FILE_SYSTEM,
        placeholder="as the file says",
        key=f"{key}_crs",
        help="Needed where the file does not say it: EPSG:4326 is longitude and latitude.",
        persist_state="session",
    )
    read = given(x=x, y=y, drop_bad=drop, unit=pick_unit(key), crs=crs.strip() or None)
    return read | counts | _project(key)


def _project(key: str) -> dict[str, Any]:
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


def prepare(points: kanon.Points, k: int) -> None:
    """Turn the grid on, with a size that suits data and k; what the person chose stays until the data change."""
    key, before = "rectangles_snap", st.session_state.get("rectangles_suggested", (None, None))
    now = points.digest, _size(points, points.digest, min(k, points.total))
    untouched = before[0] != points.digest or before[1] == st.session_state.get(key)
    if before[0] is not None and untouched and now != before:
        begin_number(key, now[1])
    st.session_state["rectangles_suggested"] = now
    begin("rectangles", "snap", now[1], lambda text: read_option(SNAP, text))


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _size(_points: kanon.Points, digest: str, k: int) -> float:
    return suggested_snap(_points, k)


def view(key: str) -> Draw:
    snap = st.session_state.get(f"{key}_snap")
    if snap is None:
        st.caption(WITHOUT_GRID)
    with st.expander("Picture"):
        if snap is not None:
            st.caption(WITH_GRID.format(snap), help=WHY_GRID)
        tiles = pick_tiles(key)
        keep_upload(AREA, AREA_TYPES, f"{key}_area", AREA_HELP)

    def draw(points: kanon.Points, g: kanon.Generalization, selected: int | None) -> go.Figure:
        return rectangles_figure(
            points, g, background=outlines(), selected=selected, tiles=tiles, area=_area_for(points)
        )

    return draw


def _area_for(points: kanon.Points) -> Any:
    """The study area that the person loaded; None without one, or where it cannot be read, which is said."""
    held = st.session_state.get("rectangles_area_kept")
    if held is None:
        return None
    name, data = held
    try:
        return _area(kanon.content_digest(data=data), name, points.crs is not None, data)
    except kanon.KanonError as error:
        st.error(f"The study area is not shown: {on_page(error)}", icon=":material/error:")
        return None


@st.cache_resource(scope="session", max_entries=4, show_spinner="Reading the study area …")
def _area(digest: str, name: str, on_map: bool, _data: bytes) -> Any:
    return study_area(_data, name, on_map=on_map)


def members(points: kanon.Points, positions: np.ndarray) -> str:
    return f"{len(positions):,} points"


def steps(points: kanon.Points, g: kanon.Generalization) -> tuple[int, Any]:
    def show_step(step: int) -> tuple[go.Figure, str]:
        figure = rectangles_figure(points, g, background=outlines(), step=step)
        return figure, step_of(points, g, step).sentence

    return min(g.classes - 1, MOST), show_step


def surroundings(points: kanon.Points) -> dict[str, Any]:
    return {"area": _area_for(points), "background": outlines()}


ROOM = Room(
    family="rectangles",
    settings=settings,
    view=view,
    members=members,
    steps=steps,
    surroundings=surroundings,
    prepare=prepare,
)

show(ROOM)
