"""The page of clusters from sample to download, and a person's own file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from pages._clusters.result import cluster_headline, leaving_out
from pages._shared.results import Choice
from pages._shared.wording import CONTROLS
from tests.app.visit import CATALOG, downloads, enter, generalized, headline, open_tab, problems, read, run, visit
from tests.compiled import thorough_only
from tests.sentences import CERTIFICATE_JSON, GROUPS_CSV, GROUPS_GEOJSON, GROUPS_GEOPACKAGE, VALUES_CSV

SAMPLES = {entry["key"]: entry for entry in CATALOG if entry["family"] == "clusters"}
TABS = ("What if", "How it works", "Compare", "Groups", "Circle or rectangle", "Publish")


def said(entry, k=None, **options):
    space = read(entry)
    g = generalized(space, entry["k"] if k is None else k, **options)
    return cluster_headline(space, g, kanon.verify(space, g).proof)


@pytest.mark.parametrize("key", ["figure-1", *thorough_only(["car-sharing"])])
def test_a_sample_on_every_tab(key):
    app = visit("clusters", sample=key)
    assert headline(app) == said(SAMPLES[key])
    for tab in TABS:
        assert problems(open_tab(app, "clusters", tab)) == [], tab
    labels = downloads(app)
    assert {GROUPS_CSV, "Exact centers (CSV)", CERTIFICATE_JSON} <= set(labels)
    assert (VALUES_CSV in labels) == (key == "figure-1")


@pytest.mark.thorough
def test_places_on_the_globe_leave_as_circles():
    app = visit("clusters", sample="cycle-hire-circles", tab="publish")
    assert "km from its center" in headline(app)
    assert {GROUPS_GEOPACKAGE, GROUPS_GEOJSON} <= set(downloads(app))


def test_the_groups_show_centers_that_may_leave():
    app = open_tab(visit("clusters", sample="figure-1"), "clusters", "Groups")
    table = app.dataframe[0].value
    assert table["Center: age"].tolist() == [31.0, 50.01]
    assert table["disease"].tolist() == ["Flu 2", "Cold, Flu, Hypertension"]


def test_circles_and_rectangles_of_the_same_points():
    app = open_tab(visit("clusters", sample="car-sharing"), "clusters", "Circle or rectangle")
    table = app.dataframe[0].value
    assert table[""].tolist() == ["Clusters", "Rectangles (kd-tree)"]
    space = read(SAMPLES["car-sharing"])
    g = generalized(space, SAMPLES["car-sharing"]["k"])
    assert table["Largest radius of a group's circle"][0] == pytest.approx(g.cost)


def test_leaving_records_out_is_drawn_against_their_share():
    app = visit("clusters", sample="figure-1", tab="what-if")
    app.session_state["clusters_against"] = "share"
    run(app)
    assert problems(app) == []
    table = app.dataframe[0].value
    assert table["Cost"].is_monotonic_decreasing
    assert (table["Lower bound"] <= table["Cost"]).all()


def own_file(content: str, **query):
    app = visit("clusters", sample="own-file", **query)
    app.file_uploader[0].upload("people.csv", content.encode(), "text/csv")
    return run(app)


def rows(lacking: bool = False) -> str:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 40), "income": rng.integers(10, 99, 40) * 1000})
    frame["job"] = rng.choice(["cook", "nurse", "clerk"], 40)
    if lacking:
        frame = frame.astype(object)
        frame.loc[3, "age"] = ""
    return frame.to_csv(index=False)


def test_an_own_file_is_read_with_the_columns_and_the_distance_that_are_chosen():
    app = own_file(rows(), k=4)
    guessed = headline(app)
    columns = next(box for box in app.multiselect if box.label == "Columns used for distances")
    columns.set_value(["age", "income"])
    run(app)
    space = kanon.read_records(rows().encode(), ["age", "income"])
    g = kanon.generalize(space, 4)
    assert headline(app) == cluster_headline(space, g, kanon.verify(space, g).proof) != guessed
    kept = next(box for box in app.multiselect if box.label == "Columns to show for each cluster")
    kept.set_value(["job"])
    run(app)
    assert VALUES_CSV in downloads(open_tab(app, "clusters", "Publish"))


def test_rows_without_a_value_are_left_out_by_a_click():
    app = own_file(rows(lacking=True), k=4)
    columns = next(box for box in app.multiselect if box.label == "Columns used for distances")
    columns.set_value(["age", "income"])
    run(app)
    (words,) = problems(app)
    assert "1 of 40 rows (row 4\\: age is missing)" in words
    assert CONTROLS["drop_missing"] in words
    next(box for box in app.checkbox if box.label == CONTROLS["drop_missing"]).check()
    run(app)
    assert problems(app) == []
    assert "39" in " ".join(element.value for element in app.caption)


def test_k_above_all_records_is_one_sentence():
    app = enter(visit("clusters", sample="figure-1"), "clusters", "k", 6)
    assert len(problems(app)) == 1


def test_the_steps_of_cellular_clustering_are_shown_with_their_costs():
    app = visit("clusters", sample="figure-1", algorithm="r-cellular", tab="how-it-works")
    assert problems(app) == []
    said = set()
    while not app.button(key="clusters_Next").disabled:
        app.button(key="clusters_Next").click()
        run(app)
        said |= {element.value for element in app.markdown}
    told = " ".join(said)
    assert "becomes a cluster" in told
    assert "sum of radii and setup costs" in told


def words_of(algorithm, k, **options):
    space = kanon.MetricSpace([[0, 0], [1, 0], [0, 1], [9, 9], [8, 9], [40, 0]])
    g = kanon.generalize(space, k, algorithm, **options)
    return cluster_headline(space, g, "checked")


def test_the_best_is_told_among_those_that_the_options_allow():
    assert "No clustering around points of the file " in words_of("gather", 2, centers="input")
    assert "No clustering of at most 2 clusters" in words_of("center", 2, max_clusters=2)
    assert "No clustering that leaves out at most 1 records " in words_of("gather-outliers", 2, epsilon=0.2)
    assert "No clustering of all records" in words_of("gather-outliers", 2, epsilon=0.1)


def test_a_set_up_cost_is_no_radius():
    plain, with_setup = (words_of("r-cellular", 3, facility_cost=cost) for cost in (0.0, 1000.0))
    assert "setup" not in plain
    assert "setup costs included" in with_setup
    space = kanon.MetricSpace([[0, 0], [1, 0], [0, 1], [9, 9], [8, 9], [40, 0]])
    radius = float(kanon.generalize(space, 3, "r-cellular", facility_cost=1000.0).details.radii.max())
    told = float(with_setup.split("radius of ")[1].split(" on average")[0])
    assert told <= radius * 1.001


def test_a_cellular_bound_is_no_length():
    space = kanon.MetricSpace([[0, 0], [1, 0], [0, 1], [9, 9], [8, 9], [40, 0]], "haversine")
    g = kanon.generalize(space, 2, "r-cellular")
    assert "km: " not in cluster_headline(space, g, "checked")


@pytest.mark.parametrize(
    ("chosen", "options", "taken"),
    [
        ("r-cellular-outliers", {}, "r-cellular-outliers"),
        ("center-outliers", {}, "center-outliers"),
        ("cellular", {}, "r-cellular-outliers"),
        ("exact", {"cost": "cellular"}, "r-cellular-outliers"),
        ("gather", {}, "gather-outliers"),
    ],
)
def test_leaving_out_is_tried_with_the_algorithm_of_the_page_or_one_of_its_cost(chosen, options, taken):
    algorithm = next(one for one in kanon.algorithms("clusters") if one.name == chosen)
    assert leaving_out(Choice(algorithm, tuple(options.items()))).name == taken
