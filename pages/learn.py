"""Every algorithm step by step on something small, lessons, and where the papers are wrong."""

from __future__ import annotations

import streamlit as st

from pages._learn.errata import show_errata
from pages._learn.lessons import show_lessons
from pages._learn.step_by_step import show_step_by_step
from pages._shared.entry import enter_stage
from pages._shared.tasks import stay_awake

enter_stage()
steps, lessons, errata = st.tabs(
    ["Step by step", "Lessons", "Where papers are wrong"], key="learn_tabs", on_change="rerun"
)
if steps.open:
    with steps:
        show_step_by_step()
if lessons.open:
    with lessons:
        show_lessons()
if errata.open:
    with errata:
        show_errata()
stay_awake()
