"""How a person's own file of areas is read."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.io.source import Source
from kanon_engine.model.family import TABLES
from pages._shared.data import first_rows, reading_expander
from pages._shared.records import File, column_names
from pages._shared.upload import choose_upload
from pages._shared.widgets import given, pick_column, pick_counts, pick_unit
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


def choose_reading(file: File) -> dict[str, Any]:
    """Widgets for the reader's arguments, which it guesses where a person says nothing."""
    if file.rows is None:
        return {}
    key = file.key
    with reading_expander(file):
        weight = pick_column(WEIGHT, file.columns, f"{key}_weight", "The column with the count of each area.")
        identity = pick_column(AREA_ID, file.columns, f"{key}_id", "Zip codes keep their leading zeros.")
        merge = st.checkbox(MERGE, key=f"{key}_merge", help="They are pieces of one area.", persist_state="session")
        counts = _choose_counts(key)
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
        unit = pick_unit(key)
    return counts | given(
        weight=weight, id=identity, contiguity=contiguity, islands=islands, unit=unit, merge_duplicates=merge
    )


def _choose_counts(key: str) -> dict[str, Any]:
    """A second file with the counts, and which of its columns are what."""
    help = "Joined by the code of each area: one row an area with its count, or one row a record."
    upload = choose_upload(f"{COUNTS} (optional)", TABLES, f"{key}_counts", help)
    if upload is None:
        return {}
    name, content = upload
    columns = column_names(first_rows(kanon.content_digest(data=content), name, content))
    identity = pick_column(COUNTS_ID, columns, f"{key}_counts_id", "The code as it stands in the first file.")
    count = pick_counts(COUNTS_COLUMN, columns, key, "counts_column", "The column with the count of each area.")
    drop = st.checkbox(DROP_COUNTS, key=f"{key}_unmatched", persist_state="session")
    unmatched = "drop" if drop else "refuse"
    return given(counts=Source.open(content, name), counts_id=identity, unmatched=unmatched) | count
