"""What the map of areas shows."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages._shared.widgets import pick_colours, pick_tiles

LABELS = {
    "numbers": "Numbers of groups, large places",
    "names": "Names of groups",
    "places": "Large places",
    "none": "None",
}


def choose_layers() -> dict[str, Any]:
    """Widgets for the arguments of `regions_map`."""
    with st.expander("Picture"):
        colour_by = pick_colours("regions")
        labels = st.selectbox(
            "Labels",
            list(LABELS),
            format_func=LABELS.__getitem__,
            key="regions_labels",
            persist_state="session",
            help="Names of groups are made from the places that they hold. None stands over another.",
        )
        tree = st.toggle("Spanning tree and its cuts", key="regions_tree_layer", persist_state="session")
        tiles = pick_tiles("regions")
    return {"colour_by": colour_by, "labels": labels, "tree": tree, "tiles": tiles}
