"""Results under a name: kept, listed, compared with, opened again, taken away and exported."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from kanon_engine.model.comparison import compare
from kanon_engine.project import Move
from kanon_engine.regions.read import with_wishes
from pages._shared.results import Change, Changes
from pages._shared.scenarios import scenarios_file
from tests.app.test_browser_hands import possible
from tests.app.visit import (
    CATALOG,
    enter,
    first_sample,
    generalized,
    headline,
    k_of,
    open_tab,
    pick_k,
    problems,
    put,
    read,
    run,
    said,
    visit,
)
from tests.sentences import IN_ANOTHER_GROUP, LARGEST_GROUP, MOVED_TO_GROUP

COUNTIES = next(entry for entry in CATALOG if entry["key"] == "north-carolina-births")
K = 5_000


def name(app, family, text):
    """A person writes a name and keeps the present result under it."""
    app.text_input(key=f"{family}_scenario_name").set_value(text)
    press(app, "Keep")


def press(app, label):
    next(button for button in app.button if button.label == label).click()
    run(app)


def table(app):
    return next(frame.value for frame in app.dataframe if "Scenario" in frame.value.columns)


def compared(app):
    return [key for key in app.selectbox(key="regions_compare").options if key.startswith("scenario")]


def test_a_scenario_with_rules_is_compared_opened_again_and_taken_away():
    regions = read(COUNTIES)
    pair = tuple(regions.ids[regions.edges[0]].tolist())
    app = visit("regions", sample=COUNTIES["key"], k=K, algorithm="tree-split", tab="compare")
    wishes = f"regions_{regions.digest[:16]}_together"
    app.session_state[wishes] = ",".join(map(str, pair))
    run(app)
    wished = with_wishes(regions, together=[pair])
    first = generalized(wished, K, "tree-split")
    name(app, "regions", " Two counties\n *together* ")
    assert problems(app) == []
    shown = table(app).iloc[0]
    assert shown["Scenario"] == "Two counties *together*"
    assert (shown["k"], shown["Groups"], shown[LARGEST_GROUP]) == (K, first.classes, first.cost)
    assert (shown["Lower bound"], shown["Proof"], shown["Together"]) == (first.lower_bound, "Checked ✓", 1)

    app.session_state[wishes] = ""
    pick_k(app, "regions", 2 * K)
    second = generalized(regions, 2 * K, "tree-split")
    (key,) = compared(app)
    assert key == "scenario “Two counties *together*”"
    app.selectbox(key="regions_compare").set_value("scenario-1")
    run(app)
    more = f"largest group {second.cost:,} → {first.cost:,}; {first.classes - second.classes:,} groups more."
    assert more in said(app)
    assert f"**Two counties \\*together\\* (Tree split, k = {K:,})**: {first.classes:,} groups" in said(app)
    assert app.query_params["compare"] == "scenario-1"

    press(app, "Open")
    assert k_of(app, "regions") == K
    assert app.session_state[wishes] == ",".join(map(str, pair))
    assert f"the largest {first.cost:,} (" in headline(app)
    assert f"No area is {IN_ANOTHER_GROUP}" in said(app)

    press(app, "Remove")
    assert compared(app) == []
    assert [frame for frame in app.dataframe if "Scenario" in frame.value.columns] == []


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("  ", "Enter a name for the scenario first."),
        ("x" * 300, "The name of a scenario must have 1 to 80 characters; “xxxxxxxxxxxxxxxxxxxx” has 300."),
        ("FIRST", "A scenario “FIRST” already exists; choose another name, or remove that scenario."),
        ("\u200b\n", "The name of a scenario must have 1 to 80 characters; “” has 0."),
    ],
)
def test_what_is_no_name_is_told_and_nothing_is_kept(text, wrong):
    app = visit("labels", algorithm="fold", tab="compare")
    name(app, "labels", "first")
    name(app, "labels", text)
    assert problems(app) == [wrong]
    assert table(app)["Scenario"].tolist() == ["first"]
    name(app, "labels", "**second** :red[x] $y$")
    assert problems(app) == []
    assert table(app)["Scenario"].tolist() == ["first", "**second** :red[x] $y$"]


def test_the_exported_table_has_the_figures_alone_and_no_formula():
    app = visit("labels", algorithm="fold", order="sorted", tab="compare")
    labels = read(first_sample("labels"))
    name(app, "labels", "=1+1")
    kept = app.session_state["labels_scenarios"]
    file = scenarios_file([one.named for one in kept])
    assert not file.publishable
    assert "Scenarios (CSV)" in [button.label for button in app.get("download_button")]
    text = file.make()
    (row,) = pd.read_csv(io.StringIO(text)).to_dict("records")
    g = generalized(labels, k_of(app, "labels"), "fold", order="sorted")
    assert row["scenario"] == "'=1+1"
    assert row["options"] == "order sorted"
    assert (row["groups"], row["largest"], row["lower_bound"]) == (g.classes, g.cost, g.lower_bound)
    assert row["gap"] == pytest.approx(g.gap)
    assert (row["status"], row["proof"]) == (g.status, "checked")
    assert not any(str(item) in text for item in labels.ids[:50] if len(str(item)) > 3)


def test_a_scenario_of_other_data_opens_them_and_is_not_compared_with():
    app = visit("rectangles", sample="carshare", k=17, algorithm="kd-tree", tab="compare")
    before = headline(app)
    name(app, "rectangles", "Shared cars")
    app = own_file_in(app, np.arange(60).reshape(30, 2))
    open_tab(app, "rectangles", "Compare")
    assert table(app)["Scenario"].tolist() == ["Shared cars"]
    assert not any("Shared cars" in words for words in app.selectbox(key="rectangles_compare").options)
    press(app, "Open")
    assert app.query_params["sample"] == "carshare"
    assert headline(app) == before


def own_file_in(app, xy):
    """The person chooses a file of points in the same visit."""
    app.selectbox(key="rectangles_sample").set_value("own-file")
    run(app)
    frame = pd.DataFrame(xy / 1000, columns=["longitude", "latitude"])
    app.file_uploader[0].set_value(("points.csv", frame.to_csv(index=False).encode(), "text/csv"))
    run(app)
    enter(app, "rectangles", "k", 5)
    return app


def test_a_result_that_was_stopped_opens_as_it_was_kept():
    """The task that found it is another by now."""
    app = visit("labels", algorithm="fold", tab="compare")
    name(app, "labels", "Before")
    kept = app.session_state["labels_scenarios"][0]
    tasks = app.session_state["_tasks"]
    k = k_of(app, "labels")
    key = next(
        key for key in tasks._tasks if key[1] == k and getattr(key[2], "algorithm", None) == kept.choice.algorithm
    )
    tasks._forget(key)
    put(app, "labels", "k", 5_000)
    run(app)
    press(app, "Open")
    assert f"the largest {kept.named.g.cost:,} (" in headline(app)
    assert tasks.found(key).digest == kept.named.g.digest


def test_what_was_changed_by_hand_is_kept_with_a_scenario():
    regions = read(COUNTIES)
    g = generalized(regions, K, "tree-split")
    area, group, after = next(possible(regions, g))
    app = visit("regions", sample=COUNTIES["key"], k=K, algorithm="tree-split", tab="compare")
    key = next(key for key in app.session_state["_tasks"]._tasks if key[1] == K)
    words = f"{regions.label(area)} {MOVED_TO_GROUP} {group + 1}"
    changes = Changes(g, [Change(after, words, Move((str(regions.ids[area]),), group))], 1)
    app.session_state["_by_hand"] = {key: changes}
    run(app)
    name(app, "regions", "By hand")
    changes.done = 0
    run(app)
    assert f"the largest {g.cost:,} (" in headline(app)
    app.selectbox(key="regions_compare").set_value("scenario-1")
    run(app)
    moved = compare(g, after, regions.weights).changed
    assert moved.sum() == 1
    assert f"1 area with {regions.weights[area]:,} births is {IN_ANOTHER_GROUP}" in said(app)
    press(app, "Open")
    assert any(words in caption.value for caption in app.caption)
    assert f"No area is {IN_ANOTHER_GROUP}" in said(app)
