"""Smallest balls and maximal sets: the kernels beside plain twins; covers beside all ways to give points out."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.clusters.ball_kernels import smallest_balls
from kanon_engine.clusters.centers import ball_centers
from kanon_engine.clusters.gather_cover import CoverCut, cover, greedy, maximal
from kanon_engine.clusters.gather_flow import disc_holds
from kanon_engine.verification import clusters as verifier
from tests.compiled import compiled_only
from tests.oracles import clusters_radius as oracle
from tests.verification.proven import measured

pytestmark = pytest.mark.kernels


def checked_disc_holds(space, place, width, k):
    return verifier.disc_holds(measured(space), place, width, k)


def test_smallest_balls_against_all_borders():
    rng = np.random.default_rng(0)
    for case in range(150):
        axes, count = int(rng.integers(1, 5)), int(rng.integers(1, 9))
        points = rng.integers(0, 4, (count, axes)).astype(float) if case % 3 else rng.normal(size=(count, axes))
        points[:, 0] *= case % 7 != 0
        points += 1e6 * (case % 5 == 0)
        center = np.empty((1, axes))
        smallest_balls(points, np.arange(count), np.array([0, count]), center)
        radius = np.sqrt(((points - center) ** 2).sum(axis=1)).max()
        assert radius == pytest.approx(oracle.smallest_ball(points - points[0]), rel=1e-9, abs=1e-9), points


def test_smallest_balls_of_points_that_nearly_coincide():
    """Two of them do not span a line, as far as floats tell."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        points = rng.normal(size=(3, 2 + seed % 2))
        points = np.vstack([points, points + 1e-7 * rng.normal(size=points.shape)])
        center = np.empty((1, points.shape[1]))
        smallest_balls(points, np.arange(6), np.array([0, 6]), center)
        radius = np.sqrt(((points - center) ** 2).sum(axis=1)).max()
        assert radius <= oracle.smallest_ball(points - points[0]) * (1 + 1e-6)


def test_circles_on_the_globe_cross_the_date_line():
    space = kanon.MetricSpace(
        [(179.0, 0.0), (-179.0, 0.0), (0.0, 90.0), (0.0, 89.0), (0.0, 0.0), (180.0, 0.0)], "haversine"
    )
    centers = ball_centers(space, np.array([0, 0, 1, 1, 2, 2]))
    assert abs(centers[0, 0]) == pytest.approx(180.0)
    assert centers[1, 1] == pytest.approx(89.5)
    assert space.from_center(centers[2], [4, 5]).max() <= 20_016  # of opposite points any center will do


def test_covers_against_all_ways():
    rng = np.random.default_rng(1)
    seen = {"found": 0, "impossible": 0}
    for case in range(150):
        sets, count, k = int(rng.integers(1, 6)), int(rng.integers(1, 8)), int(rng.integers(1, 5))
        inside = rng.random((sets, count)) < 0.6
        weights = rng.integers(1, 4, count) if case % 3 == 0 else np.ones(count, dtype=np.int64)
        must = rng.random(count) < 0.8 if case % 2 else np.ones(count, dtype=bool)
        answer = cover(inside, weights, k, must, 0, 5.0, lambda: True)
        assert (answer.verdict == "found") == oracle.covers(inside, weights.tolist(), k, must)
        seen[answer.verdict] += 1
        if answer.verdict == "found":
            given = np.flatnonzero(answer.owner >= 0)
            assert must[answer.owner < 0].sum() == 0
            assert inside[answer.owner[given], given].all()
            sums = np.bincount(answer.owner[given], weights=weights[given])
            assert all(total == 0 or total >= k for total in sums)
    assert min(seen.values()) > 30


def test_greedy_covers_keep_cuts():
    balls = np.array([[1, 1, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 0, 1, 1], [0, 0, 0, 0, 1]], dtype=bool)
    every = np.ones(5, dtype=bool)
    assert greedy(balls, every, []) == [0, 2]
    one_of = CoverCut(np.array([True, False, True, False]), 1)
    assert greedy(balls, every, [one_of]) == [0, 1, 3]
    assert greedy(balls, every, [one_of, CoverCut(np.array([True, True, False, False]), 1)]) is None
    assert greedy(balls, every & False, []) == []


def test_maximal_sets_against_sets():
    rng = np.random.default_rng(2)
    for _ in range(60):
        inside = rng.random((int(rng.integers(1, 30)), int(rng.integers(1, 80)))) < 0.7
        inside[:, 0] = True
        rows, masks = maximal(inside, np.ones(inside.shape[1], dtype=np.int64), 1)
        order = np.argsort(-inside.sum(axis=1), kind="stable")
        sets = [set(np.flatnonzero(inside[row]).tolist()) for row in order]
        assert rows == [int(order[place]) for place in oracle.maximal_sets(sets)]
        assert [mask.bit_count() for mask in masks] == [int(inside[row].sum()) for row in rows]


def test_discs_of_the_engine_and_of_the_check_agree():
    """Away from the least radius both say the same, and what they say is that of all smallest balls."""
    rng = np.random.default_rng(3)
    for case in range(30):
        points = rng.integers(0, 5, (7, 1 + case % 2)).astype(float) if case % 3 else rng.normal(size=(7, 2))
        space = kanon.MetricSpace(points, counts=rng.integers(1, 3, 7))
        k = int(rng.integers(2, 6))
        groups = [[place for place in range(7) if mask >> place & 1] for mask in range(1, 128)]
        least = min(
            oracle.smallest_ball(points[group]) for group in groups if 0 in group and space.weights[group].sum() >= k
        )
        for factor, holds in ((1 - 1e-6, False), (1 + 1e-6, True)):
            if least > 0:
                assert disc_holds(space, 0, least * factor, k) is holds
                assert checked_disc_holds(space, 0, least * factor, k) is holds


@pytest.mark.thorough
@compiled_only
def test_discs_on_the_globe_are_those_of_the_plane_where_it_is_small():
    rng = np.random.default_rng(4)
    flat = rng.random((9, 2)) / 100
    globe, plane = kanon.MetricSpace(flat, "haversine"), kanon.MetricSpace(flat * 111.195080)
    for k in (2, 3, 5):
        for place in range(9):
            found = [
                min(width for width in np.linspace(0, 2, 101).tolist() if holds(space, place, width, k))
                for space in (globe, plane)
                for holds in (disc_holds, checked_disc_holds)
            ]
            assert max(found) - min(found) < 0.021
