"""Grouping the target of a reduction by hand: items are picked in the picture, and made a group."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from kanon_engine.model.words import counted
from kanon_engine.teaching.reductions.model import Carried, Reduction
from pages._shared.costs import objective_of_choice
from pages._shared.picture import Rest, picture
from pages._shared.results import default_choice
from pages._shared.wording import doing

SLOT = "lab_by_hand"
PICK = "Click items in the picture, or choose them here"
ALONE = "A group of each item that reaches k by itself and is too heavy with any other."


def choose_groups(reduction: Reduction, carried: Carried) -> tuple[np.ndarray, list[int]]:
    """The groups that were made so far, with buttons to make more, and what is picked for the next."""
    kept = _state(carried)
    assignment, picked = kept["assignment"], kept["picked"]
    names = _names(carried)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        free = [item for item in range(len(names)) if assignment[item] < 0]
        st.session_state[f"{SLOT}_choice"] = [item for item in picked if item in free]
        st.multiselect(
            PICK, free, format_func=lambda item: names[item], key=f"{SLOT}_choice", on_change=_choose, width="stretch"
        )
        weight = int(sum(carried.instance.weights[item] for item in picked))
        st.button(f"Make a group of {weight:,}", on_click=_join, disabled=not picked, key=f"{SLOT}_join")
        alone = [item for item in _only_alone(reduction, carried) if assignment[item] < 0]
        if alone:
            words = f"Make {counted(len(alone), 'group')} of one"
            st.button(words, on_click=_make, args=([[item] for item in alone],), help=ALONE, key=f"{SLOT}_alone")
        st.button("Undo", on_click=_undo, disabled=not kept["past"], key=f"{SLOT}_undo")
        st.button("Begin again", on_click=_clear, disabled=not kept["past"], key=f"{SLOT}_clear")
    return assignment, picked


def fault_of(reduction: Reduction, carried: Carried, assignment: np.ndarray) -> str:
    """What is still wrong with the groups; "" where they keep to k and the threshold."""
    left = int((assignment < 0).sum())
    if left:
        return f"{counted(left, 'item')} of {len(assignment):,} {'is' if left == 1 else 'are'} in no group yet."
    return doing(reduction.fault(carried, assignment))


def show_groups_by_hand(
    reduction: Reduction, source: Any, carried: Carried, assignment: np.ndarray, picked: list[int]
) -> None:
    """The target with the groups and what is picked; a click on an item picks it, or lets it go."""
    shown = assignment.copy()
    shown[picked] = assignment.max() + 1
    event = picture(reduction.picture(source, carried, shown), key=f"{SLOT}_picture", height=Rest())
    if event is not None and event.class_number is not None:
        _toggle(int(event.class_number))
        st.rerun()


def _only_alone(reduction: Reduction, carried: Carried) -> list[int]:
    """Items of k that with any other are above the threshold, where that is for the weight of the largest group."""
    if not objective_of_choice(default_choice(reduction.family)).is_largest_class:
        return []
    weights = carried.instance.weights
    found: list[int] = np.flatnonzero((weights >= carried.k) & (weights + weights.min() > carried.threshold)).tolist()
    return found


def _state(carried: Carried) -> dict[str, Any]:
    """What was done by hand with this target."""
    kept: dict[str, Any] | None = st.session_state.get(SLOT)
    if kept is None or kept["digest"] != carried.instance.digest:
        kept = {
            "digest": carried.instance.digest,
            "assignment": np.full(len(carried.instance), -1, dtype=np.int32),
            "picked": [],
            "past": [],
        }
        st.session_state[SLOT] = kept
    return kept


def _names(carried: Carried) -> list[str]:
    """Every item by its id and the part that it belongs to."""
    parts: dict[int, str] = {}
    for gadget in carried.gadgets:
        for item in gadget.items:
            parts.setdefault(item, gadget.name)
    return [f"{name} ({parts[item]})" if item in parts else str(name) for item, name in enumerate(carried.instance.ids)]


def _choose() -> None:
    st.session_state[SLOT]["picked"] = list(st.session_state[f"{SLOT}_choice"])


def _toggle(item: int) -> None:
    kept = st.session_state[SLOT]
    if kept["assignment"][item] >= 0:
        return
    kept["picked"] = [one for one in kept["picked"] if one != item] + ([item] if item not in kept["picked"] else [])


def _join() -> None:
    _make([st.session_state[SLOT]["picked"]])


def _make(groups: list[list[int]]) -> None:
    kept = st.session_state[SLOT]
    kept["past"].append(kept["assignment"].copy())
    for number, items in enumerate(groups, kept["assignment"].max() + 1):
        kept["assignment"][items] = number
    kept["picked"] = []


def _undo() -> None:
    kept = st.session_state[SLOT]
    kept["assignment"], kept["picked"] = kept["past"].pop(), []


def _clear() -> None:
    st.session_state.pop(SLOT)
