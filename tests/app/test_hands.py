"""Groups changed by hand on the page: moved, refused, undone, locked and published."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.regions.moves import moved, with_locks
from pages._regions.by_hand import NEW, _selection_words, targets
from tests.app.visit import CATALOG, generalized, headline, open_tab, problems, read, run, visit
from tests.sentences import CHANGED_BY_HAND, MOVED_TO_GROUP

COUNTIES = next(entry for entry in CATALOG if entry["key"] == "north-carolina-births")
K = 5_000


@pytest.fixture(scope="module")
def regions():
    return read(COUNTIES)


@pytest.fixture(scope="module")
def g(regions):
    return generalized(regions, K, "tree-split")


@pytest.fixture
def app():
    return visit("regions", sample=COUNTIES["key"], k=K, algorithm="tree-split")


def attempts(regions, g):
    """Every move of one area to a group beside it: (area, group, result or None)."""
    for area in range(len(regions)):
        for group in targets(regions, g, (area,)):
            try:
                yield area, group, moved(regions, g, [regions.ids[area]], group)
            except kanon.KanonError:
                yield area, group, None


@pytest.fixture(scope="module")
def moves(regions, g):
    return list(attempts(regions, g))


def pick(app, regions, *areas):
    """What clicks on these areas leave behind."""
    app.session_state["regions_picked"] = (regions.digest, tuple(int(area) for area in areas))
    return run(app)


def mover(app):
    return next((box for box in app.selectbox if box.key and box.key.startswith("regions_move_")), None)


def move(app, group):
    mover(app).set_value(group)
    return run(app)


def line(app):
    return next((one.value for one in app.caption if one.value.startswith(CHANGED_BY_HAND)), "")


def button(app, words):
    return next(one for one in app.button if one.label.startswith(words))


def press(app, words):
    button(app, words).click()
    return run(app)


def test_a_move_is_verified_told_undone_and_done_again(app, regions, g, moves):
    area, group, after = next(one for one in moves if one[2] is not None and one[2].cost > g.cost)
    before = headline(app)
    assert mover(app) is None
    pick(app, regions, area)
    assert any(f"**{regions.label(area)}**" in one.value for one in app.markdown)
    move(app, group)
    assert f"the largest {after.cost:,} (" in headline(app)
    number = int(after.assignment[area]) + 1
    words = f"{CHANGED_BY_HAND} (one change). {regions.label(area)} {MOVED_TO_GROUP} {number:,}: largest group"
    assert line(app) == f"{words} {g.cost:,} → {after.cost:,}, lower bound {g.lower_bound:,}."
    assert mover(app) is None  # nothing is picked any more
    press(app, "Undo")
    assert headline(app) == before
    assert line(app) == ""
    assert button(app, "Undo").disabled
    press(app, "Redo")
    assert f"the largest {after.cost:,} (" in headline(app)
    table = open_tab(app, "regions", "Groups").dataframe[0].value
    assert table["Births"].tolist() == after.class_weights.tolist()


def test_a_change_outlasts_other_questions_and_belongs_to_its_own(app, regions, g, moves):
    area, group, _ = next(one for one in moves if one[2] is not None)
    move(pick(app, regions, area), group)
    changed = headline(app)
    app.session_state["regions_k"] = 10_000
    run(app)
    assert line(app) == ""
    app.session_state["regions_k"] = K
    run(app)
    assert headline(app) == changed
    app.selectbox(key="regions_algorithm").set_value("general-graph")
    run(app)
    assert line(app) == ""


def test_what_a_move_would_break_is_told_and_nothing_changes(app, regions, g, moves):
    area, group, _ = next(one for one in moves if one[2] is None)
    before = headline(app)
    move(pick(app, regions, area), group)
    assert headline(app) == before
    with pytest.raises(kanon.Infeasible) as refused:
        moved(regions, g, [regions.ids[area]], group)
    assert any(str(refused.value)[:30] in one.value for one in app.warning)
    assert problems(app) == []
    pick(app, regions, area, *np.flatnonzero(g.assignment == g.assignment[area])[:1])
    assert all("would" not in one.value for one in app.warning)


def test_a_locked_group_stays_in_moves_and_in_the_next_search(app, regions, g):
    heaviest = np.flatnonzero(g.assignment == g.classes - 1)
    pick(app, regions, heaviest[0])
    press(app, f"Lock group {g.classes}")
    assert mover(app) is None
    beside = next(area for area in range(len(regions)) if g.classes - 1 in targets(regions, g, (area,)))
    pick(app, regions, beside)
    assert all(not words.startswith(f"group {g.classes}:") for words in mover(app).options)
    before = headline(app)
    press(app, "Search again and keep 1 locked group")
    members = tuple(regions.ids[heaviest].tolist())
    kept = with_locks(regions, [members])
    again = generalized(kept, K, "tree-split")
    assert headline(app).startswith(f"{again.classes} groups.")
    assert f"the largest {again.cost:,} (" in headline(app)
    assert len({*again.assignment[heaviest].tolist()}) == 1
    assert (again.assignment == again.assignment[heaviest[0]]).sum() == len(heaviest)
    assert any(one.value.startswith("Locked: ") for one in app.caption)
    app.button(key=next(one.key for one in app.button if one.key and "_unlock_" in one.key)).click()
    run(app)
    assert headline(app) == before


def test_a_whole_group_moved_and_made_new_again_is_told_as_made_by_hand_in_the_certificate(app, regions, g):
    whole = np.flatnonzero(g.assignment == 3).tolist()
    pick(app, regions, *whole)
    move(app, targets(regions, g, whole)[0])
    assert headline(app).startswith(f"{g.classes - 1} groups.")
    move(pick(app, regions, *whole), NEW)
    assert line(app).startswith(f"{CHANGED_BY_HAND} (2 changes). ")
    assert "moved to the new group" in line(app)
    after = changed(app)
    assert len({*zip(after.assignment.tolist(), g.assignment.tolist(), strict=True)}) == after.classes == g.classes
    assert kanon.verify(regions, after).proof == "checked"
    open_tab(app, "regions", "Publish")
    assert json.loads(after.to_json())["algorithm"] == "by hand"


def changed(app):
    (changes,) = app.session_state["_by_hand"].values()
    return changes.g


def clicked_page():
    import streamlit as st

    from pages._regions.by_hand import follow_area
    from pages._shared.picture import PictureEvent
    from pages._shared.stage import selected_class

    g = st.session_state["shown"]
    item = st.session_state.pop("clicked", None)
    if item is not None:
        event = PictureEvent(1, int(g.assignment[item]), None, lets_go=not st.session_state["found"], item=item)
        follow_area(g, event)
    st.session_state["selected"] = selected_class(g)


def test_clicks_pick_one_area_or_several(g):
    app = AppTest.from_function(clicked_page)
    app.session_state["shown"], app.session_state["found"] = g, False

    def click(item, found=False):
        app.session_state["clicked"], app.session_state["found"] = item, found
        assert not app.run().exception
        return app.session_state["regions_picked"][1], app.session_state["selected"]

    group = int(np.bincount(g.assignment).argmax())
    one, other = np.flatnonzero(g.assignment == group)[:2].tolist()
    far = int(np.flatnonzero(g.assignment != group)[0])
    beyond = int(g.assignment[far])
    assert click(one) == ((one,), group)
    assert click(other) == ((other,), group)  # of the same group, which stays
    assert click(far) == ((far,), beyond)
    assert click(far, found=True) == ((far,), beyond)  # searched for: not let go
    assert click(far) == ((), None)
    app.session_state["regions_several"] = True
    assert click(one) == ((one,), None)
    assert click(far) == ((one, far), None)
    assert click(one) == ((far,), None)


def test_one_group_is_one_though_its_number_is_long():
    line = kanon.Regions("abc", [1, 2, 3], [(0, 1), (1, 2)], unit="people")
    g = SimpleNamespace(assignment=np.array([999, 999, 0]))
    assert _selection_words(line, g, [0, 1]).endswith("3 people, group 1,000")
    assert _selection_words(line, g, [1, 2]).endswith("5 people, groups 1 and 1,000")
