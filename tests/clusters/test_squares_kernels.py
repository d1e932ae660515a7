"""The kernels of microaggregation: what they keep step by step is what a fresh count gives."""

import numpy as np
import pytest
from scipy.spatial import cKDTree

from kanon_engine.clusters.squares import Prices, _clusters_of, along_widest
from kanon_engine.clusters.squares_kernels import (
    MOST,
    Local,
    accepted,
    anneal,
    arc_between,
    bound,
    choose,
    descend,
    directions,
    from_mean,
    regroup,
    resum,
    separate,
    shift,
    shift_change,
    swap,
    swap_change,
)
from tests.compiled import COMPILED, SHARE
from tests.oracles import clusters_squares as oracle

pytestmark = pytest.mark.kernels


def state_of(seed, n=None, k=None):
    rng = np.random.default_rng(seed)
    k = k or int(rng.integers(1, 5))
    n = n or int(rng.integers(3 * k, 8 * k))
    points = rng.normal(size=(n, 2))
    clusters = _clusters_of(points, k, along_widest(points, k), rng)
    resum(points, clusters)
    room = MOST * (2 * k - 1)
    counts = (np.zeros(size, dtype=np.int64) for size in (room, room, 2 * MOST))
    local = Local(*counts, np.zeros((2 * MOST, 2)), np.zeros(2 * MOST, dtype=np.int64))
    return points, k, clusters, local


def assert_consistent(points, k, clusters):
    labels = clusters.label.tolist()
    for c in range(len(clusters.sizes)):
        members = clusters.members[c, : clusters.sizes[c]].tolist()
        assert sorted(members) == [i for i, own in enumerate(labels) if own == c]
        assert [clusters.place[i] for i in members] == list(range(len(members)))
        assert len(members) == 0 or k <= len(members) <= 2 * k - 1
        assert clusters.sums[c] == pytest.approx(points[members].sum(axis=0), abs=1e-9)


@pytest.mark.parametrize("seed", range(12 if COMPILED else 4))
@pytest.mark.parametrize("heat", [0.0, 1.0])
def test_annealing_keeps_count_and_its_sum_of_squares(seed, heat):
    points, k, clusters, local = state_of(seed)
    neighbors = np.argsort(((points[:, None] - points) ** 2).sum(axis=2), axis=1)[:, 1:8].copy()
    before = oracle.sse(points.tolist(), clusters.label.tolist())
    total = anneal(points, k, 2_000 // SHARE, heat, before / len(points), neighbors, clusters, local)
    assert_consistent(points, k, clusters)
    assert total == pytest.approx(oracle.sse(points.tolist(), clusters.label.tolist()), abs=1e-9)
    if heat == 0:
        assert total <= before + 1e-9


@pytest.mark.parametrize("seed", range(8))
def test_changes_are_differences_of_the_sum_of_squares(seed):
    points, k, clusters, _ = state_of(seed, k=3)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        i, j = rng.choice(len(points), 2, replace=False).tolist()
        a, b = int(clusters.label[i]), int(clusters.label[j])
        if a == b:
            continue
        sums, sizes = clusters.sums, clusters.sizes
        before = oracle.sse(points.tolist(), clusters.label.tolist())
        expected = swap_change(points, i, j, sums, sizes, a, b)
        swap(points, i, j, clusters)
        assert_consistent(points, k, clusters)
        between = oracle.sse(points.tolist(), clusters.label.tolist())
        assert between - before == pytest.approx(expected, abs=1e-9)
        a, b = b, a
        if sizes[a] > k and sizes[b] < 2 * k - 1:
            expected = shift_change(points, i, sums, sizes, a, b)
            shift(points, i, a, b, clusters)
            assert_consistent(points, k, clusters)
            after = oracle.sse(points.tolist(), clusters.label.tolist())
            assert after - between == pytest.approx(expected, abs=1e-9)


def test_groups_made_anew_hold_k_and_descent_lowers_their_squares():
    for seed in range(10):
        points, k, clusters, local = state_of(seed)
        count = min(len(points), len(local.points))
        local.points[:count] = np.arange(count)
        for groups in {-(-count // (2 * k - 1)), count // k} - {0}:
            groups = min(groups, 2 * MOST)
            if groups * (2 * k - 1) < count:
                continue
            regroup(points, k, count, groups, local, clusters.random)
            sizes = np.bincount(local.group[:count], minlength=groups)
            assert sizes.tolist() == local.sizes[:groups].tolist()
            assert k <= sizes.min() <= sizes.max() <= 2 * k - 1
            before = oracle.sse(points[:count].tolist(), local.group[:count].tolist())
            moved = descend(points, k, count, groups, local, 1e-12)
            after = oracle.sse(points[:count].tolist(), local.group[:count].tolist())
            assert after < before if moved else after == before
            apart = [from_mean(points, a, local.sums, local.sizes, local.group[a]) for a in range(count)]
            assert sum(apart) == pytest.approx(after, abs=1e-9)


def test_near_clusters_are_chosen_once():
    _, _, clusters, local = state_of(1, n=20, k=2)
    neighbors = np.tile(np.arange(20), (20, 1))
    seen = set()
    for i in range(20):
        chosen = choose(clusters, i, neighbors, local)
        numbers = local.chosen[:chosen].tolist()
        assert len(set(numbers)) == chosen
        assert numbers[0] == clusters.label[i]
        seen.add(chosen)
    assert seen >= {1, MOST}


def test_annealing_takes_what_is_better_and_sometimes_what_is_not():
    random = np.array([7], dtype=np.uint64)
    assert accepted(-1.0, 0.0, random)
    assert not accepted(0.0, 0.0, random)
    share = np.mean([accepted(1.0, 1.0, random) for _ in range(2_000)])
    assert share == pytest.approx(np.exp(-1), abs=0.05)


def prices_of(seed, n=14, k=3):
    points = np.random.default_rng(seed).normal(size=(n, 2))
    return points, Prices(points, cKDTree(points), k)


def rows_of(prices, shift, price):
    used = slice(0, prices.used)
    third = prices.triangles.third[used]
    shifts = np.column_stack([prices.low, prices.high, np.full(len(shift), -1.0), shift])
    corners = np.column_stack([prices.triangles.apex[used], prices.low[third], prices.high[third], price])
    return np.concatenate([shifts, corners]).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_prices_lie_below_every_slope_and_add_up_as_the_proof_says(seed):
    """The bound is concave: its slope at one place bounds it everywhere."""
    rng = np.random.default_rng(seed)
    points, prices = prices_of(seed, n=24)
    target = 1.6 * prices.value
    while prices.done < 400:
        prices.ascend(target)
    assert prices.used > 0
    graph, ascent, triangles, used = prices.graph, prices.ascent, prices.triangles, prices.used
    ascent.move[:], triangles.move[:] = 0.0, 0.0
    here = bound(graph, prices.k, ascent, triangles, used)
    rows = rows_of(prices, ascent.shift, triangles.price[:used])
    assert here == pytest.approx(oracle.shared(points.tolist(), prices.k, rows), rel=1e-9)
    square = directions(graph, ascent, triangles, used, 0.0)
    assert square == pytest.approx((ascent.move**2).sum() + (triangles.move[:used] ** 2).sum())
    for _ in range(5):
        step, more = rng.normal(size=len(ascent.shift)), rng.random(used)
        there = bound(
            graph,
            prices.k,
            ascent._replace(shift=ascent.shift + step),
            triangles._replace(price=np.pad(triangles.price[:used] + more, (0, len(triangles.price) - used))),
            used,
        )
        assert there <= here + (ascent.move * step).sum() + (triangles.move[:used] * more).sum() + 1e-9


def test_triangles_that_are_added_are_violated():
    _, prices = prices_of(5, n=20)
    target = 1.6 * prices.value
    while prices.done < 200:
        prices.ascend(target)
    graph, ascent, triangles = prices.graph, prices.ascent, prices.triangles
    used = separate(graph, ascent, triangles, 0, 2, 0.2)
    assert used > 0
    assert np.bincount(triangles.apex[:used]).max() <= 2
    usual = np.bincount(graph.pairs, weights=ascent.usual) / 2
    over = usual[triangles.first[:used]] + usual[triangles.second[:used]] - usual[triangles.third[:used]]
    assert (over > 1.2 * ascent.lone[triangles.apex[:used]]).all()
    for t in range(used):
        corners = set()
        for pair in (triangles.first[t], triangles.second[t]):
            corners |= {int(prices.low[pair]), int(prices.high[pair])}
        third = {int(prices.low[triangles.third[t]]), int(prices.high[triangles.third[t]])}
        assert corners == third | {int(triangles.apex[t])}
    assert separate(graph, ascent, triangles, used, 0, 0.2) == 0


def test_arcs_are_found_by_their_ends():
    _, prices = prices_of(2)
    graph = prices.graph
    for i in range(14):
        row = graph.others[graph.start[i] : graph.start[i + 1]].tolist()
        assert row == sorted(set(row))
        for j in range(14):
            arc = arc_between(graph, i, j)
            assert (arc >= 0) == (j in row)
            assert arc < 0 or graph.others[arc] == j


def test_the_ascent_ends_where_there_is_no_way_up():
    points = np.array([[0.0, 0.0], [3.0, 4.0]])
    prices = Prices(points, cKDTree(points), 2)
    before = prices.value
    assert before == pytest.approx(12.5)
    prices.ascend(1e9)
    assert prices.value == before


def test_triangles_need_all_three_pairs(monkeypatch):
    monkeypatch.setattr("kanon_engine.clusters.squares.NEAR", 1)
    monkeypatch.setattr("kanon_engine.clusters.squares.FEWEST", 1)
    points = np.column_stack([np.arange(40.0), np.zeros(40)])
    prices = Prices(points, cKDTree(points), 2)
    assert len(prices.graph.pairs) < 40 * 39
    prices.ascent.usual[:], prices.ascent.lone[:] = 1.0, 0.2  # as if every row took all of its neighbors
    used = separate(prices.graph, prices.ascent, prices.triangles, 0, 50, 0.0)
    assert used > 0
    known = set(zip(prices.low.tolist(), prices.high.tolist(), strict=True))
    for t in range(used):
        sides = (prices.triangles.first[t], prices.triangles.second[t], prices.triangles.third[t])
        assert all((int(prices.low[side]), int(prices.high[side])) in known for side in sides)
