"""The tab "Circle or rectangle": the same points in clusters and in kd rectangles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.clusters.circles_and_rectangles import (
    Beside,
    has_rectangles,
    mean_radius,
    rectangles_beside,
    smallest_circles,
)
from kanon_engine.clusters.plot import clusters_figure
from kanon_engine.model.words import number_text
from kanon_engine.rectangles.plot import rectangles_figure
from pages._shared.picture import Rest, picture
from pages._shared.records import Data

NEEDS_TWO = (
    "Rectangles are made of two columns of numbers, or of longitude and latitude. Choose two columns, or look at the "
    "page “GPS points”."
)
WHAT = (
    "A rectangle may be long and thin: then its points are far from each other although it holds few. Below, the "
    "smallest circle around the points of each rectangle is compared with that of each cluster."
)


def show_beside(data: Data, g: kanon.Generalization, **layers: Any) -> None:
    """Both pictures, and what they cost in the same coin: smallest circles."""
    space = data.instance
    if not has_rectangles(space):
        st.info(NEEDS_TWO)
        return
    other = _rectangles(space.digest, g.k, space)
    own = _circles(g.digest, space, g)
    st.markdown(_sentence(space, g, own, other), help=WHAT)
    known = {name: value for name, value in layers.items() if name in ("tiles", "background")}
    left, right = st.columns(2)
    with left:
        picture(clusters_figure(space, g, **layers), key="clusters_beside", height=Rest(below=130))
    with right:
        picture(rectangles_figure(other.points, other.g, **known), key="clusters_rectangles", height=Rest(below=130))
    st.dataframe(_table(space, g, own, other), hide_index=True, key="clusters_beside_table")


def _sentence(space: kanon.MetricSpace, g: kanon.Generalization, own: np.ndarray, other: Beside) -> str:
    measure = f" {space.measure}".rstrip()
    circle, rectangle = (f"{number_text(float(radii.max()))}{measure}" for radii in (own, other.radii))
    out = space.total - int(g.class_weights.sum())
    more = " Rectangles leave nobody out." if out else ""
    return (
        f"In the widest cluster records are within **{circle}** of a center, in the widest of {other.g.classes:,} kd "
        f"rectangles within **{rectangle}**. The largest cluster holds {int(g.class_weights.max()):,} {space.unit}, "
        f"the largest rectangle {int(other.g.class_weights.max()):,}.{more}"
    )


def _table(space: kanon.MetricSpace, g: kanon.Generalization, own: np.ndarray, other: Beside) -> pd.DataFrame:
    measure = f" ({space.measure})" if space.measure else ""
    rows = [("Clusters", g, own), ("kd rectangles", other.g, other.radii)]
    return pd.DataFrame(
        {
            "": [words for words, _, _ in rows],
            "Groups": [one.classes for _, one, _ in rows],
            f"Largest ({space.unit})": [int(one.class_weights.max()) for _, one, _ in rows],
            f"Widest smallest circle, radius{measure}": [float(radii.max()) for _, _, radii in rows],
            f"Mean radius of a record's circle{measure}": [
                mean_radius(radii, one.class_weights) for _, one, radii in rows
            ],
        }
    )


@st.cache_resource(scope="session", max_entries=4, show_spinner="Cutting rectangles …")
def _rectangles(digest: str, k: int, _space: kanon.MetricSpace) -> Beside:
    return rectangles_beside(_space, k)


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def _circles(digest: str, _space: kanon.MetricSpace, _g: kanon.Generalization) -> np.ndarray:
    """Radii of the smallest circles of the clusters, so that like is compared with like."""
    return smallest_circles(_space, _g.assignment)
