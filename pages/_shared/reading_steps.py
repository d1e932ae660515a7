"""A person's own file, read in steps: each has a good guess already, and can be changed at any time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from pages._shared.records import File
from pages._shared.widgets import put_in_widget
from pages._shared.wording import escaped


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes
    ----------
    name : str
    parameters : tuple of str
        Those of the reader that are chosen in it.
    draw : callable
        ``draw(file, instance, seen)`` draws its widgets; the instance is None where the file could not be read.
    """

    name: str
    parameters: tuple[str, ...]
    draw: Callable[[File, Any, bool], None]


def show_reading(
    file: File, instance: Any, error: kanon.KanonError | None, steps: Sequence[Step], understood: str
) -> tuple[DeltaGenerator, str]:
    """The strip that says what was understood; opened, the steps. Where the file could not be read, they are open.

    Parameters
    ----------
    file : File
        With rows to show.
    instance : Regions, Points, Labels or MetricSpace, or None
        What was read.
    error : KanonError or None
        Why nothing could be.
    steps : sequence of Step
    understood : str
        One line on what was read.

    Returns
    -------
    DeltaGenerator, str
        The strip, and the step that is open in it; "" where it is closed.
    """
    key, state = file.key, st.session_state
    failed = state.get(f"{key}_failed")
    if error is None and failed is not None:  # all is there now, and the picture shall have the place
        state[f"{key}_steps"] = False
    if error is not None and failed != str(error):  # another reason: its step opens
        state[f"{key}_steps"] = True
        wanted = parameter_of(error)
        put_in_widget(f"{key}_step", next((one.name for one in steps if wanted in one.parameters), steps[0].name))
    state[f"{key}_failed"] = None if error is None else str(error)
    words = escaped(f"How {file.name} is read" if instance is None else understood)
    widget = f"{key}_steps_{kanon.content_digest(words=words)[:8]}"  # a browser closes one whose words change
    put_in_widget(widget, bool(state.get(f"{key}_steps")))

    def follow() -> None:
        state[f"{key}_steps"] = state[widget]

    strip = st.expander(words, key=widget, on_change=follow, icon=":material/checklist:")
    seen = ""
    with strip:  # drawn when closed too: Streamlit forgets an uploaded file whose field is not there
        for step, tab in zip(
            steps, st.tabs([one.name for one in steps], key=f"{key}_step", on_change="rerun"), strict=True
        ):
            seen = step.name if strip.open and tab.open else seen
            with tab:
                step.draw(file, instance, seen == step.name)
    return strip, seen


def parameter_of(error: kanon.KanonError) -> str:
    """What the person has to choose."""
    return next((way.parameter for way in error.remedy if way.parameter), error.parameter)
