"""The page Learn: every algorithm is stepped through, predicted and counted."""

from __future__ import annotations

import pytest

import kanon_engine as kanon
from kanon_engine import teaching
from kanon_engine.teaching.lessons import TITLES
from kanon_engine.teaching.studies.instances import SMALL
from tests.app.visit import open_app, open_tab, run, said, visit
from tests.sentences import ONE_GROUP_OF


def of_family(family):
    app = open_tab(open_app("learn"), "learn", "Step by step")
    app.selectbox(key="learn_family").set_value(family)
    return run(app)


def open_at(family, algorithm):
    app = of_family(family)
    app.selectbox(key=f"learn_algorithm_{family}").set_value(algorithm)
    return run(app)


ONE_EACH = {algorithm.family: algorithm for algorithm in kanon.algorithms()}.values()  # all with --thorough


@pytest.mark.parametrize(
    "algorithm",
    [pytest.param(one, marks=[] if one in ONE_EACH else [pytest.mark.thorough]) for one in kanon.algorithms()],
    ids=lambda one: f"{one.family}-{one.name}",
)
def test_every_algorithm_is_stepped_through_to_its_result(algorithm):
    app = open_at(algorithm.family, algorithm.name)
    small = SMALL[algorithm.family][0]
    g = kanon.generalize(small.make(), small.k, algorithm.name)
    assert f"{g.classes} group" in said(app)
    pressed = 0
    while not (on := app.button(key="learn_Next")).disabled and pressed < 3:
        on.click()
        run(app)
        pressed += 1
        assert app.session_state["learn_step"] == pressed
    assert not app.exception
    assert not app.error


def test_a_press_of_pause_that_arrives_twice_pauses():
    app = open_at("regions", "tree-split")
    small = SMALL["regions"][0]
    villages = small.make()
    last = len(list(teaching.steps(villages, kanon.generalize(villages, small.k, "tree-split")))) - 1
    app.session_state["learn_step"] = last - 1
    app.button(key="learn_play").click()
    run(app)
    assert app.session_state["learn_playing"]
    app.session_state["learn_step"] = last  # a pause at the last step does not go back to the first
    for _ in range(2):
        app.button(key="learn_play").click()
        run(app)
        assert not app.session_state["learn_playing"]
        assert app.session_state["learn_step"] == last
    assert app.button(key="learn_play").label == "Play"


def test_a_prediction_is_asked_for_counted_and_told():
    app = open_at("regions", "tree-split")
    app.toggle(key="learn_predict").set_value(True)
    run(app)
    for _ in range(4):
        asked = [box for box in app.selectbox if box.key and box.key.startswith("learn_answer_")]
        if asked:
            break
        app.button(key="learn_Next").click()
        run(app)
    before = app.session_state["learn_step"]
    asked[0].set_value(0)
    run(app)
    assert app.session_state["learn_step"] == before + 1
    assert len(app.success) + len(app.warning) == 1
    right = len(app.success)
    assert f"Correct predictions: **{right} of 1**" in said(app)


def test_a_k_that_cannot_be_is_told_in_a_sentence():
    app = of_family("regions")
    app.number_input(key="learn_k_regions_0").set_value(SMALL["regions"][0].make().total)
    run(app)
    assert not app.exception
    assert ONE_GROUP_OF in said(app)


@pytest.mark.parametrize("family", SMALL)
def test_small_instances_are_feasible_for_every_algorithm(family):
    for small in SMALL[family]:
        instance = small.make()
        for algorithm in kanon.algorithms(family):
            if algorithm.name not in ("mdav", "v-mdav", "cellular"):  # quick, and looked at above
                assert kanon.generalize(instance, small.k, algorithm.name).classes >= 1


@pytest.mark.parametrize("number", range(1, len(SMALL["tables"])))
def test_the_figures_of_a_paper_are_told_as_it_tells_them(number):
    small = SMALL["tables"][number]
    steps = list(small.told["k-optimize"]())
    app = open_at("tables", "k-optimize")
    app.selectbox(key="learn_data_tables").set_value(number)
    run(app)
    assert not app.exception
    for step in steps[1:3]:
        app.button(key="learn_Next").click()
        run(app)
        assert step.why.split(":")[0].split("{")[0] in said(app).replace("\\", "")


LINKS = [
    {"tab": "lessons", "lesson": "greedy"},
    {"tab": "step-by-step", "kind": "labels", "algorithm": "fold", "data": 0, "k": 7},
]


@pytest.mark.parametrize("link", LINKS, ids=["lesson", "steps"])
def test_a_link_opens_what_was_open(link):
    app = visit("learn", **link)
    assert dict(app.query_params) == {name: str(value) for name, value in link.items()}
    assert not app.warning


def test_a_link_to_a_lesson_that_is_none_says_so():
    app = visit("learn", tab="lessons", lesson="none")
    assert "none" in app.warning[0].value
    assert app.session_state["learn_lesson"] == next(iter(TITLES))
