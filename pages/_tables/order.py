"""The order of one column's values, or the ranges of its numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from streamlit import runtime

import kanon_engine as kanon
from kanon_engine.model.tree import Tree
from kanon_engine.tables.hierarchies import GROWN, guessed_way, tail_name, thin_tails
from kanon_engine.tables.read_columns import in_ranges, read_hierarchy
from pages._shared.widgets import (
    begin_number,
    component,
    decimal_number,
    hearing,
    in_field,
    listener,
    number_field,
    put_in_widget,
    separate_fields,
)
from pages._shared.wording import escaped, on_page
from pages._tables.draft import (
    EVERY,
    LIST,
    OPENED,
    RANGES,
    TREE,
    ColumnsDraft,
    by_number,
    counts_of,
    lines_of,
    lines_of_tree,
    read_draft,
    read_tree,
    row_of,
)

DATED = "Months, quarters, years"  # the hierarchy of dates, in plain words
HIERARCHY = "Or take the order from a hierarchy"
HIERARCHY_HELP = (
    "A CSV file in the format of the program ARX: value;level 1;level 2;…;*. Values get the order of the hierarchy's "
    "lowest level."
)


def edit_order(profile: pd.DataFrame, roles: dict[str, str], draft: ColumnsDraft) -> None:
    sizes = dict(zip(profile["column"], profile["values"], strict=True))
    names = [name for name, role in roles.items() if role == "quasi-identifier" and sizes[name] > 2]
    if not names:
        st.caption("No quasi-identifier has more than two values, so there is nothing to order.")
        return
    help = "Intervals join values that are neighbors in this order."
    name = st.selectbox("Order, ranges or hierarchy of", names, key="tables_order_of", help=help)
    row = row_of(profile, name)
    numbers = bool(row["numbers"])
    words = {TREE: DATED} if row["date"] else {}
    way_key = f"tables_way_{name}"
    ways = [EVERY, RANGES, LIST, TREE] if numbers else [LIST, TREE]
    way = draft.ways[name] if draft.ways[name] in ways else LIST
    put_in_widget(way_key, way)

    def take_way() -> None:
        draft.ways[name] = st.session_state[way_key]

    label = "Use of the numbers" if numbers else "Source of the order"
    st.segmented_control(
        label,
        ways,
        format_func=lambda way: words.get(way, way),
        key=way_key,
        required=True,
        on_change=take_way,
        width="stretch",
    )
    if way == TREE:
        edit_tree(profile, name, draft)
        return
    if way in (EVERY, RANGES):
        offer_tails(profile, name, draft)
    if way == RANGES:
        _edit_ranges(profile, name, draft)
    elif way == LIST:
        _edit_list(profile, name, draft)
    else:
        values = row_of(profile, name)["order"]
        st.caption(f"{len(values):,} numbers in ascending order; each number stays a separate value.")


def _edit_ranges(profile: pd.DataFrame, name: str, draft: ColumnsDraft) -> None:
    values = row_of(profile, name)["order"]
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
    listed = [str(one) for one in (ranges if len(ranges) <= 8 else [*ranges[:4], "…", *ranges[-3:]])]
    missing = " Missing values come last." if None in values else ""
    st.markdown(f"{len(ranges):,} range{'s' * (len(ranges) != 1)}: {', '.join(listed)}.{missing}")


def _range_fields(name: str, draft: ColumnsDraft, present: list[Any]) -> list[float]:
    """Where one of the ranges starts, and their width; why a field has no number is in `Draft.unused`."""
    entry = draft.bins.setdefault(name, [0, _width(present)])
    left, right = st.columns(2)
    with separate_fields() as wrong:
        for number, what, words, column, parse in (
            (1, "width", "Width", left, _read_width),
            (0, "from", "Start of a range", right, _read_beginning),
        ):
            key = f"tables_range_{what}_{name}"
            if key not in draft.begun:
                draft.begun.add(key)
                begin_number(key, entry[number])
            with column:
                entry[number] = number_field(key, words, parse, to_text=in_field, whole=False, scope=OPENED)
    if wrong:
        draft.unused[name] = wrong[0].message
    return entry


def _edit_list(profile: pd.DataFrame, name: str, draft: ColumnsDraft) -> None:
    values = row_of(profile, name)["order"]
    key = f"tables_order_{name}"
    if name in draft.texts:

        def put(text: str) -> None:
            draft.texts[name] = text

        def sort(way: str) -> None:
            usual = lines_of(values)
            missing = [line for line, value in usual.items() if value is None]
            lines = list(dict.fromkeys(line.strip() for line in draft.texts[name].splitlines() if line.strip()))
            present = [line for line in lines if line not in missing]
            rest = [line for line in usual if line not in lines]
            ways = {"number": [*by_number(present), *missing], "reverse": [*present[::-1], *missing]}
            put("\n".join({**ways, "usual": list(usual), "rest": [*lines, *rest]}[way]))

        reading = read_draft(profile, name, draft)
        order_field(
            draft.texts[name],
            counts_of(profile, name),
            key=f"{key}_field",
            label=f"Order of {name}",
            entered=put,
            scope=OPENED,
        )
        usual, number, reverse = st.columns(3)
        for place, words, way, help in (
            (usual, "Default order", "usual", "Alphabetical, or the order in the file"),
            (number, "By number", "number", "By the first number in each value"),
            (reverse, "Reverse", "reverse", None),
        ):
            place.button(words, key=f"{key}_{way}", on_click=sort, args=(way,), width="stretch", help=help)
        for problem in reading.problems[:2]:
            st.error(problem, icon=":material/error:")
        if reading.lacking:
            st.button("Put missing values last", key=f"{key}_rest", on_click=sort, args=("rest",))
        if reading.remarks and not reading.problems:
            st.caption(" ".join(reading.remarks))
    else:
        other = DATED if row_of(profile, name)["date"] else TREE
        st.caption(f"{len(values):,} values are too many for a list. Choose “{other}” above, or load a hierarchy.")

    def use(tree: Tree) -> None:
        draft.texts[name] = "\n".join(lines_of(tree.values))

    _choose_hierarchy(HIERARCHY, f"tables_hierarchy_{name}", HIERARCHY_HELP, name, draft, use)
    if name in draft.problems:
        st.error(draft.problems[name], icon=":material/error:")


def _choose_hierarchy(
    words: str, key: str, help: str, name: str, draft: ColumnsDraft, use: Callable[[Tree], None]
) -> None:
    """A field for a file with a hierarchy of the column; why one cannot be used is in `Draft.problems`."""

    def load() -> None:
        upload = st.session_state.get(key)
        draft.problems.pop(name, None)
        if upload is not None:
            try:
                use(read_hierarchy(upload.getvalue(), upload.name))
            except kanon.KanonError as error:
                draft.problems[name] = str(error)

    st.file_uploader(words, type=["csv", "txt"], key=key, on_change=load, help=help)


def _width(values: list[Any]) -> float:
    """The width of about a dozen ranges: 1, 2 or 5 times a power of ten."""
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


def _read_beginning(text: str, name: str = "Start of a range") -> float:
    number = decimal_number(text, name)
    return int(number) if number.is_integer() else number


# ---------------------------------------------------------------------------------------------------------------------
# Values in an order, as a list to drag and as lines to write: one text on the page.
# ---------------------------------------------------------------------------------------------------------------------


MOST_DRAGGED = 500
HEIGHT = 210

# Streamlit has no list with draggable lines: rows of its data editor can be added and removed, but not moved.
_component = component("order", Path(__file__).parent / "order_component")


def order_field(
    text: str, counts: Mapping[str, str], *, key: str, label: str, entered: Callable[[str], None], scope: str
) -> None:
    """Show lines that can be dragged (by keyboard: Alt and an arrow) or written.

    Parameters
    ----------
    text : One value per line.
    counts : Shown at the end of each line in the list.
    label : The list's name, for screen readers.
    entered : Called with the new text before the page is run again.
    scope : As in `hearing`.
    """
    if not runtime.exists():  # a page run as a plain script has no browser to show it in
        return
    data = {"text": text, "counts": dict(counts), "label": label, "height": HEIGHT, "most": MOST_DRAGGED}
    _component(key=key, data=data | hearing(key, scope), on_entered_change=listener(key, entered, scope))


# ---------------------------------------------------------------------------------------------------------------------
# The hierarchy of one column: as lines, from a file, made from the values, or another column's groups.
# ---------------------------------------------------------------------------------------------------------------------


WRITTEN = "The lines below"
FILE = "Or a hierarchy from a file"
FILE_HELP = (
    "A CSV file in the format of the program ARX: value;level 1;level 2;…;*. Values are replaced by groups of this "
    "hierarchy, shown with its words."
)
WAYS = {"characters": "By characters", "dates": "By month and year", "ranges": "By round numbers"}
FEW = 10  # records; a tail with fewer is thin
MOST_FILLED_IN = 10_000  # values of a hierarchy that is made before it is asked for; 60,000 take seconds


def edit_tree(profile: pd.DataFrame, name: str, draft: ColumnsDraft) -> None:
    values = row_of(profile, name)["order"]
    others = {f"Column “{other}”": other for other in profile["column"] if other != name}
    chosen, file, field = (f"tables_tree_{what}_{name}" for what in ("from", "file", "lines"))
    now = draft.groups.get(name)
    put_in_widget(chosen, next((words for words, other in others.items() if other == now), WRITTEN))

    def take() -> None:
        draft.groups[name] = others.get(st.session_state[chosen], "")

    st.selectbox(
        "Source of the groups",
        [WRITTEN, *others],
        key=chosen,
        on_change=take,
        help="Another column can hold the group of each value.",
    )
    if draft.groups.get(name):
        st.caption(escaped(f"Each value of “{name}” is replaced by its group in “{draft.groups[name]}”, then by “*”."))
        return

    def put(text: str) -> None:
        draft.trees[name] = text
        st.session_state[field] = text

    def grow(way: str) -> None:
        draft.problems.pop(name, None)
        try:
            put(lines_of_tree(GROWN[way](values).rows, values))
        except kanon.KanonError as error:
            draft.problems[name] = str(error)

    def use(tree: Tree) -> None:
        put(lines_of_tree(tree.rows, values))

    guess = guessed_way(values)
    if guess is not None and name not in draft.trees and len(values) <= MOST_FILLED_IN:
        grow(guess)
    put_in_widget(field, draft.trees.get(name, ""))

    def write() -> None:
        draft.problems.pop(name, None)
        draft.trees[name] = st.session_state[field]

    st.text_area(
        "value; group; larger group",
        key=field,
        on_change=write,
        height=110,
        help="One value per line. “*” may be omitted.",
    )
    for place, (way, words) in zip(st.columns(len(WAYS)), WAYS.items(), strict=True):
        place.button(
            words,
            key=f"tables_tree_{way}_{name}",
            on_click=grow,
            args=(way,),
            width="stretch",
            type="primary" if way == guess else "secondary",
        )
    problem = draft.problems.get(name)
    if problem is None and draft.trees.get(name):
        try:
            tree = read_tree(profile, name, draft)
        except kanon.KanonError as error:
            problem = on_page(error)
        else:
            groups = len(tree.nodes) - len(tree)
            st.caption(
                f"{len(tree):,} values; groups of more than one value: {groups:,}; levels: {len(tree.levels):,}."
            )
    if problem is not None:
        st.error(escaped(problem), icon=":material/error:")
    _choose_hierarchy(FILE, file, FILE_HELP, name, draft, use)


def offer_tails(profile: pd.DataFrame, name: str, draft: ColumnsDraft) -> None:
    """Offer one category for each end of a number column that has few records."""
    row = row_of(profile, name)
    values = [value for value, count in zip(row["order"], row["counts"], strict=True) for _ in range(count)]
    suggested = thin_tails(values, FEW)
    for what, sign, words, limit in (("bottom", "≤", "Up to", suggested[0]), ("top", "≥", "From", suggested[1])):
        limits = getattr(draft, what)
        limit = limits.get(name, limit)
        if limit is None:
            continue
        key = f"tables_{what}_{name}"
        put_in_widget(key, name in limits)

        def take(key: str = key, limits: dict[str, float] = limits, limit: float = limit) -> None:
            if st.session_state[key]:
                limits[name] = limit
            else:
                limits.pop(name, None)

        end = " on" if what == "top" else ""
        st.checkbox(
            f"{words} {limit:,}{end}: one category, “{tail_name(sign, limit)}”",
            key=key,
            on_change=take,
            help="Few records would be in this category. It hides their exact values.",
        )
