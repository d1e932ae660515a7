"""What is released of areas."""

from __future__ import annotations

import io
from pathlib import Path

import geopandas
import numpy as np
import pytest
import shapely

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.regions.release import shapes_frame
from kanon_engine.release import crosswalk_frame, groups_frame
from kanon_engine.release.formats import written
from tests.regions.grids import grid

SAMPLES = Path(__file__).parents[2] / "sample_data"


@pytest.fixture(scope="module")
def result() -> tuple[kanon.Regions, kanon.Generalization]:
    regions = kanon.read_regions(SAMPLES / "new_york_tracts.geojson")
    return regions, kanon.generalize(regions, 20_000, "tree-split")


def test_classes_hold_sums_and_whole_shapes(result) -> None:
    regions, g = result
    frame = shapes_frame(regions, g)
    assert list(frame.columns) == ["group", "weight", "unit", "items", "overfull_ratio", "geometry"]
    assert frame["group"].tolist() == list(range(1, g.classes + 1))
    assert frame["weight"].tolist() == g.class_weights.tolist()
    assert frame["items"].tolist() == np.bincount(g.assignment).tolist()
    assert frame["overfull_ratio"].max() == g.overfull_ratio
    assert frame.crs == regions.geometry.crs
    shapes = regions.geometry.to_numpy()
    for number, shape in enumerate(frame.geometry):
        members = shapes[g.assignment == number]
        assert shape.is_valid
        assert shapely.area(shapely.symmetric_difference(shape, shapely.union_all(members))) < 1e-12
        assert shapely.get_num_coordinates(shape) <= shapely.get_num_coordinates(members).sum()


def test_overlapping_shapes_are_united_as_well() -> None:
    frame = grid(2, 2)
    frame["geometry"] = frame.geometry.buffer(0.001, join_style="mitre")
    regions = kanon.Regions.from_frame(frame)
    whole = shapes_frame(regions, kanon.generalize(regions, regions.total, "tree-split"))
    assert whole.geometry[0].equals(shapely.union_all(frame.geometry.to_numpy()))


def test_no_single_area_in_the_classes(result) -> None:
    regions, g = result
    text = shapes_frame(regions, g).drop(columns="geometry").to_csv()
    assert not any(str(name) in text for name in regions.ids)


def test_classes_without_shapes_are_a_table() -> None:
    regions = kanon.Regions("abcd", [1, 1, 1, 1], [(0, 1), (1, 2), (2, 3)])
    g = kanon.generalize(regions, 2, "tree-split")
    assert list(groups_frame(regions, g).columns) == ["group", "weight", "unit", "items", "overfull_ratio"]
    with pytest.raises(InvalidInput, match="have no shapes"):
        written(shapes_frame(regions, g), "gpkg")


def test_crosswalk_is_sorted_by_id(result) -> None:
    regions, g = result
    frame = crosswalk_frame(regions, g)
    assert frame["id"].tolist() == sorted(regions.ids)
    expected = dict(zip(regions.ids.tolist(), (g.assignment + 1).tolist(), strict=True))
    assert dict(zip(frame["id"], frame["group"], strict=True)) == expected


def test_crosswalk_of_numbers_and_text() -> None:
    regions = kanon.Regions(["b", 10, "a", 9], [1, 1, 1, 1], [(0, 1), (1, 2), (2, 3)])
    assert crosswalk_frame(regions, kanon.generalize(regions, 4, "tree-split"))["id"].tolist() == [9, 10, "a", "b"]


def test_geopackage_reads_back(result) -> None:
    regions, g = result
    frame = geopandas.read_file(io.BytesIO(written(shapes_frame(regions, g), "gpkg")))
    assert frame["weight"].tolist() == g.class_weights.tolist()
    assert frame.crs == regions.geometry.crs
    assert set(frame.geom_type) == {"MultiPolygon"}
