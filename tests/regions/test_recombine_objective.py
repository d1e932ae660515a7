"""The sum of w (w - k) as an objective, and what is proven of it."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.objective import COMBINED, DIFFERENCES, partition_cost
from kanon_engine.regions.bounds import class_limit, least_squares, partition_cost_bound
from tests.oracles.recombine import best_costs, partitions
from tests.regions.graphs import random_connected_graph


def small(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    edges = random_connected_graph(rng, n, rng.choice([0.0, 0.2, 0.5]))
    heavy = rng.integers(0, 9, n) + 30 * (rng.random(n) < 0.15)
    return kanon.Regions(range(n), heavy * (rng.random(n) < 0.8), edges), int(rng.integers(1, 12))


def test_small_graphs_against_brute_force():
    """No cost is below the best, no bound above it; the search meets the best sum on nearly all."""
    hits = cases = tight = 0
    for seed in range(80):
        regions, k = small(seed)
        found = partitions(regions.weights.tolist(), regions.edges.tolist(), k)
        if not found:
            continue
        best = best_costs(found, k)
        assert class_limit(regions, k) >= max(len(weights) for weights in found)
        for combine in COMBINED:
            for difference in DIFFERENCES:
                assert partition_cost_bound(regions, k, combine, difference) <= best[combine, difference]
        g = kanon.generalize(regions, k, "recombine", seed=seed, objective="sum", effort=0.2)
        assert partition_cost(g) >= best["sum", "size - k"]
        hits += partition_cost(g) == best["sum", "size - k"]
        tight += partition_cost_bound(regions, k) == best["sum", "size - k"]
        cases += 1
    assert cases > 40
    assert hits / cases >= 0.98, (hits, cases)
    assert tight / cases >= 0.4, (tight, cases)


def test_the_cost_functions_of_a_result():
    g = kanon.generalize(kanon.Regions(range(6), [2, 1, 1, 2, 2, 1], [(i, i + 1) for i in range(5)]), 3, "recombine")
    assert g.class_weights.tolist() == [3, 3, 3]
    costs = {(combine, d): partition_cost(g, combine, d) for combine in COMBINED for d in DIFFERENCES}
    assert costs == {
        ("max", "1"): 3,
        ("max", "size"): 9,
        ("max", "size - k"): 0,
        ("sum", "1"): 9,
        ("sum", "size"): 27,
        ("sum", "size - k"): 0,
    }
    with pytest.raises(kanon.InvalidInput, match="max, sum"):
        partition_cost(g, "mean")
    with pytest.raises(kanon.InvalidInput, match="size - k"):
        partition_cost(g, "sum", "2")
    for wrong in (("mean", "size"), ("sum", "2"), ("max", "2")):
        with pytest.raises(kanon.InvalidInput):
            partition_cost_bound(kanon.Regions([0], [5], []), 3, *wrong)


def test_the_two_objectives_differ():
    """A tree that falls into 10, 10, 6 or into 11, 8, 7: the largest class is smaller in one, the sum in the other."""
    edges = [(0, 5), (1, 5), (2, 4), (2, 6), (3, 5), (3, 6)]
    regions = kanon.Regions(range(7), [6, 1, 2, 2, 8, 4, 3], edges)
    largest, total = (kanon.generalize(regions, 6, "recombine", objective=name) for name in ("largest", "sum"))
    assert largest.class_weights.tolist() == [10, 10, 6]
    assert total.class_weights.tolist() == [11, 8, 7]
    assert (partition_cost(largest), partition_cost(total)) == (80, 78)
    assert total.lower_bound <= 10, "the bound is one on the largest class"


def test_compactness_buys_shorter_borders_from_the_sum():
    rng = np.random.default_rng(4)
    edges = [(i, i + 1) for i in range(59)] + [(i, i + 6) for i in range(54)]
    regions = kanon.Regions(range(60), rng.integers(1, 60, 60), edges)
    plain, compact = (
        kanon.generalize(regions, 120, "recombine", objective="sum", compactness=weight, effort=0.3)
        for weight in (0, 3)
    )

    def apart(g):
        return int((g.assignment[edges][:, 0] != g.assignment[edges][:, 1]).sum())

    assert apart(compact) < apart(plain)
    assert partition_cost_bound(regions, 120) <= partition_cost(plain) <= partition_cost(compact)


@pytest.mark.parametrize("most", [1, 2, 3, 5])
def test_least_squares_against_all_ways_into_few_classes(most):
    rng = np.random.default_rng(most)
    for _ in range(60):
        weights = rng.integers(0, 6, int(rng.integers(1, 7))) * rng.choice([1, 1, 7], 1)
        weights[0] += rng.choice([0, 20])
        complete = [(i, j) for i in range(len(weights)) for j in range(i)]
        ways = [own for own in partitions(weights.tolist(), complete, 0) if len(own) <= most]
        assert least_squares(weights, most) <= min(sum(w * w for w in own) for own in ways)


def test_effort_scales_the_search():
    regions = kanon.Regions(range(100), np.random.default_rng(5).integers(1, 50, 100), [(i, i + 1) for i in range(99)])
    reports = {}
    for effort in (0.01, 0.1, 1.0):
        reports[effort] = []
        kanon.generalize(regions, 100, "recombine", effort=effort, progress=reports[effort].append)
    assert len(reports[0.01]) < len(reports[1.0])
    assert reports[0.01][-1].best >= reports[1.0][-1].best
    with pytest.raises(kanon.InvalidInput, match="effort"):
        kanon.generalize(regions, 100, "recombine", effort=0)
