"""The shapes of a file as they lie, before anything is counted."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.io.crs import crs_name
from kanon_engine.io.geofile import read_shapes
from pages._shared.catalogue import outlines
from pages._shared.picture import picture
from pages._shared.records import File
from pages._shared.wording import escaped, on_page

HEIGHT = 300
AS_FILE = "as the file says"
DETAIL = 1 / 800  # of the larger side: what is smaller cannot be seen
AROUND = 0.4  # of the sides: how much of the surroundings is shown


def show_shapes(file: File, crs: str | None) -> None:
    """Draw the shapes, with the borders of states where it is known where they lie."""
    try:
        system = crs_name(crs)
    except kanon.InvalidInput as error:
        st.caption(on_page(error))
        return
    try:
        figure, words = _figure(file.digest, system, file)
    except kanon.KanonError:
        st.caption("This file has no shapes to show.")
        return
    picture(figure, key=f"{file.key}_shapes", height=HEIGHT, filename="shapes")
    st.caption(escaped(words))


@st.cache_data(scope="session", max_entries=6, show_spinner="Drawing the shapes …")
def _figure(digest: str, crs: str | None, _file: File) -> tuple[go.Figure, str]:
    frame, _ = read_shapes(_file.content, filename=_file.name)
    shapes = frame.geometry
    if crs is not None:
        shapes = shapes.set_crs(crs, allow_override=True)
    known = shapes.crs is not None and (shapes.crs.is_geographic or shapes.crs.is_projected)
    degrees = shapes.crs is None and bool((np.abs(shapes.total_bounds) <= (180, 90, 180, 90)).all())
    system = shapes.crs.name if known else "longitude and latitude, as it seems" if degrees else "not known"
    drawn = shapes.to_crs(4326) if known else shapes
    west, south, east, north = drawn.total_bounds
    traces = [_lines(drawn.simplify(max(east - west, north - south) * DETAIL).to_numpy(), "#2f6f8f", 1)]
    if (known or degrees) and np.isfinite([west, south, east, north]).all():
        wide, high = AROUND * (east - west) + 0.5, AROUND * (north - south) + 0.5
        frame = shapely.box(west - wide, south - high, east + wide, north + high)
        land = shapely.intersection(outlines().geometry.to_numpy(), frame)
        traces.insert(0, _lines(land[~shapely.is_empty(land)], "#b9bfc6", 1))
    figure = go.Figure(traces)
    stretch = 1 / np.cos(np.radians((south + north) / 2)) if known or degrees else 1
    figure.update_layout(showlegend=False, margin={"l": 0, "r": 0, "t": 0, "b": 0}, dragmode="pan")
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False, scaleanchor="x", scaleratio=float(np.clip(stretch, 1, 8)))
    return figure, f"{len(shapes):,} shapes. Coordinate system: {system}."


def _lines(shapes: Any, color: str, width: int) -> go.Scatter:
    """The borders of shapes as one line with gaps."""
    rings = shapely.get_parts(shapely.get_rings(shapely.get_parts(shapes)))
    points, owner = shapely.get_coordinates(rings, return_index=True)
    gaps = np.flatnonzero(np.diff(owner)) + 1
    x, y = (np.insert(points[:, side], gaps, np.nan) for side in (0, 1))
    return go.Scatter(x=x, y=y, mode="lines", line={"color": color, "width": width}, hoverinfo="skip")
