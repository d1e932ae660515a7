"""The grid on which rectangles are cut."""

from __future__ import annotations

import streamlit as st

import kanon_engine as kanon
from kanon_engine.rectangles.snap import SNAP, suggested_snap
from pages._shared.controls import begin_option
from pages._shared.number_field import begin_number


def suggest_snap(points: kanon.Points, k: int) -> None:
    """Turn the grid on, with a size that suits data and k; what the person chose stays until the data change."""
    key, before = "rectangles_snap", st.session_state.get("rectangles_suggested", (None, None))
    now = points.digest, _size(points, points.digest, min(k, points.total))
    untouched = before[0] != points.digest or before[1] == st.session_state.get(key)
    if before[0] is not None and untouched and now != before:
        begin_number(key, now[1])
    st.session_state["rectangles_suggested"] = now
    begin_option("rectangles", SNAP, now[1])


@st.cache_data(scope="session", max_entries=20, show_spinner=False)
def _size(_points: kanon.Points, digest: str, k: int) -> float:
    return suggested_snap(_points, k)
