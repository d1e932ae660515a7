"""The tab "What if": cost against k for the chosen algorithms, filled step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.figures import what_if_figure
from pages._common.alike import alike
from pages._common.picture import picture
from pages._common.results import Choice

QUANTITIES = {"cost": "Largest group", "overfull_ratio": "Largest ÷ k", "classes": "Groups"}
POINTS = 24


def show_what_if(family: str, instance: Any, k: int, choice: Choice) -> None:
    """Controls, picture and table; a click on the picture goes to that k."""
    known = {algorithm.name: algorithm for algorithm in kanon.algorithms(family)}
    left, right = st.columns([5, 4])
    names = left.multiselect(
        "Algorithms",
        list(known),
        default=[choice.algorithm.name],
        format_func=lambda name: known[name].title,
        key=f"{family}_what_if_{choice.algorithm.name}",  # another algorithm begins with its own line
        persist_state="session",
    )
    quantity = right.segmented_control(
        "Show",
        list(QUANTITIES),
        default="cost",
        required=True,
        format_func=QUANTITIES.__getitem__,
        key=f"{family}_quantity",
        persist_state="session",
    )
    chosen = [choice if name == choice.algorithm.name else alike(known[name], choice) for name in names]
    table = _fill(family, instance, spread_of_k(instance, k), chosen)
    if table.empty:
        st.info(
            "Pick an algorithm to see its line." if not chosen else "Nothing was computed yet; go on to see the lines."
        )
        return
    event = picture(what_if_figure(table, quantity, k, instance.unit), key=f"{family}_what_if_picture", height=380)
    st.caption("Click a point to go to its k.")
    if event is not None and event.x is not None:
        st.session_state[f"{family}_wanted_k"] = round(float(event.x))
        st.rerun()
    formats = _formats(instance.unit)
    st.dataframe(_in_words(table), hide_index=True, key=f"{family}_what_if_table", column_config=formats)


WORDS = {
    "algorithm": "Algorithm",
    "k": "k",
    "cost": "Largest group",
    "lower_bound": "Never below",
    "overfull_ratio": "Largest ÷ k",
    "classes": "Groups",
    "status": "Proof",
    "seconds": "Seconds",
}
PROOFS = {
    "optimal": "best possible",
    "feasible": "within the bound",
    "stopped": "stopped early",
    "infeasible": "no grouping possible",
}


def _in_words(table: pd.DataFrame) -> pd.DataFrame:
    """The sweep's table under the words of the page."""
    shown = table[list(WORDS)].assign(status=[PROOFS.get(status, status) for status in table["status"]])
    return shown.rename(columns=WORDS)


def _formats(unit: str) -> dict[str, Any]:
    numbers = {
        "k": f"Every group holds at least this many {unit}.",
        "Largest group": f"{unit.capitalize()} in the largest group.",
        "Never below": "Proven: no grouping at this k has a smaller largest group.",
        "Groups": "How many groups there are.",
    }
    formats: dict[str, Any] = {
        name: st.column_config.NumberColumn(format="localized", help=help) for name, help in numbers.items()
    }
    formats["Largest ÷ k"] = st.column_config.NumberColumn(format="%.2f")
    formats["Seconds"] = st.column_config.NumberColumn(format="%.3f", help="How long the computation took.")
    return formats


def spread_of_k(instance: Any, k: int) -> list[int]:
    """About two dozen k from one item's share to half of all, evenly on a logarithmic scale, and the current one."""
    lowest = max(1, instance.total // (5 * len(instance)))
    highest = max(lowest, instance.total // 2)
    values = np.unique(np.geomspace(lowest, highest, POINTS).round().astype(np.int64))
    return sorted({*values.tolist(), *([k] if k <= instance.total else [])})


def _fill(family: str, instance: Any, ks: list[int], choices: list[Choice]) -> pd.DataFrame:
    """All rows; those of earlier runs are kept for the visit, so that a stopped run goes on where it was."""
    stopped = f"{family}_what_if_stopped"
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Trying many k …")
        if st.session_state.get(stopped):
            st.button("Go on", key=f"{family}_go_on", on_click=lambda: st.session_state.update({stopped: False}))
        else:
            words = "Stop and keep what is there"
            st.button(words, key=f"{family}_stop", on_click=lambda: st.session_state.update({stopped: True}))
    runs = [(choice, k) for choice in choices for k in ks]
    rows: list[pd.DataFrame] = []
    kept = st.session_state.setdefault("_what_if_rows", {})
    for done, (choice, k) in enumerate(runs):
        mark = (instance.digest, k, choice)
        if mark not in kept:
            if st.session_state.get(stopped):
                continue
            bar.progress(done / len(runs), f"{choice.algorithm.title}, k = {k:,}")
            named = {choice.algorithm.title: (choice.algorithm.name, dict(choice.options))}
            kept[mark] = kanon.sweep(instance, [k], named, seed=choice.seed)
        rows.append(kept[mark])
    if len(rows) == len(runs):
        place.empty()
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
