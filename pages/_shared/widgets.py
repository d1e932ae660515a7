"""Small widgets that several pages use."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime

import kanon_engine as kanon
from kanon_engine.errors import Remedy
from kanon_engine.io.counts import ROWS
from pages._shared.wording import PICKED, escaped, shortened


def put_in_widget(key: str, value: Any) -> None:
    """Give a Streamlit widget the page's value, unless it already has it.

    A given value is sent to the browser, where it replaces what the user is entering at that moment.
    """
    if st.session_state.get(key) != value:
        st.session_state[key] = value


def widgets_are_gone() -> None:
    """Note that this run of the page ends without most of its widgets."""
    st.session_state["_gone"] = True


def begin_widgets() -> None:
    """Call at the start of a run."""
    st.session_state["_send_again"] = st.session_state.pop("_gone", False)


def send_again(key: str) -> None:
    """Send the browser the value of a widget that it may have dropped since its last message.

    Streamlit takes that message for what the browser shows; the browser shows the widget's default, and reports that.
    """
    if st.session_state.get("_send_again") and key in st.session_state:
        st.session_state[key] = st.session_state[key]


def text_in(key: str) -> str | None:
    return (st.session_state.get(key) or "").strip() or None


def pick_tiles(key: str) -> bool:
    """Whether the map may fetch a background from the network; off until the user turns it on."""
    return st.toggle(
        "Street map",
        key=f"{key}_tiles",
        help="Off: nothing leaves this machine. On: the browser fetches map tiles from openstreetmap.org, "
        "which then learns your network address and the area you view.",
    )


def pick_from(widget: Callable[..., Any], words: str, choices: Mapping[Any, str], key: str, **more: Any) -> Any:
    """A selectbox or similar for named choices; the picked one is kept for the visit."""
    if "default" not in more:
        send_again(key)
    return widget(words, list(choices), format_func=choices.__getitem__, key=key, persist_state="session", **more)


def pick_view(words: str, views: Mapping[str, str], key: str) -> Any:
    """The view to show, initially the first; the words are for screen readers."""
    first, hidden = next(iter(views)), "collapsed"
    return pick_from(st.segmented_control, words, views, key, default=first, required=True, label_visibility=hidden)


def pick_colors(family: str) -> str:
    """Whether colors distinguish groups or show how full they are."""
    choices = {"group": "group (neighbors get different colors)", "fullness": "size ÷ k"}
    choice: str = pick_from(st.radio, "Color by", choices, f"{family}_color")
    return choice


def given(**settings: Any) -> dict[str, Any]:
    """The settings that are not None."""
    return {name: value for name, value in settings.items() if value is not None}


# ---------------------------------------------------------------------------------------------------------------------
# Choices for the user, one click each.
# ---------------------------------------------------------------------------------------------------------------------


MOST_BUTTONS = 8


def offer(key_of_file: str, parameter: str, choices: Sequence[str], words: str) -> None:
    """A button for each choice, or a list if there are many; the file is reread with the clicked one."""
    key = f"{key_of_file}_choose_{parameter}"
    st.markdown(words if words.endswith("?") else f"{words}:")
    if len(choices) > MOST_BUTTONS:
        st.selectbox(
            words,
            choices,
            index=None,
            key=key,
            label_visibility="collapsed",
            on_change=lambda: take(key_of_file, parameter, st.session_state[key]),
        )
        return
    row = st.container(horizontal=True)
    for number, choice in enumerate(choices):
        row.button(
            _told(parameter, choice),
            key=f"{key}_{number}",
            on_click=take,
            args=(key_of_file, parameter, choice),
        )


def _told(parameter: str, choice: str) -> str:
    if parameter == "dates":  # COLUMN=FORMAT, the column as in the question
        return escaped(choice.rpartition("=")[2])
    return choice if choice == ROWS else PICKED.get((parameter, choice)) or f"column {escaped(choice)}"


def take(key_of_file: str, parameter: str, value: Any) -> None:
    if value == ROWS and parameter == "repeated":  # which says what the counts are
        parameter = "counts_column"
    if value is not None:
        st.session_state[f"{key_of_file}_{parameter}"] = True if (parameter, value) == ("unmatched", "drop") else value


def offer_remedies(key_of_file: str, remedies: Sequence[Remedy]) -> None:
    """A button for each remedy that needs no input; the file is reread with the clicked one."""
    for number, remedy in enumerate(remedies):
        if remedy.parameter and remedy.value is not None:
            what = key_of_file, remedy.parameter, remedy.value
            st.button(remedy.words.capitalize(), key=f"{key_of_file}_remedy_{number}", on_click=take, args=what)


# ---------------------------------------------------------------------------------------------------------------------
# A number that the user types, and one sentence if it is not a number.
# ---------------------------------------------------------------------------------------------------------------------


LARGEST = 2**53 - 1  # the largest that a browser keeps exact
_SPACES = " \u00a0\u202f\u2009"
_GROUPED = re.compile(rf"\d{{1,3}}(?:([,'’_{_SPACES}])\d{{3}})(?:\1\d{{3}})*")
_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+")


def whole_number(text: str, name: str, least: int = 0, most: int = LARGEST) -> int:
    """A whole number, with or without thousands separators.

    Raises `InvalidInput`: it is none, or not from `least` to `most`.

    >>> whole_number("20,000", "k"), whole_number(" 20 000 ", "k")
    (20000, 20000)
    """
    words = _stripped(text)
    ask, problem = f"write a whole number of at least {least:,}", f"{name} is “{shortened(words)}”"
    if not words:
        raise kanon.InvalidInput(f"{name} is empty: {ask}.")
    if _POINTS.fullmatch(words):
        raise kanon.InvalidInput(f"{problem}, which is ambiguous: write it without a period.")
    digits = re.sub(r"\D", "", words) if _GROUPED.fullmatch(words.lstrip("-")) else words.lstrip("-")
    if not digits.isdecimal() or words.startswith("--"):
        raise kanon.InvalidInput(f"{problem}, which is not a whole number: {ask}, such as 100 or 20,000.")
    if len(digits.lstrip("0")) > len(str(most)):
        raise kanon.InvalidInput(f"{name} is too large: write a whole number of at most {most:,}.")
    value = -int(digits) if words.startswith("-") else int(digits)
    return int(_within(value, name, least, most, "a whole number"))


def decimal_number(text: str, name: str, least: float | None = None, most: float | None = None) -> float:
    """A number with a point for its fraction.

    Raises `InvalidInput`: it is none, or not from `least` to `most`.

    >>> decimal_number("0.03", "Snap")
    0.03
    """
    words = _stripped(text)
    if not words:
        raise kanon.InvalidInput(f"{name} is empty: write a number.")
    try:
        value = float(words)
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf") or "_" in words:
        raise kanon.InvalidInput(
            f"{name} is “{shortened(words)}”, which is not a number: write digits, with a decimal point, such as 0.5."
        )
    return _within(value, name, least, most, "a number")


def in_field(value: float | None) -> str:
    return "" if value is None else f"{value:.15g}"


def _within(value: float, name: str, least: float | None, most: float | None, what: str) -> float:
    if least is not None and value < least:
        raise kanon.InvalidInput(f"{name} is {value:,}, which is too small: write {what} of at least {least:,}.")
    if most is not None and value > most:
        raise kanon.InvalidInput(f"{name} is {value:,}, which is too large: write {what} of at most {most:,}.")
    return value


def _stripped(text: str) -> str:
    return text.strip().replace("−", "-")


# ---------------------------------------------------------------------------------------------------------------------
# What the user enters in a component of the page: received once, and never overwritten by an older value.
#
# A Streamlit widget holds its own state in the browser and sends it along with every run of the page, also with runs
# started by a timer. So a value that the page sets can be overwritten by the one before. Here the value belongs to the
# page alone: the browser shows it, and reports what the user entered, once.
# ---------------------------------------------------------------------------------------------------------------------


ENTRIES = Path(__file__).with_name("entered.js")


def component(name: str, folder: Path) -> Callable[..., Any]:
    """A component from ``folder/name.js`` and ``folder/name.css``, whose script can use `Entries`."""
    scripts = (ENTRIES, folder / f"{name}.js")
    return st.components.v2.component(
        f"kanon_{name}",
        js="\n".join(script.read_text(encoding="utf-8") for script in scripts),
        css=(folder / f"{name}.css").read_text(encoding="utf-8"),
    )


def hearing(key: str, scope: str = "") -> dict[str, Any]:
    """What the browser needs to distinguish an answer from an older message.

    Parameters
    ----------
    key : The component's.
    scope : str
        The session key that distinguishes one set of data from the next: entries for the previous one are dropped.
    """
    visit = st.session_state.setdefault("_visit", secrets.token_hex(4))  # another after a reload: its count restarts
    event_state = {"visit": visit, "serial": st.session_state.get(f"{key}_heard", 0)}
    return {"key": key, "scope": _value(scope), "heard": event_state}


def listener(key: str, take: Callable[[str], None], scope: str = "") -> Callable[[], None]:
    """Streamlit calls it when the component of this key sends something."""

    def listen() -> None:
        event = st.session_state[key].entered
        if event is None:
            return
        st.session_state[f"{key}_heard"] = event["serial"]
        if event["scope"] == _value(scope):
            take(event["text"])

    return listen


def _value(scope: str) -> str:
    return str(st.session_state.get(scope, "")) if scope else ""


# ---------------------------------------------------------------------------------------------------------------------
# A number that the user types or picks on a slider.
# ---------------------------------------------------------------------------------------------------------------------


_LONGEST = 200  # characters kept of text that is not a number

# `st.number_input` and `st.select_slider` are such widgets; they also have no stops along with an exact number.
_component = component("number", Path(__file__).parent / "number_component")


@dataclass(frozen=True)
class Mistake:
    """A field of this page without a valid number."""

    message: str  # what is wrong and what to do
    key: str  # the field's
    before: str  # its previous number, as text


def number_field(
    key: str,
    words: str,
    parse: Callable[[str], Any],
    *,
    name: str | None = None,
    help: str = "",
    to_text: Callable[[Any], str] = str,
    whole: bool = True,
    stops: Sequence[int] = (),
    scope: str = "",
) -> Any:
    """Draw a field, with a slider if there are stops; return the last number entered.

    Parameters
    ----------
    key : The session key of the number; it must exist.
    words : The label.
    parse : Typed text → value, or `InvalidInput` with a sentence. Invalid text is in `mistakes`.
    name : The field's name for screen readers and in sentences; the label unless given.
    to_text : Value → text in the field.
    whole : Whether the arrow keys count up and down.
    stops : The slider's stops, ascending. A range counts in ones; other stops are spaced by their factors.
    scope : As in `hearing`.
    """
    typed, value = st.session_state.get(_typed(key)), st.session_state[key]
    message = ""
    if typed is not None:
        try:
            parse(typed)
        except ValueError as error:
            message = str(error)
            mistakes().append(Mistake(message, key, to_text(value)))
    if not runtime.exists():  # a page that is run as a plain script has nobody to show it to
        return value

    field = f"{key}_field"
    _component(
        key=field,
        data={
            "label": words,
            "name": name or words,
            "help": help,
            "text": to_text(value) if typed is None else typed,
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
    """Take the user's entry, or keep it as a mistake."""
    try:
        put_number(key, parse(text))
    except ValueError:
        st.session_state[_typed(key)] = text[:_LONGEST]


def put_number(key: str, value: Any) -> None:
    """Give a field the number that the user chose, here or elsewhere."""
    begin_number(key, value)
    st.session_state[chosen(key)] = True


def begin_number(key: str, value: Any) -> None:
    """Give a field a number that the user did not choose."""
    forget_number(key)
    st.session_state[key] = value


def forget_number(key: str) -> None:
    for entry in (key, _typed(key), chosen(key)):
        st.session_state.pop(entry, None)


def minimum_key(family: str, column: str) -> str:
    """The key of a column's minimum; its suffix distinguishes it from other keys with this prefix."""
    return f"{family}_minima_“{column}”"


def chosen(key: str) -> str:
    """The session key that exists if the user, not a page, chose the number."""
    return f"{key}_chosen"


def begin_fields() -> None:
    """Call before the first field of a page."""
    st.session_state["_mistakes"] = []


def mistakes() -> list[Mistake]:
    """The fields of this run of the page without a valid number."""
    entries: list[Mistake] = st.session_state.setdefault("_mistakes", [])
    return entries


@contextmanager
def separate_fields() -> Iterator[list[Mistake]]:
    """Fields drawn in this context do not count as the page's; the list has those without a valid number."""
    others, separate = mistakes(), list[Mistake]()
    st.session_state["_mistakes"] = separate
    try:
        yield separate
    finally:
        st.session_state["_mistakes"] = others


def _typed(key: str) -> str:
    return f"{key}_typed"
