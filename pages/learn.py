"""Lessons, and every algorithm step by step on something small."""

from __future__ import annotations

from pages._learn.step_by_step import show_step_by_step
from pages._shared.entry import enter_stage
from pages._shared.tasks import stay_awake

enter_stage()
show_step_by_step()
stay_awake()
