"""At least so many cases, births or households in every group, besides k."""

from __future__ import annotations

from urllib.parse import quote, unquote

import streamlit as st

import kanon_engine as kanon
from pages._shared.controls import data_of
from pages._shared.link import begin, misread, was_shown
from pages._shared.number_field import forget_number, minimum_key, number_field, put_number
from pages._shared.records import Data
from pages._shared.typed_numbers import LARGEST, whole_number
from pages._shared.wording import escaped

FIRST = 11  # the smallest count that the US Centers for Medicare & Medicaid Services (CMS) show
NONE = "To ask for a minimum of cases or births too, choose their columns as second counts of the file."
ADD = "Also at least so many …"


def choose_minima(data: Data) -> tuple[kanon.Minimum, ...]:
    """A row for each second count that has a minimum, and a list of the others."""
    family, columns = data.family, data.instance.columns
    key = begin(family, "minima", (), read_minima, lambda minima: "none" if not minima else link_of(minima))
    for column in [column for column, _ in st.session_state[key] if column not in columns]:
        words = f"These data have no second count “{column}”, so it has no minimum."
        if was_shown(family):  # then other data were chosen, and no link is to blame
            st.toast(escaped(words))
        else:
            misread(family, words)
        _remove(family, column)
    if not columns:
        if data.key:
            st.caption(NONE)
        return ()
    asked = tuple(kanon.Minimum(column, _row(data, key, column, m)) for column, m in st.session_state[key])
    left = [column for column in columns if column not in dict(st.session_state[key])]
    if left:
        widget = f"{key}_add"
        st.selectbox(
            ADD,
            left,
            index=None,
            placeholder="choose a count",
            key=widget,
            on_change=lambda: _add(family, widget),
            help="Every group will also hold at least so many of these.",
        )
    return asked


def read_minima(text: str) -> tuple[tuple[str, int], ...]:
    """The minima of a link, as cases:11;deaths:5, or ValueError.

    Example
    -------
    >>> read_minima("cases:11;low%3Abirth:5")
    (('cases', 11), ('low:birth', 5))
    """
    found: dict[str, int] = {}
    for entry in filter(None, text.split(";")):
        column, colon, m = entry.rpartition(":")
        if not colon:
            raise ValueError(text)
        found[unquote(column)] = whole_number(m, "The minimum", 1)
    return tuple(found.items())


def link_of(minima: tuple[tuple[str, int], ...]) -> str:
    """What `read_minima` reads.

    Example
    -------
    >>> link_of((("cases", 11), ("low:birth", 5)))
    'cases:11;low%3Abirth:5'
    """
    return ";".join(f"{quote(column, safe=' ')}:{m}" for column, m in minima)


def _row(data: Data, key: str, column: str, m: int) -> int:
    """The field of a minimum and a button that takes it away."""
    field = minimum_key(data.family, column)
    if field not in st.session_state:
        st.session_state[field] = m
    name = f"Minimum of {column}"

    def parse(text: str) -> int:
        return whole_number(text, name, 1, LARGEST)

    words, button = st.columns([4, 1], vertical_alignment="bottom", gap="small")
    with words:
        least = int(number_field(field, f"least {column} in a group", parse, name=name, scope=data_of(data.family)))
    help = f"No minimum of {escaped(column)}"
    button.button("✕", key=f"{field}_remove", help=help, on_click=_remove, args=(data.family, column))
    st.session_state[key] = tuple((one, least if one == column else other) for one, other in st.session_state[key])
    return least


def _add(family: str, widget: str) -> None:
    key = f"{family}_minima"
    column, st.session_state[widget] = st.session_state.get(widget), None
    if column is not None:
        st.session_state[key] = (*st.session_state[key], (column, FIRST))
        put_number(minimum_key(family, column), FIRST)


def _remove(family: str, column: str) -> None:
    key = f"{family}_minima"
    st.session_state[key] = tuple(one for one in st.session_state[key] if one[0] != column)
    forget_number(minimum_key(family, column))
