"""The map of the page of areas in a real browser: what it shows, sends, keeps and answers."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import shapely
from PIL import Image

import kanon_engine as kanon
from kanon_engine.model.comparison import compare
from kanon_engine.regions.display_map import degrees, display_map
from kanon_engine.regions.plot import class_shades
from tests.app import area_map_demo
from tests.app.test_browser import at_rest, drawn
from tests.compiled import thorough_only
from tests.sentences import DOWNLOAD_AS_PNG, FIND_AN_AREA, IN_ANOTHER_GROUP, NEIGHBORS_DIFFER_IN_COLOR, SHARE_NO_BORDER

DEMO = Path(__file__).parent / "area_map_demo.py"
WAIT = 20_000
OWNERS = """(frame, places) => {
    const { owners, columns, rows, view } = frame.picture.painter.backdrop.raster;
    const { shapes } = frame.picture;
    const found = places.map((place) => {
        const [column, row] = [Math.floor(place[0] * columns), Math.floor(place[1] * rows)];
        const x = view.x + (column + 0.5 - columns / 2) / view.scale;
        const y = view.y - (row + 0.5 - rows / 2) / view.scale;
        return [x, y, owners[row * columns + column] - 1, shapes.areaAt(x, y)];
    });
    return { found, middle: shapes.middle, half: shapes.half };
}"""


@pytest.fixture
def open_map(page, serve):
    """Return a function that opens one of the demo's maps; `page.wrong` lists what went wrong in the browser."""
    page.wrong = []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    page.received = []  # sizes of messages
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: page.received.append(len(frame))))
    url = serve(DEMO)

    def open_one(name: str = "small"):
        page.goto(f"{url}/?map={name}")
        drawn(page)
        return page.locator(".kanon-map")

    yield open_one
    assert page.wrong == []


@pytest.fixture
def areas(open_map):
    return open_map()


def stage(page):
    return page.locator(".kanon-map .stage")


def view(page) -> list[float]:
    return page.locator(".kanon-map").evaluate(
        "map => [map.picture.view.x, map.picture.view.y, map.picture.view.scale]"
    )


def change_k(page) -> None:
    before = drawn(page)
    page.locator("input[type=range]").press("ArrowRight")
    drawn(page, 0, before)


def spot(page, position: int) -> tuple[float, float]:
    """Where on the screen a point inside this area is."""
    regions = area_map_demo.small()
    place = display_map(regions).order.tolist().index(position)
    x, y = page.locator(".kanon-map").evaluate(
        """(map, place) => {
            const { shapes, view, room } = map.picture;
            const [x, y] = [shapes.points[2 * place], shapes.points[2 * place + 1]];
            return [(x - view.x) * view.scale + room.width / 2, (view.y - y) * view.scale + room.height / 2];
        }""",
        place,
    )
    box = stage(page).bounding_box()
    return box["x"] + x, box["y"] + y


def pixel(page, x: float, y: float) -> tuple[int, ...]:
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return image.getpixel((round(x), round(y)))


def color_of(position: int, k: int) -> tuple[int, ...]:
    regions = area_map_demo.small()
    g = kanon.generalize(regions, k, "tree-split")
    shades = class_shades(regions, g)
    shade = shades.palette[shades.numbers[g.assignment[position]]]
    return tuple(int(shade[i : i + 2], 16) for i in (1, 3, 5))


def marked(pixels: np.ndarray) -> bool:
    """Whether an area stands out."""
    return bool((pixels == (0xD5, 0x5E, 0x00)).all(axis=1).any())


@pytest.mark.parametrize("name", ["small", *thorough_only(["lone", "across"])])
def test_pixels_and_picks_are_those_of_the_shapes(page, open_map, name):
    """Holes, islands, areas in parts, one area without a place on Earth, areas on both sides of the date line.

    The browser has no workers here, so that the page paints itself and knows the owners of pixels.
    """
    page.add_init_script("delete globalThis.Worker")
    areas = open_map(name)
    places = np.random.default_rng(0).random((4_000, 2))
    told = areas.evaluate(OWNERS, places.tolist())
    x, y, owner, picked = np.array(told["found"]).T
    shapes = display_map(area_map_demo.MAPS[name]()).shapes
    points = shapely.points(degrees(np.column_stack([x, y]) * told["half"] + told["middle"]))
    clear = shapely.distance(shapely.union_all(shapely.boundary(shapes)), points) > 1e-5
    inside = np.array([shapely.contains(shape, points) for shape in shapes])
    expected = np.where(inside.any(axis=0), inside.argmax(axis=0), -1)
    assert clear.mean() > 0.99
    assert len(np.unique(expected)) > len(shapes) - (name == "small")  # the outside, and each area that has a shape
    np.testing.assert_array_equal(owner[clear], expected[clear])
    np.testing.assert_array_equal(picked[clear], expected[clear])


def test_colors_are_those_of_the_groups_and_no_geometry_is_sent_again(page, areas, foreign_requests):
    x, y = spot(page, 8)
    assert pixel(page, x, y - 30) == color_of(8, 5)
    asked = [url for url in page.asked if url.endswith(".bin")]
    assert len(asked) == 1
    marked = stage(page).evaluate("stage => (stage.marked = true)")
    page.received.clear()
    for k in (16, 32):
        change_k(page)
        assert pixel(page, x, y - 30) == color_of(8, k)
    assert stage(page).evaluate("stage => stage.marked") is marked
    assert [url for url in page.asked if url.endswith(".bin")] == asked
    assert 0 < sum(page.received) < 20_000  # neither shapes nor a script
    assert foreign_requests() == []


@pytest.mark.thorough
def test_a_worker_paints_the_same_pixels(page, areas):
    """The first picture is painted on the page, later ones in a worker; where it ends, on the page again."""
    same = areas.evaluate(
        """async ({ picture }) => {
            const { painter } = picture;
            const pixels = () => painter.pen.getImageData(0, 0, painter.canvas.width, painter.canvas.height).data;
            const sleep = () => new Promise((resolve) => setTimeout(resolve, 20));
            while (!painter.backdrop.worker) await sleep();
            const views = [picture.view, { ...picture.view, scale: 3 * picture.view.scale }];
            const painted = async (view) => {
                picture.view = view;
                await picture.paint(true);
                return pixels();
            };
            const beside = [await painted(views[0]), await painted(views[1])];
            const worker = painter.backdrop.worker;
            worker.postMessage({ view: null }); // it fails
            const here = [await painted(views[0]), await painted(views[1])];
            const equal = (one, other) => one.length === other.length && one.every((value, i) => value === other[i]);
            const alone = painter.backdrop.worker === undefined;
            return [alone, equal(beside[0], here[0]), equal(beside[1], here[1]), equal(here[0], here[1])];
        }"""
    )
    assert same == [True, True, True, False]


@pytest.mark.thorough
def test_areas_left_out_are_told_apart(page, areas):
    before = drawn(page)
    page.get_by_text("left out").click()
    drawn(page, 0, before)
    assert areas.locator(".legend").inner_text().startswith("left out")
    x, y = spot(page, 4)
    seen = pixel(page, x, y)
    assert max(seen) - min(seen) < 8  # gray
    page.mouse.move(x, y)
    areas.get_by_text("In no group: left out").wait_for(timeout=WAIT)


def test_hover_and_search_show_names_as_text(page, areas):
    page.mouse.move(*spot(page, 0))
    tip = areas.locator(".tip strong")
    tip.wait_for(timeout=WAIT)
    assert tip.inner_text() == f"{area_map_demo.HOSTILE} Nowhere"
    search = areas.get_by_role("combobox", name=FIND_AN_AREA)
    search.fill("<img")
    areas.get_by_role("option").wait_for(timeout=WAIT)
    assert areas.locator("img").count() == 0
    search.press("Enter")
    page.get_by_text("selected: ").filter(has_not_text="None").wait_for(timeout=WAIT)
    assert areas.locator(".card strong").inner_text() == tip.inner_text()
    assert areas.locator("img").count() == 0


@pytest.mark.thorough
@pytest.mark.parametrize("asked", ["manchester", *thorough_only(["03038"])])
def test_search_shows_the_area_and_its_group(page, areas, asked):
    areas.get_by_role("combobox", name=FIND_AN_AREA).fill("town")
    assert areas.get_by_role("option").count() == 8
    areas.get_by_role("combobox", name=FIND_AN_AREA).fill(asked)
    areas.get_by_role("option").click()
    group = kanon.generalize(area_map_demo.small(), 5, "tree-split").assignment[1]
    page.get_by_text(f"selected: {group}", exact=True).wait_for(timeout=WAIT)
    card = areas.locator(".card")
    assert card.inner_text().split("\n")[:2] == ["03038 Derry & Manchester", "6 people"]
    assert f"Group {group + 1}: " in card.inner_text()
    found = areas.evaluate("map => map.picture.shapes.ids[map.picture.areaAt([map.picture.room.width / 2, 200])]")
    assert found == "03038"


def test_a_click_chooses_a_group_and_a_second_lets_it_go(page, areas):
    regions = area_map_demo.small()
    group = int(kanon.generalize(regions, 5, "tree-split").assignment[8])
    before, seen = drawn(page), view(page)
    other = next(i for i, one in enumerate(kanon.generalize(regions, 5, "tree-split").assignment) if one != group)
    full = pixel(page, *spot(page, other))
    page.mouse.click(*spot(page, 8))
    page.get_by_text(f"selected: {group}", exact=True).wait_for(timeout=WAIT)
    drawn(page, 0, before)
    assert pixel(page, *spot(page, other)) != full  # it faded
    page.mouse.click(*spot(page, 8))
    page.get_by_text("selected: None", exact=True).wait_for(timeout=WAIT)
    page.mouse.move(0, 0)
    page.wait_for_function("() => document.querySelector('.kanon-map .card').textContent === ''")
    assert pixel(page, *spot(page, other)) == full
    assert view(page) == seen


@pytest.mark.thorough
def test_a_click_on_areas_that_were_shown_before_chooses_nothing(page, areas):
    """It comes when the page already has other areas."""
    areas.evaluate("map => map.picture.send({ area: 1000, found: false, shapes: 'of the others', serial: 1 })")
    at_rest(page)
    assert page.get_by_test_id("stException").count() == 0
    areas.evaluate("map => map.picture.send({ area: 8, found: false, shapes: 'of the others', serial: 2 })")
    at_rest(page)
    assert page.get_by_text("selected: None", exact=True).count() == 1


@pytest.mark.thorough
def test_wheel_keys_and_drag_move_the_map_and_a_new_result_leaves_it_there(page, areas):
    at_first = view(page)
    box = stage(page).bounding_box()
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.wheel(0, -200)  # the page's
    page.wait_for_timeout(300)
    assert view(page) == at_first
    stage(page).focus()
    page.mouse.wheel(0, -200)
    page.wait_for_function("least => document.querySelector('.kanon-map').picture.view.scale > least", arg=at_first[2])
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(400)
    zoomed = view(page)
    assert zoomed[2] > 1.5 * at_first[2]
    assert areas.locator("[role=status].unseen").inner_text()
    page.mouse.down()
    page.mouse.move(middle[0] + 50, middle[1] - 30, steps=5)
    page.mouse.up()
    page.wait_for_timeout(400)
    dragged = view(page)
    assert (zoomed[0] - dragged[0]) * dragged[2] == pytest.approx(50, abs=2)
    assert (zoomed[1] - dragged[1]) * dragged[2] == pytest.approx(30, abs=2)
    page.get_by_text("selected: None", exact=True).wait_for(timeout=WAIT)  # a drag chooses nothing
    change_k(page)
    assert view(page) == dragged
    stage(page).press("0")
    page.wait_for_timeout(400)
    assert view(page) == pytest.approx(at_first, rel=1e-2, abs=1e-2)
    stage(page).press("ArrowLeft")
    page.wait_for_timeout(400)
    stage(page).press("Enter")
    page.get_by_text("selected: ").filter(has_not_text="None").wait_for(timeout=WAIT)


def test_the_map_has_a_name_and_words_for_who_does_not_see_it(page, areas):
    g = kanon.generalize(area_map_demo.small(), 5, "tree-split")
    name = f"{g.classes} connected groups of areas; {NEIGHBORS_DIFFER_IN_COLOR}"
    assert page.get_by_role("figure", name=name).count() == 1
    told = stage(page).evaluate("stage => document.getElementById(stage.getAttribute('aria-describedby')).textContent")
    assert told.startswith(f"10 areas in {g.classes} connected groups of {g.class_weights.min()} to ")


def test_shapes_without_any_shape_say_so(page, open_map):
    areas = open_map("bare")
    assert areas.get_by_text("None of these areas has a shape.").count() == 1


@pytest.mark.thorough
def test_saved_picture_shows_the_groups_and_no_single_area(page, areas):
    page.mouse.click(*spot(page, 8))
    page.get_by_text("selected: ").filter(has_not_text="None").wait_for(timeout=WAIT)
    assert marked(np.asarray(Image.open(io.BytesIO(stage(page).screenshot())).convert("RGB")).reshape(-1, 3))
    with page.expect_download(timeout=WAIT) as coming:
        areas.get_by_role("button", name=DOWNLOAD_AS_PNG).click()
    assert coming.value.suggested_filename == "demo-map.png"
    pixels = np.asarray(Image.open(coming.value.path()).convert("RGB")).reshape(-1, 3)
    assert (np.abs(pixels.astype(int) - color_of(8, 5)).max(axis=1) < 4).mean() > 0.003
    assert not marked(pixels)


@pytest.mark.thorough
def test_a_printed_window_shows_the_map_on_white_with_its_legend(page, areas):
    assert not areas.locator(".sheet").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    sheet = areas.locator(".sheet canvas")
    assert sheet.is_visible()
    assert not stage(page).is_visible()
    assert sheet.bounding_box()["width"] == pytest.approx(areas.bounding_box()["width"], abs=1)
    pixels = np.asarray(Image.open(io.BytesIO(sheet.screenshot())).convert("RGB")).reshape(-1, 3)
    assert (np.abs(pixels.astype(int) - color_of(8, 5)).max(axis=1) < 4).mean() > 0.003
    assert (pixels == 255).all(axis=1).mean() > 0.3
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert sheet.count() == 0


@pytest.mark.thorough
def test_labels_stand_in_their_groups_and_none_over_another(page, areas):
    told = areas.evaluate(
        """map => {
            const { painter, groups, room, shapes } = map.picture;
            const at = ({ x, y }) => {
                const { painted, width, height } = painter.frame;
                const [right, down] = [(x - width / 2) / painted.scale, (y - height / 2) / painted.scale];
                return shapes.areaAt(painted.x + right, painted.y - down);
            };
            return painter.placed.map((one) => [one.text, groups[at(one)], one.x, one.y, one.half]);
        }"""
    )
    assert len(told) == 9  # each group that has a shape
    for number, (text, group, x, y, half) in enumerate(told):
        assert text == str(group)
        for _, _, other_x, other_y, other_half in told[:number]:
            assert abs(x - other_x) > half + other_half or abs(y - other_y) > 16


@pytest.mark.thorough
def test_labels_keep_clear_of_what_stands_over_the_map(page, areas):
    before = drawn(page)
    page.get_by_text("fullness", exact=True).click()  # a legend
    drawn(page, 0, before)
    areas.get_by_role("combobox", name=FIND_AN_AREA).fill("03038")
    areas.get_by_role("option").click()  # a card, and the map moves
    page.wait_for_function("() => document.querySelector('.kanon-map').picture.painter.labeled")
    page.wait_for_timeout(500)
    at_rest(page)
    labels, over = areas.evaluate(
        """({ picture: { painter, stage, frame } }) => {
            const box = stage.getBoundingClientRect();
            const inside = ({ left, top, right, bottom }) =>
                [left - box.left + 96, top - box.top + 96, right - box.left + 96, bottom - box.top + 96];
            const over = [...frame.querySelectorAll(".legend, .card, .scale, .north, .buttons, .kanon-map-search")];
            const boxes = over.filter((one) => one.clientWidth).map((one) => inside(one.getBoundingClientRect()));
            return [[...painter.named, ...painter.placed].map(({ x, y, half }) => [x, y, half]), boxes];
        }"""
    )
    assert len(over) == 6
    assert len(labels) > 1
    for x, y, half in labels:
        for left, top, right, bottom in over:
            assert x + half < left or x - half > right or y + 8 < top or y - 8 > bottom


@pytest.mark.thorough
def test_places_stand_clear_of_labels_and_outlines_name_their_source(page, areas):
    boxes = areas.evaluate(
        "({ picture: { painter } }) => [...painter.named, ...painter.placed].map((one) => [one.x, one.y, one.half])"
    )
    names = areas.evaluate("({ picture: { painter } }) => painter.named.map((one) => one.text)")
    assert "Derry & Manchester" in names
    assert len(set(names)) == len(names)
    for number, (x, y, half) in enumerate(boxes):
        for other_x, other_y, other_half in boxes[:number]:
            assert abs(x - other_x) > half + other_half or abs(y - other_y) > 16
    assert "Natural\xa0Earth" in areas.locator(".legend").inner_text()
    assert areas.locator(".scale .north").is_visible()


@pytest.mark.thorough
def test_labels_are_names_or_none_and_the_saved_picture_has_numbers(page, serve):
    url = serve(DEMO)
    page.goto(f"{url}/?labels=names")
    drawn(page)
    areas = page.locator(".kanon-map")
    told = "({ picture: { painter } }) => [painter.placed.map((one) => one.text), painter.named.length]"
    names, places = areas.evaluate(told)
    assert places == 0
    assert "Derry & Manchester" in names
    areas.evaluate("() => (globalThis.written = [])")
    areas.evaluate("""() => {
        const write = CanvasRenderingContext2D.prototype.fillText;
        CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
            if (!this.canvas.isConnected) written.push(text);
            return write.call(this, text, ...at);
        };
    }""")
    with page.expect_download(timeout=WAIT):
        areas.get_by_role("button", name=DOWNLOAD_AS_PNG).click()
    written = page.evaluate("written")
    assert "2" in written
    assert not set(names) & set(written)
    page.goto(f"{url}/?labels=none")
    drawn(page)
    assert page.locator(".kanon-map").evaluate(told) == [[], 0]


@pytest.mark.thorough
def test_shapes_without_a_place_on_earth_have_no_outline_and_no_north(page, open_map):
    areas = open_map("lone")
    assert "Outlines" not in areas.locator(".legend").text_content()
    assert not areas.locator(".scale .north").is_visible()


@pytest.mark.thorough
def test_the_map_fills_the_screen_and_comes_back(page, areas):
    full = areas.get_by_role("button", name="Full screen")
    full.click()
    page.wait_for_function("() => document.querySelector('.kanon-map .stage').clientHeight === innerHeight")
    page.wait_for_function("() => document.querySelector('.kanon-map').picture.painter.frame.height > innerHeight")
    full.click()
    page.wait_for_function("() => document.querySelector('.kanon-map .stage').clientHeight === 400")


@pytest.mark.thorough
def test_a_phone_gets_as_many_pixels_as_it_has_and_two_fingers_zoom(browser, serve):
    context = browser.new_context(viewport={"width": 390, "height": 700}, device_scale_factor=2, has_touch=True)
    page = context.new_page()
    page.goto(f"{serve(DEMO)}/?map=small")
    drawn(page)
    wide, across = page.locator(".kanon-map canvas").evaluate("canvas => [canvas.width, canvas.clientWidth]")
    assert wide == 2 * across
    page.touchscreen.tap(*spot(page, 8))
    page.get_by_text("selected: ").filter(has_not_text="None").wait_for(timeout=WAIT)
    at_first = view(page)
    box = stage(page).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    hand = context.new_cdp_session(page)
    for kind, apart in (("touchStart", 30), *(("touchMove", 30 + 5 * step) for step in range(1, 7)), ("touchEnd", 0)):
        fingers = [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers if apart else []})
    page.wait_for_timeout(400)
    assert view(page)[2] == pytest.approx(2 * at_first[2], rel=0.1)
    page.get_by_text("selected: ").filter(has_not_text="None").wait_for(timeout=WAIT)  # it chose nothing else
    context.close()


@pytest.mark.thorough
def test_the_tree_the_scale_of_fullness_and_joins_have_a_legend(page, areas):
    before = drawn(page)
    page.get_by_text("tree", exact=True).first.click()
    before = drawn(page, 0, before)
    page.get_by_text("fullness", exact=True).click()
    drawn(page, 0, before)
    words = areas.locator(".legend").inner_text()
    for part in ("people ÷ k", "1 = k", "tree", "cut", SHARE_NO_BORDER):
        assert part in words
    assert "km" in areas.locator(".scale").inner_text()


@pytest.mark.thorough
def test_areas_that_a_person_picked_are_outlined_on_the_page_and_not_in_the_file(page, serve):
    page.goto(f"{serve(DEMO)}/?map=small&picked=1,5")
    drawn(page)
    at_rest(page)
    shown = page.locator(".kanon-map")
    picked = shown.evaluate("map => map.picture.picked.map((area) => map.picture.shapes.ids[area])")
    assert sorted(picked) == ["00005", "03038"]
    assert marked(np.asarray(Image.open(io.BytesIO(stage(page).screenshot())).convert("RGB")).reshape(-1, 3))
    with page.expect_download(timeout=WAIT) as coming:
        shown.get_by_role("button", name=DOWNLOAD_AS_PNG).click()
    assert not marked(np.asarray(Image.open(coming.value.path()).convert("RGB")).reshape(-1, 3))


@pytest.mark.thorough
def test_two_maps_move_together_and_mark_what_changed_in_the_colors_of_both(page, serve):
    regions = area_map_demo.small()
    one, other = (kanon.generalize(regions, k, "tree-split") for k in (5, 16))
    found = compare(one, other, regions.weights)
    page.goto(f"{serve(DEMO)}/?map=small&beside=16")
    drawn(page, 1)
    at_rest(page)
    maps = [page.locator(".kanon-map").nth(which) for which in (0, 1)]
    told = [
        shown.evaluate(
            """({ picture: { scene: { look }, shapes } }) => shapes.ids.map(
                (id, area) => [id, look.shades[area + 1], look.stripes[area + 1] > 0]
            )"""
        )
        for shown in maps
    ]
    changed = {str(name) for name in regions.ids[found.changed]}
    assert 0 < len(changed) < len(regions)
    colors = [{name: color for name, color, _ in areas} for areas in told]
    for areas in told:
        assert {name for name, _, striped in areas if striped} == changed
    assert all(colors[0][str(name)] == colors[1][str(name)] for name in regions.ids[~found.changed])
    for shown in maps:
        assert IN_ANOTHER_GROUP in shown.locator(".legend").inner_text()
    views = """() => [...document.querySelectorAll(".kanon-map")].map(
        ({ picture: { view } }) => [view.x, view.y, view.scale]
    )"""
    at_first = page.evaluate(views)
    assert at_first[0] == at_first[1]
    for which, button in ((1, "Zoom in"), (0, "Zoom in"), (1, "Show the whole map")):
        maps[which].get_by_role("button", name=button).click()
        at_rest(page)
        one_view, other_view = page.evaluate(views)
        assert one_view == pytest.approx(other_view, abs=0.01)
        assert (one_view == pytest.approx(at_first[0], abs=0.01)) == (button == "Show the whole map")
