"""A page with nothing but a small map of areas. Run by the tests of the component."""

from __future__ import annotations

from dataclasses import replace

import geopandas
import numpy as np
import shapely
import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.comparison import compare
from pages._regions.area_map import AreaMap, area_map, borders
from pages._shared.stage import Pair, compared_figures, follow_click, selected_class

HOSTILE = '<img src=x onerror="document.title = 1">'


def small() -> kanon.Regions:
    """A hole with an area in it, an area in two parts, an island, an area without a shape, and a hostile name."""
    box = shapely.box
    lake = shapely.Point(10.5, 50.5).buffer(0.2, quad_segs=8)
    shapes = [
        *(box(10 + i, 50, 11 + i, 51) for i in range(4)),
        *(box(10 + i, 51, 11 + i, 52.2) for i in range(2)),
        shapely.MultiPolygon([box(12, 51, 12.5, 52), box(13.2, 51.1, 13.6, 51.5)]),
        lake,
        box(14.6, 50.2, 15, 50.7),
        None,
    ]
    shapes[0] = shapely.difference(shapes[0], lake)
    edges = [(0, 1), (1, 2), (2, 3), (0, 4), (1, 5), (4, 5), (5, 6), (2, 6), (0, 7), (3, 8), (6, 9)]
    ids = [HOSTILE, "03038", *(f"{code:05d}" for code in range(2, 10))]
    names = ["Nowhere", "Derry & Manchester", *(f"Town {number}" for number in range(2, 10))]
    return kanon.Regions(
        ids,
        np.arange(10) + 5,
        edges,
        geopandas.GeoSeries(shapes, crs=4326),
        names=np.array(names),
        added_edges=np.array([(3, 8)]),
        unit="people",
    )


def lone() -> kanon.Regions:
    return kanon.Regions(["1"], [7], [], geopandas.GeoSeries([shapely.Point(500, 900).buffer(40)]), unit="people")


def across() -> kanon.Regions:
    """Three areas in a row, the second of them in two parts on either side of the date line."""
    second = shapely.MultiPolygon([shapely.box(179, -17, 180, -16), shapely.box(-180, -17, -179, -16)])
    shapes = [shapely.box(178, -17, 179, -16), second, shapely.box(-179, -17, -178, -16)]
    return kanon.Regions(list("abc"), [5, 6, 7], [(0, 1), (1, 2)], geopandas.GeoSeries(shapes, crs=4326), unit="people")


def bare() -> kanon.Regions:
    """Places for shapes, and none in them."""
    return kanon.Regions(list("ab"), [5, 6], [(0, 1)], geopandas.GeoSeries([None, None], crs=4326), unit="people")


MAPS = {"small": small, "lone": lone, "across": across, "bare": bare}


def show() -> None:
    st.set_page_config(layout="wide")
    name = st.query_params.get("map", "small")
    if "regions" not in st.session_state:
        st.session_state["regions"] = MAPS[name]()
    regions = st.session_state["regions"]
    k = st.select_slider("k", [5, 16, 32])
    kept = st.session_state.setdefault("kept", {})  # a result of another run has another digest
    g = kept.setdefault(k, kept.get(k) or kanon.generalize(regions, k, "tree-split"))
    if st.toggle("left out"):
        assignment = g.assignment.copy()
        assignment[4] = -1
        g = replace(g, assignment=assignment).sealed()
    color_by = "fullness" if st.toggle("fullness") else "group"
    picked = tuple(int(place) for place in st.query_params.get("picked", "").split(",") if place)
    labels = st.query_params.get("labels", "numbers")
    if "beside" in st.query_params:
        other = kanon.generalize(regions, int(st.query_params["beside"]), "tree-split")
        pair = Pair(regions, (g, other), ("", ""), compare(g, other, regions.weights))
        pictures = compared_figures(pair, area_map, borders, shaded=False, color_by=color_by)
        for key, shown in zip(("map", "second"), pictures, strict=True):
            shown.draw(key=key, height=400, filename="demo-map", together="maps")
        return
    shown = AreaMap(regions, g, color_by, selected_class(g), st.toggle("tree"), picked, labels)
    follow_click(g, shown.draw(key="map", height=400, filename="demo-map"))
    st.write(f"selected: {selected_class(g)}")


if __name__ == "__main__":
    show()
