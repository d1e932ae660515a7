"""A page with the map of 32,426 areas alone: the Voronoi cells of the zip codes' points within the states."""

from __future__ import annotations

from pathlib import Path

import geopandas
import numpy as np
import pandas as pd
import shapely
import streamlit as st
from scipy.spatial import Delaunay

import kanon_engine as kanon
from kanon_engine.io.zip_codes import called_by_place
from pages._regions.area_map import AreaMap
from pages._shared.stage import follow_click, selected_class

SAMPLES = Path(__file__).parents[2] / "sample_data"
KS = (20_001, 25_000, 30_000, 35_000, 40_000, 45_000, 50_000, 60_000)


@st.cache_resource
def national() -> tuple[kanon.Regions, dict[int, kanon.Generalization]]:
    points = pd.read_csv(SAMPLES / "zcta_points_2010.csv", dtype={"zip": str}).drop_duplicates(["lon", "lat"])
    country = shapely.union_all(geopandas.read_file(SAMPLES / "us_states.geojson").geometry)
    shapely.prepare(country)
    xy = points[["lon", "lat"]].to_numpy()
    inside = shapely.contains_xy(country, *xy.T)
    points, xy = points[inside], xy[inside]
    cells = shapely.get_parts(shapely.voronoi_polygons(shapely.multipoints(xy), extend_to=country, ordered=True))
    cut = ~shapely.contains_properly(country, cells)
    cells[cut] = shapely.intersection(cells[cut], country)
    corners = Delaunay(xy).simplices
    edges = np.vstack([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    names = np.array(called_by_place("zip", points["zip"].tolist()))
    shapes = geopandas.GeoSeries(cells, crs=4326)
    regions = kanon.Regions(points["zip"], points["pop10"], edges, shapes, names=names, unit="people")
    return regions, {k: kanon.generalize(regions, k, "tree-split") for k in KS}


def show() -> None:
    st.set_page_config(layout="wide")
    regions, found = national()
    g = found[st.select_slider("k", KS)]
    event = AreaMap(regions, g, selected=selected_class(g)).draw(key="map", height=560, filename="national")
    follow_click(g, event)


if __name__ == "__main__":
    show()
