"""Whether anybody can look up where the codes of areas are: asked once, on whichever page comes first."""

from __future__ import annotations

import streamlit as st

from pages._shared.records import Data

ASK = "Are the codes of these areas public geography?"
PUBLIC = {
    True: "Yes: anybody can look up where they are, as for zip codes, counties and census tracts",
    False: "No: they stand for addresses, households, sites or patients",
}
WHY = (
    "Yes: the package lists the codes of each group, names groups after places and keeps exact borders. No: a list or "
    "a border would tell who is in a group, so groups are numbered, and their shapes are squares of a grid."
)


def codes_are_public(data: Data) -> bool | None:
    """What the person said; None where nobody was asked yet. Samples are of zip codes, counties and tracts."""
    said: bool | None = st.session_state.get(codes_key(data), None if data.key else True)
    return said


def codes_key(data: Data) -> str:
    """What the answer is called in the session."""
    return f"{data.key or 'regions'}_codes_are_public"
