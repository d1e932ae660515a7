"""The order of one column's values, or the ranges that its numbers are put into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.tables.hierarchy import read_hierarchy
from kanon_engine.tables.ranges import in_ranges
from pages._common.order_lines import Reading, by_number, lines_of, read_lines
from pages._common.table_columns import Columns

EVERY, RANGES, LIST = "Every number", "Ranges", "My own order"
MOST_LINES = 2_000
HIERARCHY = "Or the order of a hierarchy"
HIERARCHY_HELP = "A CSV as ARX writes it: value;level 1;level 2;…;*. The order is that of its leaves."


@dataclass
class Draft:
    """What stands in the editor and is not yet used.

    Attributes
    ----------
    roles : dict of column to role
    ways : dict of column to EVERY, RANGES or LIST
        Of columns with numbers.
    bins : dict of column to [beginning, width]
    texts : dict of column to the lines of its list
    problems : dict of column to a sentence
        Why a hierarchy could not be read.
    unit : str
    """

    roles: dict[str, str]
    ways: dict[str, str]
    bins: dict[str, list[Any]]
    texts: dict[str, str]
    problems: dict[str, str]
    unit: str


def drafted(known: pd.DataFrame, columns: Columns) -> Draft:
    """An editor in which these columns stand."""
    orders, bins = columns["orders"], columns["bins"]
    texts = {
        name: "\n".join(_listed(values, orders.get(name, values)))
        for name, values in zip(known["column"], known["order"], strict=True)
        if len(values) <= MOST_LINES or name in orders
    }
    ways = {name: RANGES if name in bins else LIST if name in orders else EVERY for name in known["column"]}
    roles = {name: columns["roles"].get(name, "other") for name in known["column"]}
    return Draft(roles, ways, {name: list(entry) for name, entry in bins.items()}, texts, {}, columns["unit"])


def with_orders(known: pd.DataFrame, roles: dict[str, str], draft: Draft) -> Columns:
    """The orders and ranges of quasi-identifiers that stand in the editor.

    Raises
    ------
    InvalidInput
        One of them makes no sense.
    """
    orders, bins = {}, {}
    for name, values, numbers in zip(known["column"], known["order"], known["numbers"], strict=True):
        way = draft.ways[name] if numbers else LIST
        if roles[name] != "quasi-identifier":
            continue
        if way == RANGES:
            start, width = draft.bins.get(name, [0, None])
            if width is None or width <= 0:
                raise kanon.InvalidInput(f"The ranges of “{name}” have no width; give a number above 0.")
            bins[name] = [start or 0, width]
        elif way == LIST and name in draft.texts:
            reading = _read(known, name, draft)
            if reading.problems:
                raise kanon.InvalidInput(f"The order of “{name}” cannot be used: {reading.problems[0]}")
            order = [*reading.order, *([None] if None in values and None not in reading.order else [])]
            if order != values:
                orders[name] = order
    return {"orders": orders, "bins": bins}


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

        def sort(way: str) -> None:
            lines = [line for line in draft.texts[name].splitlines() if line.strip()]
            usual = list(lines_of(values))
            missing = [line for line, value in lines_of(values).items() if value is None]
            present = [line for line in lines if line not in missing]
            ways = {"usual": usual, "number": [*by_number(present), *missing], "reverse": [*present[::-1], *missing]}
            draft.texts[name] = "\n".join(ways[way])

        st.text_area("One value a line: cut and paste lines to move them", height=230, key=key, on_change=take)
        usual, number, reverse = st.columns(3)
        for place, words, way in (
            (usual, "As at first", "usual"),
            (number, "By number", "number"),
            (reverse, "Turn around", "reverse"),
        ):
            place.button(words, key=f"{key}_{way}", on_click=sort, args=(way,), width="stretch")
        reading = _read(known, name, draft)
        for problem in reading.problems[:2]:
            st.error(problem, icon=":material/error:")
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


def _read(known: pd.DataFrame, name: str, draft: Draft) -> Reading:
    row = known[known["column"] == name].iloc[0]
    counts = dict(zip(row["order"], row["counts"], strict=True))
    return read_lines(draft.texts[name], lines_of(row["order"]), counts, draft.unit)


def _listed(values: list[Any], order: list[Any]) -> list[str]:
    """The lines of an order, of which some values may not occur, and all that occur."""
    lines = {value: line for line, value in lines_of(values).items()}
    return [lines.get(value, str(value)) for value in order if value in lines or value is not None] + [
        line for value, line in lines.items() if value not in order
    ]


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
