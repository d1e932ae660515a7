"""Circles of true radius, views that say that they are none, and crosses for those who are left out."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.gather_flow import attempt
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import nearest
from kanon_engine.clusters.plot import (
    MOST_CIRCLES,
    clusters_figure,
    globe_circles,
    neighbors,
    outlines_of,
    plane_circles,
    view_of,
)
from kanon_engine.plot import Companion
from kanon_engine.plot.colors import VERMILION
from kanon_engine.plot.maps import MERCATOR_LIMIT, show_same_part
from kanon_engine.teaching.clusters import attempt_words
from kanon_engine.teaching.clusters.picture import attempt_figure, widths_to_try
from kanon_engine.verification.metric import EARTH
from tests.sentences import WITHOUT_TRUE_DISTANCES

RNG = np.random.default_rng(4)
PLANE = MetricSpace(RNG.normal(size=(60, 2)), names=["height", "weight"])
GLOBE = MetricSpace(np.column_stack([RNG.uniform(-5, 5, 60), RNG.uniform(40, 50, 60)]), "haversine")
MIXED = MetricSpace(pd.DataFrame({"age": RNG.integers(20, 60, 60), "sex": list("fm") * 30}), "gower")


@cache
def gathered(space):
    return kanon.generalize(space, 5)


def without(g, places):
    """The same result with points left out."""
    assignment = np.array(g.assignment)
    assignment[places] = -1
    return replace(g, assignment=assignment)


def test_circles_in_the_plane_have_the_radii_of_the_result_and_the_columns_names():
    g = gathered(PLANE)
    figure = clusters_figure(PLANE, g, 2)
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == ("height", "weight")
    assert figure.layout.yaxis.scaleanchor == "x"
    strong = np.column_stack([figure.data[-1].x, figure.data[-1].y]).astype(float)
    strong = strong[~np.isnan(strong).any(axis=1)]
    radii = np.hypot(*(strong - view_of(PLANE, g.details).centers[2]).T)
    assert radii == pytest.approx(np.full(len(strong), g.details.radii[2]))


def test_every_corner_on_the_globe_is_the_radius_away():
    centers = np.array([(0.0, 0.0), (100.0, 60.0), (-179.0, -30.0)])
    radii = np.array([10.0, 900.0, 3000.0])
    for (lon, lat), radius, outline in zip(centers, radii, globe_circles(centers, radii), strict=True):
        (ring,) = outline[0]
        places = np.vstack([[(lon, lat)], ring])
        corners = MetricSpace(np.column_stack([places[:, 0] % 360, places[:, 1]]), "haversine").distances(0)[1:]
        assert corners == pytest.approx(np.full(len(ring), radius), rel=1e-5)


def test_a_circle_around_a_pole_runs_along_the_edge_of_the_map():
    (ring,) = globe_circles(np.array([(20.0, 80.0)]), np.array([EARTH * np.radians(20)]))[0][0]
    assert ring[:, 0].max() - ring[:, 0].min() >= 360
    assert ring[:, 1].max() == MERCATOR_LIMIT
    assert ring[:, 1].min() == pytest.approx(60, abs=0.1)
    south, *_ = globe_circles(np.array([(20.0, -80.0)]), np.array([EARTH * np.radians(20)]))[0][0]
    assert south[:, 1].min() == -MERCATOR_LIMIT
    whole, hole = globe_circles(np.array([(20.0, 0.0)]), np.array([EARTH * np.radians(170)]))[0][0]
    assert whole[:, 0].tolist() == [-160, 200, 200, -160, -160]
    assert np.abs(hole - (-160, 0)).max() == pytest.approx(10)


def test_points_across_the_180th_meridian_stand_beside_each_other():
    space = MetricSpace([(179.5, 0), (-179.5, 0), (179, 1), (-179, 1)], "haversine")
    view = view_of(space, kanon.generalize(space, 2).details)
    assert np.ptp(view.points[:, 0]) == 2
    assert np.abs(view.centers[:, 0] - view.points[:, 0].mean()).max() <= 1


def test_a_map_names_no_server_and_tells_each_circle():
    g = gathered(GLOBE)
    figure = clusters_figure(GLOBE, g, color_by="fullness")
    assert "http" not in figure.to_json()
    shapes = next(trace for trace in figure.data if trace.type == "choroplethmap")
    radii = g.details.radii[np.array(shapes.customdata)]
    assert (np.diff(radii) <= 0).all()
    assert all("km" in words for words in shapes.text)


@pytest.mark.parametrize("space", [PLANE, GLOBE, MIXED])
def test_who_is_left_out_is_crossed_out_and_counted(space):
    g = without(gathered(space), [3, 4, 5])
    figure = clusters_figure(space, g)
    assert figure.layout.showlegend
    (told,) = [trace.name for trace in figure.data if trace.showlegend]
    assert "left out: 3 records" in told
    assert any("left out: 3" in (trace.text or ()) for trace in figure.data)
    assert not clusters_figure(space, gathered(space)).layout.showlegend
    for trace in clusters_figure(space, g, exact=False).data:
        assert not trace.showlegend


def test_a_view_says_that_its_distances_are_not_true_and_draws_no_circle():
    g = gathered(MIXED)
    figure = clusters_figure(MIXED, g)
    assert "distances are not to scale" in figure.layout.title.text
    assert "no unit" in figure.layout.xaxis.title.text
    assert np.array_equal(view_of(MIXED, g.details).points, view_of(MIXED, g.details).points)
    hidden = clusters_figure(MIXED, g, exact=False)
    assert sum(len(trace.x) for trace in hidden.data if trace.mode == "markers" and trace.marker.opacity) == 0


def test_a_view_of_a_plane_in_three_dimensions_is_that_plane():
    flat = RNG.normal(size=(50, 2))
    space = MetricSpace(np.column_stack([flat @ [[0.6, 0.8], [-0.8, 0.6]], np.zeros(50)]))
    g = gathered(space)
    view = view_of(space, g.details)
    assert view.share == pytest.approx(1)
    apart = np.hypot(*(view.points[:, None] - view.points[None]).transpose(2, 0, 1))
    assert apart == pytest.approx(space.between(np.arange(50)))
    assert view.centers == pytest.approx(view_of(space, replace(g.details, places=np.full(g.classes, -1))).centers)


def test_neighbors_and_companions_have_colors_of_their_own():
    g = gathered(PLANE)
    pairs = neighbors(PLANE, g)
    assert len(pairs) >= g.classes - 1
    changed = np.zeros(60, dtype=bool)
    changed[7] = True
    figure = clusters_figure(PLANE, g, companion=Companion(np.arange(g.classes), 2.0, changed))
    assert "another group" in figure.layout.title.text
    orange = [trace for trace in figure.data if str(trace.marker.color) == VERMILION]
    assert [len(trace.x) for trace in orange] == [1]


@pytest.mark.parametrize("space", [PLANE, GLOBE], ids=["plane", "map"])
def test_two_pictures_show_one_part_that_holds_the_circles_of_both(space):
    figures, outlines = [], []
    for k in (2, 30):
        g = kanon.generalize(space, k)
        companion = Companion(np.arange(g.classes), 2.0, np.zeros(len(space), dtype=bool))
        figures.append(clusters_figure(space, g, companion=companion))
        outlines += [ring for outline in outlines_of(view_of(space, g.details), g) for (ring,) in outline]
    show_same_part(figures)
    parts = []
    for layout in (figure.layout for figure in figures):
        parts.append(
            layout.meta["bounds"] if space is GLOBE else np.transpose([layout.xaxis.range, layout.yaxis.range]).ravel()
        )
    corners = np.vstack(outlines)
    assert list(parts[0]) == list(parts[1])
    assert (corners >= parts[0][:2]).all()
    assert (corners <= parts[0][2:]).all()


def test_of_very_many_circles_the_widest_are_drawn():
    space = MetricSpace(np.arange(MOST_CIRCLES + 50.0)[:, None])
    figure = clusters_figure(space, kanon.generalize(space, 1))
    assert f"The widest {MOST_CIRCLES:,} of {MOST_CIRCLES + 50:,}" in figure.layout.title.text
    assert len(plane_circles(np.zeros((1, 2)), np.ones(1))[0][0][0]) == 65


def test_one_column_and_equal_points_have_a_picture():
    line = MetricSpace([[0], [1], [5], [6]])
    assert clusters_figure(line, kanon.generalize(line, 2)).layout.yaxis.title.text in (None, "")
    same = MetricSpace([("a",)] * 4, "hamming")
    assert clusters_figure(same, kanon.generalize(same, 2)).layout.title.text


@pytest.mark.parametrize("space", [PLANE, GLOBE, MIXED])
def test_a_width_that_fails_says_and_shows_why(space):
    found = nearest(space, 5)
    outcomes = set()
    for width in widths_to_try(found, 4):
        made = attempt(found, width)
        outcomes.add(made.succeeded)
        words, figure = attempt_words(found, made), attempt_figure(found, made)
        assert ("succeeds" in words) == made.succeeded
        assert f"{len(made.centers)} center" in figure.layout.title.text
        drawn = figure.data[0]
        if space is GLOBE:
            assert sum(drawn.z) == len(made.witness)
        if space is PLANE:
            assert ("too few records" in figure.layout.title.text) == (not made.succeeded)
        if space is MIXED:
            assert f"{WITHOUT_TRUE_DISTANCES} or circles" in figure.layout.title.text
        red = figure.data[-1]
        assert bool(len(red.lon if space is GLOBE else red.x)) == (not made.succeeded and space is not MIXED)
    assert outcomes == {True, False}


def test_a_width_at_which_the_flow_fails_counts_records_and_centers():
    space = MetricSpace([[0], [2], [4], [1], [3]])
    found = nearest(space, 2)
    made = attempt(found, 1.0)
    assert attempt_words(found, made) == (
        "Width 1 fails: 3 centers are all farther apart than this width. Together they have 5 records within this "
        "width, but each center needs 2 of its own."
    )
    assert attempt_figure(found, made).layout.title.text.startswith("3 centers")
    assert widths_to_try(nearest(MetricSpace([[1.0]] * 3), 2)) == [0.0]
