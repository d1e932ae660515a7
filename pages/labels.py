"""Names, diagnoses and other labels without an order: bins."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

import kanon_engine as kanon
from kanon_engine.labels.plot import bins_figure, packing_figure
from kanon_engine.labels.plot.steps import packing_steps
from kanon_engine.labels.read.rules import with_rules
from pages._shared.family_page import show
from pages._shared.overfull import show_overfull
from pages._shared.room import Draw, Room
from pages._shared.widgets import given, pick_column, pick_counts, pick_unit
from pages._shared.wording import LABEL, LABEL_COUNT, MERGE

RULES = {"together": "Labels that stay together", "apart": "Labels that must not share a group"}
NAMES = {"numbers": "number", "their largest label": "largest"}


def settings(key: str, columns: list[str]) -> dict[str, Any]:
    label = pick_column(LABEL, columns, f"{key}_label", "The column with the names or diagnoses.")
    help = "The column that says how many records have the label."
    counts = pick_counts(LABEL_COUNT, columns, key, "count", help)
    merge = st.checkbox(MERGE, key=f"{key}_merge", persist_state="session")
    return given(label=label, merge_duplicates=merge, unit=pick_unit(key)) | counts


def rules(family: str, labels: kanon.Labels) -> kanon.Labels:
    with st.expander("Rules for groups"):
        example = ", ".join(labels.label(int(place)) for place in labels.descending[:2])
        asked = {
            name: st.text_area(words, key=f"{family}_{name}", placeholder=example, persist_state="session", height=68)
            for name, words in RULES.items()
        }
        st.caption("One set of labels a line, with commas between them. Rules are not in the address bar.")
        names = st.selectbox("Names of groups", list(NAMES), key=f"{family}_class_names", persist_state="session")
    return _ruled(labels.digest, repr((asked, names)), labels, asked, NAMES[names])


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _ruled(digest: str, words: str, _labels: kanon.Labels, _asked: dict[str, str], _names: str) -> kanon.Labels:
    """Put together once, so that what the labels work out for themselves is kept."""
    given = {name: text.encode() for name, text in _asked.items() if text.strip()}
    return with_rules(_labels, class_names=None if _names == "number" else _names, **given)


def view(key: str) -> Draw:
    return lambda labels, g, selected: bins_figure(labels, g, selected=selected)


def members(labels: kanon.Labels, positions: np.ndarray) -> str:
    largest = positions[np.argsort(-labels.counts[positions], kind="stable")][:6]
    words = ", ".join(str(labels.names[position]) for position in largest)
    return words + (" …" if len(positions) > 6 else "")


def steps(labels: kanon.Labels, g: kanon.Generalization) -> tuple[int, Any]:
    return len(packing_steps(labels, g)) - 1, lambda step: packing_figure(labels, g, step)


ROOM = Room(
    family="labels",
    settings=settings,
    view=view,
    members=members,
    steps=steps,
    what_if=show_overfull,
    rules=rules,
)

show(ROOM)
