"""Connected classes along a frontier, against enumeration of all partitions and a plain twin."""

from itertools import combinations

import numpy as np
import pytest

from kanon_engine.regions import frontier
from kanon_engine.regions.frontier import (
    Order,
    ball,
    classes_between,
    order_of,
    part_of,
    refuted,
    steps_of,
)
from kanon_engine.regions.frontier_kernels import WIDEST, Layer, close_up, enter, merge_states
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph
from tests.compiled import COMPILED, SHARE
from tests.oracles import region_frontier as slow
from tests.oracles.regions import connected
from tests.oracles.regions_bitmask import most_classes
from tests.regions.graphs import grid
from tests.regions.graphs_any import random_instance

pytestmark = pytest.mark.kernels

MOST = 9 if COMPILED else 6


def graph_of(weights, edges):
    edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Graph(*neighbor_lists(edges, len(weights)), np.array(weights, dtype=np.int64))


def instances(seed, count, most=MOST):
    """(rng, graph, edges, k, cap) of random graphs of one part or two, with weights of zero among them."""
    rng = np.random.default_rng(seed)
    for _ in range(-(-count // SHARE)):
        weights, edges, k = random_instance(rng, most)
        cap = int(rng.integers(k, 3 * k + 3))
        yield rng, graph_of(weights, edges), edges, k, cap


def any_order(rng, graph):
    order = rng.permutation(len(graph.weights))
    sizes = [len(step.kept) - 1 for step in steps_of(graph, order)]
    return Order(order, max(*sizes, 1))


def assert_classes(graph, edges, labels, k, cap, least):
    assert sorted(set(labels.tolist())) == list(range(max(labels) + 1))
    assert max(labels) + 1 >= least
    for c in range(max(labels) + 1):
        members = np.flatnonzero(labels == c)
        assert connected(members.tolist(), edges)
        assert k <= graph.weights[members].sum() <= cap


@pytest.mark.parametrize("seed", range(5))
def test_every_verdict_against_all_partitions(seed):
    verdicts = set()
    for rng, graph, edges, k, cap in instances(seed, 150):
        cap = [cap, int(graph.weights.sum())][rng.integers(2)]
        best = most_classes(graph.weights.tolist(), edges, k, cap)
        for least in (0, max(best, 1), best + 1):
            order = [None, any_order(rng, graph)][rng.integers(2)]
            answer = classes_between(graph, k, cap, least=least, limit=10**6, order=order)
            assert answer.verdict == ("found" if best >= max(least, 1) else "impossible")
            if answer.labels is not None:
                assert_classes(graph, edges, answer.labels, k, cap, least)
            beam = [None, rng][rng.integers(2)]
            narrow = {"limit": int(rng.integers(1, 6)), "chain": int(rng.integers(1, 3))}
            other = classes_between(graph, k, cap, least=least, order=order, beam=beam, **narrow)
            assert other.verdict in (answer.verdict, "open")
            if other.labels is not None:
                assert_classes(graph, edges, other.labels, k, cap, least)
            verdicts |= {answer.verdict, other.verdict}
            work = classes_between(graph, k, cap, least=least, limit=10**6, order=order, most=answer.states)
            assert work.verdict == answer.verdict
            if answer.states:
                work = classes_between(graph, k, cap, least=least, limit=10**6, order=order, most=answer.states - 1)
                assert (work.verdict, work.labels) == ("open", None)
    assert verdicts == {"found", "impossible", "open"}


@pytest.mark.parametrize("seed", range(5))
def test_what_is_refuted_has_no_partition_and_states_are_those_of_the_definition(seed):
    refutations = 0
    for rng, graph, edges, k, cap in instances(10 + seed, 60, MOST - 1):
        n, total = len(graph.weights), int(graph.weights.sum())
        limit = int(rng.choice([1, 2, 3, 5, 1000]))
        spare = int(rng.choice([-1, 0, total // 3, total]))
        order = any_order(rng, graph)
        rim = rng.random(n) < [0.0, 0.3][rng.integers(2)]
        said = refuted(graph, k, cap, limit=limit, order=order, rim=rim, spare=spare)
        plain = slow.refuted(
            *(graph.weights.tolist(), edges, order.vertices.tolist()),
            *(set(np.flatnonzero(rim).tolist()), k, cap, limit, spare),
        )
        assert said == plain
        assert refuted(graph, k, cap, limit=limit, order=order, rim=rim, spare=spare, most=said[1]) == said
        assert not refuted(graph, k, cap, limit=limit, order=order, rim=rim, spare=spare, most=said[1] - 1)[0]
        if not rim.any():
            most = most_classes(graph.weights.tolist(), edges, k, cap)
            assert not (said[0] and most and (spare < 0 or total - most * k <= spare))
            if limit == 1000 and spare < 0 and k < 2_000:
                assert said[0] == (most == 0)
        refutations += said[0]
    assert refutations > 10 // SHARE


@pytest.mark.parametrize("seed", range(5))
def test_what_a_part_of_a_graph_refutes_has_no_partition(seed):
    found = 0
    for rng, graph, edges, k, cap in instances(20 + seed, 150):
        n = len(graph.weights)
        limit, size = int(rng.choice([1, 3, 1000])), int(rng.integers(1, n + 1))
        areas = ball(graph, rng.integers(0, n, int(rng.integers(1, 3))), size)
        inside, rim = part_of(graph, areas)
        assert len(set(areas.tolist())) == len(areas) <= max(size, 1)
        if refuted(inside, k, cap, limit=limit, rim=rim)[0]:
            found += 1
            assert most_classes(graph.weights.tolist(), edges, k, cap) == 0
    assert found > 20 // SHARE


def test_a_ball_grows_by_neighbors():
    graph = graph_of([1] * 25, grid(5, 5))
    assert ball(graph, np.array([12]), 5).tolist() == [12, 7, 11, 13, 17]
    assert ball(graph, np.array([0, 24]), 1).tolist() == [0]
    assert len(ball(graph, np.array([0]), 40)) == 25
    inside, rim = part_of(graph, np.array([12, 7, 11, 6, 0]))
    pairs = {
        (a, b) for a, b in combinations(range(5), 2) if b in inside.neighbors[inside.start[a] : inside.start[a + 1]]
    }
    assert pairs == {(0, 1), (0, 2), (1, 3), (2, 3)}
    assert rim.tolist() == [True] * 5
    assert part_of(graph, np.arange(25))[1].tolist() == [False] * 25
    assert part_of(graph, np.array([0, 1, 5]))[1].tolist() == [False, True, True]


@pytest.mark.parametrize("seed", range(3))
def test_the_width_of_an_order_is_the_most_that_wait(seed):
    for rng, graph, edges, _, _ in instances(30 + seed, 40):
        n = len(graph.weights)
        for random in (None, rng):
            order = order_of(graph, tries=int(rng.integers(1, n + 1)), random=random)
            vertices = order.vertices.tolist()
            assert sorted(vertices) == list(range(n))
            waiting = [
                {v for v in vertices[:t] for u in vertices[t:] if (v, u) in edges or (u, v) in edges}
                for t in range(n + 1)
            ]
            assert order.width == max(map(len, waiting))


def test_a_frontier_that_is_too_wide_is_left_open():
    n = WIDEST + 2
    complete = graph_of([2] * n, list(combinations(range(n), 2)))
    assert classes_between(complete, 2, 4, limit=100).verdict == "open"
    assert refuted(complete, 2, 1, limit=100) == (False, 0)
    smaller = graph_of([2] * (n - 1), list(combinations(range(n - 1), 2)))
    assert classes_between(smaller, 2, 2, limit=10, beam=np.random.default_rng(0)).verdict == "found"
    assert refuted(smaller, 2, 1, limit=100) == (True, 65)


def test_of_states_that_are_alike_those_stay_that_are_no_worse():
    """All in one bucket: parts, excess, most of two parts, least of two parts."""
    rows = [
        ((16, 5, 9, 9, 12, 15), 1, [0]),
        ((16, 5, 9, 9, 15, 12), 1, [0, 1]),
        ((16, 5, 9, 9, 12, 15), 0, [0, 1]),  # one like it is there
        ((16, 5, 9, 8, 12, 15), 1, [0, 1, 3]),  # not alike
        ((0, 5, 9, 0, 12, 0), 1, [0, 1, 3, 4]),
        ((16, 5, 9, 9, 14, 14), -1, [0, 1, 3, 4]),  # two others are no worse
        ((16, 4, 9, 9, 12, 12), 1, [3, 4, 6]),  # better than two
        ((16, 4, 9, 8, 12, 15), 1, [4, 6, 7]),
    ]
    blank = [np.zeros(8, dtype=np.int64) for _ in range(3)]
    layer = Layer(np.zeros((8, 6), dtype=np.int64), *blank, np.full(1, -1, dtype=np.int64))
    for place, (row, entered, left) in enumerate(rows):
        layer.states[place] = row
        count = max(row[0] // 16 + 1, 1)
        layer.origin[place] = -1
        assert enter(layer, place, count, 2) == entered
        if entered > 0:
            layer.origin[place] = layer.choice[place] = place
        assert np.flatnonzero(layer.origin[: place + 1] >= 0).tolist() == left
    assert close_up(layer, 8) == 3
    assert layer.states[:3].tolist() == [list(rows[place][0]) for place in (4, 6, 7)]
    assert layer.choice[:3].tolist() == [4, 6, 7]


def test_states_of_one_cell_become_one():
    states = np.array([(16, 5, 9, 9, 9, 9), (16, 3, 9, 7, 8, 4), (0, 3, 9, 0, 9, 0), (16, 4, 9, 9, 30, 9)])
    blank = [np.zeros(8, dtype=np.int64) for _ in range(3)]
    layer = Layer(np.zeros((8, 6), dtype=np.int64), *blank, np.full(1, -1, dtype=np.int64))
    cells = np.zeros((3, 2), dtype=np.int64)
    assert merge_states(states, 4, cells, layer) == -1
    assert merge_states(states, 10, cells, layer) == 3
    assert layer.states[:3].tolist() == [[16, 3, 9, 9, 8, 4], [0, 3, 9, 0, 9, 0], [16, 4, 9, 9, 30, 9]]


@pytest.mark.parametrize("spare", [-1, 6])
def test_states_give_way_to_better_ones_and_room_grows(spare, monkeypatch):
    """Loads above k make many states that are alike; there is room for two of them at first."""
    monkeypatch.setattr(frontier, "ROOM", 2)
    rng = np.random.default_rng(0)
    edges = grid(3, 3)
    for k, cap, limit in ((3, 20, 1000), (2, 9, 40), (3, 7, 20), (4, 6, 4)):
        weights = rng.integers(1, 9, 9).tolist()
        graph = graph_of(weights, edges)
        order = order_of(graph)
        said = refuted(graph, k, cap, limit=limit, order=order, spare=spare)
        assert said == slow.refuted(weights, edges.tolist(), order.vertices.tolist(), set(), k, cap, limit, spare)
        best = most_classes(weights, edges.tolist(), k, cap)
        for chain in (1, 2):
            answer = classes_between(graph, k, cap, least=best, limit=1000, order=order, chain=chain)
            assert answer.verdict in ("open", "found" if best else "impossible")
            more = classes_between(graph, k, cap, least=best + 1, limit=1000, order=order, chain=chain)
            assert more.verdict in ("open", "impossible")


def test_states_are_merged_until_no_grain_is_enough():
    """More ways to part the frontier than the limit: nothing can be said."""
    graph = graph_of([1] * 12, grid(3, 4))
    assert refuted(graph, 5, 5, limit=10**4)[0]
    for limit in (1, 2):
        proven, work = refuted(graph, 5, 5, limit=limit)
        assert not proven
        assert work < refuted(graph, 5, 5, limit=10**4)[1]


def test_the_largest_weights():
    """To 2^53 together: nothing overflows, and one more or less is seen."""
    heavy = 2**53 // 9
    weights = np.full(9, heavy, dtype=np.int64)
    graph = graph_of(weights, grid(3, 3))
    assert classes_between(graph, 3 * heavy, 3 * heavy, limit=10**4).verdict == "found"
    odd = graph._replace(weights=weights - np.eye(9, dtype=np.int64)[4])
    assert classes_between(odd, 3 * heavy, 2**53, least=3, limit=10**4).verdict == "impossible"
    assert classes_between(odd, 3 * heavy - 1, 3 * heavy, limit=10**4).verdict == "found"
    assert refuted(odd, 3 * heavy - 1, 3 * heavy - 1, limit=100)[0]
    assert not refuted(odd, 3 * heavy - 1, 3 * heavy, limit=10**4)[0]
