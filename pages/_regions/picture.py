"""What the map of areas shows."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages._shared.widgets import pick_colours, pick_tiles


def choose_layers() -> dict[str, Any]:
    """Widgets for the arguments of `regions_map`."""
    with st.expander("Picture"):
        colour_by = pick_colours("regions")
        tree = st.toggle("Spanning tree and its cuts", key="regions_tree_layer", persist_state="session")
        tiles = pick_tiles("regions")
    return {"colour_by": colour_by, "tree": tree, "tiles": tiles}
