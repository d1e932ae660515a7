"""The lab: make an algorithm look bad, see why the problems are hard, and break a proof of that."""

from __future__ import annotations

import streamlit as st

from pages._lab.beat import show_beat
from pages._lab.breaking import show_breaking
from pages._lab.hardness import show_hardness
from pages._shared.entry import enter_stage
from pages._shared.tasks import stay_awake

enter_stage()
hard, breaks, beat = st.tabs(
    ["Why it is hard", "Break a reduction", "Beat the algorithm"], key="lab_tabs", on_change="rerun"
)
if hard.open:
    with hard:
        show_hardness()
if breaks.open:
    with breaks:
        show_breaking()
if beat.open:
    with beat:
        show_beat()
stay_awake()
