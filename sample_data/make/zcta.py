"""The table of ZCTAs (census zip code areas) in the package uszipcode 0.1.3, state outlines in us-atlas 3.0.1."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import geopandas as gpd
import pandas as pd

COLUMNS = {
    "Zipcode": "zip",
    "City": "place",
    "State": "state",
    "Latitude": "lat",
    "Longitude": "lon",
    "Population": "pop10",
    "LandArea": "aland",
}

EASTERNMOST = -60.0  # degrees of longitude: every ZCTA lies west of it


def read_zctas(uszipcode: Path) -> pd.DataFrame:
    """All 33,120 rows, misplaced ones included, in the order of the zip codes."""
    database = uszipcode / "uszipcode" / "data" / "zipcode.sqlite3"
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        table = pd.read_sql("SELECT * FROM zipcode ORDER BY Zipcode", connection)
    return table[list(COLUMNS)].rename(columns=COLUMNS)


def misplaced(zctas: pd.DataFrame) -> pd.Series:
    """True for the points that lie on another continent."""
    return zctas.lon > EASTERNMOST


def read_states(us_atlas: Path) -> gpd.GeoDataFrame:
    """Outlines of states and territories with columns id (FIPS code) and name, in longitude and latitude."""
    states = gpd.read_file(us_atlas / "states-10m.json", layer="states")
    return states.set_crs(4326, allow_override=True)


def as_points(zctas: pd.DataFrame) -> gpd.GeoDataFrame:
    """The same rows with a point geometry."""
    return gpd.GeoDataFrame(zctas, geometry=gpd.points_from_xy(zctas.lon, zctas.lat), crs=4326)
