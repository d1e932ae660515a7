"""Separate parts are joined to what is nearest on the ground."""

from __future__ import annotations

import geopandas
import numpy as np
import pytest
import shapely

from kanon_engine.model.wishes import parts_of
from kanon_engine.regions.contiguity import attach_parts

pytestmark = pytest.mark.kernels

NONE = np.empty((0, 2), dtype=np.int64)


def boxes(*corners: tuple[float, float], side: float = 1.0, crs: int | None = 3857) -> geopandas.GeoSeries:
    return geopandas.GeoSeries([shapely.box(x, y, x + side, y + side) for x, y in corners], crs=crs)


def test_each_part_joins_its_nearest_neighbor() -> None:
    added, distances = attach_parts(boxes((0, 0), (10, 0), (12, 0), (30, 0)), NONE)
    assert sorted(map(tuple, added.tolist())) == [(0, 1), (1, 2), (2, 3)]
    assert sorted(distances.tolist()) == [1, 9, 17]


def test_shorter_joins_are_made_first() -> None:
    added, distances = attach_parts(boxes((0, 0), (0, 1), (2.9, 0), (-2.1, 0)), np.array([(0, 1)]))
    assert added.tolist() == [[0, 3], [0, 2]]
    assert distances.tolist() == pytest.approx([1.1, 1.9])


def test_joins_are_a_shortest_spanning_tree_of_the_parts() -> None:
    generator = np.random.default_rng(1)
    shapes = boxes(*(tuple(place) for place in generator.uniform(0, 1000, (40, 2))))
    edges = np.array([(0, 1), (2, 3), (4, 5), (5, 6)])
    added, distances = attach_parts(shapes, edges)
    every = shapely.distance(shapes.to_numpy()[:, None], shapes.to_numpy()[None, :])
    label = parts_of(edges, 40)
    expected = []
    for gap, a, b in sorted((every[i, j], i, j) for i in range(40) for j in range(i)):  # Kruskal
        if label[a] != label[b]:
            label[label == label[a]] = label[b]
            expected.append(gap)
    assert len(added) == parts_of(edges, 40).max()
    assert sorted(distances.tolist()) == pytest.approx(expected)
    assert parts_of(np.vstack([edges, added]), 40).max() == 0


def test_degrees_of_longitude_shrink_toward_the_pole() -> None:
    # at 60° north one degree of longitude is half as long as one of latitude
    shapes = boxes((0, 60), (1.5, 60), (0, 61.0), side=0.1, crs=4326)
    added, distances = attach_parts(shapes, NONE)
    assert sorted(map(tuple, added.tolist())) == [(0, 1), (0, 2)]
    assert sorted(distances.tolist()) == pytest.approx([78_000, 100_000], rel=0.02)


def test_distances_are_meters_whatever_the_unit() -> None:
    _, distances = attach_parts(boxes((0, 0), (101, 0), crs=2263), NONE)  # US survey feet
    assert distances.tolist() == pytest.approx([100 * 1200 / 3937])


def test_connected_map_gets_no_joins() -> None:
    added, distances = attach_parts(boxes((0, 0), (1, 0)), np.array([(0, 1)]))
    assert added.shape == (0, 2)
    assert len(distances) == 0


def test_corners_that_touch_are_at_distance_zero() -> None:
    added, distances = attach_parts(boxes((0, 0), (1, 1)), NONE)
    assert added.tolist() == [[0, 1]]
    assert distances.tolist() == [0]
