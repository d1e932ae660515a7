"""Lessons, every algorithm step by step on a small instance, and where the papers are wrong."""

from __future__ import annotations

from pages._learn.errata import show_errata
from pages._learn.step_by_step import show_lessons, show_step_by_step
from pages._shared.entry import enter_stage
from pages._shared.link import begin_link, linked_tabs
from pages._shared.tasks import stay_awake

TABS = ("Lessons", "Step by step", "Where papers are wrong")

enter_stage()
begin_link("learn")
with linked_tabs("learn", TABS) as (tab, link):
    match tab:
        case "Lessons":
            show_lessons(link)
        case "Step by step":
            show_step_by_step(link)
        case "Where papers are wrong":
            show_errata()
stay_awake()
