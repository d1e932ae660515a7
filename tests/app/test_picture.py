"""The picture component in a real browser: what it shows, sends, keeps and answers."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from kanon_engine.plot.maps import GeoJson
from pages._shared.picture import picture_spec, take_parts
from tests.sentences import DOWNLOAD_AS_PNG

DEMO = Path(__file__).parent / "picture_demo.py"
MAP, CHART = 0, 1
BLUE, ORANGE = (0, 114, 178), (230, 159, 0)
VIEW = "element => { const { center, zoom } = element._fullLayout.map; return [center.lon, center.lat, zoom] }"


def plot(page, which: int):
    return page.locator(".kanon-picture").nth(which).locator(".js-plotly-plot")


def drawn(page, which: int, otherwise: str | None = None) -> str:
    """Wait for a finished drawing other than `otherwise`, and return the digest of what is to be seen."""
    digest = page.wait_for_function(
        """([which, otherwise]) => {
            const digest = document.querySelectorAll(".kanon-picture")[which]?.dataset.drawn;
            return digest !== otherwise && digest;
        }""",
        arg=[which, otherwise],
        timeout=60_000,
    )
    return str(digest.json_value())


def change_k(page) -> None:
    before = drawn(page, MAP)
    page.locator("input[type=range]").press("ArrowRight")
    drawn(page, MAP, before)


def color_share(png: bytes, color: tuple[int, int, int]) -> float:
    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)
    return float((np.abs(pixels - color).max(axis=2) < 24).mean())


def zoom_in(page) -> list[float]:
    """Turn the wheel above the map, and return the view in which it comes to rest."""
    at_first = plot(page, MAP).evaluate(VIEW)
    box = plot(page, MAP).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 - 40, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(1500)
    zoomed = plot(page, MAP).evaluate(VIEW)
    assert zoomed[2] > at_first[2] + 0.3
    return zoomed


@pytest.fixture
def demo(page, serve):
    page.received = 0

    def count(size: int) -> None:
        page.received += size

    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: count(len(frame))))
    page.on("requestfinished", lambda request: count(request.sizes()["responseBodySize"]))
    page.goto(serve(DEMO))
    drawn(page, MAP)
    drawn(page, CHART)
    return page


@pytest.mark.thorough
def test_map_appears_with_a_name_returns_what_is_clicked_and_nothing_leaves_the_machine(demo, foreign_requests):
    assert demo.get_by_role("figure", name="Areas in groups").count() == 1
    titles = demo.locator(".modebar-btn").evaluate_all("all => all.map(one => one.dataset.title ?? one.title)")
    titles += demo.locator(".modebar-btn").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    shown = " ".join(filter(None, titles))
    assert DOWNLOAD_AS_PNG in shown
    assert "Share" not in shown
    assert "Plotly" not in shown
    seen = plot(demo, MAP).screenshot()
    assert color_share(seen, BLUE) > 0.02
    assert color_share(seen, ORANGE) > 0.02
    assert_clicks_return_what_they_hit(demo)
    change_k(demo)
    assert any("/media/" in url for url in demo.asked)
    assert foreign_requests() == []


def assert_clicks_return_what_they_hit(demo) -> None:
    """The class of an area, which is marked, and the x of a bar."""
    before = drawn(demo, MAP)
    box = plot(demo, MAP).bounding_box()
    view = plot(demo, MAP).evaluate(VIEW)
    demo.mouse.click(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] / 2 + 5)
    demo.get_by_text("selected: 4", exact=True).wait_for(timeout=30_000)
    drawn(demo, MAP, before)
    assert plot(demo, MAP).evaluate(VIEW) == view
    faded = plot(demo, MAP).evaluate("element => element._fullData[0].selectedpoints.length")
    assert faded == 5 * 40
    bar = plot(demo, CHART).locator(".bars .point").nth(3)
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    demo.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    demo.get_by_text("clicked x: 5", exact=True).wait_for(timeout=30_000)


@pytest.mark.thorough
def test_zoom_is_kept_when_the_result_changes(demo):
    zoomed = zoom_in(demo)
    before = plot(demo, MAP).screenshot()
    marked = plot(demo, MAP).evaluate("element => (element.marked = true)")
    change_k(demo)
    assert plot(demo, MAP).evaluate(VIEW) == zoomed
    assert plot(demo, MAP).evaluate("element => element.marked") is marked
    assert plot(demo, MAP).screenshot() != before


@pytest.mark.thorough
def test_geometry_and_library_are_sent_once(empty_cache, demo):
    at_first = demo.received
    asked = len([url for url in demo.asked if "/media/" in url])
    demo.received = 0
    change_k(demo)
    assert 0 < demo.received < at_first / 20
    assert len([url for url in demo.asked if "/media/" in url]) == asked


@pytest.mark.thorough
def test_downloaded_png_shows_the_map_as_it_is_on_the_screen(demo):
    zoom_in(demo)
    seen = plot(demo, MAP).screenshot()
    with demo.expect_download(timeout=60_000) as coming:
        plot(demo, MAP).locator('.modebar-btn[data-title^="Download"]').click()
    assert coming.value.suggested_filename == "demo-map.png"
    png = Path(coming.value.path()).read_bytes()
    assert Image.open(io.BytesIO(png)).height == 2 * 420
    for color in (BLUE, ORANGE):
        on_screen = color_share(seen, color)
        assert on_screen > 0.02
        assert color_share(png, color) == pytest.approx(on_screen, rel=0.2)


def test_page_with_pictures_runs_without_a_browser():
    app = AppTest.from_file(str(DEMO), default_timeout=60).run()
    assert not app.exception
    app.slider[0].set_value(7).run()
    assert not app.exception
    assert app.markdown[0].value == "selected: None"


class Shelf:
    """Stands in for the server's files."""

    def __init__(self) -> None:
        self.view = "key"
        self.files: dict[str, bytes] = {}

    def put(self, digest: str, content: bytes) -> str:
        self.files[digest] = content
        return f"/media/{digest}"


def areas(geojson: dict, classes: list[int]) -> go.Figure:
    ids = [feature["id"] for feature in geojson["features"]]
    return go.Figure(go.Choroplethmap(geojson=geojson, locations=ids, z=classes, customdata=classes))


def collection(count: int) -> dict:
    ring = [[0, 0], [1, 0], [1, 1], [0, 0]]
    shape = {"type": "Polygon", "coordinates": [ring]}
    features = [{"type": "Feature", "id": i, "properties": {}, "geometry": shape} for i in range(count)]
    return {"type": "FeatureCollection", "features": features}


def test_plain_geometry_is_told_apart_by_its_content():
    shelves = []
    for count in (2, 2, 3):
        shelf = Shelf()
        take_parts(picture_spec(areas(collection(count), list(range(count))))["data"], shelf)
        shelves.append(shelf)
    same, again, other = (set(shelf.files) for shelf in shelves)
    assert same == again
    assert same.isdisjoint(other)
    assert shelves[0].view == shelves[1].view != shelves[2].view


def test_figures_share_one_geometry_without_copies():
    geometry = GeoJson(collection(3))
    figure = areas(geometry, [0, 0, 1])
    assert picture_spec(figure)["data"][0]["geojson"] is geometry
    assert geometry.digest == GeoJson(collection(3)).digest != GeoJson(collection(4)).digest


@pytest.mark.thorough
def test_two_maps_are_moved_together_and_stay_so_with_another_result(page, serve):
    page.goto(f"{serve(DEMO)}/?beside=1")
    drawn(page, 1)
    drawn(page, MAP)
    zoomed = zoom_in(page)
    assert plot(page, 1).evaluate(VIEW) == pytest.approx(zoomed)
    before = drawn(page, 1)
    change_k(page)
    drawn(page, 1, before)
    assert [plot(page, which).evaluate(VIEW) for which in (MAP, 1)] == [pytest.approx(zoomed)] * 2
