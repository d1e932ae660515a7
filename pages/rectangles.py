"""GPS points: rectangles that tile their bounding box."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.geofile import geopackage
from kanon_engine.rectangles.export import classes_frame, crosswalk_frame
from kanon_engine.rectangles.figures import rectangles_figure, split_figure
from pages._common.catalogue import outlines
from pages._common.downloads import INTERNAL
from pages._common.family_page import show
from pages._common.room import Download, Draw, Room
from pages._common.widgets import given, pick_column, pick_tiles


def settings(key: str, columns: list[str]) -> dict[str, Any]:
    x = pick_column("Longitude or x", columns, f"{key}_x", "The column with the east-west coordinate.")
    y = pick_column("Latitude or y", columns, f"{key}_y", "The column with the north-south coordinate.")
    weight = pick_column(
        "Count at each point", columns, f"{key}_weight", "How many records a point stands for.", none="one record a point"
    )
    drop = st.checkbox("Leave out rows without a usable position", key=f"{key}_drop", persist_state="session")
    unit = st.text_input("What is counted", "records", key=f"{key}_unit", persist_state="session")
    return given(x=x, y=y, weight=weight, drop_bad=drop, unit=unit)


def view(key: str) -> Draw:
    with st.expander("Picture"):
        tiles = pick_tiles(key)

    def draw(points: kanon.Points, g: kanon.Generalization, selected: int | None) -> go.Figure:
        return rectangles_figure(points, g, background=outlines(), selected=selected, tiles=tiles)

    return draw


def members(points: kanon.Points, positions: np.ndarray) -> str:
    return f"{len(positions):,} points"


def steps(points: kanon.Points, g: kanon.Generalization) -> tuple[int, Any]:
    return g.classes - 1, lambda step: split_figure(points, g, step)


def downloads(points: kanon.Points, g: kanon.Generalization) -> list[Download]:
    name = f"kanon-points-k{g.k}"
    return [
        Download(
            "Groups (GeoPackage)",
            "The rectangle of every group with its size; no point. Sides lie halfway between points.",
            f"{name}-groups.gpkg",
            "application/geopackage+sqlite3",
            lambda: geopackage(classes_frame(points, g)),
        ),
        Download(
            "Groups (CSV)",
            "The sides of every rectangle and its size; no point.",
            f"{name}-groups.csv",
            "text/csv",
            lambda: classes_frame(points, g).drop(columns="geometry").to_csv(index=False),
        ),
        Download(
            "Crosswalk (CSV)",
            f"The group of each point, sorted by its name. {INTERNAL}",
            f"{name}-crosswalk.csv",
            "text/csv",
            lambda: crosswalk_frame(points, g).to_csv(index=False),
        ),
    ]


ROOM = Room(
    family="rectangles",
    title="GPS points",
    items="points",
    lead="Load points with coordinates. kanon cuts the map into rectangles that hold at least k records each and keeps the "
    "fullest rectangle as empty as it can.",
    upload_types=("csv", "txt", "tsv", "xlsx", "parquet", "geojson", "json", "gpkg"),
    upload_help="A CSV, Excel, Parquet, GeoJSON or GeoPackage file with longitude and latitude, or x and y.",
    settings=settings,
    view=view,
    members=members,
    steps=steps,
    downloads=downloads,
)

show(ROOM)
