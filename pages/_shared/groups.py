"""The tab "Groups", and the one group that stands out in table and picture alike."""

from __future__ import annotations

from typing import Any

import streamlit as st

from kanon_engine import Generalization
from pages._shared.room import Room, class_table


def selected_class(family: str, g: Generalization) -> int | None:
    """The class that the person picked in this result."""
    digest, number = st.session_state.get(f"{family}_selected", (None, None))
    return number if digest == g.digest else None


def select_class(family: str, g: Generalization, number: int | None) -> None:
    st.session_state[f"{family}_selected"] = (g.digest, number)


def follow_click(family: str, g: Generalization, event: Any) -> None:
    """A click on a group in the picture selects it, a click on the selected group lets it go."""
    if event is None or event.class_number is None or event.class_number < 0:
        return
    again = selected_class(family, g) == event.class_number
    select_class(family, g, None if again else event.class_number)
    st.rerun()


def show_groups(room: Room, instance: Any, g: Generalization) -> None:
    """The table; its selected row is the group that stands out in the picture."""
    key = f"{room.family}_groups_{g.digest[:12]}"
    selected = selected_class(room.family, g)

    def follow_row() -> None:
        rows = st.session_state[key].selection.rows
        select_class(room.family, g, rows[0] if rows else None)

    st.session_state[key] = {"selection": {"rows": [] if selected is None else [selected]}}
    st.dataframe(
        class_table(room, instance, g),
        hide_index=True,
        on_select=follow_row,
        selection_mode="single-row",
        key=key,
        column_config={
            "× k": st.column_config.NumberColumn(format="%.2f", help="Size of the group divided by k.", width="small"),
            "Group": st.column_config.NumberColumn(width="small"),
            room.about.items.capitalize(): st.column_config.NumberColumn(format="localized", width="small"),
            instance.unit.capitalize(): st.column_config.NumberColumn(format="localized", width="small"),
            "Contents": st.column_config.TextColumn(width="large"),
        },
        alt="The groups with their size, number of items and contents",
    )
    more = room.figure(instance, g) if room.figure else None
    if more:
        st.markdown(more)
    if selected is None:
        st.caption("Click a group in the picture, or tick its row, to see it alone.")
    else:
        st.caption(f"Group {selected + 1} stands out in the picture. Click it again to let it go.")
