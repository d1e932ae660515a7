"""Groups changed by hand with a real browser: an area is found, moved, and the move is undone."""

from __future__ import annotations

import re

import pytest

import kanon_engine as kanon
from kanon_engine.regions.moves import moved
from pages._regions.by_hand import targets
from tests.app.test_browser import WAIT, at_rest, drawn, open_page
from tests.app.visit import CATALOG, generalized, read
from tests.sentences import CHANGED_BY_HAND, FIND_AN_AREA

COUNTIES = next(entry for entry in CATALOG if entry["key"] == "north-carolina-births")


@pytest.mark.thorough
def test_an_area_that_was_found_is_moved_and_the_move_undone(page, url):
    regions = read(COUNTIES)
    g = generalized(regions, COUNTIES["k"], "tree-split")
    area, group, after = next(possible(regions, g))
    open_page(page, url, f"regions?sample={COUNTIES['key']}&k={COUNTIES['k']}&algorithm=tree-split")
    before = drawn(page)
    search = page.get_by_role("combobox", name=FIND_AN_AREA)
    search.fill(regions.ids[area])
    search.press("Enter")
    page.get_by_text(f"{regions.weights[area]:,} births, group {g.assignment[area] + 1}").wait_for(timeout=WAIT)
    at_rest(page)
    page.locator("[class*=st-key-regions_move_]").get_by_role("combobox").click()
    page.get_by_role("option", name=re.compile(f"^group {group + 1}: ")).click()
    line = page.get_by_text(f"{CHANGED_BY_HAND} (one change).")
    line.wait_for(timeout=WAIT)
    assert f"largest group {g.cost:,} → {after.cost:,}, lower bound {g.lower_bound:,}." in line.inner_text()
    page.set_viewport_size({"width": 390, "height": 844})  # a phone shows the whole line, above the tabs
    page.wait_for_timeout(300)
    cut, bottom = line.evaluate(
        """told => {
            const box = told.closest("[data-testid=stCaptionContainer]");
            const words = document.createRange();
            words.selectNodeContents(told);
            return [box.scrollHeight - box.clientHeight, words.getBoundingClientRect().bottom];
        }"""
    )
    assert cut <= 1
    assert bottom <= page.get_by_role("tablist").first.bounding_box()["y"]
    page.set_viewport_size({"width": 1280, "height": 720})
    drawn(page, 0, before)
    groups = page.locator(".kanon-map").evaluate("map => new Set(map.picture.groups).size")
    assert groups == after.classes
    at_rest(page)
    page.get_by_role("button", name="Undo").click()
    line.wait_for(state="hidden", timeout=WAIT)
    at_rest(page)
    assert page.get_by_test_id("stException").all_inner_texts() == []


def possible(regions, g):
    """Moves of one area to a group beside it that can be made."""
    for area in range(len(regions)):
        for group in targets(regions, g, (area,)):
            try:
                yield area, group, moved(regions, g, [regions.ids[area]], group)
            except kanon.KanonError:
                continue
