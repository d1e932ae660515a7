"""Zip codes and other areas: connected groups."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.io.source import Source
from kanon_engine.model.costs import partition_cost
from kanon_engine.regions.bounds.sums import partition_cost_bound
from kanon_engine.regions.perimeter import Perimeter, perimeter
from kanon_engine.regions.plot import regions_map, tree_figure
from kanon_engine.regions.plot.steps import step_sentence
from pages._shared.family_page import show
from pages._shared.room import Draw, Room
from pages._shared.sentence import percent
from pages._shared.upload import keep_upload
from pages._shared.widgets import given, pick_column, pick_counts, pick_tiles, pick_unit
from pages._shared.wording import (
    AREA_ID,
    ATTACH,
    COUNTS,
    COUNTS_COLUMN,
    COUNTS_ID,
    DROP_COUNTS,
    ISLANDS,
    MERGE,
    SEPARATE,
    WEIGHT,
)


def settings(key: str, columns: list[str]) -> dict[str, Any]:
    weight = pick_column(WEIGHT, columns, f"{key}_weight", "The column with the count of each area.")
    identity = pick_column(AREA_ID, columns, f"{key}_id", "Zip codes keep their leading zeros.")
    merge = st.checkbox(MERGE, key=f"{key}_merge", help="They are pieces of one area.", persist_state="session")
    second = _counts(key)
    contiguity = st.radio(
        "Neighbours share",
        ["rook", "queen"],
        format_func={"rook": "a border", "queen": "a border or a corner"}.__getitem__,
        key=f"{key}_contiguity",
        horizontal=True,
        persist_state="session",
    )
    islands = st.radio(
        ISLANDS,
        ["attach", "separate"],
        format_func={"attach": ATTACH, "separate": SEPARATE}.__getitem__,
        key=f"{key}_islands",
        persist_state="session",
    )
    return given(
        weight=weight,
        id=identity,
        contiguity=contiguity,
        islands=islands,
        unit=pick_unit(key),
        merge_duplicates=merge,
        **second,
    )


def _counts(key: str) -> dict[str, Any]:
    """A second file with the counts, and which of its columns are what."""
    help = "Joined by the code of each area: one row an area with its count, or one row a record."
    held = keep_upload(f"{COUNTS} (optional)", ("csv", "txt", "tsv", "xlsx", "parquet"), f"{key}_counts", help)
    if held is None:
        return {}
    name, data = held
    columns = [str(column) for column in kanon.preview(data, name).columns]
    identity = pick_column(COUNTS_ID, columns, f"{key}_counts_id", "The code as it stands in the first file.")
    count = pick_counts(COUNTS_COLUMN, columns, key, "counts_column", "The column with the count of each area.")
    drop = st.checkbox(DROP_COUNTS, key=f"{key}_unmatched", persist_state="session")
    unmatched = "drop" if drop else "refuse"
    return given(counts=Source.open(data, name), counts_id=identity, unmatched=unmatched) | count


def view(key: str) -> Draw:
    with st.expander("Picture"):
        colour_by = st.radio(
            "Colour by",
            ["group", "fullness"],
            format_func={"group": "group (neighbours differ)", "fullness": "size ÷ k"}.__getitem__,
            key=f"{key}_colour",
            persist_state="session",
        )
        tree = st.toggle("Spanning tree and its cuts", key=f"{key}_tree_layer", persist_state="session")
        tiles = pick_tiles(key)

    def draw(regions: kanon.Regions, g: kanon.Generalization, selected: int | None) -> go.Figure:
        return regions_map(regions, g, colour_by=colour_by, selected=selected, tree=tree, tiles=tiles)

    return draw


def members(regions: kanon.Regions, positions: np.ndarray) -> str:
    largest = positions[np.argsort(-regions.weights[positions], kind="stable")]
    words = list(dict.fromkeys(regions.label(position) for position in largest[:12]))[:6]
    return ", ".join(words) + (" …" if len(positions) > len(words) else "")


def figure(regions: kanon.Regions, g: kanon.Generalization) -> str | None:
    """How compact the groups are, and where that was to be small, the sum over all groups beside its lower bound."""
    said = []
    borders = _perimeter(regions, g.digest, g)
    if borders is not None:
        length = "" if borders.kilometres is None else f"{borders.kilometres:,.0f} km, "
        said.append(f"Borders between groups: {length}{percent(borders.share)} of all borders between areas.")
    if g.options.get("objective") == "sum":
        total, least = partition_cost(g), _least_sum(regions, g.k, regions.digest)
        said.append(
            f"Sum of w (w − k) over groups of w {regions.unit}: {total:,}. It is at least {least:,} for every grouping."
        )
    return " ".join(said) or None


@st.cache_data(scope="session", max_entries=50, show_spinner=False)
def _least_sum(_regions: kanon.Regions, k: int, digest: str) -> int:
    return partition_cost_bound(_regions, k)


@st.cache_data(scope="session", max_entries=50, show_spinner=False)
def _perimeter(_regions: kanon.Regions, digest: str, _g: kanon.Generalization) -> Perimeter | None:
    return perimeter(_regions, _g.assignment)


def steps(regions: kanon.Regions, g: kanon.Generalization) -> tuple[int, Any]:
    def show_step(step: int) -> tuple[go.Figure, str]:
        return tree_figure(regions, g, step), step_sentence(regions, g, step)

    return len(g.details.cut_edges), show_step


ROOM = Room(
    family="regions",
    settings=settings,
    view=view,
    members=members,
    steps=steps,
    exact_picture=False,
    figure=figure,
)

show(ROOM)
