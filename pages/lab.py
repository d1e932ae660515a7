"""The lab: make an algorithm look bad, see why the problems are hard, and break a proof of that."""

from __future__ import annotations

from pages._lab.beat import show_beat
from pages._lab.hardness import show_breaking, show_hardness
from pages._shared.entry import enter_stage
from pages._shared.link import show_tabs
from pages._shared.tasks import stay_awake

TABS = ("Why it is hard", "Break a reduction", "Beat the algorithm")

enter_stage()
hard, breaks, beat = show_tabs("lab", TABS)
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
