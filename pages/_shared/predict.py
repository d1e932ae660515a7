"""Predict first: what comes next is asked before it is shown; the right answers of a visit are counted."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from kanon_engine.teaching.step import Question, Step
from pages._shared.wording import escaped

SCORE = "steps_score"  # of the visit: predictions that were right, and all
FEW = 6  # choices that are shown as buttons
MANY = "Choose here, or click in the picture"
SHOWN = 3  # right answers that are named


def open_question(slot: str, steps: tuple[Step, ...], number: int) -> Question | None:
    """What is asked while step `number` is shown: that of the next one, until it is answered."""
    if number + 1 >= len(steps) or number + 1 in st.session_state[f"{slot}_predicted"]:
        return None
    return steps[number + 1].question


def keep_answer(slot: str, question: Question, step: int, answer: int) -> None:
    """Count what was predicted of a step."""
    right, asked = st.session_state.get(SCORE, (0, 0))
    st.session_state[f"{slot}_predicted"][step] = answer
    st.session_state[SCORE] = (right + question.is_right(answer), asked + 1)


def show_question(slot: str, question: Question, step: int, answered: Callable[[int], None]) -> None:
    """The question with its choices; `answered` is told what was picked."""
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
            _number_asked(question, key, answered)


def _number_asked(question: Question, key: str, answered: Callable[[int], None]) -> None:
    """A slider, and a button that answers with where it stands."""
    left, right = st.columns([4, 1], vertical_alignment="center")
    chosen = left.slider("Your answer", question.low, question.high, key=key, label_visibility="collapsed")
    right.button("Answer", key=f"{key}_given", on_click=answered, args=(chosen,), width="stretch")


def show_feedback(slot: str, steps: tuple[Step, ...], number: int) -> None:
    """Whether the step that is shown was predicted."""
    answer = st.session_state[f"{slot}_predicted"].get(number)
    question = steps[number].question
    if answer is None or question is None:
        return
    if question.is_right(answer):
        st.success("Right, as you predicted.", icon=":material/check_circle:")
        return
    words = [question.choices[right] if question.choices else f"{right:,}" for right in question.answers]
    more = "" if len(words) <= SHOWN else f" or {len(words) - SHOWN:,} others"
    said = question.choices[answer] if question.choices else f"{answer:,}"
    told = " or ".join(f"“{escaped(one)}”" for one in words[:SHOWN])
    st.warning(f"You said “{escaped(said)}”. Right is {told}{more}.", icon=":material/cancel:")


def show_score() -> None:
    """How many predictions of this visit were right."""
    right, asked = st.session_state.get(SCORE, (0, 0))
    if asked:
        st.markdown(f"Predicted right: **{right:,} of {asked:,}**")
