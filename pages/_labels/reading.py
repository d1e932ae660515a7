"""How a person's own file of labels is read."""

from __future__ import annotations

from typing import Any

import streamlit as st

from kanon_engine.project import Project
from pages._labels.rules import NAMES, RULES
from pages._shared.data import reading_expander
from pages._shared.records import File
from pages._shared.sets import text_of
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
        merge = st.checkbox(MERGE, key=f"{key}_merge_duplicates", persist_state="session")
        unit = pick_unit(key)
    return given(label=label, merge_duplicates=merge, unit=unit) | counts


def restore_rules(file: File, project: Project) -> None:
    """Put the rules of a project into the page."""
    for name in RULES:
        sets = project.reading.get(name)
        st.session_state[f"labels_{name}"] = text_of(sets) if isinstance(sets, tuple) else ""
    words = {chosen: shown for shown, chosen in NAMES.items()}
    st.session_state["labels_class_names"] = words.get(project.reading.get("class_names", "number"), "numbers")
