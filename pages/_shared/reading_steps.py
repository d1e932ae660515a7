"""A person's own file, read in steps: each has a good guess already, and can be changed at any time."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import kanon_engine as kanon
from pages._shared.link import linked, misread
from pages._shared.records import Data, File
from pages._shared.widgets import offer, put_in_widget
from pages._shared.wording import escaped, shortened


@dataclass(frozen=True)
class Step:
    """One step."""

    name: str
    parameters: tuple[str, ...]  # those of the reader that are chosen in it
    # ``draw(file, instance, seen)`` draws its widgets; the instance is None where the file could not be read
    draw: Callable[[File, Any, bool], None]


def show_reading(
    file: File, instance: Any, error: kanon.KanonError | None, steps: Sequence[Step], understood: str
) -> tuple[DeltaGenerator, str]:
    """The strip that says what was understood; opened, the steps. Where the file could not be read, they are open.

    Parameters
    ----------
    file : With rows to show.
    instance : Regions, Points, Labels or MetricSpace, or None. What was read.
    error : Why nothing could be.
    understood : One line on what was read.

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


# ---------------------------------------------------------------------------------------------------------------------
# Sets of items as a person writes them, one a line, and as a link has them.
# ---------------------------------------------------------------------------------------------------------------------


LONGEST = 8_000  # characters of a link; servers refuse addresses of some tens of thousands
NO_ROOM = "The address bar has no room for these rules, so a link leaves them out. A project file keeps them."
OWN = "A link holds nothing of what is in your file, so it leaves rules out. A project file keeps them."


def rows_in(text: str) -> list[list[str]]:
    """The sets that lines are, with commas between their items.

    Example
    -------
    >>> rows_in('a, "b, c"\\n\\nd')
    [['a', 'b, c'], ['d']]
    """
    lines = csv.reader(text.splitlines(), skipinitialspace=True)
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return [row for row in rows if row]


def text_of(rows: Iterable[Iterable[Any]]) -> str:
    """What `rows_in` reads."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def link_of(rows: Iterable[Iterable[Any]]) -> str:
    """Sets for a link.

    Example
    -------
    >>> link_of([["a", "b, c"], ["d;"]])
    'a,b%2C c;d%3B'
    """
    return ";".join(",".join(quote(str(item), safe=" ") for item in row) for row in rows)


def rows_of_link(text: str) -> list[list[str]]:
    """What `link_of` wrote.

    Example
    -------
    >>> rows_of_link("a,b%2C c;d%3B")
    [['a', 'b, c'], ['d;']]
    """
    rows = [[unquote(item).strip() for item in row.split(",")] for row in text.split(";")]
    return [[item for item in row if item] for row in rows if any(row)]


def linked_rows(data: Data, name: str) -> list[list[str]] | None:
    """The sets of this name that the link which opened the page asks for; it speaks of samples alone."""
    text = None if data.key else linked(data.family, name)
    if text is None:
        return None
    rows = rows_of_link(text)
    if not rows:
        misread(data.family, f"“{name}={shortened(text)}” names no set.")
    return rows


def link_with_sets(data: Data, sets: Mapping[str, Iterable[Iterable[Any]]], **more: str) -> tuple[dict[str, str], str]:
    """What a link says of rules, and what is said of that on the page: all or none of them fit into it."""
    values = {name: link_of(rows) for name, rows in sets.items()} | more
    values = {name: value for name, value in values.items() if value}
    if not values:
        return {}, ""
    if data.key:
        return {}, OWN
    return (values, "") if len(urlencode(values)) <= LONGEST else ({}, NO_ROOM)


# ---------------------------------------------------------------------------------------------------------------------
# What was understood of the data, and what was counted in a person's own file.
# ---------------------------------------------------------------------------------------------------------------------


def show_understood(data: Data, more: Callable[[], object] = lambda: None) -> None:
    """What was understood of the data and what was odd, with what `more` draws."""
    with st.expander("What was understood"):
        for note in data.instance.notes:
            st.markdown(f"- {escaped(note)}")
        st.caption(data.origin)
        more()


def show_counted(data: Data) -> None:
    """What was counted in a person's own file, changed with one click."""
    counted = data.instance.counted
    if counted is None or not data.key:
        return
    line = counted_line(data.family, f"Counted: {counted.words}.")
    if counted.choices:  # a popover with another key is a closed one
        with line.popover("change", type="tertiary", key=f"{data.key}_change_{counted.words}"):
            offer(data.key, counted.parameter, counted.choices, "Count instead")
    if counted.doubt:
        st.warning(escaped(counted.doubt), icon=":material/warning:")


def counted_line(family: str, words: str) -> DeltaGenerator:
    """A line that begins with these words, with space for a button behind them."""
    line = st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{family}_counted")
    line.caption(escaped(words), width="content")
    return line
