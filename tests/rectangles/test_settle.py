"""The table of all rectangles of a small grid, and the best cuts of a few points by it."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles.balanced_kd_tree_kernels import (
    FOUND,
    MOST_LINES,
    NONE,
    TOO_DEAR,
    add_up,
    grouped,
    price,
    settle,
)
from kanon_engine.rectangles.bit_table_kernels import fill, has, pair, work
from kanon_engine.rectangles.kd_tree_kernels import NOTHING
from tests.oracles.rectangles_exact import best_cuts, divisible

pytestmark = pytest.mark.kernels


def filled(table, k, cap):
    """The bits of a grid of weights."""
    sums = np.zeros((table.shape[0] + 1, table.shape[1] + 1), np.int64)
    sums[1:, 1:] = table.cumsum(axis=0).cumsum(axis=1)
    wide, high = table.shape
    bits = np.full((wide * (wide + 1) // 2, high * (-(-high // 64))), 2**64 - 1, np.uint64)  # what stood there before
    fill(bits, sums, k, cap)
    return bits


def all_rectangles(wide, high):
    return [
        (a, b, c, d)
        for a in range(wide)
        for c in range(a + 1, wide + 1)
        for b in range(high)
        for d in range(b + 1, high + 1)
    ]


@pytest.mark.parametrize("seed", range(60))
def test_bits_by_looking_at_all_cuts(seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 6, (int(rng.integers(1, 6)), int(rng.integers(1, 6))))
    k = int(rng.integers(1, 9))
    cap = k + int(rng.integers(0, 8))
    bits, expected = filled(table, k, cap), divisible(table.tolist(), k, cap)
    for rectangle in all_rectangles(*table.shape):
        assert has(bits, rectangle, table.shape) == expected(*rectangle), rectangle


@pytest.mark.parametrize(("k", "cap"), [(3, 3), (3, 4), (7, 8)])
def test_bits_of_more_rows_than_a_word_has(k, cap):
    table = np.ones((2, 70), np.int64)
    bits, expected = filled(table, k, cap), divisible(table.tolist(), k, cap)
    found = [has(bits, rectangle, table.shape) for rectangle in all_rectangles(2, 70)]
    assert found == [expected(*rectangle) for rectangle in all_rectangles(2, 70)]
    assert True in found
    assert False in found


def test_intervals_have_numbers_of_their_own_and_work_grows():
    numbers = [pair(a, c, 7) for a in range(7) for c in range(a + 1, 8)]
    assert numbers == list(range(28))
    assert work(1, 1) == 1
    assert work(10, 64) < work(11, 64) < work(11, 65)


def parts_of(order, axes, sizes):
    return np.split(order, np.cumsum(sizes[axes < 0])[:-1])


def dense(seed, most=14):
    """A few points that share lines; every other seed has more columns than rows."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, most))
    xy = rng.integers(0, (6, 4) if seed % 2 else (4, 6), (n, 2)).astype(float)
    weights = rng.integers(1, 9, n)
    return xy, weights, int(rng.integers(1, weights.sum() + 1))


@pytest.mark.parametrize("seed", range(120))
def test_settled_as_well_as_brute_force(seed):
    xy, weights, k = dense(seed)
    best = best_cuts([tuple(p) for p in xy.tolist()], weights.tolist(), k)[0]
    total = int(weights.sum())
    order = np.arange(len(xy), dtype=np.int32)
    verdict, steps, axes, lines, sizes = settle(xy, weights, order, (k, total, k, 10**6))
    assert (verdict, sorted(order.tolist())) == (FOUND, list(range(len(xy))))
    assert steps >= len(xy)
    parts = parts_of(order, axes, sizes)
    loads = [int(weights[part].sum()) for part in parts]
    assert (min(loads) >= k, max(loads)) == (True, best)
    for part in parts:  # no line can cut any of them
        for axis in range(2):
            lows = [weights[part][xy[part, axis] < line].sum() for line in xy[part, axis]]
            assert not any(k <= low <= weights[part].sum() - k for low in lows)
    assert len(lines) == len(axes) == 2 * len(parts) - 1
    if best > k:
        untouched = order.copy()
        assert settle(xy, weights, order, (k, best - 1, k, 10**6))[0] == NONE
        assert np.array_equal(order, untouched)


def test_cuts_lie_between_the_points_that_they_part():
    xy, weights = np.array([[0.0, 0], [1, 0], [5, 0], [6, 0]]), np.ones(4, np.int64)
    order = np.arange(4, dtype=np.int32)
    _, _, axes, lines, _ = settle(xy, weights, order, (2, 3, 2, 10**6))
    assert (axes.tolist(), lines[0]) == ([0, -1, -1], 3.0)


def test_what_is_too_dear_is_not_asked():
    xy, weights, _ = dense(3)
    order = np.arange(len(xy), dtype=np.int32)
    verdict, steps, axes, _, _ = settle(xy, weights, order, (1, 30, 1, 5))
    assert (verdict, steps, len(axes)) == (TOO_DEAR, 2 * len(xy), 0)
    assert order.tolist() == list(range(len(xy)))
    many = np.column_stack([np.arange(MOST_LINES + 1), np.zeros(MOST_LINES + 1)]).astype(float)
    group = grouped(many, np.ones(len(many), np.int64), np.arange(len(many), dtype=np.int32), 1)
    assert price(group) == NOTHING


@pytest.mark.parametrize("seed", range(20))
def test_a_group_is_the_grid_of_lines_with_k_on_both_sides(seed):
    xy, weights, k = dense(seed)
    points = kanon.Points(xy, weights)
    group = grouped(xy, weights, np.arange(len(xy), dtype=np.int32), k)
    add_up(group)
    assert group.sums[-1, -1] == points.total
    for place, axis in enumerate(group.axes.tolist()):
        lines = [v for v in np.unique(xy[:, axis])[1:] if k <= weights[xy[:, axis] < v].sum() <= points.total - k]
        assert group.sums.shape[place] == len(lines) + 2
        assert group.ranks[place].tolist() == [sum(line <= v for line in lines) for v in xy[:, axis]]
    assert group.sums.shape[0] <= group.sums.shape[1]
