"""A number that a person types, or picks on a slider."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

from pages._shared.entered import component, hearing, listener

_LONGEST = 200  # characters that are kept of what is no number

_component = component("number", Path(__file__).parent / "number_component")


@dataclass(frozen=True)
class Mistake:
    """A field of this page that holds no number.

    Attributes
    ----------
    message : str
        What is wrong and what to do.
    key : str
        The field's.
    before : str
        The number that it held before, as text.
    """

    message: str
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
        Where the slider can stand, ascending. A range counts in ones, other stops are apart as factors count.
    scope : str
        As in `hearing`.
    """
    typed, value = st.session_state.get(_typed(key)), st.session_state[key]
    message = ""
    if typed is not None:
        try:
            parse(typed)
        except ValueError as error:
            message = str(error)
            mistakes().append(Mistake(message, key, shown(value)))
    if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
        return value

    field = f"{key}_field"
    _component(
        key=field,
        data={
            "label": words,
            "name": name or words,
            "help": help,
            "text": shown(value) if typed is None else typed,
            "shown": f"{value:,}" if stops else "",
            "value": value if stops else 0,
            "stops": {"first": stops[0], "last": stops[-1]} if stops and isinstance(stops, range) else list(stops),
            "problem": message,
            "whole": whole,
        }
        | hearing(field, scope),
        on_entered_change=listener(field, lambda text: enter_number(key, text, parse), scope),
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


def minimum_key(family: str, column: str) -> str:
    """The field for the minimum of a column; its end keeps it apart from all else that begins so."""
    return f"{family}_minima_“{column}”"


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


@contextmanager
def fields_apart() -> Iterator[list[Mistake]]:
    """Fields drawn in here do not count among the page's; what of them holds no number is in this list."""
    others, apart = mistakes(), list[Mistake]()
    st.session_state["_mistakes"] = apart
    try:
        yield apart
    finally:
        st.session_state["_mistakes"] = others


def _typed(key: str) -> str:
    return f"{key}_typed"
