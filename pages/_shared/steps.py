"""The tab "How it works": the algorithm's run on this data, step by step, or what it does in words."""

from __future__ import annotations

import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from pages._shared.picture import picture

HEIGHT = 430


def choose_step(g: kanon.Generalization, count: int) -> int:
    """Buttons and a slider over the steps of a run, from 0 to `count`."""
    if not count:
        return 0
    key = f"{g.family}_step_{g.digest[:12]}"
    st.session_state.setdefault(key, 0)

    def move(by: int) -> None:
        st.session_state[key] = min(max(st.session_state[key] + by, 0), count)

    back, slider, on = st.columns([1, 8, 1], vertical_alignment="bottom")
    step = slider.slider(f"Step of {count:,}", 0, count, key=key)
    for column, words, icon, by, end in ((back, "Back", "left", -1, 0), (on, "Next", "right", 1, count)):
        column.button(
            words,
            icon=f":material/chevron_{icon}:",
            key=f"{g.family}_{words}",
            on_click=move,
            args=(by,),
            disabled=step == end,
            width="stretch",
        )
    return int(step)


def show_step(family: str, figure: go.Figure, words: str) -> None:
    """Why the step was taken, and what was there after it."""
    st.markdown(words)
    picture(figure, key=f"{family}_steps", height=HEIGHT)


def show_algorithm(algorithm: kanon.Algorithm) -> None:
    """The algorithm in words, where nothing of its run is shown."""
    st.markdown(algorithm.how or algorithm.summary)
    st.markdown(f"- **Guarantee**: {algorithm.guarantee}\n- **Time**: {algorithm.complexity}")
    st.markdown(f"- **Source**: {algorithm.source}")
