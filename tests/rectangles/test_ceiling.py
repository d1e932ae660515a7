"""What no uncuttable rectangle exceeds, beside brute force and the formulas that it improves on."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles.kd_tree import ceiling
from kanon_engine.verification import rectangles as verifier
from tests.oracles import kd_trees as plain
from tests.rectangles.samples import cross, random_points
from tests.verification.proven import lines_of

pytestmark = pytest.mark.kernels


def instance(seed):
    rng = np.random.default_rng(seed)
    xy, weights = random_points(rng, largest=12, spread=int(rng.integers(2, 7)), heaviest=int(rng.integers(2, 12)))
    weights = weights * int(rng.integers(1, 4))
    k = int(rng.integers(1, weights.sum() + 1))
    return xy, weights, k


@pytest.mark.parametrize("seed", range(200))
def test_no_uncuttable_rectangle_exceeds_it(seed):
    xy, weights, k = instance(seed)
    points = kanon.Points(xy, weights)
    found = ceiling(points, k)
    assert found >= plain.heaviest_uncuttable(xy.tolist(), weights.tolist(), k)
    assert found == plain.ceiling(xy.tolist(), weights.tolist(), k)
    assert found == verifier.ceiling(lines_of(points.xy), points.weights, k)


@pytest.mark.parametrize("seed", range(100))
def test_never_above_the_older_formulas(seed):
    xy, weights, k = instance(seed)
    points = kanon.Points(xy, weights)
    lines = [max(weights[xy[:, axis] == value].sum() for value in xy[:, axis]) for axis in range(2)]
    assert ceiling(points, k) <= 2 * (k - 1) + min(lines)
    assert ceiling(points, k) <= 4 * (k - 1) + points.location_weights.max()


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_attained_by_the_cross(k):
    assert ceiling(kanon.Points(*cross(k)), k) == 5 * k - 4


def test_weights_with_a_common_divisor_lower_it():
    """A side of weight below 6 is one of 4: 4 + 4 + 4 instead of 5 + 5 + 4."""
    assert ceiling(kanon.Points([(0, 3), (1, 2), (2, 1), (3, 0)], [4, 4, 4, 4]), 6) == 12


def test_locations_that_reach_k_are_all_that_is_left():
    assert ceiling(kanon.Points([(0, 0), (0, 1), (3, 0)], [50, 7, 9]), 7) == 50
