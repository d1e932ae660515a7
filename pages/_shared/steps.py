"""The tab "How it works": the algorithm's run on this data, step by step."""

from __future__ import annotations

from typing import Any

import streamlit as st

from kanon_engine import Generalization
from pages._shared.picture import picture
from pages._shared.room import Room


def show_steps(room: Room, instance: Any, g: Generalization, height: int) -> None:
    """Buttons and a slider over the steps, the sentence of the step, and its picture."""
    if room.steps is None:
        return
    count, show_step = room.steps(instance, g)
    step = _pick_step(room.family, f"{room.family}_step_{g.digest[:12]}", count) if count else 0
    figure, words = show_step(step)
    st.markdown(words)
    picture(figure, key=f"{room.family}_steps", height=height)


def _pick_step(family: str, key: str, count: int) -> int:
    st.session_state.setdefault(key, 0)

    def move(by: int) -> None:
        st.session_state[key] = min(max(st.session_state[key] + by, 0), count)

    back, slider, on = st.columns([1, 8, 1], vertical_alignment="bottom")
    step = slider.slider(f"Step of {count:,}", 0, count, key=key)
    for column, words, icon, by, end in ((back, "Back", "left", -1, 0), (on, "Next", "right", 1, count)):
        column.button(
            words,
            icon=f":material/chevron_{icon}:",
            key=f"{family}_{words}",
            on_click=move,
            args=(by,),
            disabled=step == end,
            width="stretch",
        )
    return int(step)
