"""How a user's own file of labels is read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.labels.read import with_rules
from kanon_engine.project import Project
from pages._shared.data import ELSEWHERE, show_problem
from pages._shared.form import Control, Form, ReadingStep, counts_step, rows, show_notes
from pages._shared.link import link_with_sets, linked_rows, rows_in, text_of
from pages._shared.records import Data, File
from pages._shared.tasks import once
from pages._shared.wording import on_page


def _understood(file: File, labels: kanon.Labels) -> str:
    """One line: file, labels, counts, total."""
    reading = labels.reading
    origin = f" from {reading['label']}" if reading.get("label") else ""
    counts = f"counts from {reading['count']}" if reading.get("count") else "each row counted as one record"
    parts = [file.words, f"{len(labels):,} labels{origin}", *([counts] if origin else [])]
    return " · ".join([*parts, f"{labels.total:,} {labels.unit}"])


FORM = Form(
    (
        ReadingStep(
            "1: Labels",
            (
                Control("label", help="The column with the names or diagnoses."),
                Control("merge_duplicates", kind="flag"),
            ),
            beside=rows(180),
        ),
        counts_step("2: Counts", "count", "The column that says how many records have each label.", show_notes),
    ),
    _understood,
)


# ---------------------------------------------------------------------------------------------------------------------
# What a user requires of groups of labels besides k.
# ---------------------------------------------------------------------------------------------------------------------


RULES = {"together": "Labels to keep together", "apart": "Labels to keep apart"}
NAMES = {"numbers": "number", "their largest label": "largest"}


def choose_rules(data: Data, file: File, notice: DeltaGenerator) -> Data:
    """The data with the user's rules; if these are not valid, the page says why and stops."""
    labels = data.instance
    data = replace(data, asked=tuple(_key(file, name) for name in (*RULES, "class_names")))
    for name in RULES:
        linked = linked_rows(data, name)
        if linked and _key(file, name) not in st.session_state:
            st.session_state[_key(file, name)] = text_of(linked)
    with st.expander("Rules for groups"):
        example = ", ".join(labels.label(int(position)) for position in labels.descending[:2])
        texts = {
            name: st.text_area(words, key=_key(file, name), placeholder=example, persist_state="session", height=68)
            for name, words in RULES.items()
        }
        link, message = link_with_sets(data, {name: rows_in(text) for name, text in texts.items()})
        st.caption(" ".join(filter(None, ("One set per line, with its labels separated by commas.", message))))
        key = _key(file, "class_names")
        names = st.selectbox("Group names", list(NAMES), key=key, persist_state="session")
    try:
        settings: dict[str, Any] = {name: text.encode() for name, text in texts.items() if text.strip()}
        if NAMES[names] != "number":
            settings["class_names"] = NAMES[names]
        ruled = once(with_rules, labels, of=(labels.digest, repr(settings)), **settings)
    except kanon.KanonError as error:
        show_problem("labels", on_page(error), "Correct the rules in the sidebar.", notice)
    return replace(data, instance=ruled, link={**data.link, **link})


def restore_rules(file: File, project: Project) -> None:
    for name in RULES:
        sets = project.reading.get(name)
        st.session_state[_key(file, name)] = text_of(sets) if isinstance(sets, tuple) else ""
    words = {chosen: label for label, chosen in NAMES.items()}
    st.session_state[_key(file, "class_names")] = words.get(project.reading.get("class_names", "number"), "numbers")


def _key(file: File, name: str) -> str:
    """The session key of a rule. Each file has its own rules; records stored elsewhere keep theirs when they change."""
    return f"labels_{file.digest[:16] if file.asked is None else ELSEWHERE}_{name}"
