"""The lab: reductions are carried over, back and by hand, and are broken."""

from __future__ import annotations

import re

import pytest

from kanon_engine.teaching.reductions import REDUCTIONS
from pages._lab.hardness import BACK, HAND, TERMS
from tests.app.visit import go, open_app, open_tab, run, said, visit


def choose(app, words, value):
    next(box for box in app.selectbox if box.label == words).set_value(value)
    return run(app)


IN_NO_GROUP = "are in no group yet"


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_the_example_is_carried_over_and_back(name):
    app = choose(visit("lab"), "Reduction", name)
    assert not app.exception
    assert not app.error
    problem = REDUCTIONS[name].source
    solution = problem.solve(problem.parse(problem.example))
    assert solution is not None  # something to look at
    assert "The original problem has a solution." in said(app)
    assert "A recount shows a grouping of" in said(app)
    app.segmented_control(key="lab_way").set_value(BACK)
    run(app)
    assert "Translated back, these groups solve the original problem." in said(app)


def test_terms_of_proofs_are_explained_below_the_construction():
    texts = " ".join(f"{one.claim} {one.how}" for one in REDUCTIONS.values())
    explained = re.findall(r"\*\*(.+?)\*\*", TERMS)
    assert explained == ["k", "K", "Graph", "Polynomial", "NP-complete", "NP-hard", "P = NP"]
    assert all(term in texts or term.lower() in texts for term in explained)
    assert TERMS in [caption.value for caption in visit("lab").caption]


def test_the_target_says_how_many_groups_there_may_be():
    app = choose(visit("lab"), "Reduction", "matching-to-rtile")
    problem, build = REDUCTIONS["matching-to-rtile"].source, REDUCTIONS["matching-to-rtile"].build
    most = build(problem.parse(problem.example)).most
    assert f"into at most {most:,} groups of at least 1 at a cost of at most 3" in said(app)


def test_an_instance_that_is_none_is_told_in_a_sentence():
    app = visit("lab")
    app.text_input[0].set_value("1 2 moon")
    run(app)
    assert len(app.error) == 1
    assert not app.exception


def test_groups_by_hand_are_judged_and_taken_back():
    app = visit("lab")
    app.segmented_control(key="lab_way").set_value(HAND)
    run(app)
    items = app.multiselect[0].options
    assert f"{len(items)} items of {len(items)} {IN_NO_GROUP}." in said(app)
    app.multiselect[0].set_value([0, 1, 2])
    run(app)
    app.button(key="lab_by_hand_join").click()
    run(app)
    assert f"{len(items) - 3} items of {len(items)} {IN_NO_GROUP}." in said(app)
    app.multiselect[0].set_value(list(range(3, len(items))))
    run(app)
    app.button(key="lab_by_hand_join").click()
    run(app)
    assert IN_NO_GROUP not in said(app)
    assert "Translated back" not in said(app)  # all the rest in one group is too much
    for _ in range(2):
        app.button(key="lab_by_hand_undo").click()
        run(app)
    assert f"{len(items)} items of {len(items)} {IN_NO_GROUP}." in said(app)


def test_what_can_only_be_alone_is_grouped_at_once():
    app = visit("lab")
    app.segmented_control(key="lab_way").set_value(HAND)
    run(app)
    assert "lab_by_hand_alone" not in {button.key for button in app.button}  # every area weighs less than k
    choose(app, "Reduction", "matching-to-rectangles")
    problem = REDUCTIONS["matching-to-rectangles"].source
    weights = REDUCTIONS["matching-to-rectangles"].build(problem.parse(problem.example)).instance.weights
    inside = int((weights < 3).sum())
    assert app.button(key="lab_by_hand_alone").label == f"Make {len(weights) - inside:,} one-item groups"
    app.button(key="lab_by_hand_alone").click()
    run(app)
    assert f"{inside:,} items of {len(weights):,} {IN_NO_GROUP}." in said(app)
    assert "lab_by_hand_alone" not in {button.key for button in app.button}
    app.button(key="lab_by_hand_undo").click()
    run(app)
    assert f"{len(weights):,} items of {len(weights):,} {IN_NO_GROUP}." in said(app)


def test_a_change_is_broken_on_request():
    app = open_tab(open_app("lab"), "lab", "Break a reduction")
    assert "Found in" not in said(app)
    app.button(key="lab_break").click()
    run(app)
    assert "Found in" in said(app)
    assert not app.exception


LINKS = [
    {"tab": "why-it-is-hard", "reduction": "3-partition-to-labels", "source": "15: 7 4 4", "way": "back"},
    {
        "tab": "break-a-reduction",
        "reduction": "3-partition-to-labels",
        "change": REDUCTIONS["3-partition-to-labels"].mutations[1].name,
    },
    {"tab": "beat-the-algorithm", "kind": "labels", "instance": 1, "against": "spread", "k": 10, "seed": 3},
]


@pytest.mark.parametrize("link", LINKS, ids=lambda link: link["tab"])
def test_a_link_opens_what_was_open(link):
    app = visit("lab", **link)
    assert dict(app.query_params) == {name: str(value) for name, value in link.items()}
    assert not app.warning


def test_a_link_holds_no_drawing():
    app = visit("lab", **LINKS[-1])
    app.button(key="beat_clear").click()
    run(app)
    assert dict(app.query_params) == {"tab": "beat-the-algorithm", "kind": "labels"}


def test_an_instance_that_was_typed_outlasts_another_page():
    app = visit("lab", **LINKS[0])
    app.text_input[0].set_value("18: 6 6 6")
    run(app)
    go(app, "docs")
    go(app, "lab")
    assert app.text_input[0].value == "18: 6 6 6"
