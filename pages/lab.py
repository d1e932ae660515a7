"""The lab: make an algorithm look bad, see why the problems are hard, and break a proof of hardness."""

from __future__ import annotations

from pages._lab.beat import show_beat
from pages._lab.hardness import show_breaking, show_hardness
from pages._shared.entry import enter_stage
from pages._shared.link import begin_link, linked_tabs
from pages._shared.tasks import stay_awake

TABS = ("Why it is hard", "Break a reduction", "Beat the algorithm")

enter_stage()
begin_link("lab")
with linked_tabs("lab", TABS) as (tab, link):
    match tab:
        case "Why it is hard":
            show_hardness(link)
        case "Break a reduction":
            show_breaking(link)
        case "Beat the algorithm":
            show_beat(link)
stay_awake()
