"""Every page from sample to download, without a browser."""

from __future__ import annotations

import logging
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import kanon_engine as kanon
from kanon_engine.model.comparison import compare
from kanon_engine.model.known import get_family
from kanon_engine.processes.nursery import SUPPORTED
from kanon_engine.regions.utility import perimeter
from kanon_engine.workers import search
from pages._home import gallery
from pages._shared.results import default_choice, quick_choice
from pages._shared.sweeps import WORDS
from pages._shared.tasks import DEFECT
from tests.app.visit import (
    CATALOG,
    FAMILIES,
    assert_says,
    downloads,
    enter,
    first_sample,
    generalized,
    go,
    headline,
    k_of,
    open_app,
    open_tab,
    pick_k,
    problems,
    put,
    read,
    result,
    run,
    run_once,
    visit,
)
from tests.sentences import (
    ALSO_SATISFIES_K,
    CERTIFICATE_JSON,
    CROSSWALK_CSV,
    EVERY_K_FROM,
    FOUND_BY,
    FOUND_FOR_K,
    GROUPS_CSV,
    GROUPS_LARGEST_GROUP,
    IN_ANOTHER_GROUP,
    LARGEST_GROUP,
    LOWER_K_BUTTON,
    NO_GROUPING_IS_POSSIBLE,
    SHOW_K,
)


def test_home_shows_a_true_result_and_the_way_on():
    app = visit()
    shown = " ".join(element.value for element in app.caption)
    for family in (*FAMILIES, "tables", "clusters"):
        entry, quick = first_sample(family), quick_choice(default_choice(family))
        instance = read(entry)
        g = generalized(instance, entry["k"], quick.algorithm.name, **dict(quick.options))
        sizes = f"{g.classes:,} groups of {g.class_weights.min():,} to {g.class_weights.max():,} {instance.unit}."
        assert f"k = {entry['k']:,}: {sizes} {FOUND_BY} {quick.algorithm.title}." in shown
    assert {link.proto.page for link in app.page_link} == {*FAMILIES, "tables", "clusters"}


def test_home_leads_to_an_own_file_also_where_a_sample_was_shown():
    app = visit("labels", algorithm="fold")
    go(app, "home")
    next(button for button in app.button if button.key == "home_own_labels").click()
    app.run()  # it goes to the page
    assert app.session_state["labels_sample"] == "own-file"


def test_home_says_what_it_answers_before_the_first_search_ends(monkeypatch):
    """A visit that is first on a server has words and ways on, while the pictures come one after another."""
    seen = []

    def fails(slot, *rest):
        seen.append(slot)
        raise kanon.SearchEnded("It took more than 4,000 MB of memory.")

    monkeypatch.setattr(gallery, "answer", fails)
    gallery._of_all_visits.clear()
    app = visit()
    assert len(app.page_link) == len(problems(app)) == len(seen) == 5


RARELY = {"boston", "us-zip", "new-york", "georgia", "california-zip"}  # the largest
SAMPLES = [
    pytest.param(entry, id=entry["key"], marks=[pytest.mark.thorough] if entry["key"] in RARELY else [])
    for entry in CATALOG
    if entry["family"] in FAMILIES
]


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("entry", SAMPLES)
def test_every_sample_is_shown_with_a_true_sentence(entry):
    family = entry["family"]
    app = run_once(open_app(family))  # the first sample need not be searched to the end
    app.selectbox(key=f"{family}_sample").set_value(entry["key"])
    run(app)
    assert k_of(app, family) == entry["k"]
    assert_says(app, read(entry), entry["k"])
    assert app.query_params["sample"] == entry["key"]
    origin = [caption.value for caption in app.caption if entry["source"] in caption.value]
    assert len(origin) == 1
    assert entry["license"] in origin[0]


@pytest.mark.skipif(not SUPPORTED, reason="no worker can be forked")
@pytest.mark.parametrize("family", FAMILIES)
def test_a_page_searches_in_a_worker(family, monkeypatch):
    monkeypatch.setattr(search, "APART", True)
    entry, quick = first_sample(family), get_family(family).quick
    assert_says(visit(family, algorithm=quick), read(entry), entry["k"], quick)


CHANGES = [
    ("regions", "tree-split", {"tree": "random", "seed": 3}),
    ("rectangles", "kd-tree", {"cut": "longest-side"}),
    ("labels", "fold", {}),
    ("labels", "spread", {"order": "random", "seed": 3}),
]


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize(("family", "algorithm", "options"), CHANGES)
def test_algorithm_and_options_reach_the_engine(family, algorithm, options):
    entry = first_sample(family)
    app = visit(family)
    app.selectbox(key=f"{family}_algorithm").set_value(algorithm)
    run(app)
    for name, value in options.items():
        if name == "seed":
            put(app, family, name, value)
        else:
            app.selectbox(key=f"{family}_{name}").set_value(value)
        run(app)
    assert_says(app, read(entry), entry["k"], algorithm, **options)
    assert {name: app.query_params[name] for name in options} == {name: str(options[name]) for name in options}


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_tab_opens(family):
    app = visit(family)
    entry = first_sample(family)
    instance = read(entry)
    g = result(app, instance, entry["k"])
    assert not app.dataframe
    open_tab(app, family, "Groups")
    groups = app.dataframe[0].value
    assert groups["Group"].tolist() == list(range(1, g.classes + 1))
    assert groups[instance.unit.capitalize()].tolist() == g.class_weights.tolist()
    assert groups[get_family(family).items.capitalize()].sum() == len(instance)
    open_tab(app, family, "How it works")
    app.session_state[f"{family}_step_typed"] = "999999"
    (problem,) = problems(run(app))
    last = int(re.search(r"a whole number of at most ([\d,]+)", problem)[1].replace(",", ""))
    said = set()
    for number in (0, 1, last):
        enter(app, family, "step", number)
        said.add(tuple(element.value for element in app.tabs[2].markdown))
    assert len(said) > 1
    open_tab(app, family, "Publish")
    labels = downloads(app)
    assert labels.count(CROSSWALK_CSV) == labels.count(CERTIFICATE_JSON) == labels.count(GROUPS_CSV) == 1
    assert headline(app)


def members_page():
    import streamlit as st

    from pages._regions.groups import show_members
    from pages._shared.stage import select_class

    regions, g, number = st.session_state["shown"]
    select_class(g, number)
    show_members(regions, g)


def test_the_group_that_stands_out_lists_its_areas():
    regions = read(first_sample("regions"))
    g = generalized(regions, 20_000, "tree-split")
    app = AppTest.from_function(members_page)
    app.session_state["shown"] = regions, g, None
    assert len(app.run().dataframe) == 0
    app.session_state["shown"] = regions, g, 3
    (table,) = [element.value for element in app.run().dataframe]
    areas = np.flatnonzero(g.assignment == 3)
    assert set(table["Areas of group 4"]) == set(regions.ids[areas])
    assert set(table["Name"]) == set(regions.names[areas])
    assert table["People"].tolist() == sorted(regions.weights[areas], reverse=True)


def test_the_group_that_stands_out_takes_the_place_of_the_sizes():
    app = visit("labels", algorithm="fold")
    labels = read(first_sample("labels"))
    assert len(app.dataframe) == 0
    (g,) = (task.result() for task in app.session_state["_tasks"]._tasks.values())
    app.session_state["labels_selected"] = g.digest, 2
    (table,) = (one.value for one in run(app).dataframe)
    inside = g.assignment == 2
    assert set(table["Labels"]) == set(labels.names[inside])
    assert table.iloc[:, 1].tolist() == sorted(labels.counts[inside], reverse=True)
    next(button for button in app.button if button.label == "Clear").click()
    assert len(run(app).dataframe) == 0


def clicked_page():
    import streamlit as st

    from pages._shared.picture import PictureEvent
    from pages._shared.stage import follow_click, selected_class

    g = st.session_state["shown"]
    follow_click(g, PictureEvent(1, st.session_state.pop("clicked", None), None))
    st.session_state["selected"] = selected_class(g)


def test_a_click_on_a_group_of_an_earlier_result_selects_none_that_is_not_there():
    g = generalized(read(first_sample("regions")), 20_000, "tree-split")
    for number, selected in ((g.classes, None), (-1, None), (g.classes - 1, g.classes - 1)):
        app = AppTest.from_function(clicked_page)
        app.session_state["shown"], app.session_state["clicked"] = g, number
        assert not app.run().exception
        assert app.session_state["selected"] == selected


def test_groups_of_areas_say_how_long_their_borders_are():
    app = visit("regions", algorithm="tree-split", tab="groups")
    regions = read(first_sample("regions"))
    borders = perimeter(regions, kanon.generalize(regions, 20_000, "tree-split").assignment)
    words = f"Borders between groups: {borders.kilometers:,.0f} km, "
    assert sum(element.value.startswith(words) for element in app.markdown) == 1


def test_groups_that_minimize_a_sum_say_how_far_it_can_be_from_the_least():
    app = visit("regions", algorithm="tree-split", tab="groups")
    assert not any("sum of w (w − k)" in element.value for element in app.markdown)
    app = visit("regions", sample="washington-zip", algorithm="recombine", objective="sum", effort=0.01, tab="groups")
    said = [element.value for element in app.markdown if "sum of w (w − k)" in element.value]
    total, least = (
        int(number.replace(",", "")) for number in re.findall(r"(?:is |least )([\d,]+)", said[0].split("sum of", 1)[1])
    )
    assert 0 < least <= total


@pytest.mark.thorough("regions")
@pytest.mark.parametrize("family", FAMILIES)
def test_what_if_agrees_with_the_engine(family):
    quick = get_family(family).quick
    app = visit(family, algorithm=quick)
    entry = first_sample(family)
    open_tab(app, family, "What if")
    table = app.tabs[1].dataframe[0].value
    assert entry["k"] in set(table["k"])
    row = table[table["k"] == entry["k"]].iloc[0]
    g = result(app, read(entry), entry["k"], quick)
    if row[WORDS["made_for"]] == entry["k"]:
        assert (row[LARGEST_GROUP], row["Groups"]) == (g.cost, g.classes)
    assert row[LARGEST_GROUP] <= g.cost
    assert (table[WORDS["made_for"]] >= table["k"]).all()
    assert table[LARGEST_GROUP].is_monotonic_increasing or family == "tables"
    assert app.session_state[f"{family}_quantity"] == ("cost" if family == "tables" else "overfull_ratio")
    assert len(table) > 12
    pick_k(app, family, int(table["k"].iloc[5]))
    assert k_of(app, family) == table["k"].iloc[5]


def test_what_if_leads_to_the_larger_k_that_a_point_was_made_for():
    """Tree split at k = 15,000 has a larger largest group than at one of the larger k."""
    entry, k = next(entry for entry in CATALOG if entry["key"] == "north-carolina-births"), 15_000
    births = read(entry)
    app = visit("regions", sample=entry["key"], algorithm="tree-split", k=k, tab="what-if")
    table = app.tabs[1].dataframe[0].value
    row = table[table["k"] == k].iloc[0]
    made_for, own = int(row[WORDS["made_for"]]), generalized(births, k, "tree-split")
    assert made_for > k
    assert row[LARGEST_GROUP] == generalized(births, made_for, "tree-split").cost < own.cost
    (said,) = [caption.value for caption in app.caption if caption.value.startswith(FOUND_BY)]
    assert f"The result that Tree split {FOUND_FOR_K} {made_for:,} {ALSO_SATISFIES_K} {k:,}" in said
    assert_says(app, births, k, "tree-split")
    next(one for one in app.button if one.label == f"{SHOW_K} {made_for:,}").click()
    run(app)
    assert_says(app, births, made_for, "tree-split")
    assert not any("satisfies k" in caption.value for caption in app.caption)


def test_what_if_has_intervals_alone_where_these_were_chosen():
    """Of quick packings some have a smaller largest group at once, and are no intervals."""
    entry = first_sample("labels")
    app = visit("labels", algorithm="ordered", tab="what-if")
    table = app.tabs[1].dataframe[0].value
    assert set(table[WORDS["made_by"]]) == {"Intervals of ordered labels"}
    row = table[table["k"] == entry["k"]].iloc[0]
    assert row[LARGEST_GROUP] <= generalized(read(entry), entry["k"], "ordered").cost


@pytest.mark.thorough
def test_every_k_for_labels():
    app = visit("labels", sample="first-names-men")
    open_tab(app, "labels", "What if")
    app.session_state["labels_which_k"] = "every"
    run(app)
    assert any(EVERY_K_FROM in caption.value for caption in app.caption)
    from_best, table = (shown.value for shown in app.tabs[1].dataframe)
    names = {"Random Fold", "Random Spread", "Sorted Fold", "Sorted Spread", "Near-optimal"}
    assert set(table["Algorithm and order"]) == set(from_best["Algorithm and order"]) == names
    assert from_best["Mean of largest group ÷ bound"].idxmin() == 4
    labels = [button.label for button in app.tabs[1].get("download_button")]
    assert labels[:2] == ["Worst k in each range (CSV)", "Every k (CSV)"]
    g = kanon.generalize(read(next(entry for entry in CATALOG if entry["key"] == "first-names-men")), 10_000, "fold")
    here = table[(table["From k"] <= 10_000) & (table["to k"] >= 10_000)]
    sorted_fold = here[here["Algorithm and order"] == "Sorted Fold"].iloc[0]
    assert (
        sorted_fold["Largest ÷ k"] >= g.overfull_ratio
    )  # the file is sorted, and this is the worst k of the sub-range
    assert not any("worst case" in mark.value for mark in app.markdown)
    app.toggle(key="labels_limits").set_value(True)
    run(app)
    told = [mark.value for mark in app.markdown if "far below the worst case" in mark.value]
    assert len(told) == 4
    assert all("**holds**" in words for words in told)


@pytest.mark.thorough
def test_compare_with_another_algorithm_and_another_k():
    app = visit("labels")
    labels = read(first_sample("labels"))
    first = kanon.generalize(labels, 3000)
    assert "compare" not in app.query_params
    open_tab(app, "labels", "Compare")
    assert app.query_params["compare"] == "another-k"  # the first algorithm is the quick one
    app.selectbox(key="labels_compare").set_value("fold")
    run(app)
    second = kanon.generalize(labels, 3000, "fold")
    shown = " ".join(element.value for element in app.markdown)
    assert f"**Fold, k = 3,000**: {second.classes:,} {GROUPS_LARGEST_GROUP} {second.cost:,}" in shown
    changed = compare(first, second, labels.weights).changed
    moved = f"{changed.sum():,} labels with {labels.weights[changed].sum():,} people per 100,000 are {IN_ANOTHER_GROUP}"
    assert f"{moved}; largest group {first.cost:,} → {second.cost:,}; " in shown
    figures, pairs = (frame.value for frame in app.tabs[3].dataframe[-2:])
    rows = figures.set_index("")
    assert rows.loc["Groups", ["First", "Second"]].tolist() == [first.classes, second.classes]
    assert rows.loc["In another group: labels", "Difference"] == changed.sum()
    both = pairs.dropna()
    assert int(both["In both"].sum()) == labels.weights[~changed].sum()
    assert len(pairs) == first.classes + second.classes - len(both)
    app.selectbox(key="labels_compare").set_value("another-k")
    run(app)
    enter(app, "labels", "other_k", 5000)
    third = kanon.generalize(labels, 5000)
    shown = " ".join(element.value for element in app.markdown)
    assert f"**Near-optimal, k = 5,000**: {third.classes:,} {GROUPS_LARGEST_GROUP} {third.cost:,}" in shown


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("family", FAMILIES)
def test_too_large_a_k_gives_a_red_sentence_with_both_numbers(family):
    instance = read(first_sample(family))
    app = pick_k(visit(family), family, instance.total + 1)
    (said,) = problems(app)
    assert NO_GROUPING_IS_POSSIBLE in said
    assert f"{instance.total:,}" in said
    assert f"{instance.total + 1:,}" in said
    way_out = next(button for button in app.button if button.label == f"{LOWER_K_BUTTON} {instance.total:,}")
    way_out.click()
    run(app)
    assert problems(app) == []
    assert k_of(app, family) == instance.total
    assert headline(app).startswith("1 group")


def test_another_page_and_back_loses_nothing():
    app = pick_k(visit("regions", algorithm="tree-split"), "regions", 31_000)
    app.selectbox(key="regions_tree").set_value("random")
    run(app)
    before = headline(app)
    go(app, "labels")
    assert app.query_params["sample"] == first_sample("labels")["key"]
    go(app, "regions")
    assert k_of(app, "regions") == 31_000
    assert headline(app) == before
    assert app.query_params["k"] == "31000"


def test_the_open_tab_outlasts_another_k_another_page_and_a_k_without_a_result():
    app = open_tab(visit("labels", algorithm="fold"), "labels", "Groups")
    pick_k(app, "labels", 5_000)
    go(app, "home")
    go(app, "labels")
    pick_k(app, "labels", read(first_sample("labels")).total + 1)
    pick_k(app, "labels", 4_000)
    assert app.query_params["tab"] == "groups"
    assert app.tabs[4].dataframe
    assert [len(tab.children) for tab in app.tabs if tab.label != "Groups"] == [0] * 5


LINKS = [
    ("regions", {"sample": "georgia", "k": 77_777, "algorithm": "tree-split", "tree": "random", "seed": 4}),
    ("rectangles", {"sample": "carshare", "k": 17, "algorithm": "kd-tree", "cut": "cyclic", "seed": 0}),
    ("labels", {"sample": "last-names", "k": 2_345, "algorithm": "fold", "order": "sorted", "seed": 0}),
]


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize(("family", "link"), LINKS)
def test_a_link_reproduces_the_view(family, link):
    app = visit(family, **link)
    entry = next(entry for entry in CATALOG if entry["key"] == link["sample"])
    options = {name: value for name, value in link.items() if name not in ("sample", "k", "algorithm")}
    assert_says(app, read(entry), link["k"], link["algorithm"], **options)
    assert {name: app.query_params[name] for name in link} == {name: str(value) for name, value in link.items()}
    assert headline(visit(family, **dict(app.query_params))) == headline(app)


def test_a_link_opens_the_tab_that_was_open():
    app = visit("labels", algorithm="fold", tab="how-it-works")
    assert app.session_state["labels_tab"] == "How it works"
    assert visit("labels", algorithm="fold", compare="spread").query_params["tab"] == "compare"


def test_the_guarantee_beside_the_algorithm_is_that_of_this_run():
    """Fold's ceiling for these labels and this k; with an order of its own an algorithm that has none says so."""
    app = visit("labels", algorithm="fold")
    labels = read(first_sample("labels"))
    g = kanon.generalize(labels, k_of(app, "labels"), "fold")
    said = app.sidebar.caption[0].value
    assert f"**Guarantee**: at most {g.guarantee:,}: below 3 times the best possible." in said
    exact = visit("labels", algorithm="exact", k=labels.total // 2).sidebar.caption[0].value
    assert "**Guarantee**: none, only the lower bound that the search proves." in exact


@pytest.mark.parametrize("broken", ["pages._docs.documents.choose_document", "pages._docs.documents._open"])
def test_a_page_that_fails_says_one_sentence_and_the_log_has_the_traceback(broken, monkeypatch, caplog):
    """In the page itself and in what a widget calls."""

    def fails(*_):
        raise ZeroDivisionError("a defect")

    app = visit("docs")
    monkeypatch.setattr(broken, fails)
    monkeypatch.setattr(logging.getLogger("streamlit.error_util"), "propagate", True)
    app.selectbox[0].set_value("proofs/labels/fold.md")
    app.run()
    assert [(one.message, list(one.stack_trace)) for one in app.exception] == [(DEFECT, [])]
    assert "in fails\n" in caplog.text
