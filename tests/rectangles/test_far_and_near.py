"""Coordinates at the ends of what a float holds: every algorithm, check and file, or one sentence."""

import pytest

import kanon_engine as kanon
from kanon_engine.release.publication import outputs

PLACES = {
    "subnormal": [(0, 0), (1e-320, 1e-320), (2e-320, 0), (3e-320, 1e-320), (1e-320, 2e-320)],
    "width above every float": [(-1.7e308, 0), (1.7e308, 1.7e308), (1.6e308, 1), (0, -1.7e308)],
    "near and far": [(1e-320, 1e308), (0, -1e308), (1, 0), (2e-320, 1)],
    "one place": [(1, 1)] * 5,
    "one x": [(1, y) for y in range(5)],
}


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("algorithm", [algorithm.name for algorithm in kanon.algorithms("rectangles")])
@pytest.mark.parametrize("name", PLACES)
def test_every_result_is_checked_and_every_file_is_made(name, algorithm, monkeypatch):
    monkeypatch.setattr("kanon_engine.plot.export.browser_found", lambda: False)
    points = kanon.Points(PLACES[name], crs="EPSG:3857")
    g = kanon.generalize(points, 2, algorithm)
    kanon.verify(points, kanon.Generalization.from_json(g.to_json()))
    assert all(output.make() for output in outputs(points, g))


@pytest.mark.parametrize("bad", [float("inf"), float("-inf"), float("nan")])
def test_no_number_is_told(bad):
    with pytest.raises(kanon.InvalidInput, match=r"\.$"):
        kanon.Points([(0, 0), (bad, 1)])
