"""What is asked of groups besides k: the fold "More rules"."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import kanon_engine as kanon
from kanon_engine.regions.moves import with_locks
from pages._regions.locks import Sets, held, show_locks
from pages._regions.minima import choose_minima, link_of
from pages._shared.records import Data


def choose_rules(data: Data) -> tuple[Data, tuple[kanon.Minimum, ...]]:
    """The data with what is asked of them, and the minima of their second counts."""
    regions = data.instance
    data = replace(data, rules=f"{data.family}_{regions.digest[:16]}")
    with st.expander("More rules"):
        minima = choose_minima(data)
        show_locks(data)
    asked = {"minima": link_of(tuple((one.column, one.m) for one in minima))} if minima else {}
    kept = held(data)
    ruled = _ruled(regions.digest, kept, regions) if kept else regions
    return replace(data, instance=ruled, link={**data.link, **asked}), minima


@st.cache_resource(scope="session", max_entries=4, show_spinner=False)
def _ruled(digest: str, kept: Sets, _regions: kanon.Regions) -> kanon.Regions:
    """Put together once, so that what the areas work out for themselves is there the next time."""
    return with_locks(_regions, kept)
