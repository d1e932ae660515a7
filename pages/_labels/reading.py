"""How a person's own file of labels is read."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.project import Project
from pages._labels.rules import NAMES, RULES
from pages._shared.reading_steps import Step, show_reading
from pages._shared.records import File
from pages._shared.sets import text_of
from pages._shared.widgets import (
    forget_unknown,
    given,
    pick_column,
    pick_counts,
    pick_unit,
    picked_column,
    picked_counts,
    picked_text,
)
from pages._shared.wording import LABEL, LABEL_COUNT, MERGE, escaped


def chosen_reading(file: File) -> dict[str, Any]:
    """The reader's arguments that a person chose in the steps; all else the reader guesses."""
    if file.rows is None:
        return {}
    key = file.key
    return given(
        label=picked_column(f"{key}_label", file.columns),
        merge_duplicates=bool(st.session_state.get(f"{key}_merge_duplicates")),
        unit=picked_text(f"{key}_unit"),
    ) | picked_counts(key, "count", file.columns)


def show_steps(file: File, labels: kanon.Labels | None, error: kanon.KanonError | None) -> None:
    """How a file of labels is read, in steps."""
    if file.rows is not None:
        show_reading(file, labels, error, STEPS, "" if labels is None else _understood(file, labels))


def _understood(file: File, labels: kanon.Labels) -> str:
    """One line: file, labels, counts, total."""
    reading = labels.reading
    origin = f" from {reading['label']}" if reading.get("label") else ""
    counts = f"counts from {reading['count']}" if reading.get("count") else "each row one record"
    parts = [file.words, f"{len(labels):,} labels{origin}", *([counts] if origin else [])]
    return " · ".join([*parts, f"{labels.total:,} {labels.unit}"])


def _choose_label(file: File, labels: kanon.Labels | None, seen: bool) -> None:
    left, right = st.columns(2)
    forget_unknown(f"{file.key}_label", file.columns)
    with left:
        pick_column(LABEL, file.columns, f"{file.key}_label", "The column with the names or diagnoses.")
        st.checkbox(MERGE, key=f"{file.key}_merge_duplicates", persist_state="session")
    right.dataframe(file.rows, hide_index=True, height=180)


def _choose_counts(file: File, labels: kanon.Labels | None, seen: bool) -> None:
    left, right = st.columns(2)
    forget_unknown(f"{file.key}_count", file.columns)
    with left:
        help = "The column that says how many records have the label."
        pick_counts(LABEL_COUNT, file.columns, file.key, "count", help)
        pick_unit(file.key)
    with right:
        for note in () if labels is None else labels.notes[:6]:
            st.caption(escaped(note))


def restore_rules(file: File, project: Project) -> None:
    """Put the rules of a project into the page."""
    for name in RULES:
        sets = project.reading.get(name)
        st.session_state[f"labels_{name}"] = text_of(sets) if isinstance(sets, tuple) else ""
    words = {chosen: shown for shown, chosen in NAMES.items()}
    st.session_state["labels_class_names"] = words.get(project.reading.get("class_names", "number"), "numbers")


STEPS = (
    Step("1 Labels", ("label", "merge_duplicates"), _choose_label),
    Step("2 Counts", ("count", "per_record", "unit"), _choose_counts),
)
