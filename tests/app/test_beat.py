"""The tab “Beat the algorithm”: figures of every preset, what is typed, the board of the worst, and ways back."""

from __future__ import annotations

import pytest

from kanon_engine.teaching.studies.beat import opponent_of
from kanon_engine.teaching.studies.instances import TIGHT
from pages._lab.drafts import loadables
from tests.app.visit import open_app, open_tab, run, said
from tests.sentences import NOTHING_IS_DRAWN


def opened(family):
    app = open_tab(open_app("lab"), "lab", "Beat the algorithm")
    app.selectbox(key="beat_family").set_value(family)
    return run(app)


def sheet(app, family):
    return app.session_state[f"beat_sheet_{family}"]


def worst_rows(app):
    """The rows that are edited are a table too."""
    return next(one.value for one in app.dataframe if "ratio" in one.value)


def load(app, family, number):
    app.selectbox(key=f"beat_load_{family}").set_value(number)
    return run(app)


SOME = [pytest.param(name, marks=[pytest.mark.thorough] * (place % 4 > 0)) for place, name in enumerate(TIGHT)]


@pytest.mark.parametrize("name", SOME)
def test_a_tight_instance_is_loaded_with_its_figures(name):
    preset = TIGHT[name]
    app = opened(preset.family)
    number = [one.title for one in loadables(preset.family)].index(preset.title)
    load(app, preset.family, number)
    found = preset.duel()
    assert not app.exception
    assert not app.error
    assert f"The algorithm's result costs {found.cost:g}" in said(app)
    if found.ratio > 1:
        assert f"{found.ratio:.3g} times the best possible, which is {found.optimum:g}." in said(app)
        title = opponent_of(preset.family, preset.opponent).title
        kept = worst_rows(app)[["ratio", "k", "algorithm"]].itertuples(index=False, name=None)
        assert (found.ratio, preset.k, title) in list(kept)
    else:
        assert "no lower cost is possible" in said(app)
    assert sheet(app, preset.family).how == preset.how


def test_how_an_instance_comes_about_is_told_at_its_own_k_alone():
    app = opened("labels")
    words = sheet(app, "labels").how.split(".")[0]
    told = []
    for k in (11, 12, 11):  # it counts with k = 11
        app.number_input(key="beat_k_labels").set_value(k)
        run(app)
        told.append(any(caption.value.startswith(words[:20]) for caption in app.caption))
    assert told == [True, False, True]


def test_typed_counts_are_played_and_kept_on_the_board_of_the_worst():
    app = opened("labels")
    app.selectbox(key="beat_opponent_labels").set_value("two-approximation")
    app.number_input(key="beat_k_labels").set_value(10)
    run(app)
    line = next(one for one in app.text_input if one.label.startswith("Counts"))
    line.set_value("1 5 9 5")
    run(app)
    assert "The algorithm's result costs 20, 2 times the best possible, which is 10." in said(app)
    assert not sheet(app, "labels").how  # it is no longer the instance that was loaded
    line = next(one for one in app.text_input if one.label.startswith("Counts"))
    line.set_value("1 five")
    run(app)
    assert "“five” is not a count" in app.error[0].value
    assert sheet(app, "labels").draft.frame["count"].tolist() == [1, 5, 9, 5]
    assert worst_rows(app)["ratio"].tolist()[0] >= 2.0


def test_borders_are_typed():
    app = opened("regions")
    line = next(one for one in app.text_input if one.label.startswith("Borders"))
    assert line.value == "1-2, 1-3, 1-4, 1-5"
    line.set_value("1-2, 1-3, 1-4, 1-5, 2-3, 4-5")
    run(app)
    assert "The algorithm's result costs 18, and no lower cost is possible." in said(app)  # pairs of 9, and the 10
    line = next(one for one in app.text_input if one.label.startswith("Borders"))
    line.set_value("1-9")
    run(app)
    assert "There is no border 1-9" in app.error[0].value


def test_an_empty_sheet_says_so_and_what_cannot_be_grouped_is_told():
    app = opened("rectangles")
    app.number_input(key="beat_k_rectangles").set_value(1_000)
    run(app)
    assert len(app.error) == 1
    app.button(key="beat_clear").click()
    run(app)
    assert app.error[0].value == f"{NOTHING_IS_DRAWN} yet."
    assert not app.exception


def test_one_of_the_worst_is_loaded_again():
    app = opened("labels")
    load(app, "labels", 2)
    rows = worst_rows(app)
    assert len(rows) == 2
    app.selectbox(key="beat_family").set_value("rectangles")
    run(app)
    kept = app.session_state["beat_worst"]
    assert [one.family for one in kept] == ["rectangles", "labels", "labels"]
    assert [one.ratio for one in kept] == sorted((one.ratio for one in kept), reverse=True)
    app.toggle(key="beat_alone").set_value(True)
    run(app)
    assert len(worst_rows(app)) == 1
