"""What a map of areas lies on."""

import geopandas
import numpy as np
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.plot.maps import Atlas
from kanon_engine.regions.display_map import MOST_PLACES, Ground, coverage_file, display_map, ground_of
from tests.regions.test_coverage_file import opened
from tests.test_atlas import FILE

pytestmark = pytest.mark.kernels

ATLAS = Atlas(FILE)


def row(names, weights, west=-73.2, south=41.3, crs: object = 4326, side=0.3) -> kanon.Regions:
    """Squares from west to east."""
    boxes = [shapely.box(west + side * i, south, west + side * (i + 1), south + side) for i in range(len(names))]
    edges = [(i, i + 1) for i in range(len(names) - 1)]
    ids = [f"{i:05d}" for i in range(len(names))]
    return kanon.Regions(ids, weights, edges, geopandas.GeoSeries(boxes, crs=crs), names=np.array(names))


def ground(regions: kanon.Regions) -> Ground:
    return ground_of(regions, display_map(regions), ATLAS)


def test_places_are_known_by_all_their_areas_and_the_heaviest_come_first():
    regions = row(["Derry 00000", "Derry 00001", "Salem 00002", "", "Derry 00004"], [3, 4, 6, 1, 2], side=0.25)
    found = ground(regions)
    assert found.names[:3] == ["Derry", "Salem", "Derry"]  # the last is too far from the others
    assert found.places[0] == pytest.approx(display_map(regions).points[1])


def test_areas_without_names_tell_no_places():
    boxes = geopandas.GeoSeries([shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)], crs=4326)
    found = ground(kanon.Regions(["a", "b"], [1, 2], [(0, 1)], boxes))
    assert found.names == []
    assert found.places.shape == (0, 2)


def test_only_so_many_places_are_sent():
    many = MOST_PLACES + 9
    found = ground(row([f"Town {i}" for i in range(many)], np.arange(many) + 1, west=0, south=0, side=0.01))
    assert len(found.names) == len(found.places) == MOST_PLACES
    assert found.names[0] == f"Town {many - 1}"


def test_counties_are_drawn_where_they_are_large_enough_and_borders_over_areas_where_they_fit_them():
    near, wide = ground(row(["a"] * 3, [1, 2, 3])), ground(row(["a"] * 30, range(1, 31), west=-110, side=1.0))
    assert near.counties
    assert near.water  # Long Island Sound
    assert not near.over
    assert wide.borders
    assert wide.counties == []
    assert wide.over


def test_shapes_without_a_place_on_earth_lie_on_nothing():
    found = ground(row(["a", "b"], [1, 2], crs=None))
    assert found.water == found.borders == found.counties == []


def test_the_file_holds_the_ground_in_the_units_of_the_map():
    regions = row(["Derry", "Salem", "Hudson"], [4, 3, 2])
    file = opened(coverage_file(regions, ATLAS).content)
    found = ground(regions)
    assert file["places_names"] == ["Derry", "Salem", "Hudson"]
    assert np.allclose(file["places"], file["points"].reshape(-1, 2)[[0, 1, 2]].ravel())
    for name in ("water", "borders", "counties"):
        starts = file[f"{name}_starts"]
        assert starts[0] == 0
        assert 2 * starts[-1] == len(file[name])
        assert np.diff(starts.astype(int)).tolist() == [len(line) for line in getattr(found, name)]
    assert coverage_file(regions, ATLAS) is coverage_file(regions, ATLAS) is not coverage_file(regions)
    assert len(opened(coverage_file(regions).content)["borders"]) == 0
