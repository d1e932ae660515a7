"""Where the papers are wrong: each correction with its counterexample and a number to vary."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from kanon_engine.teaching.studies.errata import ERRATA, Played
from pages._docs.documents import PAGE
from pages._shared.picture import Rest, picture
from pages._shared.wording import escaped


def show_errata() -> None:
    """Choose a correction, read the claim and what is true, and see the counterexample next to it."""
    number, value = _choose()
    entry = ERRATA[number]
    played = _played(number, value)
    text, drawn = (st.container(), None) if played.figure is None else st.columns([1, 1], gap="medium")
    with text:
        st.markdown(f"**The paper says:** {escaped(entry.claim)}")
        st.markdown(f"**What is true:** {escaped(entry.truth)}")
        if played.holds:
            st.success("The claim is true here.", icon=":material/check_circle:")
        else:
            st.warning("The claim is false here.", icon=":material/cancel:")
        _show_rows(played)
        if drawn is not None:
            st.caption("The picture shows kanon's result for these data.")
        st.page_link("pages/docs.py", label="All corrections, with their proofs", query_params={PAGE: "errata.md"})
    if drawn is not None and played.figure is not None:
        with drawn:
            picture(played.figure, key="learn_erratum", height=Rest())


def _choose() -> tuple[int, int]:
    which, how = st.columns([3, 2], vertical_alignment="bottom")
    number = which.selectbox(
        "Correction",
        range(len(ERRATA)),
        format_func=lambda number: f"{ERRATA[number].paper}. {ERRATA[number].section}",
        key="learn_correction",
        persist_state="session",
    )
    entry = ERRATA[number]
    value = how.slider(
        entry.parameter[0].upper() + entry.parameter[1:],
        entry.low,
        entry.high,
        entry.default,
        key=f"learn_correction_{number}",
    )
    return number, value


@st.cache_resource(max_entries=60, show_spinner="Computing the counterexample …")
def _played(number: int, value: int) -> Played:
    """Not a user's data: all visits share it."""
    return ERRATA[number].play(value)


def _show_rows(played: Played) -> None:
    rows = [(row.what, row.says or "–", row.found) for row in played.rows]
    st.table(
        pd.DataFrame(rows, columns=["Quantity", "In the paper", "Actual value"]), hide_index=True, border="horizontal"
    )
