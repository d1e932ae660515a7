"""GPS points: rectangles that tile their bounding box."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.rectangles.export import shapes_frame
from kanon_engine.rectangles.figures import rectangles_figure
from kanon_engine.rectangles.steps import step_of
from kanon_engine.release import geopackage
from pages._common.catalogue import outlines
from pages._common.family_page import show
from pages._common.room import Download, Draw, Room
from pages._common.widgets import given, pick_column, pick_tiles, pick_unit
from pages._common.wording import DROP_POSITIONS


def settings(key: str, columns: list[str]) -> dict[str, Any]:
    x = pick_column("Longitude or x", columns, f"{key}_x", "The column with the east-west coordinate.")
    y = pick_column("Latitude or y", columns, f"{key}_y", "The column with the north-south coordinate.")
    weight = pick_column(
        "Count at each point",
        columns,
        f"{key}_weight",
        "How many records a point stands for.",
        none="one record a point",
    )
    drop = st.checkbox(DROP_POSITIONS, key=f"{key}_drop", persist_state="session")
    return given(x=x, y=y, weight=weight, drop_bad=drop, unit=pick_unit(key))


def view(key: str) -> Draw:
    with st.expander("Picture"):
        tiles = pick_tiles(key)

    def draw(points: kanon.Points, g: kanon.Generalization, selected: int | None) -> go.Figure:
        return rectangles_figure(points, g, background=outlines(), selected=selected, tiles=tiles)

    return draw


def members(points: kanon.Points, positions: np.ndarray) -> str:
    return f"{len(positions):,} points"


def steps(points: kanon.Points, g: kanon.Generalization) -> tuple[int, Any]:
    def show_step(step: int) -> tuple[go.Figure, str]:
        figure = rectangles_figure(points, g, background=outlines(), step=step)
        return figure, step_of(points, g, step).sentence

    return g.classes - 1, show_step


def downloads(points: kanon.Points, g: kanon.Generalization) -> list[Download]:
    name = f"kanon-points-k{g.k}"
    return [
        Download(
            "Groups (GeoPackage)",
            "The rectangle of every group with its size; no point. Inner sides lie halfway "
            "between points; the outer sides of all are the outermost points' own coordinates.",
            f"{name}-groups.gpkg",
            "application/geopackage+sqlite3",
            lambda: geopackage(shapes_frame(points, g)),
        ),
        Download(
            "Groups (CSV)",
            "The sides of every rectangle and its size; no point.",
            f"{name}-groups.csv",
            "text/csv",
            lambda: shapes_frame(points, g).drop(columns="geometry").to_csv(index=False),
        ),
    ]


ROOM = Room(
    family="rectangles",
    title="GPS points",
    items="points",
    lead="Load points with coordinates. kanon cuts the map into rectangles that hold at least k records each and keeps "
    "the fullest rectangle as empty as it can.",
    upload_types=("csv", "txt", "tsv", "xlsx", "parquet", "geojson", "json", "gpkg"),
    upload_help="A CSV, Excel, Parquet, GeoJSON or GeoPackage file with longitude and latitude, or x and y.",
    settings=settings,
    view=view,
    members=members,
    steps=steps,
    downloads=downloads,
)

show(ROOM)
