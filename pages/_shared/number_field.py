"""A number that a person types, or picks on a slider.

A widget of Streamlit holds a state of its own in the browser and sends it along with every run of the page, also with
runs that a timer asked for. So a number that the page sets can be answered by the one that stood there before. Here
the number is the page's alone: the browser shows it, and tells what a person entered, once.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

_FOLDER = Path(__file__).parent / "number_component"
_LONGEST = 200  # characters that are kept of what is no number

_component = st.components.v2.component(
    "kanon_number",
    js=(_FOLDER / "number.js").read_text(encoding="utf-8"),
    css=(_FOLDER / "number.css").read_text(encoding="utf-8"),
)


@dataclass(frozen=True)
class Mistake:
    """A field of this page that holds no number.

    Attributes
    ----------
    sentence : str
        What is wrong and what to do.
    key : str
        The field's.
    before : str
        The number that it held before, as text.
    """

    sentence: str
    key: str
    before: str


def number_field(
    key: str,
    words: str,
    parse: Callable[[str], Any],
    *,
    name: str | None = None,
    help: str = "",
    shown: Callable[[Any], str] = str,
    whole: bool = True,
    stops: Sequence[int] = (),
    scope: str = "",
) -> Any:
    """Draw a field, with a slider where there are stops; return the number that was last entered.

    Parameters
    ----------
    key : str
        Where the session state keeps the number; it must be there.
    words : str
        The label.
    parse : callable
        What a person typed → value, or `InvalidInput` with a sentence. What is no number is in `mistakes`.
    name : str, optional
        What the field is called for who does not see it, and in sentences; the label unless given.
    help : str
    shown : callable
        Value → what stands in the field.
    whole : bool
        Whether the arrow keys count up and down.
    stops : sequence of int
        Where the slider can stand, ascending.
    scope : str
        The session's entry that tells one set of data from the next: what was entered for the one before is dropped.
    """
    typed, value = st.session_state.get(_typed(key)), st.session_state[key]
    sentence = ""
    if typed is not None:
        try:
            parse(typed)
        except ValueError as error:
            sentence = str(error)
            mistakes().append(Mistake(sentence, key, shown(value)))
    if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
        return value

    def take() -> None:
        event = st.session_state[f"{key}_field"].entered
        if event is None:
            return
        st.session_state[f"{key}_heard"] = event["serial"]
        if event["scope"] == _scope(scope):
            enter_number(key, event["text"], parse)

    _component(
        key=f"{key}_field",
        data={
            "label": words,
            "name": name or words,
            "help": help,
            "text": shown(value) if typed is None else typed,
            "shown": f"{value:,}" if stops else "",
            "value": value if stops else 0,
            "stops": list(stops),
            "problem": sentence,
            "whole": whole,
            "scope": _scope(scope),
            "heard": {"visit": _visit(), "serial": st.session_state.get(f"{key}_heard", 0)},
        },
        on_entered_change=take,
    )
    return value


def enter_number(key: str, text: str, parse: Callable[[str], Any]) -> None:
    """Take what a person entered, or keep it as what it is not."""
    try:
        put_number(key, parse(text))
    except ValueError:
        st.session_state[_typed(key)] = text[:_LONGEST]


def put_number(key: str, value: Any) -> None:
    """Give a field the number that a person chose, here or elsewhere."""
    begin_number(key, value)
    st.session_state[chosen(key)] = True


def begin_number(key: str, value: Any) -> None:
    """Give a field a number that nobody chose."""
    forget_number(key)
    st.session_state[key] = value


def forget_number(key: str) -> None:
    """The field begins anew."""
    for entry in (key, _typed(key), chosen(key)):
        st.session_state.pop(entry, None)


def chosen(key: str) -> str:
    """The session's entry that is there where a person chose the number, and no page."""
    return f"{key}_chosen"


def begin_fields() -> None:
    """Call before the first field of a page."""
    st.session_state["_mistakes"] = []


def mistakes() -> list[Mistake]:
    """The fields of this run of the page that hold no number."""
    found: list[Mistake] = st.session_state.setdefault("_mistakes", [])
    return found


def _typed(key: str) -> str:
    return f"{key}_typed"


def _scope(scope: str) -> str:
    return str(st.session_state.get(scope, "")) if scope else ""


def _visit() -> str:
    """Another one after a reload: then the browser's count begins anew."""
    found: str = st.session_state.setdefault("_visit", secrets.token_hex(4))
    return found
