"""How a person's own table is read: roles, ranges, orders."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.tables.columns import columns_frame
from kanon_engine.tables.ranges import parsed_range
from kanon_engine.tables.roles import ROLES
from pages._common.upload import keep_upload
from pages._common.widgets import given, pick_unit

MISSING = "(missing)"
ROLE_HELP = (
    "identifier: left out. quasi-identifier: could be linked with other data, is generalized. sensitive, class label, "
    "other: released as it is."
)
HIERARCHY_HELP = "As ARX writes it: value;level 1;level 2;…;*. The order is that of its leaves."
NONE = "(none)"
RANGE_HELP = "5 makes 15–19, 20–24, …; 17:5 makes 17–21, 22–26, …"


def pick_roles(key: str, columns: list[str]) -> dict[str, Any]:
    """An editor of roles, and one of a column's order or ranges; the reader's arguments."""
    name, data = st.session_state["tables_upload_kept"]
    known = _columns(kanon.content_digest(data=data), name, data)
    edited = _editor(f"{key}_roles", known)
    roles = dict(zip(edited["Column"], edited["Role"], strict=True))
    chosen = {role: [column for column in roles if roles[column] == role] for role in ROLES}
    if not chosen["quasi-identifier"]:
        raise kanon.InvalidInput("No column is a quasi-identifier; give at least one this role.")
    if len(chosen["class label"]) > 1:
        raise kanon.InvalidInput(f"Two columns are class labels: {', '.join(chosen['class label'])}; choose one.")
    return given(
        quasi_identifiers=chosen["quasi-identifier"],
        class_label=next(iter(chosen["class label"]), None),
        identifiers=chosen["identifier"],
        sensitive=chosen["sensitive"],
        unit=pick_unit(key),
        **_domains(key, known, chosen["quasi-identifier"]),
    )


@st.cache_data(scope="session", max_entries=8, show_spinner=False)
def _columns(digest: str, name: str, _data: bytes) -> pd.DataFrame:
    return columns_frame(_data, name)


def _editor(key: str, known: pd.DataFrame) -> pd.DataFrame:
    """What stands in it is kept when another page opens, where Streamlit would forget it."""
    base, kept = f"{key}_base", f"{key}_kept"
    if key not in st.session_state or base not in st.session_state:
        guess = pd.DataFrame({"Column": known["column"], "Role": known["role"]})
        st.session_state[base] = st.session_state.get(kept, guess)
    edited = st.data_editor(
        st.session_state[base],
        key=key,
        hide_index=True,
        disabled=["Column"],
        row_height=30,
        column_config={
            "Column": st.column_config.TextColumn(width=80),
            "Role": st.column_config.SelectboxColumn(options=ROLES, required=True, help=ROLE_HELP, width=115),
        },
        alt="The columns with their roles",
    )
    st.session_state[kept] = edited
    return edited


def _domains(key: str, known: pd.DataFrame, quasi: list[str]) -> dict[str, Any]:
    """Ranges, orders and hierarchies, where a person gave some."""
    orders_of = dict(zip(known["column"], known["order"], strict=True))
    usual = {column: [_line(value) for value in orders_of[column]] for column in quasi}
    numbers = dict(zip(known["column"], known["numbers"], strict=True))
    names = [column for column in quasi if len(usual[column]) > 2]
    words = "Order or ranges of"
    help = "Intervals join neighbours in the order of a column."
    picked = st.selectbox(words, [NONE, *names], key=f"{key}_order_of", help=help, persist_state="session")
    if picked in names:
        if numbers[picked]:
            st.text_input("Ranges", key=f"{key}_ranges_{picked}", help=RANGE_HELP, persist_state="session")
        lines = "\n".join(usual[picked])
        st.text_area("One value a line", lines, height=140, key=f"{key}_order_{picked}", persist_state="session")
        keep_upload("or from a hierarchy", ("csv", "txt"), f"{key}_hierarchy_{picked}", HIERARCHY_HELP)
    bins: dict[str, Any] = {}
    orders: dict[str, list[str | None]] = {}
    hierarchies: dict[str, bytes] = {}
    for column in names:
        ranges = st.session_state.get(f"{key}_ranges_{column}") if numbers[column] else None
        held = st.session_state.get(f"{key}_hierarchy_{column}_kept")
        text = st.session_state.get(f"{key}_order_{column}") or ""
        listed = [line.strip() for line in text.splitlines() if line.strip()]
        if ranges and ranges.strip():
            bins[column] = parsed_range(ranges)
        elif held is not None:
            hierarchies[column] = held[1]
        elif listed and listed != usual[column]:
            orders[column] = [None if line == MISSING else line for line in listed]
    return given(bins=bins or None, orders=orders or None, hierarchies=hierarchies or None)


def _line(value: Any) -> str:
    return MISSING if value is None else str(value)
