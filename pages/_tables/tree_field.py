"""The hierarchy of one column: as lines, from a file, made from the values, or another column's groups."""

from __future__ import annotations

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.tables.hierarchies import GROWN, guessed_way, tail_name, thin_tails
from kanon_engine.tables.read_columns import read_hierarchy
from pages._shared.widgets import put_in_widget
from pages._shared.wording import escaped, on_page
from pages._tables.draft import Draft, read_tree, row_of
from pages._tables.tree_lines import lines_of_tree

WRITTEN = "The lines below"
FILE = "Or a hierarchy from a file"
FILE_HELP = "A CSV as ARX writes it: value;level 1;level 2;…;*. Values become its groups, shown by its words."
WAYS = {"characters": "By characters", "dates": "By month and year", "ranges": "By round ranges"}
FEW = 10  # records; a tail of fewer is thin


def edit_tree(known: pd.DataFrame, name: str, draft: Draft) -> None:
    """Widgets for the hierarchy of a column."""
    values = row_of(known, name)["order"]
    others = {f"Column “{other}”": other for other in known["column"] if other != name}
    chosen, file, field = (f"tables_tree_{what}_{name}" for what in ("from", "file", "lines"))
    now = draft.groups.get(name)
    put_in_widget(chosen, next((words for words, other in others.items() if other == now), WRITTEN))

    def take() -> None:
        draft.groups[name] = others.get(st.session_state[chosen], "")

    st.selectbox(
        "Groups are", [WRITTEN, *others], key=chosen, on_change=take, help="Another column can hold each value's group."
    )
    if draft.groups.get(name):
        st.caption(escaped(f"Each value of “{name}” becomes its “{draft.groups[name]}”, then “*”."))
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

    def load() -> None:
        held = st.session_state.get(file)
        draft.problems.pop(name, None)
        if held is None:
            return
        try:
            put(lines_of_tree(read_hierarchy(held.getvalue(), held.name).rows, values))
        except kanon.KanonError as error:
            draft.problems[name] = str(error)

    put_in_widget(field, draft.trees.get(name, ""))

    def write() -> None:
        draft.problems.pop(name, None)
        draft.trees[name] = st.session_state[field]

    st.text_area(
        "value; group; larger group",
        key=field,
        on_change=write,
        height=190,
        help="One value a line. “*” need not stand.",
    )
    guess = guessed_way(values)
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
            tree = read_tree(known, name, draft)
        except kanon.KanonError as error:
            problem = on_page(error)
        else:
            groups = len(tree.nodes) - len(tree)
            st.caption(f"{len(tree):,} values in {groups:,} groups of several; {len(tree.levels):,} levels.")
    if problem is not None:
        st.error(escaped(problem), icon=":material/error:")
    st.file_uploader(FILE, type=["csv", "txt"], key=file, on_change=load, help=FILE_HELP)


def offer_tails(known: pd.DataFrame, name: str, draft: Draft) -> None:
    """One category for the ends of a column of numbers, where few records are there."""
    row = row_of(known, name)
    values = [value for value, count in zip(row["order"], row["counts"], strict=True) for _ in range(count)]
    found = thin_tails(values, FEW)
    for what, sign, words, limit in (("bottom", "≤", "Up to", found[0]), ("top", "≥", "From", found[1])):
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

        end = "on" if what == "top" else ""
        st.checkbox(
            f"{words} {limit:,} {end} one category, “{tail_name(sign, limit)}”".replace("  ", " "),
            key=key,
            on_change=take,
            help="Few records lie beyond; together they hide each other.",
        )
