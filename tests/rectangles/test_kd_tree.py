import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kanon_engine as kanon
from kanon_engine.rectangles.kd_tree import ceiling
from tests.compiled import compiled_only
from tests.oracles.kd_trees import kd_tree
from tests.oracles.rectangles import kd_extremes, optimum
from tests.rectangles.samples import cross, random_points, thirteen

pytestmark = pytest.mark.kernels

RULES = ("balanced", "longest-side", "cyclic", "least-overfull")


def classes(g):
    return {frozenset(np.flatnonzero(g.assignment == number).tolist()) for number in range(g.classes)}


@pytest.mark.parametrize("seed", range(200))
def test_between_optimum_and_guarantee(seed):
    rng = np.random.default_rng(seed)
    xy, weights = random_points(rng)
    k = int(rng.integers(1, 12))
    points = kanon.Points(xy, weights)
    best = optimum([tuple(p) for p in xy.tolist()], weights.tolist(), k)
    if best is None:
        with pytest.raises(kanon.Infeasible):
            kanon.generalize(points, k)
        return
    least, greatest = kd_extremes([tuple(p) for p in xy.tolist()], weights.tolist(), k)
    for rule in RULES:
        g = kanon.generalize(points, k, "kd-tree", cut=rule)
        assert g.lower_bound <= best <= least <= g.cost <= greatest <= g.guarantee


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(100))
def test_cuts_are_those_of_a_plain_recursion(seed, rule):
    rng = np.random.default_rng(500 + seed)
    xy, weights = random_points(rng, largest=60, spread=int(rng.integers(1, 12)), heaviest=40)
    if seed % 2:
        xy = rng.normal(size=xy.shape)
    k = int(rng.integers(1, 60))
    points = kanon.Points(xy, weights)
    if points.total < k:
        k = points.total
    g = kanon.generalize(points, k, "kd-tree", cut=rule)
    assert classes(g) == kd_tree(xy.tolist(), weights.tolist(), k, rule, points.box.tolist())


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_the_cross_cannot_be_cut_and_that_is_optimal(k):
    xy, weights = cross(k)
    for rule in RULES:
        g = kanon.generalize(kanon.Points(xy, weights), k, "kd-tree", cut=rule)
        assert g.cost == 5 * k - 4 == optimum(xy, weights, k)
        assert g.classes == 1
        assert g.guarantee >= 5 * k - 4


@pytest.mark.parametrize("k", [2, 3, 10])
def test_bad_cuts_reach_five_k_minus_four_where_k_is_possible(k):
    xy, weights = thirteen(k)
    assert optimum(xy, weights, k) == k
    assert kd_extremes(xy, weights, k)[1] == 5 * k - 4
    g = kanon.generalize(kanon.Points(xy, weights), k)
    assert g.cost <= 5 * k - 4 <= g.guarantee


def test_five_k_minus_four_fails_with_weights():
    """One location of 50 cannot be split, whatever k; the paper's ceiling would be 6."""
    g = kanon.generalize(kanon.Points([(1.5, 2.5)], [50]), 2)
    assert (g.cost, g.status, g.guarantee) == (50, "optimal", 50)


def test_distinct_lines_give_less_than_two_k():
    rng = np.random.default_rng(1)
    xy = np.column_stack([rng.permutation(500), rng.permutation(500)])
    for k in (1, 2, 7, 30, 499, 500):
        g = kanon.generalize(kanon.Points(xy), k, "kd-tree")
        assert g.guarantee == min(2 * k - 1, 500) >= g.cost


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("axis", [0, 1])
def test_points_on_one_line_are_cut_along_it(rule, axis):
    xy = np.zeros((12, 2))
    xy[:, axis] = range(12)
    g = kanon.generalize(kanon.Points(xy), 3, "kd-tree", cut=rule)
    assert g.class_weights.tolist() == [3, 3, 3, 3]
    assert (g.details.rectangles[:, [1 - axis, 3 - axis]] == 0).all()


def test_the_smallest_and_the_largest_k():
    rng = np.random.default_rng(2)
    xy = rng.integers(0, 4, (40, 2))
    points = kanon.Points(xy, rng.integers(1, 5, 40))
    one = kanon.generalize(points, 1, "kd-tree")
    assert one.classes == len(np.unique(xy, axis=0))
    assert one.status == "optimal"
    everything = kanon.generalize(points, points.total, "kd-tree")
    assert everything.classes == 1
    assert everything.status == "optimal"
    with pytest.raises(kanon.Infeasible, match=rf"{points.total} records.*{points.total + 1}"):
        kanon.generalize(points, points.total + 1)


@pytest.mark.parametrize(
    "values",
    [
        [1.0, np.nextafter(1.0, 2)],
        [1.0, np.nextafter(1.0, 2), np.nextafter(np.nextafter(1.0, 2), 2)],
        [-1.7976931348623155e308, 1.7976931348623155e308],
        [5e-324, 1e-323, 0.0, -5e-324],
        [-1e300, -1e-300, 1e-300, 1e300],
        [np.nextafter(-2.0, -3), -2.0],
    ],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_extreme_coordinates_are_told_apart(values, axis):
    other = [0.0, 7.0]
    xy = [(v, o) if axis == 0 else (o, v) for v in values for o in other]
    g = kanon.generalize(kanon.Points(xy), 1, "kd-tree")
    assert g.classes == len(xy)
    kanon.verify(kanon.Points(xy), g)


def test_both_axes_one_step_wide():
    step = np.nextafter(1.0, 2)
    g = kanon.generalize(kanon.Points([(1, 1), (1, step), (step, 1), (step, step)]), 1)
    assert g.classes == 4


def test_minus_zero_is_zero():
    points = kanon.Points([(0.0, 1.0), (-0.0, 1.0)])
    assert points.digest == kanon.Points([(0.0, 1.0), (0.0, 1.0)]).digest
    assert kanon.generalize(points, 1, "kd-tree").classes == 1


SHIFTS = st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000))
POINTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=40)


@compiled_only
@pytest.mark.thorough
@settings(max_examples=80, deadline=None)
@given(rows=POINTS, k=st.integers(1, 30), shift=SHIFTS, data=st.data())
def test_moving_or_reordering_the_points_changes_nothing(rows, k, shift, data):
    table = np.array(rows)
    points = kanon.Points(table[:, :2], table[:, 2])
    k = min(k, points.total)
    order = data.draw(st.permutations(range(len(rows))))
    for rule in RULES:
        g = kanon.generalize(points, k, "kd-tree", cut=rule)
        moved = kanon.generalize(kanon.Points(table[:, :2] + shift, table[:, 2]), k, "kd-tree", cut=rule)
        assert np.array_equal(moved.assignment, g.assignment)
        assert np.array_equal(moved.details.rectangles, g.details.rectangles + [*shift, *shift])
        shuffled = kanon.generalize(kanon.Points(table[order, :2], table[order, 2]), k, "kd-tree", cut=rule)
        assert np.array_equal(shuffled.assignment, g.assignment[order])


@settings(max_examples=80, deadline=None)
@given(rows=POINTS, k=st.integers(1, 30))
def test_mirrored_points_have_the_same_guarantee_and_bound(rows, k):
    """Not the same cost: of equally balanced cuts the one at the lower coordinate is taken."""
    table = np.array(rows)
    points = kanon.Points(table[:, :2], table[:, 2])
    mirrored = kanon.Points(table[:, :2] * [-1, 1], table[:, 2])
    k = min(k, points.total)
    a, b = kanon.generalize(points, k, "kd-tree"), kanon.generalize(mirrored, k, "kd-tree")
    assert (a.guarantee, a.lower_bound) == (b.guarantee, b.lower_bound)
    assert max(a.cost, b.cost) <= ceiling(points, k)


@settings(max_examples=60, deadline=None)
@given(rows=POINTS, k=st.integers(1, 20))
def test_rectangles_tile_and_hold_their_points(rows, k):
    """Counted on a fine grid, apart from what verify does."""
    table = np.array(rows)
    points = kanon.Points(table[:, :2], table[:, 2])
    g = kanon.generalize(points, min(k, points.total), "kd-tree")
    west, south, east, north = g.details.rectangles.T
    for x, y, number in zip(*table[:, :2].T, g.assignment, strict=True):
        holds = (west <= x) & (south <= y) & ((x < east) | (east == points.box[2]) & (x == east))
        holds &= (y < north) | (north == points.box[3]) & (y == north)
        assert np.flatnonzero(holds).tolist() == [number]
    middles = np.arange(0.25, 9, 0.5)
    for x in middles[(middles > points.box[0]) & (middles < points.box[2])]:
        for y in middles[(middles > points.box[1]) & (middles < points.box[3])]:
            assert ((west <= x) & (x < east) & (south <= y) & (y < north)).sum() == 1
