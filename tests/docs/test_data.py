"""The limits that docs/data.md tells are those that hold."""

import pytest

from kanon_engine.io.limits import MB, FileLimits
from pages._shared.tasks import LEFT_ALONE
from tests.docs.pages import said, text

PAGE = "docs/data.md"
USUAL = FileLimits()


@pytest.mark.parametrize(
    ("row", "value"),
    [
        (r"\| file \| ([\d,]+) MB", USUAL.file // MB),
        (r"\| rows \| ([\d,]+) \|", USUAL.rows),
        (r"\| columns \| ([\d,]+) \|", USUAL.columns),
        (r"\| cells \| ([\d,]+) \|", USUAL.cells),
        (r"\| vertices of all shapes \| ([\d,]+) \|", USUAL.vertices),
        (r"\| processor time \| ([\d,]+) seconds", USUAL.seconds),
        (r"\| time by the clock \| ([\d,]+) minutes", USUAL.search_seconds / 60),
        (r"worker.*?\| memory \| ([\d,]+) MB", USUAL.memory // MB),
        (r"search on a page.*?\| memory \| ([\d,]+) MB", USUAL.search_memory // MB),
    ],
)
def test_a_limit_is_what_the_page_says(row, value):
    assert said(PAGE, f"(?s){row}") == [value]


def test_searches_that_nobody_looks_at_stop_after_three_minutes():
    assert "If nobody looks for three minutes, it stops by itself." in text(PAGE)
    assert LEFT_ALONE == 180
