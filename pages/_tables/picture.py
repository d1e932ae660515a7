"""The picture of a table's result: all columns as histograms, or the boxes of groups over two of them."""

from __future__ import annotations

import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from kanon_engine.tables.instance import BoxDetails
from kanon_engine.tables.plot import boxes_figure, columns_figure
from pages._shared.groups import selected_class

EVERY, TWO = "All columns", "Two columns"


def result_figure(table: kanon.Table, g: kanon.Generalization) -> go.Figure:
    """The picture that a person chose; groups that show boxes can be seen over two columns."""
    selected = selected_class(g)
    names = list(table.quasi_identifiers)
    if not isinstance(g.details, BoxDetails) or len(names) < 2:
        return columns_figure(table, g, selected)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        view = st.segmented_control(
            "Picture", [EVERY, TWO], default=EVERY, required=True, key="tables_view", label_visibility="collapsed"
        )
        if view == EVERY:
            return columns_figure(table, g, selected)
        finest = sorted(names, key=lambda name: -len(table.orders[name]))[:2]  # type: ignore[index]
        across = st.selectbox("Across", names, index=names.index(finest[0]), key="tables_across", width=220)
        others = [name for name in names if name != across]
        first = next(name for name in finest if name != across)
        up = st.selectbox("Up", others, index=others.index(first), key="tables_up", width=220)
    return boxes_figure(table, g, (across, up), selected)
