"""The tab "How it works": the run of an algorithm on these data, step by step, to watch or to predict."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterator
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from plotly import graph_objects as go
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.errors import SearchEnded
from kanon_engine.model.known import family_of
from kanon_engine.model.words import counted
from kanon_engine.teaching.step import Step, StepQuestion
from pages._shared.picture import Rest, picture, picture_name
from pages._shared.tasks import Task, made_beside, offer_again, once
from pages._shared.widgets import begin_number, number_field, put_number, separate_fields, whole_number
from pages._shared.wording import escaped, on_page

PACES = {"slow": 4.0, "usual": 2.0, "fast": 0.8}  # seconds a step
SAME_PRESS = 1.0  # seconds after a pause in which Play is ignored: browsers can send a press twice if a timer is due
PACE_HELP = "How long each step is shown while playing: 4, 2 or 0.8 seconds."
PREDICT_HELP = (
    "Before some steps you are asked to predict the next one. The step shows the answer, and your score is kept."
)
PROJECTOR_HELP = "Larger text and pictures, readable from the back of a room."


def show_how(
    instance: Any,
    g: kanon.Generalization,
    *,
    slot: str = "",
    make_steps: Callable[[], Iterator[Step]] | None = None,
    **layers: Any,
) -> None:
    """The steps of a result with buttons, a slider and a timer; without steps, the algorithm in words.

    Parameters
    ----------
    instance : instance of g
    slot : Key prefix of its widgets; the family unless given.
    make_steps : ``make_steps()`` yields steps in place of the algorithm's own.
    **layers : Further arguments of the family's step picture.
    """
    if not teaching.has_steps(g):
        show_algorithm(family_of(instance).makers[g.algorithm])
        return
    slot = slot or g.family
    take = make_steps or partial(teaching.steps, instance, g)
    key = ("steps", g.digest, make_steps is None)
    try:
        steps: tuple[Step, ...] = once(_computed, slot, key, take, st.empty(), of=key)
    except SearchEnded as error:
        offer_again(on_page(error), "Compute the steps again", f"{slot}_steps_again", key)
        return
    state = st.session_state
    if state.get(f"{slot}_steps_of") != g.digest:  # the steps of another result start at the first
        state[f"{slot}_steps_of"], state[f"{slot}_predicted"], state[f"{slot}_playing"] = g.digest, {}, False
        begin_number(f"{slot}_step", 0)
    pace = PACES[state.get(f"{slot}_pace", "usual")]
    every = pace / 2 if state[f"{slot}_playing"] else None
    st.fragment(_show_player, run_every=every)(slot, instance, g, steps, layers)
    if state.get(f"{slot}_paused") == math.inf:
        state[f"{slot}_paused"] = time.monotonic()


def _computed(slot: str, key: Hashable, take: Callable[[], Iterator[Step]], place: DeltaGenerator) -> tuple[Step, ...]:
    """All steps, computed in the background; `SearchEnded` if the user stops that."""

    def work(task: Task) -> tuple[Step, ...]:
        steps = []
        for step in take():
            task.require_wanted()
            steps.append(step)
            task.part = counted(len(steps), "step")
        return tuple(steps)

    return made_beside(f"{slot}_steps", key, work, "Computing the steps …", f"{slot}_stop_steps", place)


def _show_player(
    slot: str, instance: Any, g: kanon.Generalization, steps: tuple[Step, ...], layers: dict[str, Any]
) -> None:
    predicting = bool(st.session_state.get(f"{slot}_predict"))
    _play_on(slot, steps, predicting)
    with st.container(key=f"how-of-{slot}"):
        number = min(_choose_step(slot, steps), len(steps) - 1)  # the field may hold a step of a longer run
        now = steps[number]
        question = open_question(slot, steps, number) if predicting else None
        if st.session_state.get(f"{slot}_projector"):
            inside = f".st-key-told-of-{slot}"
            st.html(
                f"<style>{inside} [data-testid='stMarkdownContainer'] p {{font-size: {LARGER}rem; line-height: 1.3}} "
                f"{inside} button [data-testid='stMarkdownContainer'] p {{font-size: 1.2rem}}</style>"
            )
        with st.container(key=f"told-of-{slot}"):
            show_feedback(slot, steps, number)
            decided = "" if now.inequality is None else f" :gray-badge[{escaped(now.inequality.text)}]"
            st.markdown(f"{escaped(now.why)}{decided}")
            if question is not None:
                show_question(slot, question, number + 1, lambda answer: _answer(slot, question, number + 1, answer))
        figure = teaching.step_figure(instance, g, now, question, **layers)
        if st.session_state.get(f"{slot}_projector"):
            figure = enlarged(figure)
        event = picture(figure, key=f"{slot}_steps", height=Rest(), filename=picture_name(g, internal=True))
    if question is not None and question.choices and event is not None and event.class_number is not None:
        _answer(slot, question, number + 1, event.class_number)
        st.rerun(scope="fragment")


def _answer(slot: str, question: StepQuestion, step: int, answer: int) -> None:
    """Count the prediction for a step, and show the step."""
    right, total = st.session_state.get(SCORE, (0, 0))
    st.session_state[f"{slot}_predicted"][step] = answer
    st.session_state[SCORE] = (right + question.is_right(answer), total + 1)
    _go_to(slot, step)


def _go_to(slot: str, step: int) -> None:
    put_number(f"{slot}_step", step)
    st.session_state[f"{slot}_due"] = time.monotonic() + PACES[st.session_state.get(f"{slot}_pace", "usual")]


def _play_on(slot: str, steps: tuple[Step, ...], predicting: bool) -> None:
    """The next step if the steps are playing and its time has come; a question pauses playing until it is answered."""
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
    """The current step, with its controls and view options."""
    key, count = f"{slot}_step", len(steps) - 1

    def play() -> None:
        state = st.session_state
        if state[f"{slot}_playing"]:
            state[f"{slot}_paused"] = math.inf  # until the page is drawn
        elif time.monotonic() < state.get(f"{slot}_paused", 0.0) + SAME_PRESS:
            return
        else:
            _go_to(slot, state[key] if state[key] < count else 0)
        state[f"{slot}_playing"] = not state[f"{slot}_playing"]
        state[f"{slot}_toggled"] = True

    def move(by: int) -> None:
        _go_to(slot, min(max(st.session_state[key] + by, 0), count))

    if st.session_state.pop(f"{slot}_toggled", False):
        st.rerun()  # a fragment's timer is set by a run of the whole page
    with st.container(key=f"steps-of-{slot}"):
        back, slider, on, player, predict, more = st.columns([2, 7, 2, 2, 3, 2], vertical_alignment="bottom")
    with slider:
        step = _step_field(slot, count)
    for column, label, side, by, end in ((back, "Back", "left", -1, 0), (on, "Next", "right", 1, count)):
        column.button(
            label,
            icon=f":material/chevron_{side}:",
            key=f"{slot}_{label}",
            on_click=move,
            args=(by,),
            disabled=step == end,
            width="stretch",
        )
    words, icon = ("Pause", "pause") if st.session_state[f"{slot}_playing"] else ("Play", "play_arrow")
    player.button(
        words, icon=f":material/{icon}:", key=f"{slot}_play", on_click=play, disabled=not count, width="stretch"
    )
    predict.toggle("Predict first", key=f"{slot}_predict", help=PREDICT_HELP, persist_state="session")
    with more.popover("More", width="stretch"):
        _choose_manner(slot, steps)
    return step


def _step_field(slot: str, count: int) -> int:
    """A field and a slider for the step number; if it is not a step, a sentence and the last valid one."""

    def parse(text: str) -> int:
        return whole_number(text, "Step", 0, count)

    with separate_fields() as wrong:
        step: int = number_field(
            f"{slot}_step",
            f"Step (0 to {count:,})",
            parse,
            name="Step number",
            stops=range(count + 1),
            scope=f"{slot}_steps_of",
        )
    for mistake in wrong:
        st.error(f"{escaped(mistake.message)} Step {step:,} is shown.", icon=":material/error:")
    return step


def _choose_manner(slot: str, steps: tuple[Step, ...]) -> None:
    """View options, the prediction score, and all steps as a table."""
    st.toggle("Projector size", key=f"{slot}_projector", help=PROJECTOR_HELP, persist_state="session")
    st.segmented_control(
        "Pace", list(PACES), default="usual", key=f"{slot}_pace", help=PACE_HELP, required=True, persist_state="session"
    )
    right, total = st.session_state.get(SCORE, (0, 0))
    if total:
        st.markdown(f"Correct predictions: **{right:,} of {total:,}**")
    st.markdown("All steps as a table")
    rows = [
        (number, step.why, "" if step.inequality is None else step.inequality.text) for number, step in enumerate(steps)
    ]
    table = pd.DataFrame(rows, columns=["Step", "What happens and why", "What decided this step"])
    st.dataframe(table, hide_index=True, key=f"{slot}_steps_table", height=240)


def show_algorithm(algorithm: kanon.Algorithm) -> None:
    st.markdown(algorithm.how or algorithm.summary)
    st.markdown(f"- **Guarantee**: {algorithm.guarantee}\n- **Time**: {algorithm.complexity}")
    st.markdown(f"- **Source**: {algorithm.source}")


# ---------------------------------------------------------------------------------------------------------------------
# Predict first: the next step is asked before it is shown; the right answers of a visit are counted.
# ---------------------------------------------------------------------------------------------------------------------


SCORE = "steps_score"  # of the visit: predictions that were right, and all
FEW = 6  # choices that are shown as buttons
MANY = "Choose here or click in the picture"
SHOWN = 3  # right answers that are named


def open_question(slot: str, steps: tuple[Step, ...], number: int) -> StepQuestion | None:
    """The question while step `number` is shown: about the next step, until it is answered."""
    if number + 1 >= len(steps) or number + 1 in st.session_state[f"{slot}_predicted"]:
        return None
    return steps[number + 1].question


def show_question(slot: str, question: StepQuestion, step: int, answered: Callable[[int], None]) -> None:
    """The question with its choices; `answered` is called with the picked one."""
    key = f"{slot}_answer_{step}"
    few = 0 < len(question.choices) <= FEW
    words, choices = st.columns([2, 3], vertical_alignment="center")
    words.markdown(f":material/psychology_alt: **{escaped(question.prompt)}**")
    with choices:
        if few:
            with st.container(horizontal=True, gap="small", key=f"{slot}_choices"):
                for number, choice in enumerate(question.choices):
                    st.button(escaped(choice), key=f"{key}_{number}", on_click=answered, args=(number,))
        elif question.choices:
            st.selectbox(
                "Your answer",
                range(len(question.choices)),
                index=None,
                format_func=lambda number: question.choices[number],
                placeholder=MANY,
                key=key,
                on_change=lambda: answered(st.session_state[key]),
                label_visibility="collapsed",
            )
        else:
            left, right = st.columns([4, 1], vertical_alignment="center")
            chosen = left.slider("Your answer", question.low, question.high, key=key, label_visibility="collapsed")
            right.button("Answer", key=f"{key}_given", on_click=answered, args=(chosen,), width="stretch")


def show_feedback(slot: str, steps: tuple[Step, ...], number: int) -> None:
    answer = st.session_state[f"{slot}_predicted"].get(number)
    question = steps[number].question
    if answer is None or question is None:
        return
    if question.is_right(answer):
        st.success("Right, as you predicted.", icon=":material/check_circle:")
        return
    words = [question.choices[right] if question.choices else f"{right:,}" for right in question.answers]
    more = "" if len(words) <= SHOWN else f" or {len(words) - SHOWN:,} others"
    chosen = question.choices[answer] if question.choices else f"{answer:,}"
    expected = " or ".join(f"“{escaped(one)}”" for one in words[:SHOWN])
    st.warning(f"You answered “{escaped(chosen)}”. The right answer is {expected}{more}.", icon=":material/cancel:")


# ---------------------------------------------------------------------------------------------------------------------
# Text and pictures readable from the back of a room.
# ---------------------------------------------------------------------------------------------------------------------


LARGER = 1.6
USUAL = 12  # points of plotly's own font


def enlarged(figure: go.Figure) -> go.Figure:
    """A copy with every font larger.

    >>> enlarged(go.Figure(layout={"title": {"text": "a", "font": {"size": 10}}})).layout.title.font.size
    16
    """

    def larger(part: Any, in_font: bool = False) -> Any:
        if isinstance(part, dict):
            return {
                key: round(value * LARGER)
                if in_font and key == "size" and isinstance(value, int | float)
                else larger(value, "font" in key)
                for key, value in part.items()
            }
        return [larger(one) for one in part] if isinstance(part, list | tuple) else part

    large = go.Figure(larger(figure.to_plotly_json()))
    if large.layout.font.size is None:
        large.layout.font.size = round(USUAL * LARGER)
    return large
