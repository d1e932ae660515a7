"""How a person's own file of labels is read."""

from __future__ import annotations

from typing import Any

import streamlit as st

from pages._shared.data import reading_expander
from pages._shared.records import File
from pages._shared.widgets import given, pick_column, pick_counts, pick_unit
from pages._shared.wording import LABEL, LABEL_COUNT, MERGE


def choose_reading(file: File) -> dict[str, Any]:
    """Widgets for the reader's arguments, which it guesses where a person says nothing."""
    if file.rows is None:
        return {}
    key = file.key
    with reading_expander(file):
        label = pick_column(LABEL, file.columns, f"{key}_label", "The column with the names or diagnoses.")
        help = "The column that says how many records have the label."
        counts = pick_counts(LABEL_COUNT, file.columns, key, "count", help)
        merge = st.checkbox(MERGE, key=f"{key}_merge", persist_state="session")
        unit = pick_unit(key)
    return given(label=label, merge_duplicates=merge, unit=unit) | counts
