"""Tables in a real browser: a person's own file, a role changed in the editor, a group picked, the release taken."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.tables.release import kept_columns, released_frame
from pages._tables import editor
from tests.app.test_browser import WAIT, at_rest, drawn, plot
from tests.app.test_tables import people
from tests.sentences import (
    NONE_LEFT_OUT,
    ONE_VALUE_PER_LINE,
    ORDER_RANGES_OR_HIERARCHY,
    RELEASED_NONE_LEFT_OUT,
    RELEASED_TABLE_CSV,
    USE_THESE,
)

K = 11


def solved(quasi: list[str], **roles: Any) -> tuple[kanon.Table, kanon.Generalization]:
    table = kanon.read_table(people(), quasi, **roles)
    return table, kanon.generalize(table, K)


def expect(page, g: kanon.Generalization) -> None:
    sizes = g.class_weights
    words = f"{g.classes:,} groups of {sizes.min():,} to {sizes.max():,} records, {NONE_LEFT_OUT}."
    page.locator("h4", has_text=words).wait_for(timeout=WAIT)
    page.get_by_text(f"(cost {g.cost:,})").wait_for(timeout=WAIT)


def test_own_table_from_upload_to_release(page, url, foreign_requests):
    page.goto(f"{url}/tables?sample=own-file")
    file = {"name": "people.csv", "mimeType": "text/csv", "buffer": people()}
    page.locator('[data-testid=stMain] input[type="file"]').first.set_input_files(file)
    _, g = solved(["age", "level", "sex"], identifiers=["id"], sensitive=["illness"])
    expect(page, g)
    region = page.get_by_role("region", name="Records before and after")
    region.locator("th").first.wait_for(timeout=WAIT)
    heads = region.locator("th[scope=colgroup]").all_inner_texts()
    assert [head.split("\n")[0] for head in heads] == ["age", "level", "sex"]
    page.get_by_text("All columns").click()
    first = drawn(page)
    at_rest(page)
    texts = plot(page).evaluate("plot => plot.layout.annotations.map(one => one.text)")
    titles = [text for text in texts if text.startswith("<b>")]
    assert [title.split("</b>")[0] for title in titles] == ["<b>age", "<b>level", "<b>sex"]

    page.get_by_role("button", name=editor.BUTTON).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name="Role of level").click(timeout=WAIT)
    page.get_by_role("option", name="sensitive").click()
    at_rest(page)
    dialog.get_by_role("button", name=USE_THESE).click()
    dialog.wait_for(state="detached", timeout=WAIT)
    table, g = solved(["age", "sex"], identifiers=["id"], sensitive=["level", "illness"], keep=[])
    expect(page, g)
    drawn(page, 0, first)
    at_rest(page)

    page.get_by_role("tab", name="Released table").click()
    page.get_by_text(f"150 of 150 {RELEASED_NONE_LEFT_OUT}").wait_for(timeout=WAIT)
    page.get_by_role("tab", name="Publish").click()
    with page.expect_download(timeout=WAIT) as coming:
        page.get_by_role("button", name=RELEASED_TABLE_CSV).click()
    taken = pd.read_csv(io.BytesIO(coming.value.path().read_bytes()), dtype=str)
    expected = released_frame(table, g, kept_columns(table)).astype(str)
    pd.testing.assert_frame_equal(taken, expected, check_dtype=False)
    assert foreign_requests() == []


@pytest.mark.thorough
def test_values_are_dragged_into_order(page, url, foreign_requests):
    page.goto(f"{url}/tables?sample=own-file")
    file = {"name": "people.csv", "mimeType": "text/csv", "buffer": people()}
    page.locator('[data-testid=stMain] input[type="file"]').first.set_input_files(file)
    page.get_by_role("button", name=editor.BUTTON).click(timeout=WAIT)
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("combobox", name=ORDER_RANGES_OR_HIERARCHY).click(timeout=WAIT)
    page.get_by_role("option", name="level").click()
    lines = dialog.locator(".kanon-order li")
    written = dialog.get_by_role("textbox", name=ONE_VALUE_PER_LINE)
    lines.first.wait_for(timeout=WAIT)
    assert written.input_value() == "high\nlow\nmid"
    lines.nth(0).drag_to(lines.nth(2))
    expect_value(written, "low\nmid\nhigh")
    lines.nth(1).focus()
    page.keyboard.press("Alt+ArrowDown")
    expect_value(written, "low\nhigh\nmid")
    at_rest(page)
    dialog.get_by_role("button", name=USE_THESE).click()
    dialog.wait_for(state="detached", timeout=WAIT)
    orders = {"level": ["low", "high", "mid"]}
    _, g = solved(["age", "level", "sex"], identifiers=["id"], sensitive=["illness"], orders=orders)
    expect(page, g)
    assert foreign_requests() == []


def expect_value(field, value: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    playwright.expect(field).to_have_value(value, timeout=1000 * 60)


def test_the_first_sample_fits_on_one_screen_with_what_is_proven(page, url, foreign_requests):
    page.goto(f"{url}/tables?k=1000")
    page.get_by_text("No boxes lose less than").wait_for(timeout=WAIT)
    at_rest(page)
    box = page.get_by_role("region", name="Records before and after").bounding_box()
    assert box["y"] + box["height"] <= 720
    assert foreign_requests() == []


LOW = "([element, most]) => element.getBoundingClientRect().height < most"


def test_a_phone_gives_less_than_a_fifth_of_its_screen_to_the_sentence_and_its_small_print(browser, url):
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{url}/tables")
    page.get_by_text("On average, a released record leaves").wait_for(timeout=WAIT)
    at_rest(page)
    words = page.get_by_test_id("stMarkdownContainer").filter(has=page.locator("h4"))
    page.wait_for_function(LOW, arg=[words.element_handle(), 844 / 5], timeout=WAIT)  # fonts can come after the text
    for part in ("none left out.", "values in “", "No boxes lose less than"):
        assert part in words.inner_text()
    meaning = page.get_by_text("Loss: the width of each interval").locator("visible=true")
    assert meaning.count() == 0
    page.get_by_role("button", name="Checked").click()
    meaning.wait_for(timeout=WAIT)
    page.close()
