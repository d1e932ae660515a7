"""Tables of records: intervals of columns, or hidden cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.tables.plot import sizes_figure
from kanon_engine.tables.plot.histograms import columns_figure
from kanon_engine.tables.release import class_frame, kept_columns, released_frame
from pages._shared.family_page import show
from pages._shared.link import begin
from pages._shared.room import Draw, Room
from pages._shared.sentence import percent
from pages._shared.table_roles import edit_columns
from pages._shared.table_search import show_curve
from pages._shared.table_words import table_sentence
from pages._shared.typed_numbers import whole_number
from pages._shared.what_if import show_what_if

PAPER_KS = (5, 10, 25, 50, 100, 250, 500, 1000)
SAMPLE_ROWS = 200


def view(key: str) -> Draw:
    return lambda table, g, selected: columns_figure(table, g, selected)


def prepare(table: kanon.Table, k: int) -> None:
    """Begin with nobody left out: then the search is short, and no limit is one click away."""

    def parse(text: str) -> int | None:
        return None if text in ("", "None") else whole_number(text, "Suppression limit")

    begin("tables", "suppression_limit", 0, parse)


def groups(table: kanon.Table, g: kanon.Generalization) -> pd.DataFrame:
    frame = class_frame(table, g)
    return frame.rename(columns={"group": "Group", "records": table.unit.capitalize(), "overfull_ratio": "× k"})


@st.cache_data(scope="session", max_entries=4, show_spinner="Making the release …")
def _released(digest: str, _table: kanon.Table, _g: kanon.Generalization) -> pd.DataFrame:
    return released_frame(_table, _g, kept_columns(_table))


def show_release(table: kanon.Table, g: kanon.Generalization) -> None:
    frame = _released(g.digest, table, g)
    lost = len(table) - len(frame)
    left_out = f"{lost:,} are left out ({percent(lost / len(table))})" if lost else "none is left out"
    rows = np.unique(np.linspace(0, len(frame) - 1, min(SAMPLE_ROWS, len(frame))).round().astype(int))
    which = "All of them" if len(rows) == len(frame) else f"{len(rows):,} of them"
    st.markdown(
        f"{len(frame):,} of {len(table):,} {table.unit} are released, {left_out}. {which}, sorted by what they show; "
        "nothing of the order of the file is left."
    )
    st.dataframe(frame.iloc[rows], hide_index=True, key="tables_release", alt="A sample of the released rows")


def what_if(family: str, table: kanon.Table, k: int, choice: Any) -> None:
    ks = sorted({value for value in (*PAPER_KS, k) if value <= len(table)})
    show_what_if(family, table, k, choice, ks)


ROOM = Room(
    family="tables",
    columns=edit_columns,
    view=view,
    what_if=what_if,
    sentence=table_sentence,
    sizes=sizes_figure,
    table=groups,
    how=show_curve,
    more=(("Released table", show_release),),
    prepare=prepare,
    first_k=lambda table: min(10, len(table)),
)

show(ROOM)
