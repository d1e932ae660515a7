"""Cells of a grid are exact on every engine, and no cut leaves a record on the wrong side."""

from fractions import Fraction
from math import floor

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.errors import InvalidInput
from kanon_engine.records import count, counted
from kanon_engine.records.grid import grid_size, gridded
from tests.sentences import NO_VALID_POSITION

RANDOM = np.random.default_rng(5)
SPREAD = np.concatenate(
    [RANDOM.normal(0, 1, (300, 2)), RANDOM.normal(40, 0.01, (100, 2)), [[-0.0, 0.25], [0.25, -0.25]]]
)
SPREAD = np.concatenate([SPREAD, SPREAD[:50].round(1)])


@pytest.fixture
def places(tmp_path):
    path = tmp_path / "places.parquet"
    pd.DataFrame(SPREAD, columns=["x", "y"]).to_parquet(path)
    return path


@pytest.mark.parametrize("size", [2.0**-20, 0.25, 1.0, 32.0])
def test_cells_are_those_of_exact_fractions(places, opened, size):
    found = counted(gridded(opened(places), ("x", "y"), size), ["x", "y"])
    exact = [
        tuple((floor(Fraction(v) / Fraction(size)) + Fraction(1, 2)) * Fraction(size) for v in row) for row in SPREAD
    ]
    assert {(Fraction(x), Fraction(y)): n for x, y, n in found.to_numpy().tolist()} == pd.Series(
        exact
    ).value_counts().to_dict()


@pytest.mark.thorough("Spark")
def test_the_grid_is_the_finest_that_is_allowed(places, opened):
    size = grid_size(opened(places), ("x", "y"), 100)

    def cells(side):
        return len(np.unique(np.floor(SPREAD / side), axis=0))

    assert cells(size) <= 100 < cells(size / 2)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("snap", [None, 1, 3])
def test_no_record_lies_on_the_wrong_side_of_a_cut(places, opened, at_most, snap):
    at_most(100)
    points = count(opened(places), ("x", "y"))
    size = points.reading["grid"]
    assert points.total == len(SPREAD)
    assert f"cells of {size:g} by {size:g}" in " ".join(points.notes)
    g = kanon.generalize(points, 20, "kd-tree", snap=None if snap is None else snap * size)
    middles = (np.floor(SPREAD / size) + 0.5) * size
    number = {tuple(xy): g.assignment[place] for place, xy in enumerate(points.xy.tolist())}
    classes = np.array([number[tuple(xy)] for xy in middles.tolist()])
    xmin, ymin, xmax, ymax = g.details.rectangles.T
    outer = points.box if snap is None else np.array([xmin.min(), ymin.min(), xmax.max(), ymax.max()])
    x, y = np.clip(SPREAD, outer[:2], outer[2:]).T if snap is None else SPREAD.T
    inside = (x[:, None] >= xmin) & ((x[:, None] < xmax) | (xmax == outer[2]))
    inside &= (y[:, None] >= ymin) & ((y[:, None] < ymax) | (ymax == outer[3]))
    assert (inside.sum(axis=1) == 1).all()
    assert (inside.argmax(axis=1) == classes).all()
    assert g.class_weights.tolist() == np.bincount(classes).tolist()


@pytest.mark.thorough(one_in=2)
def test_records_without_a_number_have_no_cell(tmp_path, opened, at_most):
    at_most(3)
    path = tmp_path / "places.csv"
    path.write_text("x,y\n1,2\n2,2\n3,2\nfar,2\nnan,1\n,9\n7,8\n")
    points = count(opened(path), ("x", "y"), drop_bad=True)
    assert points.total == 4
    assert f"3 {NO_VALID_POSITION}" in " ".join(points.notes)
    path.write_text("x,y\n" + "".join(f"far{n},2\n" for n in range(9)))
    with pytest.raises(InvalidInput, match="No record of places.csv has a position"):
        count(opened(path), ("x", "y"), drop_bad=True)
