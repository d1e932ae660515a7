from itertools import islice

import numpy as np
import pytest

from kanon_engine.regions.bounds import capacity_bound, separator_bound
from kanon_engine.regions.instance import Regions
from tests.regions.graphs_any import feasible
from tests.verification.proven import proven

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("seed", range(100))
def test_any_separator_proves_no_more_than_the_optimum(seed):
    for rng, regions, k, best in islice(feasible(seed, 8), 6):
        separator = rng.choice(len(regions), int(rng.integers(1, len(regions) + 1)), replace=False)
        bound = separator_bound(regions, k, separator)
        assert bound.value <= best
        assert (bound.name, bound.kind) == ("hubs", "checked")
        assert set(bound.witness) <= set(separator.tolist())
        assert proven(regions, k, "hubs", bound.witness) == bound.value
        assert capacity_bound(regions, k, bound.witness[0], np.array(bound.witness)) >= bound.value


def test_the_best_separator_is_taken():
    """Two stars far from each other: the heavier one alone proves more than both."""
    edges = [(0, 2), (0, 3), (0, 4), (1, 5), (1, 6), (0, 7), (7, 8), (8, 1)]
    regions = Regions(range(9), [1, 1, 3, 3, 3, 3, 3, 4, 4], edges)
    assert separator_bound(regions, 4, [0, 1]).witness == (0,)
    assert separator_bound(regions, 4, [0, 1]).value == 10


def test_heavy_components_count_their_classes():
    """A path of seven 3s with the hub in the middle: the sides of 9 hold one class of 5 each, so three in all."""
    regions = Regions(range(7), [3] * 7, [(v, v + 1) for v in range(6)])
    assert separator_bound(regions, 5, [3]).value == 7
