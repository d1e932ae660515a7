import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles.bounds import lower_bound
from tests.oracles.rectangles import optimum
from tests.rectangles.samples import random_points


@pytest.mark.parametrize("seed", range(300))
def test_never_above_the_optimum(seed):
    rng = np.random.default_rng(seed)
    xy, weights = random_points(rng, largest=8, spread=4, heaviest=int(rng.integers(2, 10)))
    k = int(rng.integers(1, max(2, weights.sum() + 1)))
    points = kanon.Points(xy, weights)
    best = optimum([tuple(p) for p in xy.tolist()], weights.tolist(), k)
    bound = lower_bound(points, k)
    heaviest = int(points.location_weights.max())
    assert max(k, heaviest, -(-points.total // (points.total // k))) <= bound.value <= best


@pytest.mark.parametrize(
    ("xy", "weights", "k", "value", "name", "witness"),
    [
        ([(0, 0), (1, 0)], [5, 5], 5, 5, "k", ()),
        ([(0, 0), (1, 0), (0, 0)], [5, 7, 6], 5, 11, "heaviest location", (0,)),
        ([(i, 0) for i in range(7)], [1] * 7, 3, 4, "average class", ()),
        ([(0, 0), (1, 0), (2, 0)], [9, 1, 1], 5, 11, "average class", ()),
        ([(0, 0), (1, 0), (2, 0)], [3, 3, 3], 4, 9, "locations per class", (0,)),
        ([(i, 0) for i in range(4)], [8, 3, 3, 3], 4, 9, "locations per class", (1,)),
    ],
)
def test_each_argument_where_it_is_the_best(xy, weights, k, value, name, witness):
    bound = lower_bound(kanon.Points(xy, weights), k)
    assert (bound.value, bound.name, bound.witness) == (value, name, witness)
    assert value <= optimum(xy, weights, k)
    kanon.verify(kanon.Points(xy, weights), kanon.generalize(kanon.Points(xy, weights), k))
