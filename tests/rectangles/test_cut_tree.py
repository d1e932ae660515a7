"""Selection in place, trees from several threads, and trees of slabs."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.rectangles import kd_tree as cut_tree
from kanon_engine.rectangles import kd_tree_kernels
from kanon_engine.rectangles.balanced_kd_tree import CutPatchwork
from kanon_engine.rectangles.balanced_kd_tree_kernels import RecutLimits, recut
from kanon_engine.rectangles.kd_tree_kernels import Arranged, arrange, divide, gather, select

pytestmark = pytest.mark.kernels

RULES = range(5)


@pytest.mark.parametrize("seed", range(60))
def test_select_finds_the_value_that_holds_a_weight(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    keys = rng.integers(0, int(rng.integers(1, 60)), n).astype(float)
    loads, order = rng.integers(1, 9, n), np.arange(n, dtype=np.int32)
    for target in rng.integers(0, loads.sum(), 5).tolist():
        key, load, place = keys.copy(), loads.copy(), order.copy()
        points = Arranged(np.column_stack([keys, keys]), loads, place, key, load)
        left, right, below, same = select(points, 0, n, target)
        value = sorted(np.repeat(keys, loads))[target]
        assert (key[left:right] == value).all()
        assert (key[:left] < value).all()
        assert (key[right:] > value).all()
        assert (below, same) == (loads[keys < value].sum(), loads[keys == value].sum())
        assert np.array_equal(keys[place], key)
        assert np.array_equal(loads[place], load)


def test_divide_and_arrange_keep_points_together():
    rng = np.random.default_rng(0)
    points = kanon.Points(rng.integers(0, 9, (50, 2)), rng.integers(1, 9, 50))
    xy, weights = points.xy, points.weights
    order, key, load = np.arange(50, dtype=np.int32), np.empty(50), np.empty(50, dtype=np.int64)
    points = Arranged(xy, weights, order, key, load)
    gather(points, 10, 40, 1)
    middle, weight = divide(points, 10, 40, 4.0)
    assert set(order[10:middle]) == {p for p in range(10, 40) if xy[p, 1] < 4}
    assert weight == sum(weights[p] for p in range(10, 40) if xy[p, 1] < 4)
    arrange(points, 10, 40)
    assert key[10:40].tolist() == sorted(xy[10:40, 1])
    assert np.array_equal(xy[order[10:40], 1], key[10:40])


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("rule", RULES)
def test_threads_grow_the_same_tree(monkeypatch, rule):
    rng = np.random.default_rng(rule)
    for points in (
        kanon.Points(rng.random((700, 2))),
        kanon.Points(rng.integers(0, 9, (700, 2)), rng.integers(1, 9, 700)),
    ):
        whole = cut_tree.grow_tree(points, 20, rule, 20)
        monkeypatch.setattr(cut_tree, "PARALLEL", 1)
        parts = cut_tree.grow_tree(points, 20, rule, 20)
        monkeypatch.undo()
        assert np.array_equal(whole.axes < 0, parts.axes < 0)
        assert np.array_equal(whole.lines, parts.lines)
        assert np.array_equal(whole.assignment(), parts.assignment())


def test_many_points_look_only_near_the_wanted_weights(monkeypatch):
    """As plain Python, for compiled kernels keep the limit that they were compiled with."""
    rng = np.random.default_rng(5)
    key = rng.permutation(400).astype(float)
    load, order = np.ones(400, dtype=np.int64), np.arange(400, dtype=np.int32)
    points = Arranged(np.column_stack([key, key]), load, order, key, load)
    for name in ("cut_axis", "line_near", "best_line"):
        plain = getattr(kd_tree_kernels, name)
        monkeypatch.setattr(kd_tree_kernels, name, getattr(plain, "py_func", plain))
    monkeypatch.setattr(kd_tree_kernels, "ALL_LINES", 10)
    settings = kd_tree_kernels.Settings(57, 0, kd_tree_kernels.EQUAL_PARTS, 0, 1.0)
    worth, lighter, low, _ = kd_tree_kernels.cut_axis(points, (0, 400), 400, settings)
    assert (worth, lighter, low) == (116, 172, 172)  # 7 classes: 3 on the low side


@pytest.mark.parametrize("table", [0, 3_000])
@pytest.mark.parametrize("seed", range(40))
def test_recut_stays_below_the_cap_or_says_so(seed, table):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    points = kanon.Points(rng.integers(0, 8, (n, 2)), rng.integers(1, 9, n))
    k = int(rng.integers(1, 20))
    for cap in (k, k + 3, 2 * k, 5 * k + 40):
        order = np.arange(n, dtype=np.int32)
        found, steps, axes, _, sizes = recut(points.xy, points.weights, order, RecutLimits(k, cap, 5_000, table))
        assert sorted(order.tolist()) == list(range(n))
        assert steps >= 0
        if found:
            parts = np.split(order, np.cumsum(sizes[axes < 0])[:-1])
            assert all(k <= points.weights[part].sum() <= cap for part in parts)
        else:
            assert len(axes) == 0


def test_slabs_are_joined_across_the_tree():
    """Eight points on a line, cut into four; the second and third slab are no node, and become one rectangle."""
    points = kanon.Points([(x, 0) for x in range(8)])
    tree = cut_tree.grow_tree(points, 2, kd_tree_kernels.BALANCED)
    patchwork = CutPatchwork(tree)
    leaves = np.flatnonzero(tree.axes < 0).tolist()
    groups = list(patchwork.groups(leaves[1]))
    assert [(first, start, stop) for _, first, start, stop in groups] == [(0, 0, 4), (1, 2, 6), (-1, 0, 8)]
    code = np.array([-1], dtype=np.int8), np.zeros(1), np.array([4], dtype=np.int32)
    fresh = patchwork.replace(groups[1][0], groups[1][1], patchwork.order[2:6].copy(), code)
    assert [(patchwork.start[node], patchwork.stop[node]) for node in fresh] == [(2, 6)]
    joined = patchwork.tree()
    assert joined.class_weights(points).tolist() == [2, 4, 2]
    assert joined.details(points, "x").rectangles[:, 2].tolist() == [1.5, 5.5, 7]
