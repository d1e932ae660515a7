"""The tab "What if" for labels: single k as everywhere, or every k at once as in the paper's Figure 7."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

import kanon_engine as kanon
from kanon_engine.labels.figure7 import VARIANTS, overfull_ratios, sub_range_maxima
from kanon_engine.labels.figures import figure7
from pages._common.picture import picture
from pages._common.results import Choice
from pages._common.what_if import show_what_if

WORDS = {
    "variant": "Algorithm and order",
    "k_from": "From k",
    "k_to": "to k",
    "overfull_ratio": "Largest ÷ k",
    "floor": "Never below",
    "k": "reached at k",
    "classes": "Groups",
}


def show_overfull(family: str, labels: kanon.Labels, k: int, choice: Choice) -> None:
    """A switch between the two views, and the chosen one."""
    every = st.segmented_control(
        "Which k",
        ["some", "every"],
        default="some",
        required=True,
        format_func={"some": "two dozen values", "every": "every k (the paper's Figure 7)"}.__getitem__,
        key=f"{family}_which_k",
        persist_state="session",
    )
    if every == "some":
        show_what_if(family, labels, k, choice)
        return
    try:
        table = _ratios(family, labels, choice.seed)
    except kanon.KanonError as error:
        st.warning(str(error))
        return
    if table.empty:
        st.info("Nothing was computed; go on to see the lines.")
        return
    maxima = sub_range_maxima(table)
    st.caption(
        f"Every k from the most common label's count, {int(table['k'].min()):,}, to the one that leaves two groups, "
        f"{int(table['k'].max()):,}. Each point is the worst k of its sub-range. Where one group fewer fits, the lines "
        "jump."
    )
    picture(figure7(table, unit=labels.unit, k=k), key=f"{family}_figure7", height=420, filename="kanon-figure7")
    numbers = dict.fromkeys(("From k", "to k", "reached at k"), st.column_config.NumberColumn(format="localized"))
    ratios = dict.fromkeys(("Largest ÷ k", "Never below"), st.column_config.NumberColumn(format="%.3f"))
    st.dataframe(
        maxima[list(WORDS)].rename(columns=WORDS),
        hide_index=True,
        key=f"{family}_figure7_table",
        column_config=numbers | ratios,
    )


def _ratios(family: str, labels: kanon.Labels, seed: int) -> pd.DataFrame:
    """The rows of all variants; those computed before are kept for the visit, so that stopping loses nothing."""
    kept: dict[Any, pd.DataFrame] = st.session_state.setdefault("_overfull", {})
    stopped = f"{family}_overfull_stopped"
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Packing for every k …")
        halted = st.session_state.get(stopped, False)
        words = "Go on" if halted else "Stop and keep what is there"
        st.button(words, key=f"{family}_overfull_halt", on_click=lambda: st.session_state.update({stopped: not halted}))
    for number, variant in enumerate(VARIANTS):
        if (labels.digest, seed, variant) in kept or halted:
            continue

        def report(progress: kanon.Progress, number: int = number) -> None:
            bar.progress((number + progress.done) / len(VARIANTS), progress.message)

        kept[labels.digest, seed, variant] = overfull_ratios(labels, seeds=(seed,), progress=report, variants=[variant])
    frames = [kept[labels.digest, seed, variant] for variant in VARIANTS if (labels.digest, seed, variant) in kept]
    if len(frames) == len(VARIANTS):
        place.empty()
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
