"""What is asked of groups besides k: the fold "More rules"."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import kanon_engine as kanon
from pages._regions.minima import choose_minima, link_of
from pages._shared.records import Data


def choose_rules(data: Data) -> tuple[Data, tuple[kanon.Minimum, ...]]:
    """The data with what is asked of them, and the minima of their second counts."""
    with st.expander("More rules"):
        minima = choose_minima(data)
    asked = {"minima": link_of(tuple((one.column, one.m) for one in minima))} if minima else {}
    return replace(data, link={**data.link, **asked}), minima
