"""What a person asks of groups of labels besides k."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine.labels.read import with_rules
from pages._shared.data import show_problem
from pages._shared.records import Data
from pages._shared.sets import link_with_sets, linked_rows, rows_in, text_of
from pages._shared.wording import on_page

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
