"""Before anything leaves: what each column is, for a person to confirm where it was only guessed."""

from __future__ import annotations

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from pages._shared.records import File
from pages._tables.changes import is_kept
from pages._tables.editor import columns_now, confirm_roles, key_of, known_columns, open_editor, roles_confirmed


def settle_roles(file: File) -> bool:
    """Whether the roles are settled; where they are guessed, they are shown with their reasons and two ways on."""
    if roles_confirmed(file):
        return True
    st.markdown("**Before anything leaves: is this what the columns are?** So far it is guessed.")
    show_roles(file)
    row = st.container(horizontal=True)
    key = key_of(file)
    row.button("These roles are right", type="primary", key=f"{key}_right", on_click=confirm_roles, args=(key,))
    row.button("Change them", key=f"{key}_other", on_click=open_editor, args=(key,))
    return False


def offer_columns(file: File) -> None:
    """The columns of a file of which no table can be made yet, and a way to say what they are."""
    try:
        known_columns(file)
    except kanon.KanonError:  # there are none, as the page says already
        return
    show_roles(file)
    key = key_of(file)
    st.button("Say what the columns are", type="primary", key=f"{key}_say", on_click=open_editor, args=(key,))


def show_roles(file: File) -> None:
    """What each column is taken for, and why."""
    st.dataframe(_roles(file), hide_index=True, key="tables_guessed_roles", alt="What each column is taken for")


def _roles(file: File) -> pd.DataFrame:
    """One row a column: what it is taken for, whether it leaves, and why."""
    columns, rows = columns_now(file), []
    for known in known_columns(file).to_dict("records"):
        name = str(known["column"])
        role, guess = columns["roles"].get(name, "other"), known["role"]
        kept = is_kept(columns, name)
        released = "generalized" if role == "quasi-identifier" else "as it is" if kept else "left out"
        reason = f"It {known['reason']}." if role == guess else "You said so."
        if known["asked"] and role == guess:
            reason += " Say what it is if it shall leave."
        rows.append((name, role, released, reason))
    return pd.DataFrame(rows, columns=["Column", "Taken for", "Released", "Why"])
