"""r-cellular-outliers: at most a share is left out, and what is left lies between bound and ratio."""

from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.r_cellular_outliers import solutions, without_dearest
from kanon_engine.errors import CertificateError
from tests.clusters.test_r_cellular import close_below, least_cost, small_cases
from tests.compiled import compiled_only


def test_small_metrics_lie_between_optimum_and_ratio():
    for number, (space, k, facility_cost) in enumerate(small_cases(21)):
        epsilon = (0.0, 0.2, 0.5)[number % 3]
        spare = int(epsilon * space.total + 1e-9)
        for centers in ("any", "input"):
            g = kanon.generalize(
                space, k, "r-cellular-outliers", centers=centers, facility_cost=facility_cost, epsilon=epsilon
            )
            best = least_cost(space, k, centers, facility_cost, spare)
            assert close_below(g.lower_bound, best)
            if space.metric != "haversine" or centers == "input":
                assert close_below(best, g.cost)
            if (space.weights == 1).all():
                factor = 144 if space.free and centers == "any" else 72
                assert close_below(g.cost, factor * best + 1e-2 * space.total)
            assert int(space.weights[g.assignment < 0].sum()) <= spare


def test_the_paper_s_solution_keeps_the_ratio_by_itself():
    for number, (space, k, facility_cost) in enumerate(small_cases(22, counts=False)):
        spare = (number % 4) * len(space) // 8
        distances = Distances(space, k, facility_cost)
        found = list(solutions(distances, spare))
        for _, given in found:
            own = np.bincount(given.labels[given.labels >= 0])
            assert own.min() >= k
            assert (given.labels < 0).sum() <= spare
        best = least_cost(space, k, "input", facility_cost, spare)
        assert close_below(min(cost for cost, _ in found), 72 * best + 1e-2 * space.total)


@compiled_only
def test_a_far_record_is_left_out():
    rng = np.random.default_rng(3)
    space = kanon.MetricSpace(np.vstack([rng.normal(size=(39, 2)), [[100.0, 100.0]]]))
    g = kanon.generalize(space, 4, "r-cellular-outliers", epsilon=0.025)
    assert np.flatnonzero(g.assignment < 0).tolist() == [39]
    assert g.cost < kanon.generalize(space, 4, "r-cellular").cost / 2


def test_leaving_out_never_costs_more():
    for space, k, facility_cost in small_cases(23, most=20):
        distances = Distances(space, k, facility_cost)
        labels = np.zeros(len(space), dtype=np.int64)
        for spare in (0, 1, space.total // 3):
            kept, centers = without_dearest(distances, labels, spare)
            out = int(space.weights[kept < 0].sum())
            assert out <= spare
            assert space.total - out >= k
            radius = distances.matrix[centers[0]][kept == 0].max()
            assert radius <= distances.matrix.max(axis=1).min()


def test_results_that_leave_more_out_are_refused():
    space = kanon.MetricSpace(np.random.default_rng(4).normal(size=(40, 2)))
    g = kanon.generalize(space, 3, "r-cellular-outliers", epsilon=0.1)
    assert (g.assignment < 0).sum() == 4
    for epsilon in (0.0, 0.09, 0.2):
        with pytest.raises(CertificateError):
            kanon.verify(space, replace(g, options={**g.options, "epsilon": epsilon}).sealed())
    with pytest.raises(CertificateError, match="guarantee formula"):
        kanon.verify(space, replace(g, guarantee=g.cost * 100).sealed())
