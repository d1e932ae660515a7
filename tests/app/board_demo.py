"""A page with nothing but the tab “Beat the algorithm”. Run by the tests of the board."""

from __future__ import annotations

import json

import streamlit as st

from pages._lab.beat import show_beat
from pages._lab.drafts import sheet_of
from pages._shared.widgets import begin_fields


def show() -> None:
    st.set_page_config(layout="wide")
    begin_fields()
    st.session_state.setdefault("beat_family", st.query_params.get("family", "rectangles"))
    show_beat({})
    draft = sheet_of(st.session_state["beat_family"]).draft
    st.text(f"drawn: {json.dumps({'items': draft.items, 'edges': draft.edges})}")


if __name__ == "__main__":
    show()
