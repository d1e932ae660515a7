"""The tab "How it works": the run of an algorithm on this data, step by step, to watch or to predict."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.model.known import family_of
from kanon_engine.teaching.step import Question, Step
from pages._shared.number_field import begin_number, fields_apart, number_field, put_number
from pages._shared.picture import Rest, picture, picture_name
from pages._shared.predict import keep_answer, open_question, show_feedback, show_question, show_score
from pages._shared.projector import enlarged, large_text
from pages._shared.typed_numbers import whole_number
from pages._shared.wording import escaped

PACES = {"slow": 4.0, "usual": 2.0, "fast": 0.8}  # seconds a step
PACE_HELP = "How long each step stays while they play: 4, 2 or 0.8 seconds."
PREDICT_HELP = "Before some steps you are asked what comes; the answer is shown with the step, and counted."
PROJECTOR_HELP = "Larger words and figures, to be read from the back of a room."


def show_how(
    instance: Any,
    g: kanon.Generalization,
    *,
    slot: str = "",
    told: Callable[[], Iterator[Step]] | None = None,
    **layers: Any,
) -> None:
    """The steps of a result with buttons, a slider and a clock; of what has no steps, the algorithm in words.

    Parameters
    ----------
    instance : instance of g
    g : Generalization
    slot : str
        What its widgets are kept by; the family unless given.
    told : callable, optional
        ``told()`` yields steps in place of the algorithm's own.
    **layers
        What else the family's picture of a step takes.
    """
    if not teaching.has_steps(g):
        show_algorithm(family_of(instance).makers[g.algorithm])
        return
    slot = slot or g.family
    steps = _taken(g.digest, told is None, told or partial(teaching.steps, instance, g))
    _begin(slot, g)
    playing = st.session_state[f"{slot}_playing"]
    pace = PACES[st.session_state.get(f"{slot}_pace", "usual")]
    st.fragment(_show_player, run_every=pace / 2 if playing else None)(slot, instance, g, steps, layers)


def _begin(slot: str, g: kanon.Generalization) -> None:
    """The steps of another result begin at the first."""
    if st.session_state.get(f"{slot}_steps_of") == g.digest:
        return
    st.session_state[f"{slot}_steps_of"] = g.digest
    st.session_state[f"{slot}_predicted"] = {}
    st.session_state[f"{slot}_playing"] = False
    begin_number(f"{slot}_step", 0)


@st.cache_resource(scope="session", max_entries=4, show_spinner="Taking the steps again …")
def _taken(digest: str, own: bool, _take: Callable[[], Iterator[Step]]) -> tuple[Step, ...]:
    return tuple(_take())


def _show_player(
    slot: str, instance: Any, g: kanon.Generalization, steps: tuple[Step, ...], layers: dict[str, Any]
) -> None:
    predicting = bool(st.session_state.get(f"{slot}_predict"))
    _play_on(slot, steps, predicting)
    with st.container(key=f"how-of-{slot}"):
        number = min(_choose_step(slot, steps), len(steps) - 1)  # the field may hold that of a longer run
        now = steps[number]
        asked = open_question(slot, steps, number) if predicting else None
        if st.session_state.get(f"{slot}_projector"):
            st.html(large_text(f"told-of-{slot}"))
        with st.container(key=f"told-of-{slot}"):
            show_feedback(slot, steps, number)
            decided = "" if now.inequality is None else f" :gray-badge[{escaped(now.inequality.text)}]"
            st.markdown(f"{escaped(now.why)}{decided}")
            if asked is not None:
                show_question(slot, asked, number + 1, lambda answer: _answer(slot, asked, number + 1, answer))
        figure = teaching.step_figure(instance, g, now, asked, **layers)
        if st.session_state.get(f"{slot}_projector"):
            figure = enlarged(figure)
        event = picture(figure, key=f"{slot}_steps", height=Rest(), filename=picture_name(g, internal=True))
    if asked is not None and asked.choices and event is not None and event.class_number is not None:
        _answer(slot, asked, number + 1, event.class_number)
        st.rerun(scope="fragment")


def _answer(slot: str, question: Question, step: int, answer: int) -> None:
    keep_answer(slot, question, step, answer)
    _go_to(slot, step)


def _go_to(slot: str, step: int) -> None:
    put_number(f"{slot}_step", step)
    st.session_state[f"{slot}_due"] = time.monotonic() + PACES[st.session_state.get(f"{slot}_pace", "usual")]


def _play_on(slot: str, steps: tuple[Step, ...], predicting: bool) -> None:
    """The next step, where the steps play and its time has come; a question stops the clock until it is answered."""
    number = st.session_state[f"{slot}_step"]
    if not st.session_state[f"{slot}_playing"]:
        return
    if number >= len(steps) - 1:
        st.session_state[f"{slot}_playing"] = False
        st.rerun()
    if predicting and open_question(slot, steps, number) is not None:
        return
    if time.monotonic() >= st.session_state[f"{slot}_due"]:
        _go_to(slot, number + 1)


def _choose_step(slot: str, steps: tuple[Step, ...]) -> int:
    """The step that is shown, with what moves it and how it is shown."""
    key, count = f"{slot}_step", len(steps) - 1

    def play() -> None:
        if st.session_state[key] >= count:
            put_number(key, 0)
        _go_to(slot, st.session_state[key])
        st.session_state[f"{slot}_playing"] = not st.session_state[f"{slot}_playing"]
        st.session_state[f"{slot}_toggled"] = True

    if st.session_state.pop(f"{slot}_toggled", False):
        st.rerun()  # the clock of a fragment is set by a run of the whole page
    with st.container(key=f"steps-of-{slot}"):
        back, slider, on, player, predict, more = st.columns([2, 7, 2, 2, 3, 2], vertical_alignment="bottom")
    with slider:
        step = _step_field(slot, count)
    _show_moves(slot, step, count, back, on)
    words, icon = ("Pause", "pause") if st.session_state[f"{slot}_playing"] else ("Play", "play_arrow")
    player.button(
        words, icon=f":material/{icon}:", key=f"{slot}_play", on_click=play, disabled=not count, width="stretch"
    )
    predict.toggle("Predict first", key=f"{slot}_predict", help=PREDICT_HELP, persist_state="session")
    with more.popover("More", width="stretch"):
        _choose_manner(slot, steps)
    return step


def _show_moves(slot: str, step: int, count: int, back: DeltaGenerator, on: DeltaGenerator) -> None:
    """Buttons to the step before and the next."""

    def move(by: int) -> None:
        _go_to(slot, min(max(st.session_state[f"{slot}_step"] + by, 0), count))

    for column, words, icon, by, end in ((back, "Back", "left", -1, 0), (on, "Next", "right", 1, count)):
        column.button(
            words,
            icon=f":material/chevron_{icon}:",
            key=f"{slot}_{words}",
            on_click=move,
            args=(by,),
            disabled=step == end,
            width="stretch",
        )


def _step_field(slot: str, count: int) -> int:
    """A field and a slider for the number of a step; of what is no step a sentence, and the last."""

    def parse(text: str) -> int:
        return whole_number(text, "Step", 0, count)

    with fields_apart() as wrong:
        step: int = number_field(
            f"{slot}_step",
            f"Step of {count:,}",
            parse,
            name="Step exactly",
            stops=range(count + 1),
            scope=f"{slot}_steps_of",
        )
    for mistake in wrong:
        st.error(f"{escaped(mistake.message)} Step {step:,} is shown.", icon=":material/error:")
    return step


def _choose_manner(slot: str, steps: tuple[Step, ...]) -> None:
    """How the steps are shown, how many were predicted, and all of them as a table."""
    st.toggle("Projector size", key=f"{slot}_projector", help=PROJECTOR_HELP, persist_state="session")
    st.segmented_control(
        "Pace", list(PACES), default="usual", key=f"{slot}_pace", help=PACE_HELP, required=True, persist_state="session"
    )
    show_score()
    st.markdown("All steps as a table")
    st.dataframe(steps_table(steps), hide_index=True, key=f"{slot}_steps_table", height=240)


def steps_table(steps: tuple[Step, ...]) -> pd.DataFrame:
    """Every step in words."""
    rows = [
        (number, step.why, "" if step.inequality is None else step.inequality.text) for number, step in enumerate(steps)
    ]
    return pd.DataFrame(rows, columns=["Step", "What and why", "What decided"])


def show_algorithm(algorithm: kanon.Algorithm) -> None:
    """The algorithm in words, where nothing of its run is shown."""
    st.markdown(algorithm.how or algorithm.summary)
    st.markdown(f"- **Guarantee**: {algorithm.guarantee}\n- **Time**: {algorithm.complexity}")
    st.markdown(f"- **Source**: {algorithm.source}")
