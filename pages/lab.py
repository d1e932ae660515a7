"""The lab: make an algorithm look bad, see why the problems are hard, and break a proof of that."""

from __future__ import annotations

import streamlit as st

from pages._lab.breaking import show_breaking
from pages._lab.hardness import show_hardness
from pages._shared.entry import enter_stage
from pages._shared.tasks import stay_awake

enter_stage()
hard, breaks = st.tabs(["Why it is hard", "Break a reduction"], key="lab_tabs", on_change="rerun")
if hard.open:
    with hard:
        show_hardness()
if breaks.open:
    with breaks:
        show_breaking()
stay_awake()
