"""Requirements on a sensitive column in every group: different values, or the whole table's distribution."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

import kanon_engine as kanon
from kanon_engine.model.requirement import CLOSENESS, LARGEST_C, MOST, demand_of, demand_text
from pages._shared.controls import DEMANDS, data_of, forget_demands
from pages._shared.link import begin_pairs, report_missing
from pages._shared.records import Data
from pages._shared.widgets import decimal_number, forget_number, in_field, number_field, whole_number
from pages._shared.wording import escaped

TITLE = "Sensitive columns"
NOTHING = "nothing"
NONE = "To require different illnesses in every group, mark the column as sensitive under “Columns” and keep it."
FIRST = {"distinct": "2", "entropy": "1.5:entropy", "recursive": "2:recursive:3", CLOSENESS: f"0.3:{CLOSENESS}"}
WORDS = {
    NOTHING: "no demand",
    "distinct": "different values",
    "entropy": "evenly spread values",
    "recursive": "no value is too common",
    CLOSENESS: "distributed as in the table",
}
FIELDS = {
    ("distinct", "l"): "minimum number of values (l)",
    ("entropy", "l"): "minimum diversity (l)",
    ("recursive", "l"): "l",
    ("recursive", "c"): "c",
    (CLOSENESS, "t"): "largest distance (t)",
}
HELP = {
    "distinct": "l-diversity: every group shows at least l different values.",
    "entropy": "Entropy l-diversity: the entropy of a group's values, which measures how evenly they are spread, is at "
    "least log l, the entropy of l equally common values.",
    "recursive": "Recursive (c, l)-diversity: count the records of a group without its l − 1 most common values. "
    "The group's most common value must have fewer records than c times this count.",
    CLOSENESS: "t-closeness: how far the distribution in a group may be from the distribution in the whole table, as a "
    "number from 0 to 1. Numbers are compared by order, other values by how much their shares differ. The whole "
    "table includes left-out records.",
}


def choose_demands(data: Data) -> tuple[kanon.Diversity | kanon.Closeness, ...]:
    """The demand on each sensitive column, one row per column."""
    family, table = data.family, data.instance
    key = begin_pairs(family, "demands", lambda column, demand: demand_text(demand_of(column, demand)))
    columns = [name for name in table.frame.columns if name not in table.quasi_identifiers]
    demands = dict(st.session_state[key])
    for column in [column for column in demands if column not in columns]:
        report_missing(family, f"These data have no sensitive column “{column}”, so no demand applies to it.")
        forget_demands(family, column)
        del demands[column]
    with st.expander(TITLE, expanded=bool(demands)):
        for column in columns:
            text = _row(data, column, demands.pop(column, ""))
            if text:
                demands[column] = text
        if not columns:
            st.caption(NONE)
    st.session_state[key] = tuple(demands.items())
    return tuple(demand_of(column, text) for column, text in demands.items())


def ask(family: str, column: str, demand: kanon.Diversity | kanon.Closeness | None) -> None:
    """Set this demand on a column, or none, as if the user had chosen it."""
    forget_demands(family, column)
    demands = {name: text for name, text in st.session_state.get(f"{family}_demands", ()) if name != column}
    if demand is not None:
        demands[column] = demand_text(demand)
    st.session_state[f"{family}_demands"] = tuple(demands.items())


def _row(data: Data, column: str, text: str) -> str:
    """The demand on the column, and the fields of its numbers; "" for none."""
    key = DEMANDS.format(data.family, column)
    demand = demand_of(column, text) if text else None
    kind = NOTHING if demand is None else demand.kind if isinstance(demand, kanon.Diversity) else CLOSENESS
    if key not in st.session_state:
        st.session_state[key] = kind
    chosen = st.selectbox(
        escaped(column),
        list(WORDS),
        format_func=WORDS.__getitem__,
        key=key,
        help=f"Requirement on “{column}”.",
    )
    if chosen == NOTHING:
        return ""
    if demand is None or chosen != kind:
        for number in "lct":  # l, c and t have other limits in another kind of demand
            forget_number(f"{key}_{number}")
        demand = demand_of(column, FIRST[chosen])
    values: dict[str, Any] = dict(vars(demand))
    for kind, number in FIELDS:
        if kind == chosen:
            values[number] = _number(data, column, kind, number, values[number])
    return demand_text(replace(demand, **values))


def _number(data: Data, column: str, kind: str, number: str, value: Any) -> Any:
    field = f"{DEMANDS.format(data.family, column)}_{number}"
    name = f"{number} of {column}"
    if field not in st.session_state:
        st.session_state[field] = value
    whole = number == "l" and kind != "entropy"

    def parse(text: str) -> Any:
        if whole:
            return whole_number(text, name, 2, MOST)
        result = round(decimal_number(text, name, 0, {"l": MOST, "c": LARGEST_C, "t": 1}[number]), 6)
        if result <= {"l": 1, "c": 0, "t": -1}[number]:  # l = 1 requires nothing, c = 0 cannot hold; t may be 0
            raise kanon.InvalidInput(f"{name} is {result:g}: write a number above {1 if number == 'l' else 0}.")
        return result

    scope = data_of(data.family)
    words = FIELDS[kind, number]
    return number_field(field, words, parse, name=name, help=HELP[kind], to_text=in_field, whole=whole, scope=scope)
