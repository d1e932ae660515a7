"""Drawings of graphs without shapes."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.regions.display_map import SPRING, positions
from tests.regions.graphs import grid


@pytest.mark.thorough(one_in=3)
@pytest.mark.parametrize("rows", [12, 18, 50])
def test_neighbors_are_drawn_near_each_other(rows):
    """12 x 12 by distances, 18 x 18 by springs, 50 x 50 by pivots."""
    count = rows * rows
    edges = np.array(grid(rows, rows))
    xy = positions(kanon.Regions(range(count), [1] * count, edges))
    assert np.isfinite(xy).all()
    lengths = np.linalg.norm(xy[edges[:, 0]] - xy[edges[:, 1]], axis=1)
    middle = np.linalg.norm(xy - xy.mean(axis=0), axis=1).mean()
    assert lengths.mean() < 4 * middle / rows
    assert np.array_equal(xy, positions(kanon.Regions(range(count), [1] * count, edges)))


def test_a_long_path_and_small_parts():
    count = SPRING + 500
    edges = [(i, i + 1) for i in range(count - 1) if i != count - 3]
    xy = positions(kanon.Regions(range(count), [1] * count, edges))
    assert np.isfinite(xy).all()
    assert len(np.unique(xy.round(9), axis=0)) == count
