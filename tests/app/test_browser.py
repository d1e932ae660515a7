"""The app in a real browser: every page from data to download, as a person uses it."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import kanon_engine as kanon
from kanon_engine.model.known import get_family
from kanon_engine.rectangles.kd_tree import suggested_snap
from pages._shared.result import STOP, WHY
from tests.app.conftest import foreign
from tests.app.visit import CATALOG, FAMILIES, ROOT, first_sample, read
from tests.compiled import thorough_only
from tests.sentences import (
    CHOOSE_A_FILE,
    CLICK_A_POINT,
    CROSSWALK_CSV,
    EVERY_K_FROM,
    FIND_AN_AREA,
    FOUND_BY,
    K_EXACTLY,
    QUICK_ANSWER,
    STEP_0_TO,
    THE_SMALLEST_HOLDS,
    YOUR_OWN_FILE,
)

APP = ROOT / "app.py"
NAMES = {"regions": "Zip codes", "rectangles": "GPS points", "labels": "Labels"}
MAP_VIEW = """plot => {
    const areas = plot.closest(".kanon-map")?.picture.view;
    if (areas) return [areas.x, areas.y, areas.scale];
    const { center, zoom } = plot._fullLayout.map;
    return [center.lon, center.lat, zoom];
}"""
IS_HIGHLIGHTED = "is highlighted"
WAIT = 120_000  # milliseconds; the first search on a machine is compiled
CLICK_AT_ONCE = """selector => {
    const watcher = new MutationObserver(() => {
        const button = document.querySelector(selector);
        if (button) { watcher.disconnect(); button.click(); }
    });
    watcher.observe(document.body, { childList: true, subtree: true });
}"""


def picture(page, which: int = 0):
    return page.locator(".kanon-picture").nth(which)


def plot(page, which: int = 0):
    return picture(page, which).locator(".js-plotly-plot, .stage")


def drawn(page, which: int = 0, otherwise: str | None = None) -> str:
    """Wait for a finished drawing other than `otherwise`; return the digest of what is to be seen."""
    digest = page.wait_for_function(
        """([which, otherwise]) => {
            const digest = document.querySelectorAll(".kanon-picture")[which]?.dataset.drawn;
            return digest !== otherwise && digest;
        }""",
        arg=[which, otherwise],
        timeout=WAIT,
    )
    return str(digest.json_value())


def at_rest(page) -> None:
    """Wait until the server has run the page."""
    page.wait_for_timeout(300)
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for(timeout=WAIT)


def open_page(page, url: str, family: str) -> None:
    page.goto(f"{url}/{family}")
    drawn(page)
    drawn(page, 1)
    at_rest(page)


def set_k(page, k: int) -> None:
    field = page.get_by_role("spinbutton", name=K_EXACTLY)
    field.fill(str(k))
    field.press("Enter")


def headline(page):
    return page.locator("h4").first


def sentence(page) -> str:
    return headline(page).inner_text()


def expect_sentence(page, instance: Any, k: int, algorithm: str | None = None) -> kanon.Generalization:
    options = {"snap": suggested_snap(instance, k)} if isinstance(instance, kanon.Points) else {}
    g = kanon.generalize(instance, k, algorithm, **options)
    words = (
        f"{g.classes:,} groups. {THE_SMALLEST_HOLDS} {g.class_weights.min():,} {instance.unit}, the largest {g.cost:,} "
    )
    page.locator("h4", has_text=words).wait_for(timeout=WAIT)
    return g


def zoom_in(page) -> list[float]:
    """Turn the wheel over the map until it takes note, and wait until it is at rest."""
    before = plot(page).evaluate(MAP_VIEW)
    box = plot(page).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    plot(page).evaluate("plot => plot.focus()")  # without it, the wheel turns the page away from the map of areas
    after = before
    for _ in range(20):
        page.mouse.wheel(0, -400)
        page.wait_for_timeout(500)
        seen, after = after, plot(page).evaluate(MAP_VIEW)
        if after != before:
            break
    while after != seen:
        page.wait_for_timeout(500)
        seen, after = after, plot(page).evaluate(MAP_VIEW)
    assert after != before
    return after


def assert_on_one_screen(page) -> None:
    """Picture and the last control end above the lower edge."""
    for lowest in (plot(page), page.locator("section[data-testid=stSidebar] summary").last):
        box = lowest.bounding_box()
        assert box["y"] + box["height"] <= 720


def assert_presented_and_back(page) -> None:
    """A button shows the sentence and the picture alone, with large words, and one key brings all else back."""
    others = [page.locator(f"[data-testid={name}]").first for name in ("stHeader", "stSidebar", "stTab")]
    before = picture(page).bounding_box()
    picture(page).get_by_role("button", name="Present").click()
    page.get_by_role("button", name="Leave (Esc)").wait_for(timeout=WAIT)
    page.wait_for_function("() => document.querySelector('.presented').clientHeight > 0.7 * innerHeight")
    for size in ({"width": 1920, "height": 1080}, {"width": 1280, "height": 720}):
        page.set_viewport_size(size)
        page.wait_for_function("() => document.querySelector('.presented').clientWidth > 0.9 * innerWidth")
        assert not any(other.is_visible() for other in others)
        sizes = [
            one.evaluate("one => parseFloat(getComputedStyle(one).fontSize)") for one in (plot(page), headline(page))
        ]
        assert sizes[0] >= 0.9 * size["height"] / 40
        assert sizes[1] >= 1.3 * sizes[0]
        box = plot(page).bounding_box()
        assert headline(page).bounding_box()["y"] >= 0
        assert box["y"] >= headline(page).bounding_box()["y"] + headline(page).bounding_box()["height"] - 1
        assert box["y"] + box["height"] <= size["height"] + 1
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Leave (Esc)").wait_for(state="detached", timeout=WAIT)
    assert all(other.is_visible() for other in others)
    back = """([wide, tall]) => {
        const { clientWidth, clientHeight } = document.querySelector(".kanon-picture");
        return Math.abs(clientWidth - wide) <= 1 && Math.abs(clientHeight - tall) <= 1;
    }"""
    page.wait_for_function(back, arg=[before["width"], before["height"]])


@pytest.mark.parametrize("family", thorough_only(FAMILIES))  # else the end of a search is one that redraws
def test_k_redraws_the_picture_in_place_and_keeps_the_zoom(page, url, family, foreign_requests):
    quick = get_family(family).quick
    open_page(page, url, f"{family}?algorithm={quick}")
    entry = first_sample(family)
    expect_sentence(page, read(entry), entry["k"], quick)
    assert_on_one_screen(page)
    zoomed = zoom_in(page) if family != "labels" else None
    plot(page).evaluate("plot => { plot.marked = true }")
    before, seen = drawn(page), plot(page).screenshot()
    set_k(page, 2 * entry["k"])
    expect_sentence(page, read(entry), 2 * entry["k"], quick)
    drawn(page, 0, before)
    assert plot(page).evaluate("plot => plot.marked") is True
    if zoomed:
        assert plot(page).evaluate(MAP_VIEW) == zoomed
    assert plot(page).screenshot() != seen
    assert f"k={2 * entry['k']}" in page.url
    assert foreign_requests() == []


@pytest.mark.thorough
def test_the_map_changes_by_itself_when_the_search_ends(page, gated_url, gate, foreign_requests):
    url = gated_url
    open_page(page, url, "?sample=north-carolina-births&k=20000")
    births = kanon.read_regions(ROOT / "sample_data" / "north_carolina.geojson", weight="BIR74", unit="births")
    quick = expect_sentence(page, births, 20_000, "tree-split")
    page.get_by_text(f"Tree split's {QUICK_ANSWER}").wait_for(timeout=WAIT)
    assert_on_one_screen(page)
    zoomed, place = zoom_in(page), plot(page).bounding_box()
    plot(page).evaluate("plot => { plot.marked = true }")
    before = drawn(page)
    gate.touch()
    better = expect_sentence(page, births, 20_000, "recombine")
    assert better.classes > quick.classes
    drawn(page, 0, before)
    page.get_by_text(f"{FOUND_BY} Recombine").wait_for(timeout=WAIT)
    assert plot(page).evaluate("plot => plot.marked") is True
    assert plot(page).evaluate(MAP_VIEW) == zoomed
    assert plot(page).bounding_box() == place
    page.locator(".st-key-regions_search_curve button").first.click()
    curve = page.locator(".st-key-regions_search_curve_picture .js-plotly-plot")
    curve.wait_for(timeout=WAIT)
    assert curve.evaluate("plot => plot._fullData.map(trace => trace.y.at(-1))") == [better.cost, better.lower_bound]
    page.keyboard.press("Escape")
    assert_presented_and_back(page)
    gate.unlink()
    set_k(page, 10_000)
    expect_sentence(page, births, 10_000, "tree-split")
    assert plot(page).bounding_box() == place
    before = drawn(page)
    page.get_by_role("button", name=STOP).click()
    page.get_by_text(f"{WHY['asked']} after").wait_for(timeout=WAIT)
    page.get_by_role("button", name="Search again").wait_for(timeout=WAIT)
    assert plot(page).evaluate(MAP_VIEW) == zoomed
    assert plot(page).bounding_box() == place
    assert foreign_requests() == []


@pytest.mark.thorough
def test_a_phone_shows_sentence_and_map_first_and_keeps_its_place(browser, gated_url, gate):
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    open_page(page, gated_url, "?sample=north-carolina-births&k=20000")
    page.get_by_text(f"Tree split's {QUICK_ANSWER}").wait_for(timeout=WAIT)
    assert page.locator("h4").bounding_box()["y"] < plot(page).bounding_box()["y"] < 844 / 2
    assert plot(page).bounding_box()["y"] + plot(page).bounding_box()["height"] <= 844
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("main => main.scrollWidth <= main.clientWidth")
    stop = page.get_by_role("button", name=STOP).bounding_box()
    assert stop["y"] + stop["height"] <= page.get_by_role("tab", name="Map").bounding_box()["y"]
    main.evaluate("main => (main.scrollTop = 200)")
    before, place = drawn(page), plot(page).bounding_box()["y"]
    gate.touch()
    page.get_by_text(f"{FOUND_BY} Recombine").wait_for(timeout=WAIT)
    drawn(page, 0, before)
    at_rest(page)
    assert plot(page).bounding_box()["y"] == pytest.approx(place, abs=1)  # the sentence above may be shorter now
    context.close()


def square(column: int, row: int) -> dict[str, Any]:
    ring = [[-100 + 0.1 * (column + dx), 40 + 0.1 * (row + dy)] for dx, dy in ((0, 0), (1, 0), (1, 1), (0, 1), (0, 0))]
    return {
        "type": "Feature",
        "properties": {"code": f"0{column}{row}", "population": 100 + 10 * column + row},
        "geometry": {"type": "Polygon", "coordinates": [ring]},
    }


def own_file(family: str) -> tuple[str, bytes, dict[str, Any]]:
    """A file that a person could have, and the reader's arguments that a good guess gives."""
    if family == "regions":
        features = [square(column, row) for column in range(4) for row in range(4)]
        content = json.dumps({"type": "FeatureCollection", "features": features})
        return "squares.geojson", content.encode(), {"weight": "population", "id": "code"}
    if family == "rectangles":
        rows = [f"stop {i},{-73 + 0.01 * (i * 7 % 40)},{45 + 0.01 * (i * 11 % 37)}" for i in range(60)]
        return "stops.csv", "\n".join(["name,longitude,latitude", *rows]).encode(), {}
    rows = [f"illness {i},{1000 // (i + 1)}" for i in range(40)]
    return "illnesses.csv", "\n".join(["diagnosis,count", *rows]).encode(), {}


@pytest.mark.parametrize("family", thorough_only(FAMILIES))  # else the journey by keyboard is one
def test_own_file_from_upload_to_crosswalk(page, url, family, foreign_requests):
    name, content, options = own_file(family)
    instance = {"regions": kanon.read_regions, "rectangles": kanon.read_points, "labels": kanon.read_labels}[family](
        content, filename=name, **options
    )
    quick = get_family(family).quick
    open_page(page, url, f"{family}?algorithm={quick}")
    choose(page, "Data", YOUR_OWN_FILE)
    page.get_by_text(CHOOSE_A_FILE).wait_for(timeout=WAIT)
    page.locator('[data-testid=stMain] input[type="file"]').first.set_input_files(
        {"name": name, "mimeType": "text/plain", "buffer": content}
    )
    page.locator("h4").wait_for(timeout=WAIT)
    at_rest(page)
    k = instance.total // 6
    set_k(page, k)
    g = expect_sentence(page, instance, k, quick)
    page.locator("summary", has_text="How the data were read").click()
    for note in instance.notes:
        page.get_by_text(note).first.wait_for(timeout=WAIT)
    page.get_by_role("tab", name="Publish").click()
    if family == "regions":
        page.locator("summary", has_text="Single files").click()
    with page.expect_download(timeout=WAIT) as coming:
        page.get_by_role("button", name=CROSSWALK_CSV).click()
    rows = list(csv.reader(io.StringIO(Path(coming.value.path()).read_text(encoding="utf-8"))))[1:]
    ids = [str(one) for one in (instance.names if family == "labels" else instance.ids)]
    expected = dict(zip(ids, (g.assignment + 1).tolist(), strict=True))
    assert {row[0]: int(row[1]) for row in rows} == expected
    page.get_by_role("link", name="Home").click()
    page.get_by_text("kanon puts records about people into groups").wait_for(timeout=WAIT)
    page.get_by_role("link", name=NAMES[family]).first.click()
    expect_sentence(page, instance, k, quick)
    assert foreign_requests() == []


SEEN_TO_HAVE_FOCUS = """one => {
    for (let i = 0; one instanceof Element && i < 4; i++, one = one.parentElement) {
        const style = getComputedStyle(one);
        if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) return true;
        if (style.boxShadow !== "none" || style.borderBottomColor === "rgb(0, 114, 178)") return true;
    }
    return false;
}"""


def reach(page, target) -> None:
    """Press the tabulator until this has the focus, as is to be seen."""
    for _ in range(70):
        page.keyboard.press("Tab")
        if target.evaluate("one => one === one.getRootNode().activeElement"):
            assert target.evaluate(SEEN_TO_HAVE_FOCUS)
            return
    pytest.fail(f"no tabulator leads to {target}")


def open_tab(page, name: str) -> None:
    """From the chosen tab by arrow keys, and again where a page that comes to rest took a key away."""
    tab = page.get_by_role("tab", name=name, exact=True)
    for _ in range(5):
        reach(page, tab.locator("xpath=ancestor::*[@role='tablist'][1]").get_by_role("tab", selected=True))
        for _ in range(page.get_by_role("tab").count()):
            page.keyboard.press("ArrowRight")
            if tab.evaluate("one => one === document.activeElement"):
                page.keyboard.press("Enter")
                at_rest(page)
                break
        if tab.get_attribute("aria-selected") == "true":
            return
    pytest.fail(f"no arrow key leads to {name}")


def test_the_whole_journey_by_keyboard_alone(page, url, foreign_requests):
    """From a file, k and the algorithm over the map and the table of groups to what is taken away."""
    name, content, options = own_file("regions")
    instance = kanon.read_regions(content, filename=name, **options)
    open_page(page, url, "regions?algorithm=tree-split")
    keys = page.keyboard
    reach(page, page.get_by_role("combobox", name="Data"))
    keys.type(YOUR_OWN_FILE)
    keys.press("Enter")
    page.get_by_text(CHOOSE_A_FILE).wait_for(timeout=WAIT)
    at_rest(page)
    with page.expect_file_chooser() as chooser:
        reach(page, page.get_by_test_id("stMain").get_by_role("button", name="Upload", exact=True).first)
        keys.press("Enter")
    chooser.value.set_files({"name": name, "mimeType": "text/plain", "buffer": content})
    page.locator("h4").wait_for(timeout=WAIT)
    at_rest(page)
    k = instance.total // 6
    reach(page, page.get_by_role("spinbutton", name=K_EXACTLY))
    keys.press("Control+A")
    keys.type(str(k))
    keys.press("Enter")
    expect_sentence(page, instance, k, "tree-split")
    reach(page, page.get_by_role("combobox", name="Algorithm"))
    keys.type("Recombine")
    keys.press("Enter")
    g = expect_sentence(page, instance, k, "recombine")
    page.get_by_text(f"{FOUND_BY} Recombine").wait_for(timeout=WAIT)
    at_rest(page)
    reach(page, page.locator("summary", has_text="How the data were read"))
    keys.press("Enter")
    for note in instance.notes:
        page.get_by_text(note).first.wait_for(timeout=WAIT)
    before = plot(page).evaluate(MAP_VIEW)
    reach(page, page.get_by_role("combobox", name=FIND_AN_AREA))
    keys.type("012")
    keys.press("Enter")
    group = g.assignment[instance.ids.tolist().index("012")]
    said = page.get_by_text(re.compile(rf"^Group \d+ {IS_HIGHLIGHTED} in the picture"))
    said.wait_for(timeout=WAIT)
    assert said.inner_text().startswith(f"Group {group + 1} ")
    at_rest(page)
    on_map = "document.activeElement.closest('.kanon-map') !== null"
    assert page.evaluate(on_map)  # a line above the map has moved it
    for _ in range(5):  # a page that is slow to come to rest can take keys away from the map
        reach(page, plot(page))
        for key in ("0", "ArrowLeft", "+", "+", "ArrowLeft"):
            keys.press(key)
        page.wait_for_timeout(500)
        after = plot(page).evaluate(MAP_VIEW)
        if after[2] > 1.8 * before[2]:
            break
    assert after[0] < before[0]
    assert after[2] > 1.8 * before[2]
    area = picture(page).evaluate(
        """({ picture: { shapes, room, areaAt }, picture }) =>
            shapes.ids[picture.areaAt([room.width / 2, room.height / 2])]"""
    )
    keys.press("Enter")
    group = g.assignment[instance.ids.tolist().index(area)] + 1
    page.get_by_text(f"Group {group} {IS_HIGHLIGHTED}").wait_for(timeout=WAIT)
    at_rest(page)
    assert page.evaluate(on_map)
    open_tab(page, "Groups")
    table = page.locator("[data-testid=stDataFrame] canvas").first
    table.wait_for(timeout=WAIT)
    at_rest(page)
    reach(page, table)
    for key in ("ArrowDown", "Shift+Space"):
        keys.press(key)
    page.get_by_text(IS_HIGHLIGHTED).wait_for(timeout=WAIT)
    open_tab(page, "Publish")
    reach(page, page.get_by_text("Yes: anybody").locator("xpath=ancestor::label//input"))
    keys.press("Space")
    at_rest(page)
    reach(page, page.locator("summary", has_text="Single files"))
    keys.press("Enter")
    crosswalk = page.get_by_role("button", name=CROSSWALK_CSV)
    crosswalk.wait_for(timeout=WAIT)
    reach(page, crosswalk)
    with page.expect_download(timeout=WAIT) as coming:
        keys.press("Enter")
    rows = list(csv.reader(io.StringIO(Path(coming.value.path()).read_text(encoding="utf-8"))))[1:]
    expected = dict(zip(instance.ids.tolist(), (g.assignment + 1).tolist(), strict=True))
    assert {row[0]: int(row[1]) for row in rows} == expected
    reach(page, page.get_by_role("link", name="Home"))
    keys.press("Enter")
    page.get_by_text("kanon puts records about people into groups").wait_for(timeout=WAIT)
    reach(page, page.get_by_role("link", name=NAMES["regions"]).first)
    keys.press("Enter")
    expect_sentence(page, instance, k, "recombine")
    assert foreign_requests() == []


def choose(page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option).first.click()
    at_rest(page)


@pytest.mark.thorough
def test_click_on_a_group_makes_it_stand_out_and_tables_have_no_download_of_their_own(page, url):
    """What is released passes the list of what may be published and the guard against formulas."""
    quick = get_family("labels").quick
    open_page(page, url, f"labels?algorithm={quick}")
    before = drawn(page)
    bar = plot(page).locator(".bars .point").first.bounding_box()
    page.mouse.click(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    said = page.get_by_text(f"{IS_HIGHLIGHTED} in the picture")
    said.wait_for(timeout=WAIT)
    at_once = drawn(page, 0, before)
    labels = read(first_sample("labels"))
    g = kanon.generalize(labels, first_sample("labels")["k"], quick)
    assert said.inner_text().startswith(f"Group {int(g.class_weights.argmax()) + 1} ")
    page.mouse.click(bar["x"] + bar["width"] / 2, bar["y"] + bar["height"] / 2)
    said.wait_for(state="hidden", timeout=WAIT)
    drawn(page, 0, at_once)
    page.get_by_role("tab", name="Groups").click()
    table = page.locator("[data-testid=stDataFrame]").first
    table.wait_for(timeout=WAIT)
    at_rest(page)
    table.hover()
    page.get_by_role("button", name="Search").first.wait_for(timeout=WAIT)  # its toolbar is there
    assert page.get_by_role("button", name="Download as CSV").count() == 0


@pytest.mark.thorough
def test_what_if_fills_and_a_point_leads_to_its_k(page, url):
    open_page(page, url, "regions?sample=st-louis&algorithm=tree-split")
    before = drawn(page)
    page.get_by_role("tab", name="What if").click()
    page.get_by_text("The time limit was ").wait_for(timeout=WAIT)
    drawn(page, 0, before)
    at_rest(page)
    points = plot(page).locator(".scatterlayer .trace").nth(1).locator(".point")
    assert points.count() > 12
    points.nth(15).scroll_into_view_if_needed()
    k = plot(page).evaluate("plot => plot._fullData[1].x[15]")
    box = points.nth(15).bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    regions = read(next(entry for entry in CATALOG if entry["key"] == "st-louis"))
    expect_sentence(page, regions, int(k), "tree-split")
    assert page.get_by_role("spinbutton", name=K_EXACTLY).input_value() == str(int(k))
    assert page.get_by_role("tab", name="What if").get_attribute("aria-selected") == "true"


@pytest.mark.thorough
def test_stopped_what_if_keeps_its_rows_and_goes_on(page, url):
    open_page(page, url, "labels?sample=last-names")
    page.get_by_role("tab", name="What if").click()
    page.get_by_text(CLICK_A_POINT).wait_for(timeout=WAIT)
    at_rest(page)
    page.evaluate(CLICK_AT_ONCE, ".st-key-labels_overfull_stop button")
    page.get_by_text("every k (the paper").click()
    page.get_by_role("button", name="Continue").wait_for(timeout=WAIT)
    at_rest(page)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Continue").wait_for(state="hidden", timeout=WAIT)
    page.get_by_role("button", name="Stop and keep").wait_for(state="hidden", timeout=WAIT)
    page.get_by_text(EVERY_K_FROM).wait_for(timeout=WAIT)
    drawn(page)


def brightness(page, selector: str, property: str) -> float:
    color = page.locator(selector).first.evaluate("(one, property) => getComputedStyle(one)[property]", property)
    return sum(float(part) for part in color[color.index("(") + 1 : -1].split(",")[:3]) / (3 * 255)


@pytest.mark.thorough
@pytest.mark.parametrize("family", ["labels", *thorough_only(["regions"])])
def test_tabs_open_and_steps_move_and_pictures_follow_light_and_dark(page, url, family):
    page.emulate_media(color_scheme="dark")
    open_page(page, url, f"{family}?algorithm={get_family(family).quick}")
    before = drawn(page)
    words = {"labels": ".gtitle", "regions": ".kanon-map"}[family], {"labels": "fill", "regions": "color"}[family]
    assert brightness(page, ".stApp", "backgroundColor") < 0.5 < brightness(page, *words)
    page.emulate_media(color_scheme="light")
    page.wait_for_timeout(1500)
    assert brightness(page, ".stApp", "backgroundColor") > 0.5 > brightness(page, *words)
    page.get_by_role("tab", name="How it works").click()
    first = drawn(page, 0, before)
    page.get_by_role("button", name="Next").click()
    second = drawn(page, 0, first)
    page.get_by_role("button", name="Next").click()
    drawn(page, 0, second)
    assert page.get_by_role("slider", name=STEP_0_TO).input_value() == "2"


@pytest.mark.thorough
def test_first_request_of_a_new_server_may_be_a_deep_link(page, serve, foreign_requests):
    fresh = serve(APP, KANON_TEST_SERVER="of its own")
    page.goto(f"{fresh}/labels?sample=first-names-men&k=5000&algorithm=fold")
    drawn(page)
    labels = kanon.read_labels(ROOT / "sample_data" / "names_1990" / "dist.male.first")
    g = kanon.generalize(labels, 5000, "fold")
    assert sentence(page).startswith(f"{g.classes:,} groups. {THE_SMALLEST_HOLDS} {g.class_weights.min():,} people")
    for name in ("Home", *NAMES.values()):
        assert page.get_by_role("link", name=name).count() == 1
    assert foreign_requests() == []


def test_the_server_watches_no_files_logs_little_and_has_its_own_icon(page, url, foreign_requests, servers):
    """Which addresses each page asks for: test_accessibility."""
    page.goto(f"{url}/labels?algorithm=fold")
    drawn(page)
    icon = page.locator("link[rel*=icon]").first.get_attribute("href")
    assert icon
    assert not icon.startswith("http") or icon.startswith(url)
    assert foreign_requests() == []
    server, log = servers[url]
    assert len(log.read_text(encoding="utf-8", errors="replace").splitlines()) <= 10
    if sys.platform == "linux":
        held = [path.read_text() for path in Path(f"/proc/{server.pid}/fdinfo").iterdir()]
        assert not any("inotify wd:" in one for one in held)


@pytest.mark.parametrize(("width", "height"), thorough_only([(390, 844), (1280, 720)]))
def test_a_link_of_a_document_stays_in_its_tab_and_visit(browser, url, width, height):
    context = browser.new_context(viewport={"width": width, "height": height})
    page = context.new_page()
    asked = []
    context.on("request", lambda request: asked.append(request.url))
    page.goto(f"{url}/docs?page=data.md")
    heading = page.locator(".st-key-documentation h1")
    heading.get_by_text("Your own data").wait_for(timeout=WAIT)
    page.evaluate("window.same = true")
    at_rest(page)
    page.locator(".st-key-documentation a[href='?page=algorithms.md#rules-for-groups-of-labels']").click()
    heading.get_by_text("Algorithms").wait_for(timeout=WAIT)
    page.wait_for_url("**/docs?page=algorithms.md", timeout=WAIT)
    rules = page.locator("#rules-for-groups-of-labels")
    page.wait_for_function("element => element.getBoundingClientRect().top < innerHeight", arg=rules.element_handle())
    assert rules.bounding_box()["y"] >= 0
    page.go_back()
    heading.get_by_text("Your own data").wait_for(timeout=WAIT)
    assert page.evaluate("window.same")
    assert len(context.pages) == 1
    main = "document.querySelector('[data-testid=stMain]')"
    assert page.evaluate(f"{main}.scrollWidth <= {main}.clientWidth")
    assert foreign(asked) == []
    context.close()
