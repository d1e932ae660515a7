"""A page with nothing but pictures: a map of squares in classes, and a chart. Run by the tests of the component."""

from __future__ import annotations

import os

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from kanon_engine.plot.colors import BLUE, GREEN, ORANGE, PURPLE
from kanon_engine.plot.maps import GeoJson
from pages._shared.picture import picture

SIDE = int(os.environ.get("DEMO_SIDE", "40"))
CORNERS = int(os.environ.get("DEMO_CORNERS", "8"))
COLORS = [[0.0, BLUE], [0.33, ORANGE], [0.66, GREEN], [1.0, PURPLE]]


def square(column: int, row: int) -> list[list[float]]:
    """Return a ring with as many corners as a real area has."""
    turn = np.arange(CORNERS + 1) * 2 * np.pi / CORNERS
    x = -100 + 0.1 * (column + 0.5 * np.cos(turn))
    y = 35 + 0.1 * (row + 0.5 * np.sin(turn))
    return np.column_stack([x, y]).round(5).tolist()


@st.cache_resource
def geometry() -> GeoJson:
    features = [
        {
            "type": "Feature",
            "id": row * SIDE + column,
            "properties": {},
            "geometry": {"type": "Polygon", "coordinates": [square(column, row)]},
        }
        for row in range(SIDE)
        for column in range(SIDE)
    ]
    return GeoJson({"type": "FeatureCollection", "features": features})


def demo_map(k: int, selected: int | None) -> go.Figure:
    """Bands of k columns are the classes; all but the selected one fade."""
    classes = np.tile(np.arange(SIDE) // k, SIDE).astype(np.int32)
    areas = go.Choroplethmap(
        geojson=geometry(),
        featureidkey="id",
        locations=np.arange(SIDE * SIDE, dtype=np.int32),
        z=(classes % 4).astype(np.uint8),
        zmin=0,
        zmax=3,
        colorscale=COLORS,
        showscale=False,
        marker={"line": {"width": 0.3}},
        customdata=classes,
        selectedpoints=None if selected is None else np.flatnonzero(classes == selected).tolist(),
        hovertemplate="Group %{customdata}<extra></extra>",
    )
    middle = {"lat": 35 + 0.05 * SIDE, "lon": -100 + 0.05 * SIDE}
    zoom = 5.5 - float(np.log2(SIDE / 40))
    layout = {"title": {"text": "Areas in <b>groups</b>"}, "map": {"style": "white-bg", "center": middle, "zoom": zoom}}
    return go.Figure(areas, layout)


def demo_chart(k: int) -> go.Figure:
    ks = np.arange(2, 12)
    figure = go.Figure(go.Bar(x=ks, y=1 + ks % 3), {"title": {"text": "What if"}})
    figure.add_vline(x=k)
    return figure


def show() -> None:
    st.set_page_config(layout="wide")
    k = st.slider("k", 1, 20, 5)
    if "beside" in st.query_params:
        for key, own in (("first", k), ("second", k + 1)):
            picture(demo_map(own, None), key=key, height=300, together="maps")
        return
    kept = st.session_state.setdefault("kept", {"selected": None})
    chosen = picture(demo_map(k, kept["selected"]), key="map", height=420, filename="demo-map")
    if chosen is not None:
        kept["selected"] = chosen.class_number
        st.rerun()
    st.write(f"selected: {kept['selected']}")
    wanted = picture(demo_chart(k), key="chart", height=240)
    st.write(f"clicked x: {wanted.x if wanted else None}")


if __name__ == "__main__":
    show()
