"""The table of clusters: centers and radii as they leave, with what a person asked to be shown of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.clusters.release import clusters_frame, unused_name
from pages._shared.groups import group_table
from pages._shared.records import Data

CONTENTS = "Center"


def cluster_table(data: Data, g: kanon.Generalization, members: Sequence[np.ndarray]) -> pd.DataFrame:
    """One row a cluster: size, radius, center, and the values of columns that are shown."""
    space = data.instance
    released = _released(g.digest, space, g)
    table = group_table(data, g, members, [""] * g.classes).drop(columns="Contents")
    radius = next(name for name in released.columns if name.startswith("radius"))
    table[f"Radius ({space.measure})" if space.measure else "Radius"] = released[radius]
    shown = released.iloc[:, list(released.columns).index(radius) + 1 :]
    labels = [*(f"{CONTENTS}: {name}" for name in space.names), *map(str, shown.columns[len(space.names) :])]
    for place, label in enumerate(labels):
        table[unused_name(label, table)] = shown.iloc[:, place]
    return table


@st.cache_data(scope="session", max_entries=4, show_spinner=False)
def _released(digest: str, _space: kanon.MetricSpace, _g: kanon.Generalization) -> pd.DataFrame:
    return clusters_frame(_space, _g)
