"""The tab "Publish" of areas: one question, names, a package that is made when asked for, and what stays inside."""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.regions.group_names import CustomName
from pages._shared.records import Data
from pages._shared.tasks import DEFECT
from tests.app.test_browser import at_rest
from tests.app.visit import WAIT, generalized
from tests.sentences import (
    COUNTY_IN_THE_DATA,
    GROUPS_GEOJSON,
    GROUPS_GEOPACKAGE,
    MAKE_THE_PACKAGE,
    NAME_EACH_GROUP_AFTER,
    PICTURE_HTML,
    SUM_FROM_1_TO_10,
)

K = 20_001
SAMPLE = Path(__file__).resolve().parents[2] / "sample_data" / "dc_zcta2010.zip"


def publish_page():
    import streamlit as st

    from pages._regions.publish import show_publish

    show_publish(*st.session_state["shown"])


@pytest.fixture(scope="module")
def areas():
    return kanon.read_regions(SAMPLE)


@pytest.fixture
def made(monkeypatch):
    """No package is made; what each was to be made of."""
    asked = []

    def note(_regions, _g, publication):
        asked.append(publication)
        return b"zip"

    monkeypatch.setattr("kanon_engine.regions.package.package", note)
    monkeypatch.setattr("kanon_engine.regions.package.internal_package", lambda *_: b"inside")
    return asked


def opened(instance, key="", **state) -> AppTest:
    app = AppTest.from_function(publish_page, default_timeout=WAIT)
    app.session_state["shown"] = (
        Data("regions", instance, K, "Census Bureau.", key=key),
        generalized(instance, K, "tree-split"),
    )
    app.session_state["regions_sample"] = "washington-zip"
    for name, value in state.items():
        app.session_state[name] = value
    return run(app)


def run(app: AppTest) -> AppTest:
    app.run()
    assert not app.exception, [(error.message, error.stack_trace) for error in app.exception]
    return app


def downloads(app: AppTest) -> list[str]:
    return [button.label for button in app.get("download_button")]


def names(app: AppTest) -> list[str]:
    return app.dataframe[0].value["Name"].tolist()


def test_own_areas_are_asked_about_once_before_anything_is_made(areas, made):
    app = opened(areas, key="own")
    assert app.radio[0].value is None
    assert app.button(key="regions_make_package").disabled
    assert names(app)[:2] == ["Group 1", "Group 2"]
    assert not {GROUPS_GEOPACKAGE, GROUPS_GEOJSON, PICTURE_HTML} & set(downloads(app))
    app.radio[0].set_value(True)
    run(app)
    assert not app.button(key="regions_make_package").disabled
    assert names(app)[0] == "Washington 20011"
    assert {GROUPS_GEOPACKAGE, GROUPS_GEOJSON, PICTURE_HTML} <= set(downloads(app))
    assert not made


def test_groups_are_named_after_counties_where_these_are_known(areas, made):
    assert all(radio.label != NAME_EACH_GROUP_AFTER for radio in opened(replace(areas, counties=None)).radio)
    east = areas.ids.astype(str) > "20011"
    reading = {**areas.reading, "county": "COUNTY"}
    app = opened(replace(areas, counties=np.where(east, "East", "West"), reading=reading))
    choice = next(radio for radio in app.radio if radio.label == NAME_EACH_GROUP_AFTER)
    assert choice.value == "place"
    assert f"Each area is assigned to one county: {COUNTY_IN_THE_DATA}." in choice.help
    choice.set_value("county")
    run(app)
    assert all(name.startswith(("East", "West")) for name in names(app))
    app.button(key="regions_make_package").click()
    run(app)
    assert made[0].named_after == "county"


def test_a_package_that_fails_is_one_sentence_and_can_be_made_again(areas, made, monkeypatch, caplog):
    def fails(*_):
        raise ZeroDivisionError("a defect")

    with monkeypatch.context() as patch:
        patch.setattr("kanon_engine.regions.package.package", fails)
        app = opened(areas)
        app.button(key="regions_make_package").click()
        run(app)
        assert [element.value for element in app.error] == [DEFECT]
        assert "in fails\n" in caplog.text
    app.button(key="regions_make_package").click()
    run(app)
    assert not app.error
    assert len(made) == 1


def test_a_package_is_made_when_it_is_asked_for_and_once(areas, made):
    app = opened(areas)
    assert app.radio[0].value is True  # a sample of zip codes
    assert app.text_input[1].value == "Census Bureau."
    run(app)
    assert not made
    app.button(key="regions_make_package").click()
    run(app)
    assert [one.codes_are_public for one in made] == [True]
    assert made[0].source == "Census Bureau."
    assert downloads(app)[:2] == ["Package (ZIP)", "Internal files (ZIP)"]
    headings = [element.value for element in app.markdown][:3:2]
    assert headings == ["##### May be published after your review", "##### Internal"]
    run(app)
    assert len(made) == 1
    app.text_input[0].set_value("Washington")
    run(app)
    assert "Package (ZIP)" not in downloads(app)  # that of another title
    assert len(made) == 1
    app.button(key="regions_make_package").click()
    run(app)
    assert [one.title for one in made] == ["", "Washington"]


def test_given_names_stay_with_their_group_and_an_empty_one_goes(areas, made):
    g = generalized(areas, K, "tree-split")
    members = areas.ids[g.assignment == 4]
    given = (CustomName("Harbor", {str(code): 1 for code in members}),)
    app = opened(areas, regions_given_washington_zip=given, **{"regions_given_washington-zip": given})
    assert names(app)[4] == "Harbor"
    larger = generalized(areas, 25_000, "tree-split")
    data, _ = app.session_state["shown"]
    app.session_state["shown"] = data, larger
    run(app)
    kept = np.bincount(larger.assignment[np.isin(areas.ids, members)]).argmax()
    assert names(app)[kept] == "Harbor"


def test_counts_leave_where_the_person_says_so(areas, made):
    few = np.where(areas.weights > 0, 40, 0)
    few[np.flatnonzero(generalized(areas, K, "tree-split").assignment == 0)] = 1
    counted = kanon.Regions(
        areas.ids, areas.weights, areas.edges, areas.geometry, unit="people", names=areas.names,
        columns={"homes": areas.weights // 3, "cases": few},
    )  # fmt: skip
    app = opened(counted)
    assert app.multiselect[0].options == ["homes"]
    assert any(f"“cases” cannot be released: {SUM_FROM_1_TO_10}" in element.value for element in app.caption)
    app.multiselect[0].set_value(["homes"])
    run(app)
    assert app.multiselect[1].options == ["people per 1,000 homes", "homes per 1,000 people"]
    app.button(key="regions_make_package").click()
    run(app)
    assert made[0].carry == ("homes",)


def test_a_package_from_the_page(page, url):
    """With a name that is written in the table."""
    page.goto(f"{url}/regions?sample=washington-zip&algorithm=tree-split&tab=publish")
    page.get_by_role("button", name=MAKE_THE_PACKAGE).wait_for(timeout=WAIT * 1_000)
    grid = page.locator('[data-testid="stDataFrame"]').first
    cell = page.get_by_role("gridcell", name="Washington 20011")
    box = grid.bounding_box()
    for _ in range(20):
        page.mouse.dblclick(box["x"] + 200, box["y"] + 55)
        if page.locator("textarea.gdg-input").count():
            break
        page.wait_for_timeout(500)
    page.locator("textarea.gdg-input").fill("Harbor")
    page.keyboard.press("Enter")
    cell.wait_for(state="detached", timeout=WAIT * 1_000)
    at_rest(page)
    page.get_by_role("button", name=MAKE_THE_PACKAGE).click()
    with page.expect_download(timeout=WAIT * 1_000) as coming:
        page.get_by_role("button", name="Package (ZIP)").click(timeout=WAIT * 1_000)
    assert coming.value.suggested_filename == f"kanon-regions-k{K}-package.zip"
    with zipfile.ZipFile(Path(coming.value.path())) as file:
        assert "map.pdf" in file.namelist()
        groups = pd.read_csv(io.BytesIO(file.read("groups.csv")))
    regions = kanon.read_regions(SAMPLE)
    g = generalized(regions, K, "tree-split")
    assert groups["people"].tolist() == g.class_weights.tolist()
    assert groups["name"][0] == "Harbor"
