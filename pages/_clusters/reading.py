"""How a person's own file of records is read."""

from __future__ import annotations

from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.project import Project
from pages._shared.reading_steps import Step, show_reading
from pages._shared.records import File
from pages._shared.widgets import (
    forget_unknown,
    given,
    pick_counts,
    pick_unit,
    picked_counts,
    picked_text,
)
from pages._shared.wording import DROP_MISSING, WEIGHT, escaped

GUESS = "as the columns are"
METRIC_WORDS = {
    GUESS: GUESS,
    "euclidean": "straight distances of numbers",
    "haversine": "km on the globe (longitude, latitude)",
    "gower": "numbers and words together (Gower)",
    "hamming": "how many columns differ (Hamming)",
}
SCALE_WORDS = {
    GUESS: "alike, where there are several",
    "standard": "divided by their standard deviation",
    "range": "divided by their range",
    "none": "as they are",
}
COLUMNS = "Columns that distances are made of"
KEEP = "Columns to show for each cluster"
UNASKED = ("id", "per_record")  # of the reader's parameters


def chosen_reading(file: File) -> dict[str, Any]:
    """The reader's arguments that a person chose in the steps; all else the reader guesses."""
    if file.rows is None:
        return {}
    key, state = file.key, st.session_state
    columns, keep = (_known(file, f"{key}_{name}") for name in ("columns", "keep"))
    metric, scale = (state.get(f"{key}_{name}", GUESS) for name in ("metric", "scale"))
    return given(
        columns=columns or None,
        keep=keep or None,
        metric=None if metric == GUESS else metric,
        scale=None if scale == GUESS else scale,
        column_weights=picked_text(f"{key}_column_weights"),
        drop_missing=bool(state.get(f"{key}_drop_missing")),
        unit=picked_text(f"{key}_unit"),
    ) | picked_counts(key, "weight", file.columns)


def _known(file: File, key: str) -> tuple[str, ...]:
    return tuple(name for name in st.session_state.get(key) or () if name in file.columns)


def restore_reading(file: File, project: Project) -> None:
    """What a project says of the reading in other words than the widgets."""
    if file.key:
        for name in ("metric", "scale"):
            st.session_state[f"{file.key}_{name}"] = project.reading.get(name) or GUESS
        for name in ("columns", "keep"):
            st.session_state[f"{file.key}_{name}"] = list(project.reading.get(name) or ())


def show_steps(file: File, space: kanon.MetricSpace | None, error: kanon.KanonError | None) -> None:
    """How a file of records is read, in steps."""
    if file.rows is not None:
        words = "" if space is None else f"{file.words} · {space.notes[0].rstrip('.')}"
        show_reading(file, space, error, STEPS, words)


def _choose_columns(file: File, space: kanon.MetricSpace | None, seen: bool) -> None:
    key = file.key
    left, right = st.columns(2)
    with left:
        st.multiselect(
            COLUMNS,
            file.columns,
            key=f"{key}_columns",
            placeholder="guessed" if space is None else ", ".join(space.names),
            help="What others may know of a record, and what makes records alike. Two columns of longitude and "
            "latitude are places.",
            persist_state="session",
        )
        st.multiselect(
            KEEP,
            file.columns,
            key=f"{key}_keep",
            placeholder="none",
            help="Such as an illness: published for each cluster, as they are. No distance is made of them.",
            persist_state="session",
        )
        st.checkbox(DROP_MISSING, key=f"{key}_drop_missing", persist_state="session")
    right.dataframe(file.rows, hide_index=True, height=220)


def _choose_distance(file: File, space: kanon.MetricSpace | None, seen: bool) -> None:
    key = file.key
    left, right = st.columns(2)
    with left:
        st.selectbox(
            "Distance", list(METRIC_WORDS), format_func=METRIC_WORDS.__getitem__, key=f"{key}_metric",
            persist_state="session",
        )  # fmt: skip
        st.selectbox(
            "Columns of numbers count", list(SCALE_WORDS), format_func=SCALE_WORDS.__getitem__, key=f"{key}_scale",
            help="Ages differ by tens and incomes by thousands: without a scale the income alone would count. Only for "
            "straight distances.",
            persist_state="session",
        )  # fmt: skip
        st.text_input(
            "What columns count", key=f"{key}_column_weights", placeholder="age=2, sex=1", persist_state="session",
            help="1 if not given. A column that counts twice is twice as far.",
        )  # fmt: skip
    with right:
        for note in () if space is None else space.notes[:6]:
            st.caption(escaped(note))


def _choose_counts(file: File, space: kanon.MetricSpace | None, seen: bool) -> None:
    forget_unknown(f"{file.key}_weight", file.columns)
    left, _ = st.columns(2)
    with left:
        pick_counts(WEIGHT, file.columns, file.key, "weight", "How many records a row stands for.")
        pick_unit(file.key)


STEPS = (
    Step("1 Columns", ("columns", "keep", "drop_missing"), _choose_columns),
    Step("2 Distance", ("metric", "scale", "column_weights"), _choose_distance),
    Step("3 Counts", ("weight", "per_record", "unit"), _choose_counts),
)
