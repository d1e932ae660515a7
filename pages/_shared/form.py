"""How a user's own file is read: a widget for each parameter of the family's reader, in steps.

Each starts with a good guess and can be changed at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.io.counts import ROWS
from kanon_engine.io.source import Source
from kanon_engine.model.family import TABLES, Reader
from pages._shared.files import choose_upload
from pages._shared.records import File
from pages._shared.widgets import given, put_in_widget
from pages._shared.wording import CONTROLS, control_name, escaped

GUESS = "guess from the names"


@dataclass(frozen=True)
class Control:
    """The widget for one parameter of a reader, or for columns of records stored elsewhere."""

    parameter: str
    words: str = ""  # its label, if that differs from the parameter's name in sentences
    help: str | None = None
    kind: str = "column"  # or "columns", "counts", "choice", "radio", "row" of radio buttons, "flag", "file", "text"
    # what the reader takes besides columns, with labels; for radio buttons the reader's default first
    choices: tuple[tuple[str, str], ...] = ()
    usual: str | None = GUESS  # the first choice, with which the reader guesses; None if nothing is picked initially
    example: str | Callable[[Any], str] = ""  # placeholder of an empty field; may depend on the instance that was read
    parse: Callable[[str], Any] | None = None  # typed text → the reader's argument, or ValueError

    @property
    def label(self) -> str:
        return self.words or CONTROLS[self.parameter]

    def draw(self, key: str, columns: Sequence[str] = (), instance: Any = None) -> None:
        """Draw it; a project can name columns that this file does not have."""
        state, words = st.session_state, dict(self.choices)
        example = self.example(instance) if callable(self.example) else self.example
        more: dict[str, Any] = {"key": key, "help": self.help, "persist_state": "session"}
        if self.kind == "file":
            choose_upload(self.label, TABLES, key, self.help or "")
        elif self.kind == "flag":
            st.checkbox(self.label, **more)
        elif self.kind == "text":
            st.text_input(self.label, placeholder=example, **more)
        elif self.kind in ("radio", "row"):
            st.radio(self.label, list(words), format_func=words.__getitem__, horizontal=self.kind == "row", **more)
        elif self.kind == "columns":
            value = state.get(key) or ()
            if not {*value} <= {*columns}:
                state[key] = [name for name in value if name in columns]
            st.multiselect(self.label, columns, placeholder=example or None, **more)
        else:
            options = self._options(key, columns)
            if state.get(key) not in {None, *options}:
                del state[key]
            called = {name: name for name in options} | words | {name: name for name in columns}
            index = None if self.usual is None else 0
            st.selectbox(self.label, options, index, format_func=called.__getitem__, **more)

    def value(self, key: str, columns: Sequence[str] = ()) -> Any:
        """The user's choice, even if the widget is not drawn; None if it is left to the reader."""
        entry = st.session_state.get(f"{key}_uploaded" if self.kind == "file" else key)
        if entry is None:
            return None
        if self.kind in ("radio", "row"):
            return entry if entry != self.choices[0][0] else None
        if self.kind == "file":
            return Source.open(entry[1], entry[0])
        if self.kind == "flag":
            return entry or None
        if self.kind == "columns":
            return tuple(name for name in entry if name in columns) or None
        if self.kind != "text":
            return entry if entry != self.usual and entry in self._options(key, columns) else None
        try:
            return self.parse(entry.strip()) if self.parse is not None and entry.strip() else entry.strip() or None
        except ValueError as error:
            raise kanon.InvalidInput(f"{self.label}: {error}") from error

    def _options(self, key: str, columns: Sequence[str]) -> list[str]:
        """The choices, including one that a project sets."""
        first, value = [] if self.usual is None else [self.usual], st.session_state.get(key)
        if self.kind == "choice":
            return list(dict.fromkeys([*first, *dict(self.choices), *([] if value is None else [value])]))
        rows = [ROWS] if self.kind == "counts" else []
        return list(dict.fromkeys([*first, *rows, *columns, *dict(self.choices)]))


UNIT = Control(
    "unit",
    "Unit",
    "The word for records in sentences and pictures: people, births, patients …",
    "text",
    example="the column's name",
)


@dataclass(frozen=True)
class ReadingStep:
    """Some of the widgets in two columns, with help for choosing."""

    name: str
    left: tuple[Control, ...] = ()
    right: tuple[Control, ...] = ()
    beside: Callable[[File, Any], object] = lambda file, instance: None  # draws what is on the right below these
    draw: Callable[[File, Any, bool], None] | None = None  # draws all of it; its argument says whether the step is open
    parameters: tuple[str, ...] = ()  # further parameters chosen in it

    @property
    def controls(self) -> tuple[Control, ...]:
        return (*self.left, *self.right)

    def show(self, file: File, instance: Any, is_open: bool) -> None:
        """Draw it; the instance is None if the file could not be read."""
        if self.draw is not None:
            self.draw(file, instance, is_open)
            return
        for column, controls in zip(st.columns(2), (self.left, self.right), strict=True):
            with column:
                for control in controls:
                    control.draw(f"{file.key}_{control.parameter}", file.columns, instance)
        with column:
            self.beside(file, instance)


def rows(height: int) -> Callable[[File, Any], object]:
    """The first rows of the file, next to the widgets of a step."""
    return lambda file, instance: st.dataframe(file.rows, hide_index=True, height=height)


def show_notes(file: File, instance: Any) -> None:
    """How the data were read, next to the widgets of a step."""
    for note in () if instance is None else instance.notes[:6]:
        st.caption(escaped(note))


def counts_step(
    name: str, parameter: str, help: str, beside: Callable[[File, Any], object] = lambda file, instance: None
) -> ReadingStep:
    """Which column counts, or that each row is one record, and what a record is called."""
    controls = (Control(parameter, help=help, kind="counts"), UNIT)
    return ReadingStep(name, controls, beside=beside, parameters=("per_record",))


@dataclass(frozen=True)
class Form:
    """All reading steps of a family's files."""

    steps: tuple[ReadingStep, ...]
    understood: Callable[[File, Any], str] = lambda file, instance: f"{file.words} · {instance.notes[0].rstrip('.')}"
    more: Callable[[File], dict[str, Any]] = lambda file: {}  # arguments of the reader that no single widget gives
    unasked: tuple[str, ...] = ()  # parameters without a widget that a project can set
    below: Callable[[File, Any, str], object] = lambda file, instance, step: None  # draws below the step of this name

    def settings(self, file: File) -> dict[str, Any]:
        """The reader's arguments that the user chose; the reader guesses the rest."""
        chosen: dict[str, Any] = {}
        if file.rows is None:
            return chosen
        for control in [control for step in self.steps for control in step.controls]:
            value = control.value(f"{file.key}_{control.parameter}", file.columns)
            if control.kind == "counts" and value == ROWS:
                chosen["per_record"] = True
            elif value is not None:
                chosen[control.parameter] = value
        return given(**(chosen | self.more(file)))

    def show(self, file: File, instance: Any, error: kanon.KanonError | None) -> None:
        """The strip that says how the data were read, with the steps inside, open if the file could not be read.

        `instance` is None if there is an `error`.
        """
        if file.rows is None:
            return
        key, state = file.key, st.session_state
        failed = state.get(f"{key}_failed")
        if error is None and failed is not None:  # everything is set now, and the picture gets the space
            state[f"{key}_steps"] = False
        if error is not None and failed != str(error):  # another error: its step opens
            state[f"{key}_steps"] = True
            put_in_widget(f"{key}_step", self._step_of(error))
        state[f"{key}_failed"] = None if error is None else str(error)
        words = escaped(f"How {file.name} is read" if instance is None else self.understood(file, instance))
        widget = (
            f"{key}_steps_{kanon.content_digest(words=words)[:8]}"  # a browser closes an expander whose label changes
        )
        put_in_widget(widget, bool(state.get(f"{key}_steps")))

        def follow() -> None:
            state[f"{key}_steps"] = state[widget]

        strip = st.expander(words, key=widget, on_change=follow, icon=":material/checklist:")
        open_step = ""
        with strip:  # also drawn when closed: Streamlit forgets an uploaded file whose field is not drawn
            tabs = st.tabs([one.name for one in self.steps], key=f"{key}_step", on_change="rerun")
            for step, tab in zip(self.steps, tabs, strict=True):
                open_step = step.name if strip.open and tab.open else open_step
                with tab:
                    step.show(file, instance, open_step == step.name)
            self.below(file, instance, open_step)

    def _step_of(self, error: kanon.KanonError) -> str:
        """Where the user chooses what is wrong or missing."""
        parameter = next((way.parameter for way in error.remedy if way.parameter), error.parameter)
        step_names = ((step, {*step.parameters, *(one.parameter for one in step.controls)}) for step in self.steps)
        return next((step.name for step, names in step_names if parameter in names), self.steps[0].name)


def plain_form(reader: Reader) -> Form:
    """The form of a family without parts of its own: one step, made from its reader's parameters."""
    has_counts = any(parameter.kind == "counts" for parameter in reader.parameters)
    controls = tuple(
        Control(
            parameter.name,
            control_name(parameter.name),
            parameter.help,
            parameter.kind,
            tuple((choice, choice) for choice in parameter.choices),
            "the default" if parameter.kind == "choice" else GUESS,
            parse=parameter.parse,
        )
        for parameter in reader.parameters
        if parameter.kind != "files" and not (has_counts and parameter.name == "per_record")  # one of the choices there
    )
    return Form((ReadingStep("Reading", controls, beside=rows(220)),))
