"""cellular: the primal-dual method with setup costs."""

from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.resplit import cellular_cost
from kanon_engine.errors import CertificateError
from tests.clusters.test_r_cellular import close_below, least_cost, small_cases
from tests.compiled import compiled_only


def test_small_metrics_lie_between_optimum_and_ratio():
    for space, k, facility_cost in small_cases(11):
        for least in (1, k):
            for centers in ("any", "input"):
                g = kanon.generalize(space, least, "cellular", centers=centers, facility_cost=facility_cost)
                best = least_cost(space, least, centers, facility_cost)
                assert close_below(g.lower_bound, best)
                if space.metric != "haversine" or centers == "input":
                    assert close_below(best, g.cost)
                if least == 1:
                    assert g.guarantee is not None
                    assert close_below(
                        g.cost, (6 if space.free and centers == "any" else 3) * best + 1e-2 * space.total
                    )


def test_without_set_up_costs_everyone_is_a_cluster():
    space = kanon.MetricSpace(np.random.default_rng(0).normal(size=(20, 3)))
    g = kanon.generalize(space, 1, "cellular")
    assert (g.classes, g.cost, g.status) == (20, 0.0, "optimal")


@compiled_only
def test_dear_clusters_are_few():
    space = kanon.MetricSpace(np.random.default_rng(1).normal(size=(40, 2)))
    classes = [kanon.generalize(space, 1, "cellular", facility_cost=cost).classes for cost in (0.01, 1.0, 10.0, 1e4)]
    assert classes == sorted(classes, reverse=True)
    assert classes[0] > 30
    assert classes[-1] == 1


def test_the_total_of_section_1():
    """Figure 1.2 (c): 50 × 10 + 20 × 5 + 8 × 3."""
    assert cellular_cost(np.array([50, 20, 8]), np.array([10.0, 5.0, 3.0]), 0.0) == 624


def test_a_facility_cost_that_was_lower_is_refused():
    space = kanon.MetricSpace(np.random.default_rng(2).normal(size=(12, 2)))
    g = kanon.generalize(space, 1, "cellular", centers="input", facility_cost=2.0)
    for lower in (1.0, 1.99):
        with pytest.raises(CertificateError):
            kanon.verify(space, replace(g, options={**g.options, "facility_cost": lower}).sealed())
    with pytest.raises(CertificateError, match="guarantee formula"):
        kanon.verify(space, replace(g, guarantee=None).sealed())
