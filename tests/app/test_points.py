"""What only the page of GPS points has: the grid, a study area, projected cuts, points across the antimeridian."""

from __future__ import annotations

import json

import numpy as np
import pytest

import kanon_engine as kanon
from pages._shared.controls import first_k
from pages._shared.wording import CONTROLS
from tests.app.test_uploads import stops, upload, widget
from tests.app.visit import (
    assert_says,
    downloads,
    enter,
    first_sample,
    go,
    headline,
    open_tab,
    pick_k,
    problems,
    read,
    result,
    run,
    visit,
)
from tests.sentences import GROUPS_CSV, GROUPS_LARGEST_GROUP, HOLDS_NO_AREAS, THE_180TH_MERIDIAN, WITHOUT_A_GRID

FIJI = b"lon,lat\n" + b"\n".join(
    b"%.4f,%.4f" % (180 - 0.03 * i if i % 2 else -180 + 0.04 * i, -18 + 0.02 * (i * 7 % 30)) for i in range(60)
)
LONDON = {"type": "Polygon", "coordinates": [[[-0.2, 51.48], [-0.05, 51.48], [-0.05, 51.54], [-0.2, 51.48]]]}
AREA = json.dumps({"type": "Feature", "properties": {}, "geometry": LONDON}).encode()


def captions(app) -> str:
    return " ".join(element.value for element in [*app.caption, *app.markdown]).replace("\\", "")


def contents(app) -> dict[str, str]:
    """What each download says of itself."""
    open_tab(app, "rectangles", "Publish")
    rows = [label for label in downloads(app) if not label.endswith(("(GeoJSON)", "(Parquet)", "(Excel)"))]
    shown = [element.value.replace("\\", "") for element in app.tabs[5].markdown]
    texts = [words for words in shown if not words.startswith("#####")]
    return dict(zip(rows, texts, strict=True))


def test_the_grid_is_on_and_its_reason_is_told():
    app = visit("rectangles")
    points, k = read(first_sample("rectangles")), first_sample("rectangles")["k"]
    snap = app.session_state["rectangles_snap"]
    assert snap > 0
    assert f"multiples of {snap:.10g}; no side touches a point" in captions(app)
    g = result(app, points, k)
    for axis in range(2):
        assert not np.isin(g.details.rectangles[:, axis::2], points.xy[:, axis]).any()
    assert f"multiples of {snap:.10g}" in contents(app)[GROUPS_CSV]
    assert any("grid" in element.value and "multiples" in element.value for element in app.markdown)


def test_the_grid_can_be_changed_and_switched_off():
    app = visit("rectangles")
    points, k = read(first_sample("rectangles")), first_sample("rectangles")["k"]
    suggested = app.session_state["rectangles_snap"]
    enter(app, "rectangles", "snap", 0.03)
    assert_says(app, points, k)
    assert result(app, points, k).options["snap"] == 0.03
    pick_k(app, "rectangles", 50)
    assert app.session_state["rectangles_snap"] == 0.03
    assert app.query_params["snap"] == "0.03"
    enter(app, "rectangles", "snap", None)
    assert "Snap is off: the outer sides are the exact coordinates of the outermost points" in captions(app)
    assert contents(app)[GROUPS_CSV].count(WITHOUT_A_GRID) == 1
    plain = visit("rectangles", **dict(app.query_params))
    assert plain.session_state["rectangles_snap"] is None
    assert headline(plain) == headline(app)
    app.selectbox(key="rectangles_sample").set_value("carshare")
    run(app)
    assert app.session_state["rectangles_snap"] not in (None, 0.03, suggested * 1e9)


def test_the_grid_follows_k_until_a_person_sets_it():
    app = visit("rectangles")
    first = app.session_state["rectangles_snap"]
    pick_k(app, "rectangles", 2)
    assert app.session_state["rectangles_snap"] < first
    go(app, "home")
    finer = app.session_state["rectangles_snap"]
    go(app, "rectangles")
    assert app.session_state["rectangles_snap"] == finer


def test_a_compared_algorithm_has_the_same_grid():
    app = visit("rectangles")
    points, k = read(first_sample("rectangles")), first_sample("rectangles")["k"]
    enter(app, "rectangles", "snap", 0.03)
    open_tab(app, "rectangles", "Compare")
    app.selectbox(key="rectangles_compare").set_value("kd-tree")
    run(app)
    other = kanon.generalize(points, k, "kd-tree", snap=0.03)
    assert f"{other.classes:,} {GROUPS_LARGEST_GROUP} {other.cost:,}" in captions(app)


def test_points_across_the_antimeridian_are_told_and_grouped():
    points = kanon.read_points(FIJI)
    assert points.box[0] > 177
    assert points.box[2] > 181
    app = upload("rectangles", "fiji.csv", FIJI)
    assert THE_180TH_MERIDIAN in captions(app)
    assert_says(app, points, first_k(points))
    assert problems(app) == []


@pytest.mark.thorough
def test_cuts_in_meters_on_request():
    app = upload("rectangles", "stops.csv", stops())
    widget(app.selectbox, "Coordinates used for the cuts").set_value("utm")
    run(app)
    points = kanon.read_points(stops(), project="utm")
    assert points.crs == "EPSG:32618"
    assert "UTM zone 18N (EPSG:32618), in meters" in captions(app)
    assert_says(app, points, first_k(points))
    widget(app.selectbox, "Coordinates used for the cuts").set_value("other")
    run(app)
    widget(app.text_input, "Coordinate system for the cuts").set_value("EPSG:3035")
    run(app)
    widget(app.text_input, "Coordinate system for the cuts").set_value("nowhere")
    run(app)
    (said,) = problems(app)
    assert "'nowhere' is not known" in said
    widget(app.text_input, "Coordinate system for the cuts").set_value("EPSG:32198")
    run(app)
    assert problems(app) == []
    assert "Quebec Lambert" in captions(app)


def test_a_file_without_a_system_is_asked_for_it():
    content = stops().replace(b"longitude,latitude", b"x,y")
    app = upload("rectangles", "stops.csv", content)
    widget(app.selectbox, "Coordinates used for the cuts").set_value("utm")
    run(app)
    (said,) = problems(app)
    assert f"“{CONTROLS['crs']}”" in said.replace("\\", "")
    widget(app.text_input, CONTROLS["crs"]).set_value("EPSG:4326")
    run(app)
    assert problems(app) == []
    points = kanon.read_points(content, crs="EPSG:4326", project="utm")
    assert_says(app, points, first_k(points))


def test_a_study_area_cuts_off_what_is_drawn_and_nothing_else():
    app = visit("rectangles")
    before = headline(app)
    assert "Groups in the study area (GeoPackage)" not in contents(app)
    app.file_uploader(key="rectangles_area").set_value(("london.geojson", AREA, "application/json"))
    run(app)
    assert headline(app) == before
    assert problems(app) == []
    said = contents(app)["Groups in the study area (GeoPackage)"]
    assert "still the whole rectangles" in said
    wrong = AREA.replace(b"Polygon", b"LineString").replace(b"[[[", b"[[").replace(b"]]]", b"]]")
    app.file_uploader(key="rectangles_area").set_value(("line.geojson", wrong, "application/json"))
    run(app)
    assert set(problems(app)) == {
        f"The study area is not shown: line.geojson {HOLDS_NO_AREAS}; load the study area as a polygon."
    }
    assert headline(app) == before
