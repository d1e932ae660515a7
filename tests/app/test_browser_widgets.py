"""Widgets in a real browser, on a slow line: what a person enters at the moment when a search ends stays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pages._tables import editor
from tests.app.test_browser import WAIT, at_rest
from tests.app.test_tables import people
from tests.sentences import FOUND_BY, ONE_VALUE_PER_LINE, ORDER_RANGES_OR_HIERARCHY, QUICK_ANSWER, STEP_0_TO, TOO_LARGE

LATE = 1000  # milliseconds; more than between two looks at a search, so that one is always on its way

# What the browser tells the server comes late, and in order. What stands in fields is noted whenever it changes.
SLOW_LINE = """
window.late = 0;
window.underway = 0;
let last = 0;
const { send } = WebSocket.prototype;
WebSocket.prototype.send = function (data) {
  last = Math.max(last, Date.now() + late);
  underway += 1;
  setTimeout(() => { underway -= 1; send.call(this, data); }, last - Date.now());
};
window.seen = [];
window.all = (root, selector) => {
  const hosts = [...root.querySelectorAll("*")].filter((one) => one.shadowRoot);
  return [root, ...hosts.map((one) => one.shadowRoot)].flatMap((one) => [...one.querySelectorAll(selector)]);
};
window.shown = () => [...all(document, watched)].map((one) => one.dataset.line ?? one.value);
window.watch = (selector) => {
  window.watched = selector;
  seen.splice(0, seen.length);
  setInterval(() => {
    const now = JSON.stringify(shown());
    if (seen.at(-1) !== now) seen.push(now);
  }, 20);
};
"""


def slow_down(page) -> None:
    page.evaluate("late => { window.late = late }", LATE)
    page.wait_for_timeout(LATE)


def end_search(page, gate, title: str) -> None:
    """The server ends the search before it hears what a person entered last."""
    gate.touch()
    page.get_by_text(f"{FOUND_BY} {title}").first.wait_for(timeout=WAIT)
    page.wait_for_function("underway === 0", timeout=WAIT)
    at_rest(page)


def rows_seen(page) -> list[list[str]]:
    """What stood in the fields, one after another; for a moment Streamlit may take them off the page."""
    rows = [row for row in map(json.loads, page.evaluate("seen")) if row]
    return [row for place, row in enumerate(rows) if place == 0 or row != rows[place - 1]]


def open_columns(page, url: str, column: str) -> Any:
    """The editor of the columns, at this column, while the first search waits."""
    page.add_init_script(SLOW_LINE)
    page.goto(f"{url}/tables?sample=own-file")
    file = {"name": "people.csv", "mimeType": "text/csv", "buffer": people()}
    page.locator('[data-testid=stMain] input[type="file"]').first.set_input_files(file)
    page.get_by_text(QUICK_ANSWER).first.wait_for(timeout=WAIT)
    page.get_by_role("button", name=editor.BUTTON).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name=ORDER_RANGES_OR_HIERARCHY).click(timeout=WAIT)
    page.get_by_role("option", name=column).click()
    return dialog


@pytest.mark.thorough
def test_an_order_stays_as_it_was_dragged_and_typed(page, gated_url, gate):
    dialog = open_columns(page, gated_url, "level")
    written = dialog.get_by_role("textbox", name=ONE_VALUE_PER_LINE)
    lines = dialog.locator(".kanon-order li")
    lines.first.wait_for(timeout=WAIT)
    assert written.input_value() == "high\nlow\nmid"
    slow_down(page)
    page.evaluate("watch('textarea, .kanon-order li')")
    lines.first.focus()
    page.keyboard.press("Alt+ArrowDown")
    written.fill("mid\nlow\nhigh")
    written.press("Control+Enter")
    written.press("Control+End")
    page.keyboard.type("\nnone")
    end_search(page, gate, "Local cuts")
    texts = [row[-1] for row in rows_seen(page)]
    order = ["high\nlow\nmid", "low\nhigh\nmid", "mid\nlow\nhigh"]
    at = [next(place for place, begin in enumerate(order) if text.startswith(begin)) for text in texts]
    assert at == sorted(at), texts  # never back
    assert texts[at.index(2) :] == sorted(texts[at.index(2) :]), texts
    assert page.evaluate("shown()") == ["mid", "low", "high", "none", "mid\nlow\nhigh\nnone"]
    written.press("Control+Enter")
    dialog.get_by_text("“none” does not occur in the data").wait_for(timeout=WAIT)
    dialog.get_by_role("button", name="Reverse").click()
    page.wait_for_function("shown()[0] === 'none'", timeout=WAIT)
    assert page.evaluate("shown()") == ["none", "high", "low", "mid", "none\nhigh\nlow\nmid"]


@pytest.mark.thorough
def test_ranges_stay_as_they_were_typed(page, gated_url, gate):
    dialog = open_columns(page, gated_url, "age")
    dialog.get_by_role("radio", name="Ranges").click()
    width = dialog.get_by_role("spinbutton", name="Width")
    begin = dialog.get_by_role("spinbutton", name="Start of a range")
    width.wait_for(timeout=WAIT)
    slow_down(page)
    page.evaluate("watch('[type=text][aria-label=Width], [type=text][aria-label^=Start]')")
    width.fill("7")
    width.press("Enter")
    begin.fill("3")
    end_search(page, gate, "Local cuts")
    rows = rows_seen(page)
    assert rows[rows.index(["7", rows[0][1]]) :] == [["7", rows[0][1]], ["7", "3"]], rows
    page.get_by_role("dialog").get_by_text("ranges: ").wait_for(timeout=WAIT)


@pytest.mark.thorough
def test_a_step_stays_as_it_was_picked(page, url):
    page.add_init_script(SLOW_LINE)
    page.goto(f"{url}/regions?sample=north-carolina-births&k=20000&algorithm=tree-split&tab=how-it-works")
    step = page.get_by_role("slider", name=STEP_0_TO)
    step.wait_for(timeout=WAIT)
    at_rest(page)
    slow_down(page)
    page.evaluate(f"""watch("[aria-label='Step number'], [type=range][aria-label^='{STEP_0_TO}']")""")
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("shown()[0] === '1'", timeout=WAIT)
    for _ in range(3):
        step.press("ArrowRight")
    page.wait_for_function("underway === 0", timeout=WAIT)
    at_rest(page)
    rows = rows_seen(page)
    assert rows[-1] == ["4", "4"]
    assert rows == sorted(rows)  # never back
    page.get_by_role("button", name="Back").click()
    page.wait_for_function("shown()[0] === '3'", timeout=WAIT)
    exactly = page.get_by_role("spinbutton", name="Step number")
    exactly.fill("16")
    exactly.press("Enter")
    page.get_by_text(f"Step is 16, {TOO_LARGE}: write a whole number of at most 15.").wait_for(timeout=WAIT)
    page.get_by_role("button", name="Next").click()
    page.wait_for_function("shown()[0] === '4'", timeout=WAIT)
