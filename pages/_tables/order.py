"""The order of one column's values, or the ranges that its numbers are put into."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.tables.read_columns import in_ranges, read_hierarchy
from pages._shared.number_field import begin_number, fields_apart, number_field
from pages._shared.typed_numbers import decimal_number, in_field
from pages._shared.widgets import put_in_widget
from pages._shared.wording import escaped
from pages._tables.draft import EVERY, LIST, OPENED, RANGES, TREE, Draft, counts_of, lines_in, read_draft, row_of
from pages._tables.order_field import order_field
from pages._tables.order_lines import by_number, lines_of
from pages._tables.tree_field import edit_tree, offer_tails

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
    name = st.selectbox("Order, ranges or hierarchy of", names, key="tables_order_of", help=help)
    numbers = bool(row_of(known, name)["numbers"])
    kept = f"tables_way_{name}"
    ways = [EVERY, RANGES, LIST, TREE] if numbers else [LIST, TREE]
    way = draft.ways[name] if draft.ways[name] in ways else LIST
    put_in_widget(kept, way)

    def take_way() -> None:
        draft.ways[name] = st.session_state[kept]

    label = "Numbers are" if numbers else "Values have"
    st.segmented_control(label, ways, key=kept, required=True, on_change=take_way, width="stretch")
    if way == TREE:
        edit_tree(known, name, draft)
        return
    if way in (EVERY, RANGES):
        offer_tails(known, name, draft)
    if way == RANGES:
        _edit_ranges(known, name, draft)
    elif way == LIST:
        _edit_list(known, name, draft)
    else:
        values = row_of(known, name)["order"]
        st.caption(f"{len(values):,} numbers, each a value of its own, in order of size.")


def _edit_ranges(known: pd.DataFrame, name: str, draft: Draft) -> None:
    values = row_of(known, name)["order"]
    present = [value for value in values if value is not None]
    draft.unused.pop(name, None)
    start, width = _range_fields(name, draft, present)
    try:
        ranges = in_ranges(pd.Series(present, name=name, dtype=object), start, width)[1]
    except kanon.KanonError as error:
        draft.unused.setdefault(name, str(error))
    if name in draft.unused:
        st.error(escaped(draft.unused[name]), icon=":material/error:")
        return
    shown = [str(one) for one in (ranges if len(ranges) <= 8 else [*ranges[:4], "…", *ranges[-3:]])]
    missing = " Missing values stand last." if None in values else ""
    st.markdown(f"{len(ranges):,} range{'s' * (len(ranges) != 1)}: {', '.join(shown)}.{missing}")


def _range_fields(name: str, draft: Draft, present: list[Any]) -> list[float]:
    """Where one of the ranges begins, and their width; why a field holds no number is in `Draft.unused`."""
    entry = draft.bins.setdefault(name, [0, _width(present)])
    left, right = st.columns(2)
    with fields_apart() as wrong:
        for number, what, words, column, parse in (
            (1, "width", "Width", left, _read_width),
            (0, "from", "One begins at", right, _read_beginning),
        ):
            key = f"tables_range_{what}_{name}"
            if key not in draft.begun:
                draft.begun.add(key)
                begin_number(key, entry[number])
            with column:
                entry[number] = number_field(key, words, parse, shown=in_field, whole=False, scope=OPENED)
    if wrong:
        draft.unused[name] = wrong[0].message
    return entry


def _edit_list(known: pd.DataFrame, name: str, draft: Draft) -> None:
    values = row_of(known, name)["order"]
    key, file = f"tables_order_{name}", f"tables_hierarchy_{name}"
    if name in draft.texts:

        def put(text: str) -> None:
            draft.texts[name] = text

        def sort(way: str) -> None:
            usual = lines_of(values)
            missing = [line for line, value in usual.items() if value is None]
            lines = lines_in(draft.texts[name])
            present = [line for line in lines if line not in missing]
            rest = [line for line in usual if line not in lines]
            ways = {"number": [*by_number(present), *missing], "reverse": [*present[::-1], *missing]}
            put("\n".join({**ways, "usual": list(usual), "rest": [*lines, *rest]}[way]))

        reading = read_draft(known, name, draft)
        order_field(
            draft.texts[name],
            counts_of(known, name),
            key=f"{key}_field",
            label=f"Order of {name}",
            entered=put,
            scope=OPENED,
        )
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
            leaves = lines_of(read_hierarchy(held.getvalue(), held.name).values)
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


def _read_width(text: str) -> float:
    width = _read_beginning(text, "Width")
    if width <= 0:
        raise kanon.InvalidInput(f"Width is {width:,}, which is too small: write a number above 0.")
    return width


def _read_beginning(text: str, name: str = "One begins at") -> float:
    number = decimal_number(text, name)
    return int(number) if number.is_integer() else number
