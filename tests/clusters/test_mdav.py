"""Microaggregation: MDAV and V-MDAV as published, better clusters, one column exactly."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.mdav import distance_groups
from kanon_engine.clusters.squares import along_widest, best_on_a_line, information_loss, split_large, squares
from kanon_engine.clusters.v_mdav import grown_groups
from kanon_engine.model.run import Run
from tests.compiled import COMPILED, SHARE, compiled_only
from tests.oracles import clusters_squares as oracle

pytestmark = pytest.mark.kernels


def small_points(rng):
    """Ties, duplicates, all equal, collinear, or none of these; up to 10 points."""
    n, columns = int(rng.integers(2, 11)), int(rng.integers(1, 4))
    kind = rng.integers(5)
    if kind == 0:
        return np.zeros((n, columns)) + 3.5
    if kind == 1:
        return np.outer(rng.integers(0, 9, n), rng.integers(1, 4, columns)).astype(float)
    if kind == 2:
        return rng.integers(0, 3, (n, columns)).astype(float)
    return rng.normal(size=(n, columns)) * (1, 1e6)[int(kind == 3)] + (0, 1e5)[int(kind == 3)]


def groups_of(assignment):
    return [np.flatnonzero(assignment == c).tolist() for c in range(assignment.max() + 1)]


@pytest.mark.parametrize("algorithm", ["mdav", "v-mdav"])
def test_between_bound_and_first_clustering_against_brute_force(algorithm):
    rng = np.random.default_rng(3)
    exact = 0
    for _ in range(60 // SHARE):
        points = small_points(rng)
        k = int(rng.integers(1, min(4, len(points)) + 1))
        space = kanon.MetricSpace(points)
        best = oracle.best_partition(tuple(map(tuple, points.tolist())), k)
        first = kanon.generalize(space, k, algorithm, improve=False)
        g = kanon.generalize(space, k, algorithm)
        slack = 1e-9 * max(best, 1e-300) + 1e-20
        assert g.lower_bound <= best + slack
        assert best - slack <= g.cost <= first.cost
        assert first.lower_bound <= g.lower_bound + slack
        assert g.class_weights.min() >= k
        assert kanon.verify(space, g).proof == "checked"
        if points.shape[1] == 1:
            assert g.cost == pytest.approx(best, abs=1e-12, rel=1e-9)
            assert g.status == "optimal"
        exact += g.cost <= best + slack
    assert exact >= 0.9 * (60 // SHARE)


def test_mdav_is_that_of_the_paper():
    rng = np.random.default_rng(5)
    for _ in range(60 // SHARE):
        points = rng.integers(0, 6, (int(rng.integers(2, 40)), int(rng.integers(1, 4)))).astype(float)
        k = int(rng.integers(1, len(points) // 2 + 1))
        assert groups_of(distance_groups(points, k, Run())) == oracle.mdav(points.tolist(), k)


@pytest.mark.parametrize("gamma", [0.0, 0.2, 1.1, 5.0])
def test_v_mdav_is_that_of_the_paper(gamma):
    rng = np.random.default_rng(6)
    for _ in range(20 // SHARE + 1):
        points = rng.normal(size=(int(rng.integers(2, 30)), 2))
        k = int(rng.integers(1, len(points) // 2 + 1))
        groups, late = oracle.v_mdav(points.tolist(), k, gamma)
        found = groups_of(grown_groups(points, k, Run(), gamma))
        assert [[i for i in group if i not in late] for group in found] == groups
        for i in late:
            own = next(c for c, group in enumerate(found) if i in group)
            apart = [oracle.square(points[i], oracle.mean([points[j] for j in group])) for group in groups]
            assert apart[own] == min(apart)


@compiled_only
def test_improvement_lowers_the_squares_and_keeps_every_class_at_k():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(60 if COMPILED else 20, 3))
    space = kanon.MetricSpace(points)
    for k in (2, 3, 5):
        plain = kanon.generalize(space, k, "mdav", improve=False)
        better = kanon.generalize(space, k, "mdav")
        assert better.cost < plain.cost
        assert better.lower_bound > plain.lower_bound
        assert k <= better.class_weights.min() <= better.class_weights.max() < 2 * k
        steps, costs, bounds = better.details.curve.T
        assert (np.diff(steps) >= 0).all()
        assert (np.diff(costs) <= 0).all()
        assert (np.diff(bounds) >= 0).all()


def test_one_column_is_solved_exactly_and_the_smallest_last_class_is_taken():
    rng = np.random.default_rng(1)
    for _ in range(30):
        values = rng.integers(-4, 5, int(rng.integers(2, 12))) * 0.1
        k = int(rng.integers(1, 4))
        if len(values) < k:
            continue
        labels = best_on_a_line(values, k, Run())
        best = oracle.best_partition([(value,) for value in values.tolist()], k)
        assert squares(values[:, None], labels) == pytest.approx(best, abs=1e-12)
        ordered = [sorted(values[labels == c].tolist()) for c in range(labels.max() + 1)]
        assert all(here[-1] <= there[0] for here, there in pairwise(ordered))
    assert best_on_a_line(np.array([0.0, 0.0, 0.0, 0.0, 0.0]), 2, Run()).tolist() == [0, 0, 0, 1, 1]
    assert best_on_a_line(np.array([1e300, 1e-300, 2.0, 0.5]), 2, Run()).tolist() == [1, 0, 1, 0]


def test_a_line_that_is_stopped_is_grouped_by_mdav():
    space = kanon.MetricSpace(np.arange(40.0)[:, None] ** 2)
    g = kanon.generalize(space, 3, "mdav", progress=lambda report: False)
    assert (g.status, g.bound_name) == ("stopped", "squared distances")
    assert g.class_weights.min() >= 3
    kanon.verify(space, g)


def test_a_stopped_first_clustering_is_finished_along_the_widest_column():
    points = np.random.default_rng(2).normal(size=(50, 2)) * [1, 9]
    for groups in (distance_groups, lambda *given: grown_groups(*given, gamma=0.2)):
        run = Run(progress=lambda report: False)
        made = groups(points, 4, run)
        assert np.bincount(made).min() >= 4
    assert np.bincount(along_widest(points, 4)).tolist() == [4] * 11 + [6]


def test_splitting_large_classes_never_raises_the_squares():
    points = np.random.default_rng(4).normal(size=(30, 2))
    whole = np.repeat([0, 1], [25, 5])
    split = split_large(points, 3, whole)
    assert np.bincount(split).max() <= 5
    assert squares(points, split) < squares(points, whole)
    assert (split[25:] == 1).all()


def test_the_same_seed_finds_the_same():
    space = kanon.MetricSpace(np.random.default_rng(7).normal(size=(30, 2)))
    first, again = (kanon.generalize(space, 3, "mdav", seed=5) for _ in range(2))
    assert (first.assignment == again.assignment).all()
    assert (first.details.prices == again.details.prices).all()


def test_information_loss_is_in_percent_of_one_cluster():
    space = kanon.MetricSpace(np.random.default_rng(8).normal(size=(12, 2)))
    alone = kanon.generalize(space, 12, "mdav")
    assert information_loss(space, alone) == 100.0
    assert information_loss(space, kanon.generalize(space, 1, "mdav")) == 0.0
    same = kanon.MetricSpace(np.ones((4, 2)))
    assert information_loss(same, kanon.generalize(same, 2, "mdav")) == 0.0
    out = replace(alone, assignment=np.where(np.arange(12) == 3, -1, 0))
    with pytest.raises(kanon.InvalidInput, match="left out"):
        information_loss(space, out)


@pytest.mark.parametrize("algorithm", ["mdav", "v-mdav"])
def test_metrics_without_means_and_counts_are_refused(algorithm):
    degrees = [(0, 0), (1, 1), (2, 2)]
    for metric in ("haversine", "hamming", "gower"):
        with pytest.raises(kanon.InvalidInput, match=f"metric {metric} has none; choose euclidean"):
            kanon.generalize(kanon.MetricSpace(degrees, metric), 2, algorithm)
    with pytest.raises(kanon.InvalidInput, match="metric precomputed has none"):
        kanon.generalize(kanon.MetricSpace([[0, 1], [1, 0]], "precomputed"), 2, algorithm)
    with pytest.raises(kanon.InvalidInput, match="one row per record"):
        kanon.generalize(kanon.MetricSpace(degrees, counts=[1, 2, 1]), 2, algorithm)


def test_a_large_class_of_equal_points_is_split_before_it_is_improved():
    points = np.array([[0.0]] * 9 + [[5.0], [6.0]]) * [1.0, 2.0]
    for seed in range(3):
        space = kanon.MetricSpace(points)
        g = kanon.generalize(space, 2, "v-mdav", gamma=9.0, seed=seed)
        assert g.class_weights.max() < 4
        assert g.cost == 2.5
