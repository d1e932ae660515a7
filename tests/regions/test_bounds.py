import numpy as np
import pytest

from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.instance import Regions
from tests.oracles.regions import optimum
from tests.regions.graphs import random_connected_graph


@pytest.mark.parametrize("seed", range(300))
def test_never_above_the_optimum(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, int(rng.integers(1, 3)))
    edges, first = [], 0
    for size in sizes:
        edges += [(a + first, b + first) for a, b in random_connected_graph(rng, int(size), 0.3)]
        first += int(size)
    weights = rng.integers(0, 9, first).tolist()
    k = int(rng.integers(1, 8))
    best = optimum(weights, edges, k)
    if best is not None:
        bound = lower_bound(Regions(range(first), weights, edges), k)
        assert max(k, max(weights)) <= bound.value <= best


def test_the_part_with_the_fewest_choices_decides():
    regions = Regions(range(4), [5, 4, 8, 8], [(0, 1), (2, 3)])
    bound = lower_bound(regions, 5)
    assert (bound.value, bound.name, bound.witness) == (9, "average class", (0,))
