"""The tab "How it works": the algorithm's run on this data, step by step."""

from __future__ import annotations

import streamlit as st
from plotly import graph_objects as go

import kanon_engine as kanon
from pages._shared.number_field import begin_number, fields_apart, number_field, put_number
from pages._shared.picture import Rest, picture
from pages._shared.typed_numbers import whole_number
from pages._shared.wording import escaped


def choose_step(g: kanon.Generalization, count: int) -> int:
    """Buttons and a slider over the steps of a run, from 0 to `count`; of what is no step a sentence, and the last."""
    if not count:
        return 0
    key, result = f"{g.family}_step", f"{g.family}_steps_of"
    if st.session_state.get(result) != g.digest:
        st.session_state[result] = g.digest
        begin_number(key, 0)

    def parse(text: str) -> int:
        return whole_number(text, "Step", 0, count)

    def move(by: int) -> None:
        put_number(key, min(max(st.session_state[key] + by, 0), count))

    with st.container(key=f"steps-of-{g.family}"):
        back, slider, on = st.columns([1, 8, 1], vertical_alignment="bottom")
    with slider, fields_apart() as wrong:
        stops = range(count + 1)
        step: int = number_field(key, f"Step of {count:,}", parse, name="Step exactly", stops=stops, scope=result)
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
    for mistake in wrong:
        st.error(f"{escaped(mistake.message)} Step {step:,} is shown.", icon=":material/error:")
    return step


def show_step(family: str, figure: go.Figure, words: str) -> None:
    """Why the step was taken, and what was there after it."""
    st.markdown(escaped(words))
    picture(figure, key=f"{family}_steps", height=Rest())


def show_algorithm(algorithm: kanon.Algorithm) -> None:
    """The algorithm in words, where nothing of its run is shown."""
    st.markdown(algorithm.how or algorithm.summary)
    st.markdown(f"- **Guarantee**: {algorithm.guarantee}\n- **Time**: {algorithm.complexity}")
    st.markdown(f"- **Source**: {algorithm.source}")
