"""What the map of rectangles shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from pages._shared.compare import Pair, sides
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.plot import companions
from kanon_engine.plot.colors import shading_of
from kanon_engine.rectangles.kd_tree import suggested_snap
from kanon_engine.rectangles.plot import neighbours, rectangles_figure
from kanon_engine.rectangles.read import study_area
from kanon_engine.rectangles.snap import SNAP
from pages._shared.controls import begin_option
from pages._shared.files import choose_upload
from pages._shared.widgets import begin_number, pick_colours, pick_tiles
from pages._shared.wording import on_page

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


def choose_layers() -> dict[str, Any]:
    """A study area, which `study_area_of` reads, and widgets for arguments of `rectangles_figure`."""
    snap = st.session_state.get("rectangles_snap")
    if snap is None:
        st.caption(WITHOUT_GRID)
    with st.expander("Picture"):
        if snap is not None:
            st.caption(WITH_GRID.format(snap), help=WHY_GRID)
        layers = {"colour_by": pick_colours("rectangles"), "tiles": pick_tiles("rectangles")}
        choose_upload(AREA, AREA_TYPES, "rectangles_area", AREA_HELP)
    return layers


def compared_maps(pair: Pair | None, **shown: Any) -> list[go.Figure]:
    """The maps of two results beside each other, with the arguments of `rectangles_figure`."""
    if pair is None:
        return []
    first, second = pair.results
    top = shading_of(np.concatenate([g.class_weights / g.k for g in pair.results])).top
    both = companions(
        pair.results, pair.found, (neighbours(first.details.rectangles), neighbours(second.details.rectangles)), top
    )
    return [
        rectangles_figure(pair.instance, g, selected=number, companion=own, **shown)
        for (g, number), own in zip(sides(pair), both, strict=True)
    ]


def study_area_of(points: kanon.Points) -> Any:
    """The study area that the person loaded; None without one, or where it cannot be read, which is said."""
    upload = st.session_state.get("rectangles_area_uploaded")
    if upload is None:
        return None
    name, content = upload
    try:
        return _study_area(kanon.content_digest(data=content), name, points.crs is not None, content)
    except kanon.KanonError as error:
        st.error(f"The study area is not shown: {on_page(error)}", icon=":material/error:")
        return None


@st.cache_resource(scope="session", max_entries=4, show_spinner="Reading the study area …")
def _study_area(digest: str, name: str, on_map: bool, _content: bytes) -> Any:
    return study_area(_content, name, on_map=on_map)


# ---------------------------------------------------------------------------------------------------------------------
# The grid on which rectangles are cut.
# ---------------------------------------------------------------------------------------------------------------------


def suggest_snap(points: kanon.Points, k: int) -> None:
    """Turn the grid on, with a size that suits data and k; what the person chose stays until the data change."""
    key, before = "rectangles_snap", st.session_state.get("rectangles_suggested", (None, None))
    now = points.digest, _size(points, points.digest, min(k, points.total))
    untouched = before[0] != points.digest or before[1] == st.session_state.get(key)
    if before[0] is not None and untouched and now != before:
        begin_number(key, now[1])
    st.session_state["rectangles_suggested"] = now
    begin_option("rectangles", SNAP, now[1])


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _size(_points: kanon.Points, digest: str, k: int) -> float:
    return suggested_snap(_points, k)
