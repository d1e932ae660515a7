"""Clusterings that may leave a share of the records out, against all partitions of small spaces."""

import math
from dataclasses import replace
from decimal import Decimal
from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.left_out import leaving_by_peeling, most_left_out, part_of
from kanon_engine.clusters.nearest import nearest
from kanon_engine.clusters.outliers import coverage, net_of
from kanon_engine.errors import CertificateError
from tests.clusters.small_spaces import small_space
from tests.oracles.clusters_outliers import best_radius, kept_by_peeling

SHARES = (0.0, 0.1, 0.2, 0.34, 0.5, 0.67)


def optimum(space, k, most, clusters, free):
    """Of all choices; with free centers in the plane alone."""
    spots = None
    if free:
        spots = [tuple(spot) for spot in np.column_stack([space.points, np.zeros(len(space))])[:, :2].tolist()]
    return best_radius(space.between(np.arange(len(space))).tolist(), space.weights.tolist(), k, most, clusters, spots)


def attack(rounds, seed, most=7):
    """Every result lies between the optimum and its ratio times that, and its bound is at most the optimum."""
    rng = np.random.default_rng(seed)
    tried = 0
    for _ in range(rounds):
        space = small_space(rng, most)
        k = int(rng.integers(1, min(4, space.total) + 1))
        epsilon, clusters = float(rng.choice(SHARES)), int(rng.integers(1, 4))
        left = math.floor(Decimal(repr(epsilon)) * space.total)
        for algorithm, more, ratio in (
            ("gather-outliers", {}, {"input": 3, "any": 4}),
            ("center-outliers", {"max_clusters": clusters}, {"input": 4, "any": 4}),
        ):
            for centers in ("input", "any"):
                free = space.free and centers == "any"
                if free and space.metric != "euclidean":
                    continue
                best = optimum(space, k, left, more.get("max_clusters"), free)
                improved = bool(rng.random() < 0.5)
                settings = {"centers": centers, "epsilon": epsilon, "improve": improved} | more
                g = kanon.generalize(space, k, algorithm, **settings)
                least = ratio["any" if free else "input"]
                slack = 1e-5 * max(best, g.cost) + 1e-9  # six digits of a radius around a free center
                assert g.lower_bound <= best + slack, (space.points.tolist(), k, settings)
                assert best <= g.cost + slack, (space.points.tolist(), k, settings)
                assert g.cost <= least * best + slack, (space.points.tolist(), k, settings)
                assert g.guarantee is not None
                tried += 1
    return tried


def test_results_lie_between_the_optimum_and_the_ratio_and_bounds_below():
    assert attack(40, 5) > 100


@pytest.mark.thorough
def test_results_lie_between_the_optimum_and_the_ratio_and_bounds_below_on_many():
    assert attack(1_500, 6, 8) > 4_000


def test_lemma_2_5_counts_records_that_it_never_assigns():
    """Line 0, 4, 8 with k = 3 and epsilon = 0.67: only 4 has three records within 4, and would be alone."""
    line = kanon.MetricSpace([[0], [4], [8]])
    within = line.between(np.arange(3)) <= 4
    assert (within.sum(axis=1) >= 3).tolist() == [False, True, False]  # S of the paper, a share of 1/3 >= 1 - 0.67
    assert coverage(net_of(line), 4.0, 3, 1).covered == 0
    for algorithm in ("center-outliers", "gather-outliers"):
        g = kanon.generalize(line, 3, algorithm, epsilon=0.67)
        assert g.class_weights.tolist() == [3]
        assert g.cost == 4


def test_peeling_is_that_of_the_paper_at_the_least_width_that_keeps_enough():
    rng = np.random.default_rng(3)
    for _ in range(60):
        space = small_space(rng)
        k = int(rng.integers(1, min(4, space.total) + 1))
        most = int(rng.integers(0, space.total - k + 1))
        leaving = leaving_by_peeling(nearest(space, k), most)
        apart = space.between(np.arange(len(space)))
        weights = space.weights.tolist()
        enough = [
            width
            for width in np.unique(apart).tolist()
            if sum(weights[i] for i in kept_by_peeling(apart.tolist(), weights, k, width)) >= space.total - most
        ]
        assert leaving.width == min(enough)
        assert set(np.flatnonzero(leaving.kept)) == kept_by_peeling(apart.tolist(), weights, k, leaving.width)


def test_as_many_records_as_epsilon_says_are_left_out_and_no_more():
    assert most_left_out(kanon.MetricSpace([[0]], counts=[100]), 0.29) == 29
    space = kanon.MetricSpace(np.concatenate([np.arange(10.0), [50, 100, 200]])[:, None], counts=[1] * 10 + [3, 2, 1])
    for algorithm in ("gather-outliers", "center-outliers"):
        for epsilon in (0.0, 0.1, 0.2, 0.4):
            g = kanon.generalize(space, 2, algorithm, epsilon=epsilon)
            assert space.weights[g.assignment < 0].sum() <= most_left_out(space, epsilon)
        assert g.assignment[-1] == -1  # the others that are far have k records where they are


def test_an_improved_result_never_costs_more():
    rng = np.random.default_rng(8)
    for _ in range(2):
        space = kanon.MetricSpace(rng.normal(size=(20, 2)).cumsum(axis=0))
        for algorithm in ("gather-outliers", "center-outliers"):
            for centers in ("any", "input"):
                plain, better = (
                    kanon.generalize(space, 4, algorithm, epsilon=0.1, centers=centers, improve=improve).cost
                    for improve in (False, True)
                )
                assert better <= plain


def test_a_part_keeps_the_distances_of_the_whole():
    frame = pd.DataFrame({"age": [20.0, np.nan, 60, 30, 25], "job": ["a", "b", None, "a", "c"]})
    kept = np.array([0, 1, 3])
    for space in (
        kanon.MetricSpace(frame, "gower", counts=[1, 2, 3, 4, 5]),
        kanon.MetricSpace(frame.astype(str), "hamming"),
        kanon.MetricSpace([(0, 0), (1, 1), (2, 2), (3, 3), (170, 80)], "haversine"),
        kanon.MetricSpace(np.abs(np.subtract.outer(np.arange(5), np.arange(5))), "precomputed"),
    ):
        part = part_of(space, kept)
        assert np.array_equal(part.between(np.arange(3)), space.between(kept, kept))
        assert part.weights.tolist() == space.weights[kept].tolist()
        assert len(part) == 3


def test_more_points_than_a_net_has_are_gathered_at_places_and_the_bound_says_what_that_costs(monkeypatch):
    space = kanon.MetricSpace(np.random.default_rng(2).random((300, 2)))
    exact = kanon.generalize(space, 3, "center-outliers", max_clusters=3)
    monkeypatch.setattr("kanon_engine.clusters.center_outliers.MOST_PLACES", 200)
    monkeypatch.setattr(import_module("kanon_engine.verification.clusters"), "MOST_PLACES", 200)
    monkeypatch.setattr("kanon_engine.clusters.center_outliers.net_of", lambda space: net_of(space, 200))
    for centers, name in (("any", "coverage"), ("input", "disks")):
        g = kanon.generalize(space, 3, "center-outliers", max_clusters=3, centers=centers)
        assert (g.bound_name, len(g.bound_witness), g.guarantee) == (name, 200, None)
        assert 0 < g.lower_bound <= exact.cost * (2 if centers == "input" else 1)
        with pytest.raises(CertificateError):
            kanon.verify(space, replace(g, bound_witness=g.bound_witness[1:]).sealed())


def test_around_means_or_without_the_triangle_inequality_nothing_is_promised():
    rng = np.random.default_rng(1)
    matrix = np.abs(np.subtract.outer(rng.random(12), rng.random(12)))
    matrix = matrix + matrix.T
    np.fill_diagonal(matrix, 0)
    for space, centers in (
        (kanon.MetricSpace(matrix, "precomputed"), "any"),
        (kanon.MetricSpace(rng.normal(size=(12, 2))), "means"),
    ):
        for algorithm in ("gather-outliers", "center-outliers"):
            g = kanon.generalize(space, 3, algorithm, centers=centers, epsilon=0.2)
            assert g.guarantee is None
            assert 0 < g.lower_bound <= g.cost


FORGED = {
    "a larger bound": lambda g: {"lower_bound": g.lower_bound * 1.01},
    "a witness twice": lambda g: {"bound_witness": (*g.bound_witness, *g.bound_witness[:1])},
    "a witness of too few": lambda g: {"bound_witness": g.bound_witness[1:]},
    "a witness of others": lambda g: {"bound_witness": tuple(range(len(g.bound_witness)))},
    "a witness that is no position": lambda g: {"bound_witness": (10**6, *g.bound_witness[1:])},
    "an argument that nobody may be left out": lambda g: {"bound_name": "centers apart"},
    "a lower ceiling": lambda g: {"guarantee": g.guarantee * 0.99},
}


@pytest.mark.thorough(one_in=4)
@pytest.mark.parametrize(
    ("columns", "centers", "name"),
    [(2, "any", "too many discs"), (3, "any", "peeling"), (2, "input", "too many in need")],
)
@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_result_is_refused(forged, columns, centers, name):
    space = kanon.MetricSpace(np.random.default_rng(7).normal(size=(40, columns)))
    g = kanon.generalize(space, 4, "gather-outliers", centers=centers, epsilon=0.1)
    assert g.bound_name == name
    assert kanon.verify(space, g).proof == "checked"
    with pytest.raises(CertificateError):
        kanon.verify(space, replace(g, **FORGED[forged](g)).sealed())


@pytest.mark.parametrize("centers", ["any", "input"])
def test_forged_coverage_is_refused(centers):
    space = kanon.MetricSpace(np.random.default_rng(7).random((80, 2)))
    g = kanon.generalize(space, 4, "center-outliers", centers=centers, max_clusters=3)
    assert g.bound_name == ("coverage" if centers == "any" else "disks")
    widths = np.unique(space.between(np.arange(80)))
    later = float(widths[np.searchsorted(widths, g.details.prices[0, 0]) + 40])
    bound = later if centers == "input" else math.nextafter(later / 2, 0)
    for change in (
        {"lower_bound": bound, "details": replace(g.details, prices=np.array([[later]]))},
        {"details": replace(g.details, prices=np.array([[math.inf]]))},
        {"details": replace(g.details, prices=np.zeros((0, 0)))},
        {"bound_witness": (1, 1)},
        {"options": g.options | {"max_clusters": 1}},
    ):
        with pytest.raises(CertificateError):
            kanon.verify(space, replace(g, **change).sealed())


def test_more_clusters_than_asked_for_and_more_left_out_are_refused():
    space = kanon.MetricSpace([[0], [1], [50], [51], [99]])
    g = kanon.generalize(space, 2, "center-outliers", max_clusters=2, epsilon=0.2)
    assert (g.classes, int((g.assignment < 0).sum())) == (2, 1)
    for name, value, check in (("max_clusters", 1, "clusters asked for"), ("epsilon", 0.1, "left out")):
        with pytest.raises(CertificateError, match=check):
            kanon.verify(space, replace(g, options=g.options | {name: value}).sealed())


def test_who_listens_hears_no_bound_that_holds_for_a_part_alone():
    space = kanon.MetricSpace(np.random.default_rng(7).normal(size=(60, 2)))
    heard = []
    g = kanon.generalize(space, 4, "gather-outliers", epsilon=0.2, progress=lambda report: heard.append(report))
    bounds = {report.lower_bound for report in heard} - {None}
    assert bounds == {g.lower_bound}
    stopped = kanon.generalize(space, 4, "gather-outliers", epsilon=0.2, progress=lambda report: False)
    assert stopped.status == "stopped" or stopped.cost == stopped.lower_bound
    assert stopped.guarantee is not None
