"""A search that takes longer than a person waits: what the page shows meanwhile, and how it ends."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.io import limits
from kanon_engine.model.known import FAMILIES
from kanon_engine.model.run import Run
from kanon_engine.processes.nursery import Slots
from kanon_engine.workers import search
from pages._shared import results, sweeps
from pages._shared.result import AGAIN, BETWEEN, STOP, WHY, has_more_to_show
from pages._shared.tasks import DEFECT
from tests.app.gate import gated
from tests.app.visit import (
    CATALOG,
    WAIT,
    assert_says,
    first_sample,
    generalized,
    go,
    headline,
    open_app,
    problems,
    put,
    read,
    run,
    run_once,
    tasks_of,
)
from tests.sentences import (
    FOUND_BY,
    GROUPS_LARGEST_GROUP,
    LARGEST_GROUP,
    NO_GROUPING_IS_POSSIBLE,
    QUICK_ANSWER,
    THE_SMALLEST_HOLDS,
)

ENTRY = next(entry for entry in CATALOG if entry["key"] == "north-carolina-births")
K = 20_000


@pytest.fixture
def gate(monkeypatch) -> Iterator[threading.Event]:
    """Recombine searches when this is set; a page waits for it no longer than a moment."""
    opened = threading.Event()
    monkeypatch.setitem(FAMILIES["regions"].algorithms, "recombine", gated(opened.is_set))
    monkeypatch.setattr(results, "PATIENCE", 0.05)
    yield opened
    opened.set()


@pytest.fixture(scope="module")
def births() -> kanon.Regions:
    return read(ENTRY)


def begin(page: str = "regions", **query: Any) -> AppTest:
    return run_once(open_app(page, **{"sample": ENTRY["key"], "k": K, **query}))


def line(app: AppTest, word: str) -> str:
    (said,) = [element.value for element in app.caption if word in element.value]
    return str(said)


def buttons(app: AppTest) -> list[str]:
    return [one.label for one in app.button]


def press(app: AppTest, label: str) -> AppTest:
    (one,) = [one for one in app.button if one.label == label]
    one.click()
    return run_once(app)


def reported(app: AppTest) -> None:
    """Wait until the search has said something."""
    (task,) = tasks_of(app)
    while task.progress is None:
        assert not task.wait(0.01)


def ended(app: AppTest) -> AppTest:
    assert all(task.wait(WAIT) for task in tasks_of(app))
    return run_once(app)


def test_quick_answer_first_then_the_better_one(gate, births):
    app = begin(tab="groups")
    assert_says(app, births, K, "tree-split")
    reported(app)
    run_once(app)
    said = line(app, f"Tree split's {QUICK_ANSWER}")
    assert "Recombine is looking for a better one, waiting for groups" in said
    assert STOP in buttons(app)
    groups = app.tabs[4].dataframe[0].value
    assert len(groups) == generalized(births, K, "tree-split").classes
    gate.set()
    ended(app)
    assert_says(app, births, K, "recombine")
    assert line(app, f"{FOUND_BY} Recombine")
    assert STOP not in buttons(app)
    assert len(app.tabs[4].dataframe[0].value) == generalized(births, K, "recombine").classes > len(groups)


def test_the_best_so_far_is_shown_when_it_is_found(births, monkeypatch):
    """In the sentence, the table and the line; the result of the search takes its place."""
    algorithm = FAMILIES["regions"].algorithms["recombine"]
    opened = threading.Event()

    def showing(instance: Any, k: int, run: Any, **options: Any) -> Any:
        first = algorithm.function(instance, k, Run(run.seed), **{**options, "effort": 0.001})
        while run.goes_on(0.5, None, None, "waiting", lambda: first) and not opened.wait(0.01):
            pass
        return algorithm.function(instance, k, run, **options)

    monkeypatch.setitem(FAMILIES["regions"].algorithms, "recombine", replace(algorithm, function=showing))
    monkeypatch.setattr(results, "PATIENCE", 0.05)
    monkeypatch.setattr(search, "SHOWN", 0.0)
    k = 25_000
    app = begin(k=k, tab="groups")
    (task,) = tasks_of(app)
    while not task.improvements:
        assert not task.wait(0.01)
    run_once(app)
    so_far, _ = task.best
    assert so_far.cost < generalized(births, k, "tree-split").cost
    assert f"the largest {so_far.cost:,} " in headline(app)
    assert line(app, "The best result so far. Recombine is looking for a better one")
    assert len(app.tabs[4].dataframe[0].value) == so_far.classes
    opened.set()
    ended(app)
    assert_says(app, births, k, "recombine")


@pytest.mark.parametrize(("cost", "own"), [(90, True), (100, True), (110, False)])
def test_the_best_so_far_is_shown_unless_the_quick_answer_is_better(births, cost, own):
    g = generalized(births, K, "tree-split")
    quick, so_far = (replace(g, cost=value, digest=str(value)) for value in (100, cost))
    task = SimpleNamespace(best=(so_far, "certificate"), improvements=3)
    shown = results._so_far(results.Answer(quick, task, (), results.default_choice("regions"), waiting=True))
    assert (shown.own, shown.improvements, shown.g.cost) == (own, 3, min(cost, 100))


@pytest.mark.parametrize(
    ("found", "drawn", "seconds", "stopped", "expected"),
    [
        (1, 0, 0.1, "", True),  # the first one at once
        (2, 1, BETWEEN / 2, "", False),
        (2, 1, BETWEEN, "", True),
        (1, 1, BETWEEN, "", False),
        (2, 1, BETWEEN, "asked", False),
        (1, 0, 0.1, "asked", False),
    ],
)
def test_improvements_are_drawn_now_and_then_and_not_after_a_stop(found, drawn, seconds, stopped, expected):
    task = SimpleNamespace(running=True, improvements=found, stopped=stopped)
    shown = SimpleNamespace(task=task, improvements=drawn)
    assert has_more_to_show(shown, seconds) == expected
    task.running = False
    assert has_more_to_show(shown, seconds)


def told_page():
    import streamlit as st

    from pages._shared.result import _meanwhile

    found = st.session_state["shown"]
    st.markdown("|".join(_meanwhile(found, narrow) for narrow in (False, True)))


@pytest.mark.parametrize(("bound", "said"), [(500, "is still searching"), (600, "is still reducing the other groups")])
def test_a_proven_largest_group_is_not_told_as_one_that_is_searched_for(births, bound, said):
    g = replace(generalized(births, K, "tree-split"), lower_bound=bound)
    task = SimpleNamespace(progress=kanon.Progress(0.5, 600, bound, "recombining"), waiting=False)
    app = AppTest.from_function(told_page)
    app.session_state["shown"] = results.Answer(g, task, ("key",), results.default_choice("regions"), waiting=True)
    assert not app.run().exception
    assert said in app.markdown[0].value.split("|")[1]
    assert ("looking for a better one" in app.markdown[0].value) == (bound < 600)


@pytest.mark.parametrize("further", [0, 1])
def test_only_a_shown_result_with_the_smallest_largest_group_is_said_to_have_it(births, further):
    g = generalized(births, K, "tree-split")
    best = g.cost - further
    g = replace(g, lower_bound=best)
    task = SimpleNamespace(progress=kanon.Progress(0.5, best, best, "recombining"), waiting=False)
    app = AppTest.from_function(told_page)
    app.session_state["shown"] = results.Answer(g, task, ("key",), results.default_choice("regions"), waiting=True)
    assert not app.run().exception
    said = app.markdown[0].value
    assert (f"{QUICK_ANSWER}: the largest group cannot be smaller." in said) == (not further)
    assert (f"Recombine found a result whose largest group, {best:,}, cannot be smaller, and" in said) == bool(further)


def test_stop_keeps_the_best_and_offers_to_search_again(gate, births):
    app = begin()
    press(app, STOP)
    ended(app)
    stopped = kanon.generalize(births, K, "recombine", progress=lambda report: False)
    assert stopped.status == "stopped"
    assert headline(app).startswith(
        f"{stopped.classes:,} groups. {THE_SMALLEST_HOLDS} {stopped.class_weights.min():,} "
    )
    assert line(app, f"{WHY['asked']} after")
    assert STOP not in buttons(app)
    go(app, "labels")
    run_once(app.switch_page("pages/regions.py"))
    assert line(app, f"{WHY['asked']} after")
    press(app, AGAIN)
    assert STOP in buttons(app)
    assert line(app, "The stopped search's best result.")
    gate.set()
    ended(app)
    assert_says(app, births, K, "recombine")
    assert AGAIN not in buttons(app)


def test_another_k_ends_the_search_and_the_first_k_begins_anew(gate, births):
    app = begin()
    (first,) = tasks_of(app)
    put(app, "regions", "k", 10_000)
    run_once(app)
    assert_says(app, births, 10_000, "tree-split")
    assert first.wait(WAIT)
    (second,) = tasks_of(app)
    put(app, "regions", "k", K)
    run_once(app)
    assert second.wait(WAIT)
    (third,) = tasks_of(app)
    assert third not in (first, second)
    gate.set()
    ended(app)
    assert_says(app, births, K, "recombine")
    assert AGAIN not in buttons(app)


def test_what_follows_a_wait_keeps_its_number():
    """A browser draws an element again where its number changes, and forgets how a person zoomed a map."""
    app = run(open_app("regions", algorithm="tree-split", k=K))  # reads the sample
    numbers = [[(number, child.type) for number, child in app.main.children.items()]]
    for k in (10_000, K):  # one is searched for, one was found before
        put(app, "regions", "k", k)
        run(app)
        numbers.append([(number, child.type) for number, child in app.main.children.items()])
    assert numbers[0] == numbers[1] == numbers[2]


def test_another_algorithm_ends_the_search(gate, births):
    app = begin()
    (first,) = tasks_of(app)
    app.selectbox(key="regions_algorithm").set_value("tree-split")
    run_once(app)
    assert first.wait(WAIT)
    assert tasks_of(app) == []
    assert_says(app, births, K, "tree-split")
    assert line(app, f"{FOUND_BY} Tree split")
    assert STOP not in buttons(app)


def test_another_page_and_back_finds_the_search_and_its_result(gate, births):
    app = begin()
    (task,) = tasks_of(app)
    run_once(app.switch_page("pages/labels.py"))
    run_once(app.switch_page("pages/regions.py"))
    assert tasks_of(app) == [task]
    assert_says(app, births, K, "tree-split")
    run_once(app.switch_page("pages/labels.py"))
    gate.set()
    assert task.wait(WAIT)
    run_once(app.switch_page("pages/regions.py"))
    assert_says(app, births, K, "recombine")
    assert tasks_of(app) == []


def test_home_shows_quick_answers_and_begins_no_long_search(gate):
    app = run_once(open_app())
    regions, k = read(first_sample("regions")), first_sample("regions")["k"]
    cost = generalized(regions, k, "tree-split").cost
    assert any(f" to {cost:,} people." in element.value for element in app.caption)
    assert tasks_of(app) == []


def test_no_grouping_is_said_at_once(gate, births):
    app = begin(k=births.total + 1)
    (said,) = problems(app)
    assert NO_GROUPING_IS_POSSIBLE in said
    assert STOP not in buttons(app)
    assert tasks_of(app) == []


def test_an_algorithm_that_refuses_is_a_sentence(gate):
    app = begin(algorithm="tree-split", tree="hamiltonian")
    (said,) = problems(app)
    assert "map that has no crossing edges and stays connected when any three areas are removed" in said
    app.selectbox(key="regions_tree").set_value("auto")
    run_once(app)
    assert problems(app) == []


def test_a_defect_of_a_search_in_a_thread_is_one_sentence(gate, births, monkeypatch, caplog):
    def broken(*given: Any, **options: Any) -> None:
        raise ZeroDivisionError("a defect")

    algorithms = FAMILIES["regions"].algorithms
    monkeypatch.setitem(algorithms, "recombine", replace(algorithms["recombine"], function=broken))
    app = begin()
    ended(app)
    assert_says(app, births, K, "tree-split")
    assert line(app, f"Tree split's {QUICK_ANSWER}. {DEFECT}")
    assert "in broken\n" in caplog.text


def ending(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """This algorithm passes a limit."""

    def passes(*given: Any, **options: Any) -> None:
        raise kanon.SearchEnded("It took more than 4,000 MB of memory.")

    algorithms = FAMILIES["regions"].algorithms
    monkeypatch.setitem(algorithms, name, replace(algorithms[name], function=passes))


def test_a_search_that_ended_without_a_result_leaves_the_quick_answer(gate, births, monkeypatch):
    with monkeypatch.context() as patch:
        ending("recombine", patch)
        app = begin()
        ended(app)
        assert_says(app, births, K, "tree-split")
        assert line(app, f"Tree split's {QUICK_ANSWER}. It took more than 4,000 MB of memory.")
        assert STOP not in buttons(app)
        assert problems(app) == []
        choice = results.default_choice("regions")
        promised = FAMILIES["regions"].promise(births, K, "recombine", dict(choice.options))
        assert (
            line(app, "**Guarantee**").count(f"**Guarantee**: {promised}.") == 1
        )  # of the search, not of what is shown
    press(app, AGAIN)
    assert "Recombine is looking for a better one" in line(app, f"Tree split's {QUICK_ANSWER}")
    gate.set()
    ended(app)
    assert_says(app, births, K, "recombine")


def test_a_quick_answer_that_ended_without_a_result_can_be_asked_for_again(gate, births, monkeypatch):
    with monkeypatch.context() as patch:
        ending("tree-split", patch)
        app = begin(algorithm="tree-split")
        assert problems(app) == ["It took more than 4,000 MB of memory."]
    press(app, AGAIN)
    assert problems(app) == []
    assert_says(app, births, K, "tree-split")


def test_a_search_that_waits_for_another_says_so(gate, births, monkeypatch):
    slots = Slots(1)
    monkeypatch.setattr(search, "SLOTS", slots)
    with slots.one():
        app = begin()
        assert_says(app, births, K, "tree-split")  # the quick answer does not wait
        (task,) = tasks_of(app)
        while not task.waiting:
            assert not task.wait(0.01)
        run_once(app)
        assert "Waiting until another search on this computer ends." in line(app, QUICK_ANSWER)
    gate.set()
    ended(app)
    assert_says(app, births, K, "recombine")


def test_a_search_at_its_limit_of_time_says_so(gate, births, monkeypatch):
    monkeypatch.setattr(limits, "_given", limits.FileLimits(search_seconds=0.2))
    app = ended(begin())
    said = line(app, "The search reached its time limit and stopped after")
    assert (
        "this is Recombine's best result so far. To search longer than 0 minutes, start kanon with KANON_LIMITS=10"
        in said
    )
    assert AGAIN in buttons(app)


def test_runs_of_a_sweep_that_ended_are_told_and_tried_again(gate, births, monkeypatch):
    monkeypatch.setattr(sweeps, "POINTS", 4)
    app = begin(algorithm="tree-split")
    app.session_state["regions_tab"] = "What if"
    app.session_state["regions_what_if_tree-split"] = ["tree-split", "general-graph"]
    with monkeypatch.context() as patch:
        ending("general-graph", patch)
        run_once(app)
        ended(app)
        said = line(app, "Stopped:")
        assert said.endswith(" It took more than 4,000 MB of memory.")
        assert set(app.tabs[1].dataframe[0].value["Algorithm"]) == {"Tree split"}
    press(app, "Continue")
    ended(app)
    assert set(app.tabs[1].dataframe[0].value["Algorithm"]) == {"Tree split", "General graph"}


def test_two_searches_side_by_side(gate, births):
    app = begin(algorithm="tree-split", compare="recombine")
    assert_says(app, births, K, "tree-split")
    assert line(app, "Quick answer. Recombine")
    press(app, "Stop")
    ended(app)
    assert line(app, f"{WHY['asked']} after")
    press(app, AGAIN)
    gate.set()
    ended(app)
    second = generalized(births, K, "recombine")
    shown = " ".join(element.value for element in app.markdown)
    assert f"**Recombine, k = {K:,}**: {second.classes:,} {GROUPS_LARGEST_GROUP} {second.cost:,}" in shown
    gate.clear()
    put(app, "regions", "k", 10_000)
    run_once(app)
    assert len(tasks_of(app)) == 1
    assert tasks_of(app)
    app.session_state["regions_tab"] = "Map"
    run_once(app)
    assert tasks_of(app) == []


@pytest.mark.thorough
def test_what_if_fills_beside_the_page(gate, births, monkeypatch):
    monkeypatch.setattr(sweeps, "POINTS", 6)
    app = begin(algorithm="tree-split")
    app.session_state["regions_tab"] = "What if"
    app.session_state["regions_what_if_tree-split"] = ["tree-split", "recombine"]
    run_once(app)
    (task,) = tasks_of(app)
    while task.progress is None or "waiting for classes" not in task.progress.message:
        assert not task.wait(0.01)
    run_once(app)
    assert "Now Recombine" in line(app, " are done after ")
    first = app.tabs[1].dataframe[0].value
    assert (K, "Tree split") in set(zip(first["k"], first["Algorithm"], strict=True))
    press(app, sweeps.STOP)
    ended(app)
    assert line(app, "Stopped:")
    kept = app.tabs[1].dataframe[0].value
    assert "stopped early" not in set(kept["Proof"])
    assert "Recombine" not in set(kept["Algorithm"])
    app.session_state["regions_tab"] = "Groups"
    run_once(app)
    app.session_state["regions_tab"] = "What if"
    run_once(app)
    assert app.tabs[1].dataframe[0].value.equals(kept)
    gate.set()
    press(app, "Continue")
    ended(app)
    table = app.tabs[1].dataframe[0].value
    both = [table[table["Algorithm"] == title] for title in ("Tree split", "Recombine")]
    assert both[0]["k"].tolist() == both[1]["k"].tolist() == sorted(both[0]["k"])
    assert (both[1][LARGEST_GROUP].to_numpy() <= both[0][LARGEST_GROUP].to_numpy()).all()
    row = both[1][both[1]["k"] == K].iloc[0]
    assert row[LARGEST_GROUP] == generalized(births, K, "recombine").cost


def test_what_if_says_which_algorithm_refuses(gate, monkeypatch):
    def refuse(*given: Any, **options: Any) -> None:
        raise kanon.InvalidInput("These areas are not for me.")

    monkeypatch.setattr(sweeps, "POINTS", 4)
    algorithms = FAMILIES["regions"].algorithms
    monkeypatch.setitem(algorithms, "general-graph", replace(algorithms["general-graph"], function=refuse))
    app = begin(algorithm="tree-split")
    app.session_state["regions_tab"] = "What if"
    app.session_state["regions_what_if_tree-split"] = ["tree-split", "general-graph"]
    run(app)
    assert [element.value for element in app.warning] == ["These areas are not for me."]
    assert set(app.tabs[1].dataframe[0].value["Algorithm"]) == {"Tree split"}
