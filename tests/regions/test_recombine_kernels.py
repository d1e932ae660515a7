from itertools import combinations

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.regions.annealing import Annealing
from kanon_engine.regions.annealing_kernels import (
    ClassChange,
    accepted,
    anneal,
    anneal_step,
    best_cut,
    border_change,
    cut_length,
    cut_tree,
    draw,
    exchange,
    grow_tree,
    mend,
    price,
    record,
    shift,
    split_up,
    still_connected,
    weigh,
)
from tests.oracles.recombine import borders, cheapest_cut, class_price, connected_without, squares
from tests.oracles.regions import connected
from tests.regions.graphs import random_connected_graph

pytestmark = pytest.mark.kernels


def search_on(seed, n=None, k=None, compactness=0.0):
    """A search on a random connected graph, its partition as random as 20 hot steps make it."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(2, 12))
    regions = kanon.Regions(
        range(n), rng.integers(0, 9, n), random_connected_graph(rng, n, rng.choice([0.0, 0.2, 0.5]))
    )
    k = k or max(1, regions.total // 4)
    lengths = rng.integers(1, 5, len(regions.edges)).astype(float)
    search = Annealing(regions, k, k, lengths, compactness, rng)
    search.load(np.zeros(n, dtype=int))
    numbers = search.state.numbers
    numbers.heat, numbers.short_price, numbers.long_price = 1e9, 1.0, 1.0
    for _ in range(20):
        anneal_step(search.graph, search.state, search.tree)
    return regions, lengths, search


def assert_consistent(regions, lengths, search):
    """Classes are connected, and every number that is kept step by step is what a fresh count gives."""
    state, edges = search.state, [tuple(edge) for edge in regions.edges.tolist()]
    numbers = state.numbers
    label = state.label.tolist()
    used = sorted(set(label))
    for c in range(len(label)):
        members = [v for v in range(len(label)) if label[v] == c]
        assert state.count[c] == len(members)
        assert state.load[c] == regions.weights[members].sum()
        assert not members or connected(members, edges)
    assert sorted([*used, *state.free[: len(label) - len(used)].tolist()]) == list(range(len(label)))
    loads = [state.load[c] for c in used]
    assert numbers.classes == len(used)
    assert numbers.low == sum(load < numbers.k for load in loads)
    assert numbers.over == sum(load > numbers.target for load in loads)
    assert numbers.over_best == sum(load > numbers.best_largest for load in loads)
    assert numbers.squares == squares(label, regions.weights.tolist())[1]
    assert (search.tree.where == -1).all()
    if numbers.border_price:
        assert numbers.borders == pytest.approx(borders(label, edges, lengths.tolist()))


@pytest.mark.parametrize("compactness", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(60))
def test_the_counts_stay_right(seed, compactness):
    regions, lengths, search = search_on(seed, compactness=compactness)
    assert_consistent(regions, lengths, search)
    search.state.numbers.heat = 0.05
    search.state.numbers.target, search.state.numbers.pin = 2 * search.state.numbers.k, 3
    anneal(search.graph, search.state, search.tree, 60)
    assert_consistent(regions, lengths, search)


@pytest.mark.parametrize("seed", range(60))
def test_the_counts_of_minima_and_wishes_stay_right(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    homes = rng.integers(0, 5, n)
    sets = [tuple(rng.choice(n, 3, replace=False).tolist()) for _ in range(3)]
    edges = random_connected_graph(rng, n, rng.choice([0.0, 0.2, 0.5]))
    regions = kanon.Regions(
        range(n), rng.integers(0, 9, n), edges, columns={"homes": homes}, together=sets[:1], apart=sets[1:]
    )
    m = int(rng.integers(1, 7))
    search = Annealing(regions, 5, 5, np.ones(len(regions.edges)), 0.0, rng, "largest", [kanon.Minimum("homes", m)])
    search.load(np.zeros(n, dtype=int))
    numbers = search.state.numbers
    numbers.short_price = numbers.long_price = numbers.breach_price = 1.0
    for heat in (1e9, 0.5):
        search.state.numbers.heat = heat
        anneal(search.graph, search.state, search.tree, 40)
        state = search.state
        groups = [set(np.flatnonzero(state.label == c).tolist()) for c in range(n)]
        low = [own for own in groups if own and (regions.weights[list(own)].sum() < 5 or homes[list(own)].sum() < m)]
        pairs = {pair for own in sets[1:] for pair in combinations(sorted(own), 2)}
        meeting = sum({u, v} <= own for u, v in pairs for own in groups)
        parted = sum(bool(own & set(sets[0])) for own in groups) - 1
        assert state.sums.tolist() == [[homes[list(own)].sum() if own else 0 for own in groups]]
        assert (state.numbers.low, state.numbers.broken) == (len(low), meeting + parted)
    if regions.total >= 5 and homes.sum() >= m:
        mend(search.graph, search.state, search.tree)
        assert search.state.numbers.low == 0


@pytest.mark.parametrize("seed", range(100))
def test_a_tree_spans_the_classes_and_is_cut_where_it_is_cheapest(seed):
    regions, _, search = search_on(seed)
    graph, state, tree = search.graph, search.state, search.tree
    first = int(draw(state.random, len(regions)))
    near = state.label[graph.neighbors[graph.start[first]]]
    state.classes[:] = state.label[first], near, -1
    size = grow_tree(graph, state, tree, first, seed % 9)
    members = tree.order[:size].tolist()
    assert sorted(members) == np.flatnonzero(np.isin(state.label, state.classes)).tolist()
    pairs = [(members[tree.parent[p]], members[p]) for p in range(1, size)]
    assert {tuple(sorted(pair)) for pair in pairs} <= {tuple(edge) for edge in regions.edges.tolist()}
    assert all(tree.parent[p] < p for p in range(size))
    tree.weights[0] = total = weigh(graph, tree, size, 0)
    assert total == regions.weights[members].sum()
    if size == 1:
        assert best_cut(state, tree, size, 0)[0] == -1
        return
    state.fresh[0] = count = 2 + seed % 2
    position, share = best_cut(state, tree, size, 0)
    side = tree.sums[position]
    numbers = state.numbers

    def plain(weight):
        return class_price(
            weight, numbers.k, numbers.target, numbers.short_price, numbers.long_price, 1 / numbers.scale
        )

    found = share * plain(side / share) + (count - share) * plain((total - side) / (count - share))
    positions = [(int(tree.parent[p]), p) for p in range(1, size)]
    least = cheapest_cut([int(regions.weights[v]) for v in members], positions, count, plain)
    assert found >= least - 1e-9
    if count == 2:
        assert found == pytest.approx(least)
    before = borders(state.label.tolist(), regions.edges.tolist(), [1] * len(regions.edges))
    cut_tree(tree, size, position, 0, 1)
    after = state.label.copy()
    after[members] = 100 + tree.part[:size]
    assert weigh(graph, tree, size, 1) == side
    assert weigh(graph, tree, size, 0) == total - side
    graph.lengths[:] = 1
    change = border_change(graph, state, tree, size)
    assert change == borders(after.tolist(), regions.edges.tolist(), [1] * len(regions.edges)) - before
    assert price(total, numbers) == pytest.approx(plain(int(total)))


@pytest.mark.parametrize("seed", range(100))
def test_mending_leaves_no_light_class(seed):
    regions, lengths, search = search_on(seed)
    light, classes = search.state.numbers.low, search.state.numbers.classes
    merged = mend(search.graph, search.state, search.tree)
    assert_consistent(regions, lengths, search)
    assert search.state.numbers.low == 0
    assert search.state.numbers.classes == classes - merged
    assert (merged == 0) == (light == 0)
    assert merged <= light


@pytest.mark.parametrize("seed", range(100))
def test_leaving_a_class(seed):
    regions, lengths, search = search_on(seed)
    edges = [tuple(edge) for edge in regions.edges.tolist()]
    assert cut_length(search.graph, search.state.label) == borders(search.state.label.tolist(), edges, lengths.tolist())
    for v in range(len(regions)):
        expected = connected_without(search.state.label.tolist(), edges, v)
        assert still_connected(search.graph, search.state, search.tree.order, v) == expected


def test_moves_that_cannot_be_made():
    search = search_on(0, n=2, k=1)[2]
    search.load(np.array([0, 1]))
    assert not shift(search.graph, search.state, search.tree, 0), "a class would lose its only area"
    search.state.classes[:] = search.state.label[0], -1, -1
    assert not exchange(search.graph, search.state, search.tree, ClassChange(0, 1, 2, 2)), "one area, two classes"


def test_three_classes_from_a_path_need_two_cuts():
    path = kanon.Regions(range(6), [2, 1, 1, 2, 2, 1], [(i, i + 1) for i in range(5)])
    search = Annealing(path, 3, 3, None, 0.0, np.random.default_rng(0))
    search.load(np.zeros(6, dtype=int))
    split_up(search.graph, search.state, search.tree, 8, 10_000)
    assert sorted(search.state.load[search.state.count > 0].tolist()) == [3, 3, 3]


def test_no_step_begins_without_work():
    path = kanon.Regions(range(6), [1] * 6, [(i, i + 1) for i in range(5)])
    search = Annealing(path, 2, 2, None, 0.0, np.random.default_rng(0))
    search.load(np.zeros(6, dtype=int))
    split_up(search.graph, search.state, search.tree, 8, 0)
    assert search.state.numbers.classes == 1


def test_random_numbers_are_even():
    random = np.array([88172645463325252], dtype=np.uint64)
    counts = np.bincount([draw(random, 5) for _ in range(10_000)])
    assert len(counts) == 5
    assert abs(counts - 2000).max() < 200


def test_worse_steps_are_made_as_often_as_the_temperature_says():
    search = search_on(1)[2]
    search.state.numbers.heat = 1.0
    share = np.mean([accepted(search.state, 1.0) for _ in range(5_000)])
    assert share == pytest.approx(np.exp(-1), abs=0.03)
    assert accepted(search.state, 0.0)
    search.state.numbers.heat = 0.0
    assert not accepted(search.state, 1e-9)


def test_the_best_is_kept():
    path = kanon.Regions(range(4), [1, 1, 1, 1], [(0, 1), (1, 2), (2, 3), (0, 3)])
    search = Annealing(path, 1, 1, None, 0.0, np.random.default_rng(0))
    kept = []
    for label in ([0, 0, 0, 0], [0, 0, 1, 1], [0, 1, 1, 0], [0, 0, 1, 2], [0, 0, 0, 1]):
        search.load(np.array(label))
        kept.append(bool(record(search.state)))
    assert kept == [True, True, False, True, False]
    assert search.state.numbers.best_largest == 2
    assert search.state.numbers.best_value == 6
    search.price_borders()
    assert search.state.numbers.best_borders == 3
