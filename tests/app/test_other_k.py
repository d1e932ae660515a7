"""What the visit found for another k, and a slightly smaller k that allows one group more: told beside the result."""

from __future__ import annotations

from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.sweep import cheap_question, one_more, told
from pages._shared import results, sweeps, tasks
from pages._shared.result import ASK, LOOKING, NONE
from pages._shared.tasks import Store
from tests.app.visit import (
    CATALOG,
    WAIT,
    assert_says,
    enter,
    generalized,
    headline,
    k_of,
    open_app,
    open_tab,
    pick_k,
    read,
    run,
    run_once,
    tasks_of,
    visit,
)
from tests.sentences import ALSO_SATISFIES_K, FOUND_BY, FOUND_FOR_K, SHOW_K

ENTRY = next(entry for entry in CATALOG if entry["key"] == "north-carolina-births")
SERVED, SERVES = 15_000, 20_000  # tree split is better at the larger one


@pytest.fixture(scope="module")
def births() -> kanon.Regions:
    return read(ENTRY)


def opened(k: int, **query: object) -> AppTest:
    return visit("regions", **{"sample": ENTRY["key"], "algorithm": "tree-split", "k": k, **query})


def line(app: AppTest) -> str:
    """What is told beside the result."""
    (words,) = [caption.value for caption in app.caption if caption.value.startswith(FOUND_BY)]
    return str(words).split(" s. ", 1)[1] if " s. " in words else ""


def press(app: AppTest, label: str) -> AppTest:
    next(button for button in app.button if button.label == label).click()
    return run(app)


def looked(app: AppTest) -> AppTest:
    """Look for one group more, and wait until that is done."""
    next(button for button in app.button if button.label == ASK).click()
    run_once(app)
    assert line(app) == LOOKING or not tasks_of(app)
    assert all(task.wait(WAIT) for task in tasks_of(app))
    return run_once(app)


def test_what_was_found_for_a_larger_k_is_told_at_a_smaller_one(births):
    app = opened(SERVED)
    assert "satisfies" not in line(app)
    pick_k(app, "regions", SERVES)
    assert "satisfies" not in line(app)
    pick_k(app, "regions", SERVED)
    better = generalized(births, SERVES, "tree-split")
    assert_says(app, births, SERVED, "tree-split")  # the page shows what was asked for
    assert line(app) == (
        f"The result that Tree split {FOUND_FOR_K} {SERVES:,} {ALSO_SATISFIES_K} {SERVED:,} and is better: "
        f"its largest group holds {better.cost:,} births."
    )
    press(app, f"{SHOW_K} {SERVES:,}")
    assert k_of(app, "regions") == SERVES
    assert_says(app, births, SERVES, "tree-split")


def test_nothing_is_told_under_other_conditions():
    """Another tree or seed is another question, and with a border in the scale a smaller largest group is not all."""
    app = opened(SERVES)
    app.session_state["regions_tree"] = "low-degree"
    pick_k(app, "regions", SERVED)
    assert "satisfies" not in line(app)
    app = opened(SERVES, sample="washington-zip", algorithm="recombine", effort=0.01, compactness=0.5)
    pick_k(app, "regions", 10_000)
    assert line(app) == ""
    assert not any(button.key == "regions_hint" for button in app.button)


def test_a_higher_bound_is_told_with_the_k_for_which_it_was_proven(births, monkeypatch):
    app = opened(SERVES)
    held = app.session_state["_store"]
    ((key, (g, certificate)),) = [pair for pair in held.all() if pair[0][1] == SERVES]
    higher = replace(g, k=SERVES - 1, lower_bound=g.lower_bound + 7)
    held.put((key[0], SERVES - 1, key[2]), replace(higher, bound_kind="solver", cost=g.cost + 1), certificate)
    app.session_state["regions_tab"] = "Groups"
    run(app)
    assert "better than" not in line(app)
    held.put((key[0], SERVES - 1, key[2]), replace(higher, cost=g.cost + 1), certificate)
    monkeypatch.setattr("pages._shared.result.slightly_smaller", lambda instance, g: [])
    run(app)
    proof = f"This is proven for k = {SERVES - 1:,}, so it also holds for every larger k."
    assert line(app) == f"No grouping can do better than {higher.lower_bound:,}. {proof}"


def test_what_a_sweep_found_is_there_at_once(births, monkeypatch):
    monkeypatch.setattr(sweeps, "POINTS", 4)
    app = opened(SERVED, tab="what-if")
    ks = app.tabs[1].dataframe[0].value["k"].tolist()
    other = next(k for k in ks if k > SERVED)

    class NoSearch:
        def __init__(self, *arguments: object) -> None:
            raise AssertionError("it was searched for again")

    monkeypatch.setattr(results, "Search", NoSearch)
    pick_k(app, "regions", other)
    assert_says(app, births, other, "tree-split")


@pytest.mark.thorough
def test_one_group_more_is_looked_for_and_told_where_it_was_found(births):
    k = 83_000
    app = opened(k)
    assert line(app) == ""
    looked(app)
    g = generalized(births, k, "tree-split")
    found = one_more(births, g)
    assert line(app) == told(g, found)
    press(app, f"{SHOW_K} {found.k:,}")
    assert k_of(app, "regions") == found.k
    assert_says(app, births, found.k, "tree-split")
    if generalized(births, found.k, "tree-split").cost > found.cost:  # what was told is a click away
        finder = f"Recombine at effort {found.options['effort']:g}"
        assert line(app).startswith(f"The result that {finder} {FOUND_FOR_K} {found.k:,}")
        press(app, f"{SHOW_K} {found.k:,}")
    words = headline(app)
    assert words.startswith(f"{found.classes:,} groups.")
    assert f"the largest {found.cost:,} " in words


def test_where_no_group_more_was_found_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr("pages._shared.result.one_more", lambda instance, g, answer: None)
    app = looked(opened(83_000))
    assert line(app) == NONE
    assert not any(button.key == "regions_hint" for button in app.button)


def test_what_was_looked_at_for_one_group_more_may_be_better_itself(births, monkeypatch):
    k, larger = 37_000, 37_500
    own = generalized(births, k, "tree-split")
    question = cheap_question(births, own)
    monkeypatch.setattr("pages._shared.result.one_more", lambda instance, g, answer: answer(question, larger) and None)
    app = looked(opened(k))
    best = question.answer(larger)
    assert best.cost < own.cost
    assert line(app) == (
        f"The result that Recombine at effort 0.1 {FOUND_FOR_K} {larger:,} {ALSO_SATISFIES_K} {k:,} and is better: "
        f"its largest group holds {best.cost:,} births."
    )


def test_it_is_not_offered_where_no_slightly_smaller_k_could_do():
    app = opened(25_000, algorithm="recombine", effort=0.01)
    pick_k(app, "regions", 300_000)  # two groups need 164,981
    assert not any(button.label == ASK for button in app.button)


def test_a_store_keeps_what_was_not_stopped_as_far_as_it_has_room(births, monkeypatch):
    monkeypatch.setattr(tasks, "MOST_ITEMS", 250)  # of 100 areas each
    g = generalized(births, SERVES, "tree-split")
    certificate, kept = kanon.verify(births, g), Store()
    kept.put("stopped", replace(g, status="stopped"), certificate)
    assert kept.all() == []
    for key in ("a", "b", "a", "c"):
        kept.put(key, g, certificate)
    assert [key for key, _ in kept.all()] == ["a", "c"]
    assert kept.get("b") is None
    assert kept.get("c") == (g, certificate)
    monkeypatch.setattr(tasks, "MOST_ITEMS", 50)
    kept.put("d", g, certificate)
    assert [key for key, _ in kept.all()] == ["d"]  # one is always kept


def test_a_result_of_another_file_is_no_answer():
    app = opened(SERVES)
    enter(app, "regions", "k", SERVED)
    assert "also satisfies" in line(app)
    other = open_app("regions", sample="washington-zip", algorithm="tree-split", k=SERVED)
    other.session_state["_store"] = app.session_state["_store"]
    run(other)
    assert "satisfies" not in line(other)
    open_tab(other, "regions", "Groups")
    assert "satisfies" not in line(other)
