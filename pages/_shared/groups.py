"""The tab "Groups", and the one group that stands out in table and picture alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from kanon_engine import Generalization
from kanon_engine.model.known import family_named
from pages._shared.picture import PictureEvent
from pages._shared.records import Data

MOST_NAMED = 6


def selected_class(g: Generalization) -> int | None:
    """The class that the person picked in this result."""
    digest, number = st.session_state.get(f"{g.family}_selected", (None, None))
    return number if digest == g.digest else None


def select_class(g: Generalization, number: int | None) -> None:
    st.session_state[f"{g.family}_selected"] = (g.digest, number)


def follow_click(g: Generalization, event: PictureEvent | None) -> None:
    """A click on a group in the picture selects it, a click on the selected group lets it go."""
    if event is None or event.class_number is None:
        return
    if not 0 <= event.class_number < g.classes:  # in no group, or in a group of the result that was shown before
        return
    again = selected_class(g) == event.class_number
    if again and not event.lets_go:
        return
    select_class(g, None if again else event.class_number)
    st.rerun()


def heaviest_first(instance: Any, members: np.ndarray) -> np.ndarray:
    """The items of a group, by falling weight."""
    return members[np.argsort(-instance.weights[members], kind="stable")]


def heaviest(instance: Any, members: np.ndarray) -> str:
    """The heaviest items of a group."""
    largest = heaviest_first(instance, members)[:MOST_NAMED]
    words = ", ".join(instance.label(int(position)) for position in largest)
    return words + (" …" if len(members) > MOST_NAMED else "")


def group_table(
    data: Data,
    g: Generalization,
    members: Sequence[np.ndarray],
    contents: Sequence[str],
    names: Sequence[str] | None = None,
) -> pd.DataFrame:
    """One row a group: number, name, weight, number of its members, weight / k and, in a few words, what is in it."""
    instance = data.instance
    if names is None and hasattr(instance, "named_classes"):
        names = instance.named_classes(g.assignment)
    return pd.DataFrame(
        {
            "Group": range(1, g.classes + 1),
            **({} if names is None else {"Name": names}),
            instance.unit.capitalize(): g.class_weights,
            family_named(data.family).items.capitalize(): [len(part) for part in members],
            **_second_sums(instance, g),
            "× k": g.class_weights / g.k,
            "Contents": contents,
        }
    )


def _second_sums(instance: Any, g: Generalization) -> dict[str, np.ndarray]:
    """Second counts, such as cases, summed over each group."""
    inside = g.assignment >= 0
    return {
        f"Sum of {name}": np.bincount(g.assignment[inside], values[inside], g.classes).astype(np.int64)
        for name, values in getattr(instance, "columns", {}).items()
    }


def chosen_items(data: Data, g: Generalization) -> pd.DataFrame | None:
    """What the group holds that stands out, the heaviest first; None where none does."""
    selected, instance = selected_class(g), data.instance
    if selected is None:
        return None
    items = heaviest_first(instance, np.flatnonzero(g.assignment == selected))
    noun = family_named(data.family).items.capitalize()
    names = [instance.label(position) for position in items.tolist()]
    return pd.DataFrame({noun: names, instance.unit.capitalize(): instance.weights[items]})


def show_groups(data: Data, g: Generalization, table: pd.DataFrame) -> None:
    """A table with the columns "Group" and "× k"; its selected row is the group that stands out in the picture."""
    key = f"{data.family}_groups_{g.digest[:12]}"
    selected = selected_class(g)
    counted = (family_named(data.family).items.capitalize(), data.instance.unit.capitalize())

    def follow_row() -> None:
        rows = st.session_state[key].selection.rows
        select_class(g, rows[0] if rows else None)

    rows = [] if selected is None else [selected]
    if key not in st.session_state or list(st.session_state[key]["selection"]["rows"]) != rows:
        st.session_state[key] = {"selection": {"rows": rows}}
    st.dataframe(
        table,
        hide_index=True,
        on_select=follow_row,
        selection_mode="single-row",
        key=key,
        column_config={
            "× k": st.column_config.NumberColumn(format="%.2f", help="Size of the group divided by k.", width="small"),
            "Group": st.column_config.NumberColumn(width="small"),
            **dict.fromkeys(counted, st.column_config.NumberColumn(format="localized", width="small")),
            "Contents": st.column_config.TextColumn(width="large"),
        },
        alt="The groups with their size, number of items and contents",
    )
    if selected is None:
        st.caption("Tick the row of a group to make it stand out in the picture.")
    else:
        show_selected(g)


def show_selected(g: Generalization, otherwise: str = "") -> None:
    """Which group stands out, and a button that lets it go; or else other words."""
    selected = selected_class(g)
    if selected is None:
        st.caption(otherwise)
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(f"Group {selected + 1:,} stands out in the picture.", width="content")
        st.button("Let it go", type="tertiary", key=f"{g.family}_let_go", on_click=select_class, args=(g, None))
