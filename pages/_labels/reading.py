"""How a person's own file of labels is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.labels.read import with_rules
from kanon_engine.project import Project
from pages._shared.data import show_problem
from pages._shared.reading_steps import Step, link_with_sets, linked_rows, rows_in, show_reading, text_of
from pages._shared.records import Data, File
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
from pages._shared.wording import LABEL, LABEL_COUNT, MERGE, escaped, on_page


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


# ---------------------------------------------------------------------------------------------------------------------
# What a person asks of groups of labels besides k.
# ---------------------------------------------------------------------------------------------------------------------


RULES = {"together": "Labels that stay together", "apart": "Labels that must not share a group"}
NAMES = {"numbers": "number", "their largest label": "largest"}


def choose_rules(data: Data, notice: DeltaGenerator) -> Data:
    """The data with the rules that the person wrote; where they make no sense, the page says why and stops."""
    labels = data.instance
    data = replace(data, asked=tuple(f"labels_{name}" for name in (*RULES, "class_names")))
    for name in RULES:
        rows = linked_rows(data, name)
        if rows and f"labels_{name}" not in st.session_state:
            st.session_state[f"labels_{name}"] = text_of(rows)
    with st.expander("Rules for groups"):
        example = ", ".join(labels.label(int(position)) for position in labels.descending[:2])
        texts = {
            name: st.text_area(words, key=f"labels_{name}", placeholder=example, persist_state="session", height=68)
            for name, words in RULES.items()
        }
        link, said = link_with_sets(data, {name: rows_in(text) for name, text in texts.items()})
        st.caption(" ".join(filter(None, ("One set of labels a line, with commas between them.", said))))
        names = st.selectbox("Names of groups", list(NAMES), key="labels_class_names", persist_state="session")
    try:
        ruled = _with_rules(labels.digest, repr((texts, names)), labels, texts, NAMES[names])
    except kanon.KanonError as error:
        show_problem("labels", on_page(error), "Correct the rules in the sidebar.", notice)
    return replace(data, instance=ruled, link={**data.link, **link})


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _with_rules(digest: str, told: str, _labels: kanon.Labels, _texts: dict[str, str], _names: str) -> kanon.Labels:
    """Put together once, so that what the labels work out for themselves is there the next time."""
    given = {name: text.encode() for name, text in _texts.items() if text.strip()}
    return with_rules(_labels, class_names=None if _names == "number" else _names, **given)
