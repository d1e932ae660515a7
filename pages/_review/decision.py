"""What was decided of a release, in a form; who decided, when, for whom and for what stands under “Context”."""

from __future__ import annotations

import streamlit as st

import kanon_engine as kanon
from kanon_engine.project.context import CONDITIONS, KINDS, Context, Decision, agreed
from pages._review.context import LONGEST
from pages._shared.wording import on_page

KEY = "review_decision_{}"
KIND = KEY.format("kind")
FIELDS = {
    "reason": ("Why?", "In your own words; a decision needs a reason"),
    "conditions": ("Under which conditions?", "Named analysts, no join with other records, deletion"),
    "agreement": ("Under which agreement do they get it?", "Data use agreement 2026-117"),
    "until": ("Until when does the decision hold?", "YYYY-MM-DD"),
    "incident": ("What is to be done at an incident?", "Who is told, and how the release is called back"),
}


def choose_decision() -> None:
    """The kind, and fields for what no other tab asks; each is kept for the visit."""
    st.radio("What do you decide?", KINDS, index=None, key=KIND, horizontal=True, persist_state="session")
    kind = st.session_state.get(KIND)
    if kind is None:
        st.caption("Without a decision the first page of the report is a form to fill in and sign by hand.")
        return
    asked = [name for name in FIELDS if name != "conditions" or kind == CONDITIONS]
    for place, column in enumerate(st.columns(2, gap="medium")):
        with column:
            for name in asked[place::2]:
                words, example = FIELDS[name]
                st.text_input(words, key=KEY.format(name), placeholder=example, max_chars=LONGEST,
                              persist_state="session")  # fmt: skip
    st.caption("Who decides, when, for which recipient and purpose stands under “Context”.")


def decision_now(context: Context) -> Decision | None:
    """What was decided so far, wherever the page is; a decision that cannot be is told and is none."""
    kind = st.session_state.get(KIND)
    if kind is None:
        return None
    said = {name: str(st.session_state.get(KEY.format(name)) or "").strip() for name in FIELDS}
    if kind != CONDITIONS:  # the field is not shown
        said["conditions"] = ""
    try:
        return agreed(context, Decision(kind, **said))[1]
    except kanon.KanonError as error:
        st.error(on_page(error), icon=":material/error:")
        return None


def is_refused(decision: Decision | None) -> bool:
    """Whether a kind was picked, and the decision cannot be."""
    return decision is None and st.session_state.get(KIND) is not None
