import doctest

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles import snap as snap_size
from kanon_engine.rectangles.kd_tree import suggested_snap

SAMPLES = [
    ("cycle_hire.csv", "lon", "lat", None),
    ("carshare.csv", "centroid_lon", "centroid_lat", None),
    ("zcta_points_2010.csv", "lon", "lat", "pop10"),
]


def test_the_example():
    outcome = doctest.testmod(snap_size)
    assert outcome.attempted > 0
    assert outcome.failed == 0


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("share", [20, 200])
def test_the_grid_costs_little(sample, share):
    file, *columns = sample
    points = kanon.read_points(f"sample_data/{file}", *columns)
    k = points.total // share
    plain = kanon.generalize(points, k, "kd-tree")
    on_grid = kanon.generalize(points, k, "kd-tree", snap=suggested_snap(points, k))
    assert on_grid.cost <= 1.1 * plain.cost


def test_finer_for_less():
    points = kanon.Points(np.random.default_rng(1).normal(0, 1, (5000, 2)), crs="EPSG:4326")
    sizes = [suggested_snap(points, k) for k in (1000, 100, 10, 1)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[-1]
    assert all(np.log2(size) == int(np.log2(size)) for size in sizes)


@pytest.mark.parametrize("decimals", [0, 1, 3])
def test_lines_are_free_where_every_number_of_few_decimals_is_taken(decimals):
    side = np.arange(300).round(0) / 10.0**decimals
    points = kanon.Points(np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2))
    size = suggested_snap(points, 9000)
    assert kanon.generalize(points, 9000, "kd-tree", snap=size).cost <= 15_000


@pytest.mark.parametrize(
    "xy", [[(3, 4)], [(0, 0), (0, 0)], [(5, 1), (5, 9)], [(1e9, 1e9), (1e9 + 1, 1e9)], [(1e-9, 0), (3e-9, 1e-9)]]
)
@pytest.mark.parametrize("crs", [None, "EPSG:4326"])
def test_odd_sets_have_a_size_that_works(xy, crs):
    points = kanon.Points(xy, crs=crs)
    size = suggested_snap(points, 1)
    assert size > 0
    assert kanon.generalize(points, 1, snap=size).class_weights.sum() == len(xy)
