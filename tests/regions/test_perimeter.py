"""Lengths of borders between classes, against shapes whose borders are known."""

import geopandas
import numpy as np
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.regions.utility import perimeter, polsby_popper
from tests.app.visit import first_sample, read
from tests.regions.graphs import grid


def squares(side, crs, columns=4, rows=3):
    places = [(x * side, y * side) for y in range(rows) for x in range(columns)]
    shapes = [shapely.box(x, y, x + side, y + side) for x, y in places]
    return kanon.Regions(range(12), [1] * 12, grid(rows, columns), geopandas.GeoSeries(shapes, crs=crs))


def halves():
    return np.array([0, 0, 1, 1] * 3)


@pytest.mark.parametrize(("crs", "meter"), [("EPSG:3035", 1.0), ("EPSG:2263", 0.3048006096)])
def test_projected_squares(crs, meter):
    found = perimeter(squares(500, crs), halves())
    assert found.kilometers == pytest.approx(3 * 500 * meter / 1000)
    assert found.share == pytest.approx(3 / 17)


def test_degrees_are_measured_on_the_ellipsoid():
    """A tenth of a degree of a meridian at the equator is 11.06 km; three of them."""
    found = perimeter(squares(0.1, "EPSG:4326"), halves())
    assert found.kilometers == pytest.approx(3 * 11.0574, abs=0.01)
    crossing = perimeter(squares(0.1, "EPSG:4326"), np.array([0] * 4 + [1] * 8))
    assert crossing.kilometers == pytest.approx(4 * 11.1319, abs=0.01)


def test_without_a_coordinate_system_there_is_a_share_alone():
    found = perimeter(squares(2, None), halves())
    assert found.kilometers is None
    assert found.share == pytest.approx(3 / 17)


def test_one_class_has_no_border_between():
    found = perimeter(squares(500, "EPSG:3035"), np.zeros(12, dtype=int))
    assert (found.share, found.kilometers) == (0.0, 0.0)


def test_nothing_to_measure():
    graph = kanon.Regions(range(12), [1] * 12, grid(3, 4))
    assert perimeter(graph, halves()) is None
    apart = geopandas.GeoSeries([shapely.box(0, 0, 1, 1), shapely.box(5, 5, 6, 6)], crs="EPSG:3035")
    assert perimeter(kanon.Regions("ab", [1, 1], [(0, 1)], apart), np.array([0, 1])) is None


def test_real_borders_add_up():
    """Between the classes and within them, every border is counted once."""
    regions = read(first_sample("regions"))
    g = kanon.generalize(regions, 20_000, "tree-split")
    alone = perimeter(regions, np.arange(len(regions)))
    found = perimeter(regions, g.assignment)
    assert alone.share == pytest.approx(1.0)
    assert 0 < found.share < 1
    assert found.kilometers == pytest.approx(alone.kilometers * found.share)


def test_polsby_popper_of_shapes_that_are_known():
    """Two squares beside each other, a row of four, a class without a shape."""
    regions = squares(500, "EPSG:3035")
    found = polsby_popper(regions, np.array([0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 2]))
    assert found == pytest.approx([np.pi / 4, np.pi / 4, 4 * np.pi * 4 / 100])
    degrees = polsby_popper(squares(0.1, "EPSG:4326"), halves())
    assert degrees == pytest.approx([4 * np.pi * 6 / 100] * 2, rel=0.01)
    bare = kanon.Regions("ab", [1, 1], [(0, 1)], geopandas.GeoSeries([shapely.box(0, 0, 1, 1), None]))
    first, second = polsby_popper(bare, np.array([0, 1]))
    assert first == pytest.approx(np.pi / 4)
    assert np.isnan(second)
    assert polsby_popper(kanon.Regions("ab", [1, 1], [(0, 1)]), np.array([0, 1])) is None
