"""What an officer says of a release, in a form: no program can find it out."""

from __future__ import annotations

from dataclasses import fields

import streamlit as st

import kanon_engine as kanon
from kanon_engine.project.context import DATES, Context
from pages._shared.wording import on_page

KEY = "review_context_{}"
LEFT = {
    "title": ("What is the release called?", "Zip code groups of the 2010 census"),
    "holder": ("Who holds the records?", "State health department"),
    "people": ("Whose records are they, and from when?", "All residents, 2010"),
    "officer": ("Who decides?", "Name and office"),
    "decided": ("Date of the decision", "YYYY-MM-DD"),
    "review": ("To be looked at again by", "YYYY-MM-DD"),
}
RIGHT = {
    "recipient": ("Who gets it?", "The public, or a named recipient"),
    "purpose": ("What do they need it for?", "Rates of illness by area"),
    "controls": ("What keeps them from misusing it?", "Contract, access, training, deletion; none of a public release"),
    "basis": ("Which law or consent does it rest on?", "45 CFR 164.514(b)"),
    "known": ("What else is published or known of these people?", "Earlier tables, voter lists, registers"),
    "residual": ("Which risk remains, and why is it accepted?", "In your own words"),
}
LONGEST = 2_000


def choose_context() -> None:
    """Two columns of fields; each is kept for the visit and stands in the report as it was written."""
    st.caption(
        "What only you know. Each answer stands in the report as you write it; what you leave empty stands there as "
        "“not said”. Everything else is worked out from the data."
    )
    for column, questions in zip(st.columns(2, gap="medium"), (LEFT, RIGHT), strict=True):
        with column:
            for name, (words, example) in questions.items():
                _field(name, words, example)


def context_now() -> Context:
    """What was said so far, wherever the page is; a date that is none is told and counts as not said."""
    said = {one.name: str(st.session_state.get(KEY.format(one.name)) or "").strip() for one in fields(Context)}
    for name in DATES:
        try:
            Context(**{name: said[name]}).require_dates()
        except kanon.KanonError as error:
            st.error(on_page(error), icon=":material/error:")
            said[name] = ""
    return Context(**said)


def _field(name: str, words: str, example: str) -> None:
    key = KEY.format(name)
    if name in ("residual", "controls", "known"):
        st.text_area(words, key=key, placeholder=example, max_chars=LONGEST, height=74, persist_state="session")
    else:
        st.text_input(words, key=key, placeholder=example, max_chars=LONGEST, persist_state="session")
