"""Who borders whom: on grids with a known answer, and against shapely's own intersection on real maps."""

from __future__ import annotations

from pathlib import Path

import geopandas
import numpy as np
import pytest
import shapely

from kanon_engine.regions.contiguity import contiguity
from tests.regions.grids import grid, grid_edges

pytestmark = pytest.mark.kernels

SAMPLES = Path(__file__).parents[2] / "sample_data"
MAPS = (
    "georgia.geojson",
    "north_carolina.geojson",
    "new_york_tracts.geojson",
    "boston_tracts.geojson",
    "dc_zcta2010.zip",
)


def borders_by_intersection(shapes: np.ndarray) -> set[tuple[int, int]]:
    """The plain way: every pair whose boundaries have a common part of positive length."""
    one, other = shapely.STRtree(shapes).query(shapes, predicate="intersects")
    one, other = one[one < other], other[one < other]
    common = shapely.length(shapely.intersection(shapely.boundary(shapes[one]), shapely.boundary(shapes[other]))) > 0
    return set(zip(one[common].tolist(), other[common].tolist(), strict=True))


def pairs(edges: np.ndarray) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in edges]


@pytest.mark.parametrize("name", MAPS)
def test_rook_is_what_intersection_finds(name: str) -> None:
    shapes = geopandas.read_file(SAMPLES / name).geometry.to_numpy()
    assert set(pairs(contiguity(shapes).edges)) == borders_by_intersection(shapes)


def test_grid_rook_and_queen() -> None:
    shapes = grid(3, 4).geometry.to_numpy()
    assert pairs(contiguity(shapes, "rook").edges) == grid_edges(3, 4)
    diagonals = {(0, 5), (1, 4), (1, 6), (2, 5), (2, 7), (3, 6), (4, 9), (5, 8), (5, 10), (6, 9), (6, 11), (7, 10)}
    assert set(pairs(contiguity(shapes, "queen").edges)) == set(grid_edges(3, 4)) | diagonals


def test_multipart_area_borders_what_each_of_its_pieces_borders() -> None:
    a, b, c = shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1), shapely.box(2, 0, 3, 1)
    shapes = np.array([shapely.union_all([a, c]), b])
    assert pairs(contiguity(shapes).edges) == [(0, 1)]


def test_corner_on_the_other_areas_border_is_a_common_border() -> None:
    shapes = np.array([shapely.box(0, 0, 2, 1), shapely.box(0, 1, 1, 2), shapely.box(1, 1, 2, 2)])
    assert pairs(contiguity(shapes).edges) == [(0, 1), (0, 2), (1, 2)]


@pytest.mark.parametrize("shift", [1e-6, -1e-6, 1e-12, -1e-12])
def test_narrow_gaps_and_overlaps_are_borders_and_are_noted(shift: float) -> None:
    shapes = np.array([shapely.box(0, 0, 1, 1), shapely.box(1 + shift, 0.2, 2, 0.8)])
    found = contiguity(shapes)
    assert pairs(found.edges) == [(0, 1)]
    assert found.inexact.tolist() == [True]
    assert found.misfits.tolist() == [0, 1]


def test_wide_gap_is_no_border_and_overlap_is_one() -> None:
    apart = np.array([shapely.box(0, 0, 1, 1), shapely.box(1.01, 0, 2, 1)])
    assert len(contiguity(apart).edges) == 0
    over = np.array([shapely.box(0, 0, 1, 1), shapely.box(0.9, 0, 2, 1)])
    assert pairs(contiguity(over).edges) == [(0, 1)]
    within = np.array([shapely.box(0, 0, 1, 1), shapely.box(0.4, 0.4, 0.6, 0.6)])
    assert pairs(contiguity(within).edges) == [(0, 1)]


def test_corners_that_overlap_by_a_drawing_error_are_no_rook_border() -> None:
    shapes = np.array([shapely.box(0, 0, 1, 1), shapely.box(1 - 1e-6, 1 - 1e-6, 2, 2)])
    assert len(contiguity(shapes, "rook").edges) == 0
    assert pairs(contiguity(shapes, "queen").edges) == [(0, 1)]


def test_queen_neighbors_need_one_point_or_what_a_drawing_error_left_of_it() -> None:
    corners = [(0, 0), (1, 1), (2 + 1e-6, 2 + 1e-6), (3.01, 3.01), (3.01, 4.01)]
    found = contiguity(np.array([shapely.box(x, y, x + 1, y + 1) for x, y in corners]), "queen")
    assert pairs(found.edges) == [(0, 1), (1, 2), (3, 4)]
    assert found.inexact.tolist() == [False, True, False]


def test_area_around_another_one() -> None:
    ring = shapely.difference(shapely.box(0, 0, 3, 3), shapely.box(1, 1, 2, 2))
    assert pairs(contiguity(np.array([ring, shapely.box(1, 1, 2, 2)])).edges) == [(0, 1)]


def test_single_area_has_no_borders() -> None:
    assert contiguity(np.array([shapely.box(0, 0, 1, 1)])).edges.shape == (0, 2)


def test_order_of_areas_does_not_matter() -> None:
    shapes = geopandas.read_file(SAMPLES / "new_york_tracts.geojson").geometry.to_numpy()
    order = np.random.default_rng(0).permutation(len(shapes))
    straight = {frozenset(pair) for pair in pairs(contiguity(shapes).edges)}
    shuffled = {frozenset(order[list(pair)].tolist()) for pair in pairs(contiguity(shapes[order]).edges)}
    assert shuffled == straight
