"""Steps in a real browser: they play by themselves, wait at a question, and a click in the picture answers it."""

from __future__ import annotations

import pytest

from tests.app.test_browser import WAIT, at_rest
from tests.sentences import STEP_0_TO


def open_steps(page, url):
    page.goto(f"{url}/learn")
    page.get_by_role("tab", name="Step by step").click()
    page.get_by_role("slider", name=STEP_0_TO).wait_for(timeout=WAIT)
    page.get_by_role("combobox", name="Algorithm").click()
    page.get_by_role("option", name="Tree split").click()
    page.get_by_text("All 20 areas").wait_for(timeout=WAIT)
    at_rest(page)


@pytest.mark.thorough
def test_steps_play_wait_at_a_question_and_a_click_answers_it(page, url):
    open_steps(page, url)
    page.get_by_role("button", name="Play").click()
    page.get_by_text("Cut 2 of").wait_for(timeout=WAIT)  # nobody pressed Next
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="Play").wait_for(timeout=WAIT)

    page.get_by_role("combobox", name="Data", exact=True).click()
    page.get_by_role("option", name="Six areas").click()
    page.get_by_text("All 6 areas").wait_for(timeout=WAIT)
    page.get_by_text("Predict first").click()
    asked = page.get_by_text("Which edge is cut next?")
    asked.wait_for(timeout=WAIT)
    at_rest(page)
    before = page.get_by_role("slider", name=STEP_0_TO).input_value()
    mark = page.locator(".st-key-how-of-learn .scatterlayer .trace:last-child .points path").first.bounding_box()
    page.mouse.click(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    page.get_by_text("Right, as you predicted.").or_(page.get_by_text("You answered")).wait_for(timeout=WAIT)
    assert int(page.get_by_role("slider", name=STEP_0_TO).input_value()) == int(before) + 1
    page.get_by_role("button", name="More").click()
    page.get_by_text("Correct predictions:").wait_for(timeout=WAIT)
