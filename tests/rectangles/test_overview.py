import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles import plot as figures
from kanon_engine.rectangles.plot import Overview, overview, rectangles_figure

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def points():
    return kanon.Points(np.random.default_rng(2).normal(0, 1, (900, 2)), crs="EPSG:4326")


@pytest.mark.parametrize("algorithm", ["kd-tree", "balanced-kd-tree"])
@pytest.mark.parametrize("most", [1, 2, 7, 50, 100])
def test_parts_are_made_of_whole_rectangles(points, algorithm, most):
    g = kanon.generalize(points, 4, algorithm)
    found = overview(g, most)
    assert isinstance(found, Overview)
    assert len(found.classes) <= most
    assert len(found.classes) >= most / 4
    assert found.classes.sum() == g.classes
    assert found.weights.sum() == points.total
    inner = g.details.rectangles
    for box, weight, classes in zip(found.rectangles, found.weights, found.classes, strict=True):
        inside = (inner[:, :2] >= box[:2]).all(axis=1) & (inner[:, 2:] <= box[2:]).all(axis=1)
        assert inside.sum() == classes
        assert g.class_weights[inside].sum() == weight


def test_few_rectangles_need_none(points):
    g = kanon.generalize(points, 100)
    assert overview(g, g.classes) is None


def test_a_picture_of_more_rectangles_than_it_holds(points, monkeypatch):
    g = kanon.generalize(points, 4, "kd-tree")
    monkeypatch.setattr(figures, "overview", lambda result: overview(result, 50))
    figure = rectangles_figure(points, g, selected=3)
    areas = next(trace for trace in figure.data if trace.type == "choroplethmap")
    assert len(areas.locations) <= 50
    assert set(areas.customdata) == {-1}
    assert figure.layout.title.text.startswith(f"{g.classes:,} rectangles, drawn as {len(areas.locations)} parts")
    assert (np.asarray(areas.z) >= 1).all()
    assert "groups with" in areas.text[0]
    assert len(figure.data[-1].lon) == 6
