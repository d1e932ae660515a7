"""The board in a browser: drawing, moving, weighing, joining and undoing by mouse, by touch and by keyboard."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

WAIT = 60_000
DEMO = Path(__file__).with_name("board_demo.py")


@pytest.fixture(scope="session")
def demo(serve):
    return serve(DEMO)


def opened(page, demo, family):
    page.goto(f"{demo}/?family={family}")
    page.locator(".kanon-board .item").first.wait_for(timeout=WAIT)
    return page


def drawn(page):
    text = page.get_by_text("drawn: ").inner_text()
    return json.loads(text.removeprefix("drawn: "))


def until(page, holds):
    """Wait until what the page has heard is so."""
    for _ in range(150):
        found = drawn(page)
        if holds(found):
            return found
        page.wait_for_timeout(200)
    pytest.fail(f"the page says {found}")


def item(page, place):
    return page.locator(f'.kanon-board [data-place="{place}"]')


def middle(page, place):
    box = item(page, place).locator(".body").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def words(page):
    return page.locator(".kanon-board .words").inner_text()


@pytest.mark.thorough
def test_points_are_added_moved_weighed_deleted_and_brought_back(page, demo, foreign_requests):
    before = drawn(opened(page, demo, "rectangles"))
    count = len(before["items"])
    frame = page.locator(".kanon-board svg").bounding_box()
    page.mouse.click(frame["x"] + 60, frame["y"] + 40)
    added = until(page, lambda now: len(now["items"]) == count + 1)
    assert words(page).startswith(f"Point {count + 1}:")
    page.locator('.kanon-board [data-do="more"]').click()
    heavier = until(page, lambda now: now["items"][count][2] == added["items"][count][2] + 1)
    x, y = middle(page, count)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 70, steps=5)
    page.mouse.up()
    moved = until(page, lambda now: now["items"][count][:2] != heavier["items"][count][:2])
    assert moved["items"][count][0] > heavier["items"][count][0]
    assert moved["items"][count][1] < heavier["items"][count][1]  # down on the screen
    assert moved["items"][:count] == before["items"]
    item(page, count).focus()
    page.keyboard.press("Delete")
    until(page, lambda now: now["items"] == before["items"])
    undo = page.locator('.kanon-board [data-do="undo"]')
    undo.click()
    until(page, lambda now: now["items"] == moved["items"])
    page.locator(".kanon-board .item").first.focus()
    page.keyboard.press("Control+z")
    until(page, lambda now: now["items"] == heavier["items"])
    assert foreign_requests() == []


@pytest.mark.thorough
def test_nothing_is_picked_in_an_instance_that_is_loaded(page, demo):
    before = drawn(opened(page, demo, "rectangles"))
    page.mouse.click(*middle(page, 0))
    assert words(page).startswith("Point 1:")
    page.get_by_role("combobox", name="Load an instance").click()
    page.get_by_role("option", name="four long arms").click()
    until(page, lambda now: now["items"] != before["items"])
    page.get_by_text("Click to add a point").wait_for(timeout=WAIT)


@pytest.mark.thorough
def test_areas_are_joined_and_parted_by_two_clicks_and_by_keyboard(page, demo):
    before = drawn(opened(page, demo, "regions"))
    assert [1, 2] not in before["edges"]
    page.mouse.click(*middle(page, 1))
    assert "Click another area to join or separate them." in words(page)
    page.mouse.click(*middle(page, 2))
    until(page, lambda now: [1, 2] in now["edges"])
    item(page, 2).focus()
    page.keyboard.press("Enter")
    item(page, 1).focus()
    page.keyboard.press("Enter")
    until(page, lambda now: now["edges"] == before["edges"])
    item(page, 0).focus()
    page.keyboard.press("ArrowRight")
    moved = until(page, lambda now: now["items"][0][0] == before["items"][0][0] + 1)
    page.keyboard.press("+")  # the focus is where it was
    until(page, lambda now: now["items"][0][2] == moved["items"][0][2] + 1)


@pytest.mark.thorough
def test_bars_are_dragged_and_counted_and_an_undo_goes_back(page, demo):
    before = drawn(opened(page, demo, "labels"))
    x = middle(page, 0)[0]
    box = item(page, 0).locator(".body").bounding_box()
    page.mouse.move(x, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(x, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    lower = until(page, lambda now: now["items"][0][2] < before["items"][0][2])
    item(page, 1).focus()
    page.keyboard.press("ArrowUp")
    until(page, lambda now: now["items"][1][2] == before["items"][1][2] + 1)
    page.locator('.kanon-board [data-do="add"]').click()
    until(page, lambda now: len(now["items"]) == len(before["items"]) + 1)
    for _ in range(2):
        shown = drawn(page)
        page.locator('.kanon-board [data-do="undo"]').click()
        until(page, lambda now, shown=shown: now != shown)
    assert drawn(page) == lower


def test_a_finger_adds_a_point(browser, demo):
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    page = context.new_page()
    before = drawn(opened(page, demo, "clusters"))
    svg = page.locator(".kanon-board svg")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    page.touchscreen.tap(box["x"] + 30, box["y"] + 30)
    until(page, lambda now: len(now["items"]) == len(before["items"]) + 1)
    context.close()


@pytest.mark.thorough
def test_a_weight_is_typed_into_the_table_and_one_of_the_worst_is_clicked(page, demo):
    before = drawn(opened(page, demo, "rectangles"))
    page.get_by_text("As a table").click()
    grids = page.locator('[data-testid="stDataFrame"]')
    grids.nth(1).wait_for(timeout=WAIT)
    written = page.locator("#portal input, #portal textarea")
    for _ in range(20):
        grids.first.scroll_into_view_if_needed()
        box = grids.first.bounding_box()
        page.mouse.dblclick(box["x"] + box["width"] - 60, box["y"] + 52)
        page.wait_for_timeout(500)
        if written.count():
            break
    written.first.fill("7")
    page.keyboard.press("Enter")
    until(page, lambda now: now["items"] == [[*before["items"][0][:2], 7], *before["items"][1:]])
    page.wait_for_timeout(1_000)
    grids.nth(1).scroll_into_view_if_needed()
    box = grids.nth(1).bounding_box()
    for row in (0, 1):  # the instance that was loaded first is among the worst
        page.mouse.click(box["x"] + 17, box["y"] + 52 + 35 * row)
        page.wait_for_timeout(2_000)
        if drawn(page) == before:
            break
    until(page, lambda now: now == before)
