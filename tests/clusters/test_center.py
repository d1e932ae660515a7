"""Few clusters, against all partitions of small spaces."""

from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.errors import CertificateError
from tests.clusters.small_spaces import small_space
from tests.oracles.clusters_outliers import best_radius


def attack(rounds, seed, most=7):
    """Every result lies between the optimum and twice it, and its bound is at most the optimum."""
    rng = np.random.default_rng(seed)
    tried = 0
    for _ in range(rounds):
        space = small_space(rng, most)
        k, clusters = int(rng.integers(1, min(4, space.total) + 1)), int(rng.integers(1, 4))
        apart = space.between(np.arange(len(space))).tolist()
        for centers in ("input", "any"):
            free = space.free and centers == "any"
            if free and space.metric != "euclidean":
                continue
            spots = [tuple(spot) for spot in space.points.tolist()] if free else None
            best = best_radius(apart, space.weights.tolist(), k, 0, clusters, spots)
            improve = bool(rng.random() < 0.5)
            g = kanon.generalize(space, k, "center", centers=centers, max_clusters=clusters, improve=improve)
            slack = 1e-5 * max(best, g.cost) + 1e-9  # six digits of a radius around a free center
            assert g.classes <= clusters
            assert g.lower_bound <= best + slack, (space.points.tolist(), k, clusters, centers)
            assert best <= g.cost + slack, (space.points.tolist(), k, clusters, centers)
            single = space.total == len(space)
            assert (g.guarantee is not None) == single
            if single:
                assert g.cost <= 2 * best + slack, (space.points.tolist(), k, clusters, centers)
            tried += 1
    return tried


def test_results_lie_between_the_optimum_and_twice_it_and_bounds_below():
    assert attack(40, 5) > 55


@pytest.mark.thorough
def test_results_lie_between_the_optimum_and_twice_it_and_bounds_below_on_many():
    assert attack(1_500, 6, 8) > 2_000


@pytest.mark.parametrize("centers", ["any", "input"])
def test_a_forged_witness_is_refused(centers):
    space = kanon.MetricSpace(np.random.default_rng(7).normal(size=(40, 2)))
    g = kanon.generalize(space, 1, "center", max_clusters=5, centers=centers, improve=False)
    assert (g.bound_name, len(g.bound_witness)) == ("too many apart", 6)
    for change in (
        {"lower_bound": g.lower_bound * 1.001},
        {"bound_witness": g.bound_witness[1:]},
        {"bound_witness": (*g.bound_witness[1:], g.bound_witness[1])},
        {"bound_witness": tuple(range(6))},
        {"options": g.options | {"max_clusters": 4}},
        {"options": g.options | {"max_clusters": 6}},
        {"guarantee": g.guarantee * 0.99},
        {"guarantee": None},
    ):
        with pytest.raises(CertificateError):
            kanon.verify(space, replace(g, **change).sealed())


def test_without_a_limit_there_may_be_as_many_clusters_as_there_are_k_records_for():
    space = kanon.MetricSpace(np.repeat(np.arange(6.0), 3)[:, None] * 10)
    g = kanon.generalize(space, 3, "center")
    assert (g.classes, g.cost, g.status) == (6, 0.0, "optimal")
    assert kanon.generalize(space, 3, "center", max_clusters=1).cost == 25.0


def test_a_stopped_run_promises_nothing():
    space = kanon.MetricSpace(np.random.default_rng(7).normal(size=(40, 2)))
    g = kanon.generalize(space, 2, "center", max_clusters=5, progress=lambda report: False)
    assert (g.status, g.guarantee, g.classes) == ("stopped", None, 1)
    assert 0 < g.lower_bound < g.cost
