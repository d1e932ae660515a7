"""r-cellular: the paper's solution and the search, between the bound and the optimum's multiple."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.dual import MOST_POINTS, Distances
from kanon_engine.clusters.r_cellular import shared_solution, unshared
from kanon_engine.errors import CertificateError, InvalidInput
from tests import compiled
from tests.clusters.small_spaces import small_space
from tests.oracles.clusters_cellular import ball_radius, cheapest, fair

ROUNDS = 300 if compiled.THOROUGH else 40 if compiled.COMPILED else 6


def small_cases(seed, counts=None, most=8):
    for number in range(ROUNDS):
        rng = np.random.default_rng([seed, number])
        space = small_space(rng, most, counts)
        k = int(rng.integers(1, space.total // 2 + 2))
        yield space, k, float(rng.choice([0.0, 0.0, 0.5, 3.0]))


def least_cost(space, k, centers, facility_cost, spare=0):
    matrix = space.between(range(len(space)))
    if centers == "any" and space.metric == "euclidean":
        points = space.points.tolist()

        def radius(own):
            return ball_radius([points[i] for i in own])
    else:

        def radius(own):
            return float(matrix[own].max(axis=0).min())

    return cheapest(len(space), space.weights.tolist(), k, radius, facility_cost, spare)


def close_below(low, high):
    """Sums in another order, and radii of six digits."""
    return low <= high * (1 + 2e-5) + 1e-9


def test_small_metrics_lie_between_optimum_and_ratio():
    """Free centers on the globe are compared with those at points, which cost no less."""
    for space, k, facility_cost in small_cases(1):
        for centers in ("any", "input"):
            g = kanon.generalize(space, k, "r-cellular", centers=centers, facility_cost=facility_cost)
            best = least_cost(space, k, centers, facility_cost)
            assert close_below(g.lower_bound, best)
            if space.metric != "haversine" or centers == "input":
                assert close_below(best, g.cost)
            if (space.weights == 1).all():
                assert g.guarantee is not None
                assert close_below(g.cost, (72 if space.free and centers == "any" else 36) * best + 1e-2 * space.total)


def test_prices_are_fair_by_brute_force():
    for space, k, facility_cost in small_cases(2, most=7):
        g = kanon.generalize(space, k, "r-cellular", centers="input", facility_cost=facility_cost)
        matrix = space.between(range(len(space))).tolist()
        assert fair(matrix, space.weights.tolist(), g.details.prices[:, 0].tolist(), k, facility_cost)


def test_halved_prices_are_fair_by_brute_force():
    """No set of points costs less with the smallest circle around it."""
    for seed in range(ROUNDS):
        rng = np.random.default_rng([seed, 6])
        n = int(rng.integers(1, 8))
        points = rng.integers(0, 5, (n, 2)) if seed % 2 else rng.normal(size=(n, 2))
        weights = rng.integers(1, 4, n) if seed % 3 == 0 else np.ones(n, dtype=np.int64)
        space, cost = kanon.MetricSpace(points, counts=weights), float(rng.choice([0.0, 0.5]))
        k = int(rng.integers(1, space.total + 1))
        prices = kanon.generalize(space, k, "r-cellular", facility_cost=cost).details.prices[:, 0]
        for number in range(1, 1 << n):
            own = [i for i in range(n) if number >> i & 1]
            records = int(weights[own].sum())
            if records >= k:
                radius = ball_radius(space.points[own].tolist())
                assert records * radius + cost >= float(prices[own] @ weights[own]) - 1e-9


def test_the_paper_s_solution_costs_at_most_its_own_proof():
    """Shared: 3 times the prices. Unshared: 6 times that. Every cluster holds k, and radii are within three times."""
    for space, k, facility_cost in small_cases(3, counts=False, most=25):
        distances = Distances(space, k, facility_cost)
        shared = shared_solution(distances)
        paid = float(distances.as_numbers(shared.prices).sum())
        slack = 1e-9 * paid + 1e-2 * (space.metric == "haversine") * space.total
        sizes = np.array([len(own) for own in shared.members])
        assert (sizes >= k).all()
        assert (np.diff(shared.radii) >= 0).all()
        assert set(np.concatenate(shared.members).tolist()) == set(range(len(space)))
        cost = float(sizes @ shared.radii) + facility_cost * len(sizes)
        assert cost <= 3 * paid + slack
        given = unshared(distances, shared)
        own = np.bincount(given.labels)
        assert own.min() >= k
        radii = np.zeros(len(own))
        np.maximum.at(radii, given.labels, distances.matrix[np.arange(len(space)), given.centers[given.labels]])
        assert float(own @ radii) + facility_cost * len(own) <= 6 * cost + slack
        assert ((given.tree >= 0) ^ np.isin(np.arange(len(sizes)), given.opened)).all()


def test_improving_never_costs_more():
    for space, k, facility_cost in small_cases(4, most=30 if compiled.COMPILED else 8):
        for centers in ("any", "input"):
            plain, better = (
                kanon.generalize(space, k, "r-cellular", centers=centers, facility_cost=facility_cost, improve=improve)
                for improve in (False, True)
            )
            assert better.cost <= plain.cost
            assert better.lower_bound == plain.lower_bound


@pytest.mark.parametrize("centers", ["any", "input"])
def test_forged_results_are_refused(centers):
    space = kanon.MetricSpace(np.random.default_rng(5).normal(size=(30, 2)))
    g = kanon.generalize(space, 3, "r-cellular", centers=centers)
    kanon.verify(space, g)

    def forged(name, **changes):
        details = {key: changes.pop(key) for key in list(changes) if hasattr(g.details, key)}
        wrong = replace(g, details=replace(g.details, **details), **changes).sealed()
        with pytest.raises(CertificateError, match=name):
            kanon.verify(space, wrong)

    prices = g.details.prices
    higher = prices.copy()
    higher[int(prices.argmax())] *= 1.5
    forged("bound witness", prices=higher)
    forged("bound witness", prices=higher, lower_bound=float(g.lower_bound + higher.sum() - prices.sum()))
    forged("bound witness", lower_bound=float(np.nextafter(g.lower_bound, 1e9)))
    forged("bound witness", prices=prices[:-1])
    forged("bound witness", prices=-prices)
    forged("bound witness", bound_name="prices" if centers == "any" else "halved prices")
    forged("radii", radii=g.details.radii * 0.9)
    forged("radii", centers=g.details.centers + 0.01, places=np.full(g.classes, -1)) if centers == "any" else None
    forged("cost", cost=g.cost * 0.99)
    forged("guarantee formula", guarantee=g.guarantee * 0.5)


def test_prices_that_are_barely_too_high_are_refused():
    """Two points 1 apart, k = 2: together they can be priced at 2, and at no float above."""
    space = kanon.MetricSpace([(0.0,), (1.0,)])
    g = kanon.generalize(space, 2, "r-cellular", centers="input")
    assert (g.cost, g.lower_bound, g.status) == (2.0, 2.0, "optimal")
    more = np.array([[1.0], [np.nextafter(1.0, 2)]])
    with pytest.raises(CertificateError, match="bound witness"):
        kanon.verify(space, replace(g, details=replace(g.details, prices=more)).sealed())


def test_steps_of_the_certificate_are_no_coarser():
    """Prices of 1/30 fill a facility cost of 1/2 to the last step."""
    space = kanon.MetricSpace(np.ones((6, 2)), counts=[1, 4, 2, 3, 3, 2])
    for centers in ("any", "input"):
        g = kanon.generalize(space, 4, "r-cellular", centers=centers, facility_cost=0.5)
        assert g.lower_bound == pytest.approx(0.5)


def test_too_many_points_are_refused():
    space = kanon.MetricSpace(np.zeros((MOST_POINTS + 1, 1)))
    with pytest.raises(InvalidInput, match="Choose gather, or fewer points"):
        kanon.generalize(space, 2, "r-cellular")


def test_figure_1_3():
    """Five records of four attributes: center (1, 1, 1, 1), radius 1, distortion 5 where stars cost 20."""
    rows = ["1111", "0111", "1011", "1101", "1110"]
    space = kanon.MetricSpace([list(row) for row in rows], "hamming")
    g = kanon.generalize(space, 5, "r-cellular")
    assert (g.details.places.tolist(), g.details.radii.tolist(), g.cost, g.status) == ([0], [1.0], 5.0, "optimal")
    assert space.distances(0).sum() == 4
    table = kanon.Table(pd.DataFrame([list(row) for row in rows], columns=list("abcd")), list("abcd"))
    assert kanon.generalize(table, 5, "cell-suppression").cost == 20
