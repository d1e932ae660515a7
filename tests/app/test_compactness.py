"""Compactness as a choice with its price beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

import kanon_engine as kanon
from kanon_engine.regions.utility import perimeter, polsby_popper
from pages._regions.groups import COMPACTNESS, COMPACTNESS_SETTINGS
from tests.app.visit import CATALOG, generalized, headline, read, run, tasks_of, visit

COUNTIES = next(entry for entry in CATALOG if entry["key"] == "north-carolina-births")
K = 20_000
LINK = {"sample": COUNTIES["key"], "k": K, "algorithm": "recombine", "effort": "0.01"}


def choices(app):
    return app.radio(key="regions_compactness_setting")


def captions(app):
    return dict(zip(COMPACTNESS_SETTINGS, choices(app).proto.captions, strict=True))


def price(regions, g):
    far, worst = perimeter(regions, g.assignment).kilometers, polsby_popper(regions, g.assignment).min()
    return f"largest group {g.cost:,}, borders {far:,.0f} km, lowest score {worst:.2f}"


def found(setting):
    return generalized(read(COUNTIES), K, "recombine", effort=0.01, compactness=setting)


def crashing(task):
    raise kanon.SearchEnded("The search crashed.")


def with_compactness(choice, setting):
    return tuple((name, setting if name == COMPACTNESS else value) for name, value in choice.options)


@pytest.mark.thorough
def test_prices_at_hand_are_shown_and_the_others_are_searched_on_request():
    regions = read(COUNTIES)
    app = visit("regions", **LINK)
    app.session_state["regions_prices_fold"] = True
    run(app)
    at_first = found(0.0)
    assert captions(app) == {0.0: price(regions, at_first)} | dict.fromkeys(
        COMPACTNESS_SETTINGS[1:], "not searched yet"
    )
    shown = app.session_state["_tasks"]
    key = next(key for key in shown._tasks if key[1] == K and key[2].algorithm.name == "recombine")
    keys = [(*key[:2], replace(key[2], options=with_compactness(key[2], setting))) for setting in (1.0, 3.0)]
    assert shown.begin("elsewhere", keys[0], crashing).wait(60)
    assert shown.begin("there", keys[1], lambda task: replace(at_first, status="stopped")).wait(60)
    run(app)
    assert captions(app)[1.0] == "no result: The search crashed."
    ended = "the search ended early, so a better result may exist"
    assert captions(app)[3.0] == f"{price(regions, at_first)}; {ended}"
    shown._forget(keys[1])
    run(app)
    app.button(key="regions_search_prices").click()
    run(app)
    assert all(task.wait(60) for task in tasks_of(app))
    run(app)
    assert captions(app) == {setting: price(regions, found(setting)) for setting in COMPACTNESS_SETTINGS}
    assert [button for button in app.button if button.key == "regions_search_prices"] == []
    choices(app).set_value(3.0)
    run(app)
    assert app.query_params["compactness"] == "3.0"
    assert f"the largest {found(3.0).cost:,} (" in headline(app)


def test_an_algorithm_without_the_option_has_no_such_choice():
    app = visit("regions", **{**LINK, "algorithm": "tree-split"})
    assert [one for one in app.radio if one.key == "regions_compactness_setting"] == []
