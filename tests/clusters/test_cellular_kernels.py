"""Kernels of cellular clusterings against plain twins."""

import numpy as np
import pytest

from kanon_engine.clusters.dual_kernels import NEVER, Rule, Space, ascend
from kanon_engine.clusters.resplit_kernels import cheapest_center, divided
from tests import compiled
from tests.oracles import clusters_cellular as plain

pytestmark = pytest.mark.kernels

ROUNDS = 100 if compiled.THOROUGH else 10


def whole_metric(rng, n):
    """Distances that are whole numbers, and weights."""
    places = rng.integers(0, 12, (n, 2))
    matrix = np.abs(places[:, None] - places[None]).sum(axis=2).astype(float)
    weights = rng.integers(1, 4, n) if rng.random() < 0.5 else np.ones(n, np.int64)
    return matrix, weights.astype(np.int64)


@pytest.mark.thorough
def test_prices_are_those_of_the_plain_twin():
    for seed in range(ROUNDS):
        rng = np.random.default_rng([seed, 1])
        matrix, weights = whole_metric(rng, int(rng.integers(1, 9)))
        total = int(weights.sum())
        least = int(rng.integers(1, total + 1))
        top, slope = [(least, 0), (1, least), (1, 0)][seed % 3]
        cost, spare = int(rng.choice([0, 5, 40])), int(rng.integers(0, 3)) if total > 4 else 0
        order = np.argsort(matrix, axis=1, kind="stable").astype(np.int32)
        member = seed % 2 == 0
        rule = Rule(cost, slope, top, least, NEVER, spare, member)
        prices, event, centers, radii = ascend(Space(matrix, order, weights, 1.0), rule)
        steps = matrix.astype(int).tolist()
        assert prices.tolist() == plain.ascent(steps, weights.tolist(), cost, slope, top, least, spare, member)
        stopped = np.flatnonzero(event >= 0)
        assert (matrix[stopped, centers[event[stopped]]] <= radii[event[stopped]]).all()
        assert int(weights[event < 0].sum()) <= spare


def test_no_ball_is_larger_than_allowed():
    for seed in range(ROUNDS):
        rng = np.random.default_rng([seed, 2])
        matrix, weights = whole_metric(rng, 8)
        order = np.argsort(matrix, axis=1, kind="stable").astype(np.int32)
        rule = Rule(3, 2, 1, 2, 4, 0, False)
        _, event, _, radii = ascend(Space(matrix, order, weights, 1.0), rule)
        assert (radii <= 4).all()
        inside = np.array([weights[row <= 4].sum() >= 2 for row in matrix])
        reached = (matrix[:, inside] <= 4).any(axis=1)
        assert np.array_equal(event >= 0, reached)


def test_two_clusters_are_divided_as_by_the_plain_twin():
    for seed in range(ROUNDS):
        rng = np.random.default_rng([seed, 3])
        matrix, weights = whole_metric(rng, 10)
        points = rng.permutation(10)[: int(rng.integers(1, 10))]
        k, cost = int(rng.integers(1, 6)), float(rng.choice([0.0, 2.5]))
        found = divided(matrix, weights, points, k, cost, False)
        assert found.cost == plain.division(matrix.tolist(), weights.tolist(), points.tolist(), k, cost)
        parts = [points] if found.other < 0 else [points[found.order[: found.size]], points[found.order[found.size :]]]
        own = (found.center, found.other)
        radii = [matrix[points[c]][part].max() for c, part in zip(own, parts, strict=False)]
        records = [weights[part].sum() for part in parts]
        assert found.cost == sum(r * w + cost for r, w in zip(radii, records, strict=True))
        assert len(parts) == 1 or min(records) >= k
        alone = divided(matrix, weights, points, k, cost, True)
        assert (alone.other >= 0) == (alone.cost < np.inf)
        center, radius = cheapest_center(matrix, points, np.arange(10))
        assert radius == matrix[:, points].max(axis=1).min() == matrix[center, points].max()
