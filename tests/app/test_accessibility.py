"""No page has a serious or critical finding of axe-core in either theme, or asks another machine for anything."""

import pytest

WAIT = 120_000  # milliseconds
PAGES = ("", "regions", "rectangles", "labels", "tables", "clusters", "review", "learn", "lab", "docs")
PAGES += ("lab?tab=break-a-reduction",)  # with a button in the main color
READY = "() => document.querySelector('.kanon-records') || document.querySelector('.kanon-picture')?.dataset.drawn"
WITHOUT_PICTURE = ("review", "learn", "lab", "docs", PAGES[-1])
OF_COLORS = ["color-contrast", "link-in-text-block"]  # the rules whose outcome depends on the theme


@pytest.fixture
def axe():
    return pytest.importorskip("axe_playwright_python.sync_playwright").Axe()


@pytest.mark.stored
@pytest.mark.parametrize("name", PAGES, ids=lambda name: name or "home")
def test_a_page_can_be_read_and_used_by_everyone(page, url, axe, name, foreign_requests):
    page.goto(f"{url}/{name}")
    page.locator("[data-testid=stMarkdownContainer]:visible").first.wait_for(timeout=WAIT)
    if name not in WITHOUT_PICTURE:
        page.wait_for_function(READY, timeout=WAIT)
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for(timeout=WAIT)
    backgrounds = set()
    for theme, rules in (("light", {}), ("dark", {"runOnly": OF_COLORS})):
        page.emulate_media(color_scheme=theme)
        page.wait_for_timeout(1_000)  # what fades in has its color
        backgrounds.add(
            page.evaluate("getComputedStyle(document.querySelector('[data-testid=stApp]')).backgroundColor")
        )
        assert [
            f"{theme}: {found['id']}: {node['html'][:200]}"
            for found in axe.run(page, options={"resultTypes": ["violations"], **rules}).response["violations"]
            if found["impact"] in ("serious", "critical")
            for node in found["nodes"]
        ] == []
    assert len(backgrounds) == 2
    assert len(page.asked) > 20
    assert foreign_requests() == []
