from importlib import import_module

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanon_engine as kanon
from kanon_engine.model.run import Run
from kanon_engine.rectangles.kd_tree import grow_tree
from kanon_engine.rectangles.kd_tree_kernels import EQUAL_PARTS
from tests.compiled import compiled_only
from tests.oracles import kd_trees as plain
from tests.oracles.rectangles import optimum
from tests.oracles.rectangles_exact import best_cuts
from tests.rectangles.samples import cross, random_points, thirteen

pytestmark = pytest.mark.kernels

module = import_module("kanon_engine.rectangles.balanced_kd_tree")  # the package calls the function so too
ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=60)


def both(points, k):
    return kanon.generalize(points, k, "balanced-kd-tree"), kanon.generalize(points, k, "kd-tree")


@pytest.mark.parametrize("seed", range(150))
def test_between_optimum_and_guarantee(seed):
    rng = np.random.default_rng(seed)
    xy, weights = random_points(rng)
    k = int(rng.integers(1, weights.sum() + 1))
    g, tree = both(kanon.Points(xy, weights), k)
    best = optimum([tuple(p) for p in xy.tolist()], weights.tolist(), k)
    assert g.lower_bound <= best <= g.cost <= tree.cost
    assert plain.heaviest_uncuttable(xy.tolist(), weights.tolist(), k) <= g.guarantee == tree.guarantee


@pytest.mark.parametrize("seed", range(150))
def test_few_points_are_cut_as_well_as_cuts_can(seed):
    """The last group is the bounding box, and the table of all its rectangles leaves nothing to be found."""
    rng = np.random.default_rng(seed)
    xy, weights = random_points(rng, largest=16, spread=7)
    k = int(rng.integers(1, weights.sum() // 2 + 2))
    g = kanon.generalize(kanon.Points(xy, weights), min(k, int(weights.sum())))
    assert g.cost == best_cuts([tuple(p) for p in xy.tolist()], weights.tolist(), g.k)[0]


@compiled_only
@settings(max_examples=100, deadline=None)
@given(rows=ROWS, k=st.integers(1, 80))
def test_never_above_the_kd_tree_and_nothing_left_to_cut(rows, k):
    table = np.array(rows)
    points = kanon.Points(table[:, :2], table[:, 2])
    g, tree = both(points, min(k, points.total))
    assert g.cost <= tree.cost
    for number in range(g.classes):
        mine = table[g.assignment == number]
        for axis in range(2):
            lows = [mine[mine[:, axis] < line, 2].sum() for line in mine[:, axis]]
            assert not any(g.k <= low <= g.class_weights[number] - g.k for low in lows)


@compiled_only
@settings(max_examples=40, deadline=None)
@given(rows=ROWS, k=st.integers(1, 30), shift=st.integers(-1000, 1000), data=st.data())
def test_moving_or_reordering_the_points_changes_nothing(rows, k, shift, data):
    table = np.array(rows)
    points = kanon.Points(table[:, :2], table[:, 2])
    k = min(k, points.total)
    order = data.draw(st.permutations(range(len(rows))))
    g = kanon.generalize(points, k)
    moved = kanon.generalize(kanon.Points(table[:, :2] + shift, table[:, 2]), k)
    shuffled = kanon.generalize(kanon.Points(table[order, :2], table[order, 2]), k)
    assert np.array_equal(moved.assignment, g.assignment)
    assert np.array_equal(shuffled.assignment, g.assignment[order])


@compiled_only
@pytest.mark.parametrize("n", [24, 25, 31, 34])
def test_points_with_different_coordinates_reach_the_bound(n):
    """n = q m + r points: classes of q and q + 1."""
    rng = np.random.default_rng(n)
    points = kanon.Points(np.column_stack([rng.permutation(n), rng.permutation(n)]))
    for k in (1, 2, 3, 7, 11, n // 3, n // 2, n):
        g = kanon.generalize(points, k)
        assert g.status == "optimal"
        assert g.classes == n // k


@pytest.mark.parametrize("axis", [0, 1])
def test_a_line_of_points(axis):
    xy = np.zeros((23, 2))
    xy[:, axis] = range(23)
    g = kanon.generalize(kanon.Points(xy), 5)
    assert sorted(g.class_weights.tolist()) == [5, 6, 6, 6]


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_degenerate_samples(k):
    g = kanon.generalize(kanon.Points(*cross(k)), k)
    assert (g.classes, g.cost) == (1, 5 * k - 4)
    assert kanon.generalize(kanon.Points(*thirteen(k)), k).cost == k


def test_one_location_and_the_limits_of_k():
    one = kanon.Points([(3.0, 4.0)] * 7)
    assert kanon.generalize(one, 3).class_weights.tolist() == [7]
    assert kanon.generalize(one, 7).status == "optimal"
    with pytest.raises(kanon.Infeasible, match="7 records.*8"):
        kanon.generalize(one, 8)


def test_neighboring_numbers_are_told_apart():
    step = np.nextafter(1.0, 2)
    g = kanon.generalize(kanon.Points([(1, 1), (1, step), (step, 1), (step, step)]), 1)
    assert g.classes == 4
    assert kanon.generalize(kanon.Points([(-1.7e308, 0), (1.7e308, 0), (1.7e308, 5e-324)]), 1).classes == 3


def crowded(seed, n=150):
    """Many points on few lines, of many weights: the first tree is far from good, and the bound out of reach."""
    rng = np.random.default_rng(seed)
    return kanon.Points(rng.integers(0, 12, (n, 2)), rng.integers(1, 30, n))


def largest(tree, points):
    return int(tree.class_weights(points).max())


def test_improvement_lowers_the_heaviest_and_never_raises_it(monkeypatch):
    monkeypatch.setattr(module, "STEPS", 20_000)
    gains = []
    for seed in range(6):
        points = crowded(seed)
        tree = grow_tree(points, 60, EQUAL_PARTS, 60)
        before = largest(tree, points)
        after = module.improved(points, 60, tree, 60, Run())
        assert after.class_weights(points).min() >= 60
        gains.append(before - largest(after, points))
        assert sorted(after.order.tolist()) == list(range(len(points)))
    assert min(gains) >= 0
    assert sum(gains) > 0


def test_stopped_early_it_keeps_the_first_tree_or_the_better_one():
    points = crowded(1)
    reports = []
    g = kanon.generalize(points, 60, progress=lambda report: reports.append(report) is not None)
    assert g.status == "stopped"
    assert len(reports) == 1
    assert g.cost <= kanon.generalize(points, 60, "kd-tree").cost
    assert kanon.generalize(points, 60).cost <= g.cost


def test_steps_and_classes_are_limited(monkeypatch):
    points = crowded(2)
    tree = grow_tree(points, 60, EQUAL_PARTS, 60)
    monkeypatch.setattr(module, "STEPS", 0)
    assert np.array_equal(module.improved(points, 60, tree, 60, Run()).axes, tree.axes)
    monkeypatch.setattr(module, "MOST_CLASSES", 1)
    assert module.improved(points, 60, tree, 60, Run()) is tree


def test_groups_too_large_are_left_alone(monkeypatch):
    points = crowded(3)
    tree = grow_tree(points, 60, EQUAL_PARTS, 60)
    monkeypatch.setattr(module, "LARGEST_GROUP", 1)
    assert largest(module.improved(points, 60, tree, 60, Run()), points) == largest(tree, points)


def test_the_bound_is_only_computed_in_full_where_it_helps(monkeypatch):
    monkeypatch.setattr(module, "QUICK_BOUND", 0)
    points = crowded(4)
    quick = kanon.generalize(points, 60)
    assert quick.lower_bound <= quick.cost <= kanon.generalize(points, 60, "kd-tree").cost
    distinct = kanon.Points(np.random.default_rng(0).random((500, 2)))
    assert kanon.generalize(distinct, 7).status == "optimal"
