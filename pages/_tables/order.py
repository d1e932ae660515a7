"""The order of one column's values, or the ranges that its numbers are put into."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.tables.read.hierarchy import read_hierarchy
from kanon_engine.tables.read.ranges import in_ranges
from pages._tables.draft import EVERY, LIST, RANGES, Draft, counted, read_draft
from pages._tables.order_lines import by_number, lines_of
from pages._tables.order_list import order_list

MOST_DRAGGED = 500
HEIGHT = 230
HIERARCHY = "Or the order of a hierarchy"
HIERARCHY_HELP = "A CSV as ARX writes it: value;level 1;level 2;…;*. The order is that of its leaves."


def edit_order(known: pd.DataFrame, roles: dict[str, str], draft: Draft) -> None:
    """Widgets for the column that the person picks."""
    sizes = dict(zip(known["column"], known["values"], strict=True))
    names = [name for name, role in roles.items() if role == "quasi-identifier" and sizes[name] > 2]
    if not names:
        st.caption("No quasi-identifier has more than two values, so there is nothing to put in order.")
        return
    help = "Intervals join neighbours in this order."
    name = st.selectbox("Order or ranges of", names, key="tables_order_of", help=help)
    numbers = bool(known.loc[known["column"] == name, "numbers"].iloc[0])
    way = LIST
    if numbers:
        kept = f"tables_way_{name}"
        st.session_state[kept] = draft.ways[name]

        def take_way() -> None:
            draft.ways[name] = st.session_state[kept]

        ways = [EVERY, RANGES, LIST]
        st.segmented_control("Numbers are", ways, key=kept, required=True, on_change=take_way, width="stretch")
        way = draft.ways[name]
    if way == RANGES:
        _edit_ranges(known, name, draft)
    elif way == LIST:
        _edit_list(known, name, draft)
    else:
        values = known.loc[known["column"] == name, "order"].iloc[0]
        st.caption(f"{len(values):,} numbers, each a value of its own, in order of size.")


def _edit_ranges(known: pd.DataFrame, name: str, draft: Draft) -> None:
    values = known.loc[known["column"] == name, "order"].iloc[0]
    present = [value for value in values if value is not None]
    entry = draft.bins.setdefault(name, [0, _width(present)])
    keys = [f"tables_range_{what}_{name}" for what in ("from", "width")]
    for place, key in enumerate(keys):
        st.session_state[key] = None if entry[place] is None else float(entry[place])

    def take() -> None:
        draft.bins[name] = [_whole(st.session_state[key]) for key in keys]

    left, right = st.columns(2)
    right.number_input("One begins at", key=keys[0], step=1.0, format="%g", on_change=take)
    left.number_input("Width", key=keys[1], min_value=0.0, step=1.0, format="%g", on_change=take)
    start, width = entry[0] or 0, entry[1]
    if not width:
        st.error("Give a width above 0.", icon=":material/error:")
        return
    ranges = in_ranges(pd.Series(present, name=name, dtype=object), start, width)[1]
    shown = [str(one) for one in (ranges if len(ranges) <= 8 else [*ranges[:4], "…", *ranges[-3:]])]
    missing = " Missing values stand last." if None in values else ""
    st.markdown(f"{len(ranges):,} range{'s' * (len(ranges) != 1)}: {', '.join(shown)}.{missing}")


def _edit_list(known: pd.DataFrame, name: str, draft: Draft) -> None:
    values = known.loc[known["column"] == name, "order"].iloc[0]
    key, file = f"tables_order_{name}", f"tables_hierarchy_{name}"
    if name in draft.texts:
        st.session_state[key] = draft.texts[name]

        def take() -> None:
            draft.texts[name] = st.session_state[key]

        def put(lines: list[str]) -> None:
            draft.texts[name] = "\n".join(lines)

        def sort(way: str) -> None:
            usual = lines_of(values)
            missing = [line for line, value in usual.items() if value is None]
            lines = [line for line, _ in counted(known, name, draft)]
            present = [line for line in lines if line not in missing]
            rest = [line for line in usual if line not in lines]
            ways = {"number": [*by_number(present), *missing], "reverse": [*present[::-1], *missing]}
            put({**ways, "usual": list(usual), "rest": [*lines, *rest]}[way])

        reading = read_draft(known, name, draft)
        dragged, written = st.columns(2, gap="small")
        lines = counted(known, name, draft)
        with dragged:
            if len(lines) <= MOST_DRAGGED:
                st.caption("Drag the values into order", help="Or pick one and press Alt with an arrow.")
                order_list(lines, key=f"{key}_list", height=HEIGHT, label=f"Order of {name}", moved=put)
            else:
                st.caption(f"{len(lines):,} values are too many to drag:")
        with written:
            st.caption("or write them, one a line")
            st.text_area("One value a line", height=HEIGHT, key=key, on_change=take, label_visibility="collapsed")
        usual, number, reverse = st.columns(3)
        for place, words, way, help in (
            (usual, "Usual order", "usual", "By letters, or what the file itself says"),
            (number, "By number", "number", "By the first number in each value"),
            (reverse, "Turn around", "reverse", None),
        ):
            place.button(words, key=f"{key}_{way}", on_click=sort, args=(way,), width="stretch", help=help)
        for problem in reading.problems[:2]:
            st.error(problem, icon=":material/error:")
        if reading.lacking:
            st.button("Put what is missing last", key=f"{key}_rest", on_click=sort, args=("rest",))
        if reading.remarks and not reading.problems:
            st.caption(" ".join(reading.remarks))
    else:
        st.caption(f"{len(values):,} values are too many for a list; load a hierarchy.")

    def load() -> None:
        held = st.session_state.get(file)
        draft.problems.pop(name, None)
        if held is None:
            return
        try:
            leaves = read_hierarchy(held.getvalue(), held.name)
        except kanon.KanonError as error:
            draft.problems[name] = str(error)
        else:
            draft.texts[name] = "\n".join(leaves)

    st.file_uploader(HIERARCHY, type=["csv", "txt"], key=file, on_change=load, help=HIERARCHY_HELP)
    if name in draft.problems:
        st.error(draft.problems[name], icon=":material/error:")


def _width(values: list[Any]) -> float:
    """Of about a dozen ranges: 1, 2 or 5 times a power of ten."""
    if not values:
        return 1
    least = (values[-1] - values[0]) / 12
    return next(
        (base * 10**power for power in range(-6, 16) for base in (1, 2, 5) if base * 10**power >= least), 10**16
    )


def _whole(number: float | None) -> float | int | None:
    return int(number) if number is not None and float(number).is_integer() else number
