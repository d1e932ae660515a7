"""What the picture of clusters shows."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.clusters.plot import clusters_figure, neighbours
from kanon_engine.plot import companions
from kanon_engine.plot.colors import shading_of
from pages._shared.catalogue import atlas
from pages._shared.compare import Pair, sides
from pages._shared.widgets import pick_colours, pick_tiles


def choose_layers(space: kanon.MetricSpace) -> dict[str, Any]:
    """Widgets for arguments of `clusters_figure`."""
    with st.expander("Picture"):
        layers: dict[str, Any] = {"colour_by": pick_colours("clusters")}
        if space.metric == "haversine":
            layers |= {"tiles": pick_tiles("clusters"), "background": atlas()}
    return layers


def compared_clusters(pair: Pair | None, **layers: Any) -> list[go.Figure]:
    """The pictures of two results beside each other, with the arguments of `clusters_figure`."""
    if pair is None:
        return []
    space = pair.instance
    top = shading_of(np.concatenate([g.class_weights / g.k for g in pair.results])).top
    first, second = (neighbours(space, g) for g in pair.results)
    both = companions(pair.results, pair.found, (first, second), top)
    return [
        clusters_figure(space, g, number, companion=own, **layers)
        for (g, number), own in zip(sides(pair), both, strict=True)
    ]
