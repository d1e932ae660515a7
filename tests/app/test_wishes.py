"""Areas together, apart and behind barriers on the page; wishes that contradict each other are taken back."""

from __future__ import annotations

import json

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.regions.moves import with_locks
from kanon_engine.regions.read import sets_by_column, with_wishes
from pages._regions.rules import prefixes
from pages._shared.link import NO_ROOM
from pages._shared.sweeps import WORDS
from tests.app.test_uploads import square
from tests.app.test_uploads import upload as own_file
from tests.app.visit import CATALOG, assert_says, headline, open_tab, problems, read, run, visit
from tests.sentences import APART_AND_TOGETHER, IS_EMPTY, NO_SUCH_ITEM

COUNTIES = next(entry for entry in CATALOG if entry["key"] == "north-carolina-births")
K = 5_000
HASTY = {"algorithm": "recombine", "effort": "0.01"}


@pytest.fixture(scope="module")
def regions():
    return read(COUNTIES)


def opened(**link):
    return visit("regions", sample=COUNTIES["key"], k=K, **{"algorithm": "tree-split", **link})


def key(regions, name):
    return f"regions_{regions.digest[:16]}_{name}"


def write(app, regions, kind, *sets):
    """A person writes sets of ids, one a line."""
    app.session_state["regions_wish"] = kind
    app.session_state[key(regions, kind)] = "\n".join(", ".join(map(str, own)) for own in sets)
    return run(app)


def label(regions, name):
    return regions.label(regions.place_of[name])


def ways(app):
    return [button.label for button in app.button if button.label.startswith("Undo: ")]


@pytest.fixture(scope="module")
def pair(regions):
    """Two counties that border each other."""
    return tuple(regions.ids[regions.edges[0]].tolist())


def test_areas_stay_together_and_the_data_say_so(regions, pair):
    app = opened()
    before = headline(app)
    app.session_state["regions_wish"] = "together"
    run(app)
    app.text_area(key=key(regions, "together_text")).set_value(", ".join(pair))
    run(app)
    wished = with_wishes(regions, together=[pair])
    assert_says(app, wished, K, "tree-split")
    assert any("1 set of areas stays together" in one.value for one in app.markdown)
    app.text_area(key=key(regions, "together_text")).set_value("")
    run(app)
    assert headline(app) == before


def test_areas_kept_apart_are_searched_for_by_an_algorithm_that_can(regions, pair):
    app = opened()
    write(app, regions, "apart", pair)
    (problem,) = problems(app)
    assert "tree-split cannot keep areas apart" in problem
    assert ways(app) == [f"Undo: {regions.listing([regions.place_of[name] for name in pair])} apart"]
    app.selectbox(key="regions_algorithm").set_value("recombine")
    app.session_state["regions_effort"] = 0.01
    run(app)
    assert_says(app, with_wishes(regions, apart=[pair]), K, "recombine", effort=0.01)


def test_wishes_that_contradict_are_named_and_one_is_taken_back(regions, pair):
    far = [name for name in regions.ids.tolist() if name not in pair][:2]
    app = opened(**HASTY)
    write(app, regions, "together", far)
    write(app, regions, "together", far, pair)
    write(app, regions, "apart", pair)
    (problem,) = problems(app)
    assert APART_AND_TOGETHER in problem
    named = regions.listing([regions.place_of[name] for name in pair])
    assert ways(app) == [f"Undo: {named} together", f"Undo: {named} apart"]
    next(button for button in app.button if button.label == f"Undo: {named} together").click()
    run(app)
    assert problems(app) == []
    assert ways(app) == []
    assert_says(app, with_wishes(regions, together=[far], apart=[pair]), K, "recombine", effort=0.01)


def test_every_set_of_a_chain_that_contradicts_can_be_taken_back(regions, pair):
    (middle,) = {*regions.edges[1].tolist()} - {*regions.edges[0].tolist()} or {5}
    chain = [(pair[0], regions.ids[middle]), (regions.ids[middle], pair[1])]
    app = opened(**HASTY)
    write(app, regions, "together", *chain)
    write(app, regions, "apart", pair)
    assert [way.rpartition(" ")[2] for way in ways(app)] == ["together", "together", "apart"]


def test_a_barrier_is_told_where_it_had_to_be_opened(regions):
    lightest = regions.ids[int(np.argmin(regions.weights))]
    app = opened()
    write(app, regions, "barriers", [lightest])
    wished = with_wishes(regions, barriers=[[lightest]])
    assert_says(app, wished, K, "tree-split")
    (joined,) = kanon.generalize(wished, K, "tree-split").details.joined.tolist()
    said = "Barriers had to be crossed in one place because one side could not be a group on its own: between"
    assert any(one.value.startswith(f"{said} {wished.listing(joined)}") for one in app.caption)


@pytest.mark.thorough
def test_barriers_by_the_beginning_of_codes(regions):
    assert prefixes(["0101", "0102", "0203", "0204"]) == [(2, 2)]
    assert prefixes(["1", "02"]) == []
    assert all(1 < count <= 50 for _, count in prefixes(regions.ids))
    app = opened()
    app.session_state["regions_wish"] = "barriers"
    run(app)
    app.selectbox(key=key(regions, "prefix")).set_value(3)
    run(app)
    counties = {}
    for name in regions.ids.tolist():
        counties.setdefault(name[:3], []).append(name)
    assert_says(app, with_wishes(regions, barriers=list(counties.values())), K, "tree-split")
    table = open_tab(app, "regions", "What if").tabs[1].dataframe[0].value
    assert (table[WORDS["made_for"]] == table["k"]).all()  # with barriers no other k is served
    assert set(table[WORDS["made_by"]]) == {"Tree split"}


def test_an_area_that_is_not_there_is_named_and_the_page_lives_on(regions, pair):
    app = opened()
    before = headline(app)
    write(app, regions, "together", [pair[0], "99999"])
    (problem,) = problems(app)
    assert "lists 99999" in problem
    write(app, regions, "together")
    assert headline(app) == before


def test_picked_areas_become_a_rule(regions, pair):
    app = opened()
    app.session_state["regions_picked"] = (regions.digest, tuple(regions.place_of[name] for name in pair))
    run(app)
    app.button(key="regions_picked_together").click()
    run(app)
    assert app.session_state[key(regions, "together")] == f"{pair[0]},{pair[1]}\n"
    assert_says(app, with_wishes(regions, together=[pair]), K, "tree-split")


def upload(app, regions, kind, content):
    app.session_state["regions_wish"] = kind
    run(app)
    box = next(one for one in app.file_uploader if one.key == key(regions, f"{kind}_file"))
    box.upload("sets.csv", content, "text/csv")
    return run(app)


def test_sets_come_from_a_file_and_a_bad_one_is_refused_in_a_sentence(regions, pair):
    app = upload(opened(), regions, "together", f"{pair[0]},{pair[1]}\n".encode())
    assert_says(app, with_wishes(regions, together=[pair]), K, "tree-split")
    app = upload(opened(), regions, "barriers", b" ")
    assert problems(app) == [f"sets.csv {IS_EMPTY}."]


def counties(*, odd=False):
    """Sixteen squares in four counties; one has none where it is odd."""
    places = [(column, row) for column in range(4) for row in range(4)]
    features = [
        square(x, y, people=10 + x + y, county=None if odd and (x, y) == (0, 0) else "ABCD"[x]) for x, y in places
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("odd", [False, True])
def test_barriers_come_from_a_column_of_the_file(odd):
    content = counties(odd=odd)
    app = own_file("regions", "squares.geojson", content)
    squares = kanon.read_regions(content, filename="squares.geojson")
    assert squares.reading["id"] == "code"
    app.session_state["regions_k"] = 40
    app.session_state["regions_algorithm"] = "tree-split"
    app.session_state["regions_wish"] = "barriers"
    run(app)
    columns = app.selectbox(key=key(squares, "column"))
    assert "code" not in columns.options
    columns.set_value("county")
    run(app)
    sets = [[f"0{x}{y}" for y in range(4) if not (odd and (x, y) == (0, 0))] for x in range(4)]
    assert_says(app, with_wishes(squares, barriers=sets), 40, "tree-split")
    assert sets_by_column(squares, content, "county", filename="squares.geojson") == sets
    with pytest.raises(kanon.InvalidInput, match="parish"):
        sets_by_column(squares, content, "parish", filename="squares.geojson")


def test_a_link_reproduces_rules_and_locks_of_a_sample(regions, pair):
    app = opened(**HASTY)
    far = next(name for name in regions.ids.tolist() if name not in pair)
    write(app, regions, "together", pair)
    write(app, regions, "apart", (pair[0], far))
    app.session_state[key(regions, "prefix")] = 3
    run(app)
    expected = headline(app)
    link = dict(app.query_params)
    assert (link["together"], link["apart"], link["prefix"]) == (",".join(pair), f"{pair[0]},{far}", "3")
    again = visit("regions", **link)
    assert headline(again) == expected
    assert dict(again.query_params) == link
    assert again.session_state[key(regions, "together")] == ",".join(pair) + "\n"
    again.session_state["regions_wish"] = "together"
    run(again)
    again.text_area(key=key(regions, "together_text")).set_value("")
    run(again)
    assert "together" not in again.query_params


def test_groups_that_the_search_keeps_are_in_the_link(regions):
    g = kanon.generalize(regions, K, "tree-split")
    lock = regions.ids[g.assignment == 0].tolist()
    app = opened(locked=",".join(map(str, lock)), barriers="nowhere")
    assert any(f"lists nowhere, {NO_SUCH_ITEM} area" in problem for problem in problems(app))
    write(app, regions, "barriers")
    assert problems(app) == []
    assert app.query_params["locked"] == ",".join(map(str, lock))
    assert any(one.value.startswith("Locked: ") for one in app.caption)
    assert f"the largest {kanon.generalize(with_locks(regions, [lock]), K, 'tree-split').cost:,} (" in headline(app)


def test_rules_that_are_too_long_for_a_link_are_left_out_and_that_is_said(regions):
    app = opened()
    write(app, regions, "together", *([regions.ids[regions.edges[0]].tolist()] * 900))
    assert problems(app) == []
    assert "together" not in app.query_params
    assert NO_ROOM in [one.value for one in app.caption]
