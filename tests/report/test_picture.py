"""The picture that leaves is drawn from what leaves, and is the same whenever it is drawn."""

import datetime
import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.regions.print_map import PaperPlane, PrintMap, drawn
from kanon_engine.report.picture import release_picture_svg

RANDOM = np.random.default_rng(5)
PLACES = RANDOM.normal(size=(80, 2)) * [0.1, 0.05] + [-0.1, 51.5]


def squares(side=6):
    """A map of squares as a frame of shapes."""
    import geopandas

    shapes = [shapely.box(x, y, x + 1, y + 1) for x in range(side) for y in range(side)]
    frame = {"population": RANDOM.integers(50, 90, side * side), "code": [f"A{n}" for n in range(side * side)]}
    return kanon.Regions.from_frame(geopandas.GeoDataFrame(frame, geometry=shapes), id="code")


def people():
    frame = pd.DataFrame({"age": RANDOM.integers(17, 90, 200), "town $x$ 東京 <b>": RANDOM.choice(list("abcdef"), 200)})
    return kanon.Table(frame, list(frame.columns))


RESULTS = {
    "regions": (squares, 300, "tree-split", {}),
    "rectangles": (lambda: kanon.Points(PLACES), 8, "kd-tree", {"snap": 0.01}),
    "labels": (lambda: kanon.Labels(range(60), RANDOM.integers(1, 40, 60)), 50, "fold", {}),
    "tables": (people, 10, "mondrian", {}),
    "clusters": (lambda: kanon.MetricSpace(PLACES), 8, "mdav", {}),
    "globe": (lambda: kanon.MetricSpace(PLACES, "haversine"), 8, "gather", {}),
    "words": (lambda: kanon.MetricSpace(RANDOM.choice(list("ab"), (40, 3)), "hamming"), 8, "gather", {}),
}


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("name", RESULTS)
def test_every_family_has_a_picture_that_says_k_and_is_drawn_twice_the_same(name):
    make, k, algorithm, options = RESULTS[name]
    instance = make()
    g = kanon.generalize(instance, k, algorithm, **options)
    svg = release_picture_svg(instance, g)
    assert svg == release_picture_svg(instance, g)
    root = ElementTree.fromstring(svg)
    assert root.tag.endswith("svg")
    assert len(list(root.iter())) > 50
    assert not re.search(rb"<(script|image|metadata|foreignObject)", svg)
    assert not re.search(rb"20[0-9][0-9]-[0-9][0-9]", svg)


@pytest.mark.thorough
def test_what_a_family_does_not_ask_changes_nothing():
    """`kanon report` takes --codes-are-public of any family; of points and tables it ended in a TypeError."""
    for name in ("rectangles", "tables", "labels"):
        make, k, algorithm, options = RESULTS[name]
        instance = make()
        g = kanon.generalize(instance, k, algorithm, **options)
        assert release_picture_svg(instance, g, codes_are_public=True) == release_picture_svg(instance, g)


def test_rectangles_without_a_grid_are_not_drawn_for_their_sides_are_points():
    points = kanon.Points(PLACES)
    assert release_picture_svg(points, kanon.generalize(points, 8, "kd-tree")) is None


def test_areas_without_shapes_have_no_picture():
    path = kanon.Regions(range(4), [5, 5, 5, 5], [(0, 1), (1, 2), (2, 3)])
    assert release_picture_svg(path, kanon.generalize(path, 10, "tree-split")) is None


def test_one_thread_draws_at_a_time_be_it_a_report_or_a_printed_map(monkeypatch):
    """Both change settings that all threads share."""
    entered = []

    class Door:
        def __enter__(self):
            entered.append(True)

        def __exit__(self, *error):
            return None

    monkeypatch.setattr("kanon_engine.plot.drawing._DRAWING", Door())
    labels = kanon.Labels("abcd", [3, 2, 2, 4])
    release_picture_svg(labels, kanon.generalize(labels, 5, "fold"))
    plane = PaperPlane(np.array([shapely.box(0, 0, 1, 1)]), np.empty((0, 2, 2)), False)
    content = PrintMap("1 group", "", (), ["A"], ["5"], np.array([0]), plane, datetime.date(1980, 1, 1))
    assert set(drawn(content)) == {"png", "svg", "pdf"}
    assert len(entered) == 2


def test_the_picture_knows_nothing_but_the_release():
    """Other records with the same release have the same picture."""
    frame = pd.DataFrame({"age": [20, 21, 40, 41], "sex": list("ffmm")})
    order = {"age": [20, 21, 40, 41]}
    table = kanon.Table(frame, ["age", "sex"], orders=order)
    swapped = kanon.Table(frame.iloc[[1, 1, 3, 2]].reset_index(drop=True), ["age", "sex"], orders=order)
    one, other = kanon.generalize(table, 2, "k-optimize"), kanon.generalize(swapped, 2, "k-optimize")
    assert kanon.release(table, one).equals(kanon.release(swapped, other))
    assert release_picture_svg(table, one) == release_picture_svg(swapped, other)
