"""What is asked of groups of areas besides k, on the page: minima of second counts."""

from __future__ import annotations

import json
from dataclasses import replace

import geopandas
import pytest

import kanon_engine as kanon
from pages._shared import data as reading
from pages._shared.sweeps import WORDS
from pages._shared.wording import CONTROLS
from tests.app.test_uploads import square, upload
from tests.app.visit import CATALOG, ROOT, enter, generalized, headline, open_tab, problems, read, run, visit
from tests.sentences import CANNOT_BE_USED_HERE, FEWER_THAN_THE_MINIMUM, LARGEST_GROUP, THE_SMALLEST_HOLDS

K, CASES, QUICK = 5000, "SID74", {"algorithm": "tree-split"}
COUNTIES = next(entry for entry in CATALOG if entry["key"] == "north-carolina-births")


@pytest.fixture(scope="module")
def counties():
    """The births of counties, with two second counts."""
    regions = read(COUNTIES)
    frame = geopandas.read_file(ROOT / "sample_data" / COUNTIES["file"]).set_index("FIPS")
    assert frame.index.tolist() == regions.ids.tolist()
    return replace(regions, columns={name: frame[name].to_numpy() for name in (CASES, "BIR79")})


@pytest.fixture
def open_page(counties, monkeypatch):
    """Return a function that opens the page of areas with these data."""
    monkeypatch.setattr(reading, "read_sample", lambda sample: counties)
    return lambda **link: visit("regions", sample=COUNTIES["key"], k=K, **{**QUICK, **link})


@pytest.mark.thorough
def test_a_minimum_reaches_search_sentence_link_table_and_what_if(open_page, counties):
    app = open_page()
    assert "minima" not in app.query_params
    app.selectbox(key="regions_minima_add").set_value(CASES)
    run(app)
    g = generalized(counties, K, "tree-split", require=(kanon.Minimum(CASES, 11),))
    assert g.classes < generalized(counties, K, "tree-split").classes
    words = headline(app)
    assert f"the largest {g.cost:,} (" in words
    assert words.startswith(f"{g.classes} groups of at least 5,000 births and 11 SID74. {THE_SMALLEST_HOLDS} ")
    assert app.query_params["minima"] == "SID74:11"
    enter(app, "regions", f"minima_“{CASES}”", 25)
    g = generalized(counties, K, "tree-split", require=(kanon.Minimum(CASES, 25),))
    assert headline(app).startswith(f"{g.classes} groups of at least 5,000 births and 25 SID74.")
    sums = open_tab(app, "regions", "Groups").dataframe[0].value[f"Sum of {CASES}"]
    assert sums.min() >= 25
    assert sums.sum() == counties.columns[CASES].sum()
    table = open_tab(app, "regions", "What if").dataframe[0].value
    (row,) = table[table["k"] == K].to_dict("records")
    minimum = (kanon.Minimum(CASES, 25),)
    assert (
        row[LARGEST_GROUP]
        == generalized(counties, row[WORDS["made_for"]], "tree-split", require=minimum).cost
        <= g.cost
    )
    app.button(key=f"regions_minima_“{CASES}”_remove").click()
    run(app)
    assert "SID74" not in headline(app)
    assert "minima" not in app.query_params


def test_a_link_with_minima_gives_the_same_result(open_page, counties):
    app = open_page(minima="SID74:11;BIR79:9000")
    both = kanon.Minimum(CASES, 11), kanon.Minimum("BIR79", 9000)
    g = generalized(counties, K, "tree-split", require=both)
    assert headline(app).startswith(f"{g.classes} groups of at least 5,000 births, 11 SID74 and 9,000 BIR79.")
    assert [box for box in app.selectbox if box.key == "regions_minima_add"] == []  # no count is left


@pytest.mark.parametrize(
    ("minima", "said"),
    [("HC:11", "no second count “HC”"), ("SID74:0", CANNOT_BE_USED_HERE), ("SID74", CANNOT_BE_USED_HERE)],
)
def test_a_link_whose_minima_cannot_be_asked_says_so(open_page, counties, minima, said):
    app = open_page(minima=minima)
    assert said in " ".join(one.value for one in app.warning)
    assert f"{generalized(counties, K, 'tree-split').classes} groups." in headline(app)


def test_a_minimum_that_no_grouping_keeps_is_refused_in_a_sentence(open_page, counties):
    app = open_page(minima="SID74:100000")
    (problem,) = problems(app)
    assert f"{counties.columns[CASES].sum():,} SID74, {FEWER_THAN_THE_MINIMUM} 100,000" in problem
    enter(app, "regions", f"minima_“{CASES}”", 11)
    assert "and 11 SID74." in headline(app)


def test_columns_called_like_parts_of_the_page_can_have_minima():
    rows = [square(x, 0, people=30, add=9, add_remove=8, add_typed=7) for x in range(6)]
    content = json.dumps({"type": "FeatureCollection", "features": rows}).encode()
    app = upload("regions", "squares.geojson", content)
    names = ["add", "add_remove", "add_typed"]
    multiselect = next(box for box in app.multiselect if box.label == CONTROLS["columns"])
    multiselect.set_value(names)
    run(app)
    for name in names:
        app.selectbox(key="regions_minima_add").set_value(name)
        run(app)
    assert problems(app) == []
    assert "11 people, 11 add, 11 add\\_remove and 11 add\\_typed" in headline(app)
    app.button(key="regions_minima_“add”_remove").click()
    assert "11 add," not in headline(run(app))


def test_a_minimum_that_goes_with_its_file_is_told_and_no_link_is_blamed(open_page, counties, monkeypatch):
    app = open_page(minima="SID74:11")
    monkeypatch.setattr(reading, "read_sample", lambda sample: replace(counties, columns={}))
    run(app)
    assert [one.value for one in app.toast] == [f"These data have no second count “{CASES}”, so it has no minimum."]
    assert not any("The link" in one.value for one in app.warning)
    assert CASES not in headline(app)
