"""A reduction that a person chose, and its source beside its target."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from kanon_engine.model.words import counted
from kanon_engine.teaching.reductions import REDUCTIONS, reduction_named
from kanon_engine.teaching.reductions.model import Carried, Reduction
from pages._shared.wording import escaped


def choose_reduction(place: DeltaGenerator, slot: str) -> Reduction:
    """The choice of one, drawn in this place."""
    name = place.selectbox(
        "Reduction",
        list(REDUCTIONS),
        format_func=lambda name: REDUCTIONS[name].title,
        key=f"lab_{slot}_reduction",
        persist_state="session",
    )
    return reduction_named(name)


def sides(reduction: Reduction, carried: Carried) -> tuple[DeltaGenerator, DeltaGenerator]:
    """A column for the source and one for the target, each with what it is."""
    left, right = st.columns([2, 3])
    left.caption(f"Source: {escaped(reduction.source.title)}")
    right.caption(f"Target: {escaped(size_of(carried))}")
    return left, right


def size_of(carried: Carried) -> str:
    """What the target asks, in words."""
    most = "" if carried.most is None else f", at most {carried.most:,} of them,"
    return (
        f"groups of at least {carried.k:,}{most} at a cost of at most {carried.threshold:,} among "
        f"{counted(len(carried.instance), 'item')}"
    )
