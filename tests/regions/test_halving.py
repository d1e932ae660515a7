"""As many classes as there is room for: halves of a piece, and all classes of a part of the map."""

from itertools import combinations

import numpy as np
import pytest

from kanon_engine.regions.neighborhoods import Piece, _Halving, classes_by_halving
from kanon_engine.regions.neighborhoods_kernels import (
    FIRST,
    SECOND,
    STAMP,
    Halves,
    WeightGoal,
    cut_off,
    fitted,
    halve,
    moved,
    room_for_subsets,
    subset_sums,
    weigh_out,
)
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph
from tests.compiled import COMPILED, SHARE, compiled_only
from tests.oracles.regions import connected
from tests.regions.graphs import grid, random_connected_graph

pytestmark = pytest.mark.kernels


def graph_of(weights, edges):
    return Graph(*neighbor_lists(np.asarray(edges), len(weights)), np.asarray(weights, dtype=np.int64))


def blank(n, seed):
    numbers = np.zeros(1, dtype=STAMP).view(np.recarray)[0]
    return Halves(*(np.zeros(n, np.int64) for _ in range(4)), numbers, np.array([seed + 1], dtype=np.uint64))


def small(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    return rng.integers(0, 9, n), [*map(tuple, random_connected_graph(rng, n, rng.choice([0.0, 0.2, 0.5])))]


def weights_of_halves(weights, edges):
    """What the first of two connected halves can weigh."""
    everything = set(range(len(weights)))
    return {
        sum(int(weights[v]) for v in own)
        for size in range(1, len(weights))
        for own in combinations(range(len(weights)), size)
        if connected([*own], edges) and connected(sorted(everything.difference(own)), edges)
    }


@pytest.mark.parametrize("seed", range(60))
def test_halves_are_connected_and_weigh_what_is_told(seed):
    weights, edges = small(seed)
    graph, members = graph_of(weights, edges), np.arange(len(weights))
    possible, total = weights_of_halves(weights, edges), int(weights.sum())
    for target in range(0, total + 1, 3):
        halves = blank(len(weights), seed)
        halve(graph, halves, members, target)
        wish = WeightGoal(target - 2, target + 2, target, 0, 20.0, 0.1, 2_000)
        away, steps = weigh_out(graph, halves, room_for_subsets(), members, wish)
        first, second = np.flatnonzero(halves.label == FIRST), np.flatnonzero(halves.label == SECOND)
        assert len(first) + len(second) == len(weights)
        assert connected(first.tolist(), edges)
        assert connected(second.tolist(), edges)
        assert steps <= 2_000
        if away >= 0:
            load = int(weights[first].sum())
            assert load in possible
            assert abs(load - target) == away <= 2


def halved(seed):
    weights, edges = small(seed)
    graph, halves = graph_of(weights, edges), blank(len(weights), seed)
    halve(graph, halves, np.arange(len(weights)), int(weights.sum()) // 2)
    return graph, edges, halves


def parts_of(members, edges):
    """The connected parts of some vertices."""
    parts = []
    for v in members:
        joined = [part for part in parts if any({u, v} in ({a, b} for a, b in edges) for u in part)]
        parts = [part for part in parts if part not in joined] + [[v, *(u for part in joined for u in part)]]
    return parts


@pytest.mark.parametrize("seed", range(60))
def test_what_a_half_loses_with_a_vertex_is_what_hangs_on_it_but_for_the_heaviest(seed):
    graph, edges, halves = halved(seed)
    for u in range(len(graph.weights)):
        own = [v for v in range(len(graph.weights)) if halves.label[v] == halves.label[u] and v != u]
        before = halves.label.tolist()
        size, along = cut_off(graph, halves, u)
        lost = halves.waiting[:size].tolist()
        stays = sorted(set(own).difference(lost))
        assert halves.label.tolist() == before
        assert along == graph.weights[lost].sum()
        assert set(lost) <= set(own)
        parts = parts_of(own, edges)
        heaviest = max((int(graph.weights[[*part]].sum()) for part in parts), default=0)
        assert sum(set(part) <= set(stays) for part in parts) == min(len(parts), 1)
        assert graph.weights[stays].sum() == heaviest


@pytest.mark.parametrize("seed", range(60))
def test_a_set_of_moves_makes_the_weight_fit(seed):
    graph, edges, halves = halved(seed)
    members, room, n = np.arange(len(graph.weights)), room_for_subsets(), len(graph.weights)
    for least in range(-12, 13, 2):
        before, most = halves.label.copy(), least + 1
        load = int(graph.weights[before == FIRST].sum())
        change = fitted(graph, halves, room, members, least, most)
        first = [v for v in range(n) if halves.label[v] == FIRST]
        assert connected(first, edges)
        assert connected([v for v in range(n) if halves.label[v] == SECOND], edges)
        if change > most:
            assert halves.label.tolist() == before.tolist()
        else:
            assert least <= change <= most
            assert graph.weights[first].sum() == load + change


@pytest.mark.parametrize("seed", range(20))
def test_every_subset_has_its_sum(seed):
    graph, _, halves = halved(seed)
    room, n = room_for_subsets(), min(len(graph.weights), 5)
    found = np.arange(n)
    sums, bits = room.sums, room.bits
    size = subset_sums(graph, halves.label, found, 0, n, sums[0], bits[0], sums[2], bits[2])
    changes = np.where(halves.label == FIRST, -1, 1) * graph.weights
    assert sorted(bits[0, :size].tolist()) == list(range(2**n))
    assert sums[0, :size].tolist() == sorted(sums[0, :size].tolist())
    for total, subset in zip(sums[0, :size].tolist(), bits[0, :size].tolist(), strict=True):
        assert total == sum(int(changes[v]) for v in range(n) if subset >> v & 1)


def test_moves_that_would_cut_a_half_in_two_are_taken_back():
    graph, halves = graph_of([1, 1, 1, 1], [(0, 1), (1, 2), (2, 3)]), blank(4, 0)
    halves.label[:] = [FIRST, FIRST, SECOND, SECOND]
    assert not moved(graph, halves, np.array([1, 3]), 2)
    assert halves.label.tolist() == [FIRST, FIRST, SECOND, SECOND]
    assert moved(graph, halves, np.array([1]), 1)
    assert halves.label.tolist() == [FIRST, SECOND, SECOND, SECOND]


def test_sets_of_the_right_weight_that_cannot_move_are_left_after_some_tries():
    """Only a vertex and the one below it weigh right, and neither can move once the other has."""
    columns = 9
    first = 100 * 3 ** np.arange(columns)
    weights = np.concatenate([np.ones(columns), first, first + 1, np.ones(columns)]).astype(np.int64)
    graph, halves = graph_of(weights, grid(4, columns)), blank(4 * columns, 0)
    halves.label[:] = np.repeat([FIRST, SECOND], 2 * columns)
    before = halves.label.tolist()
    assert fitted(graph, halves, room_for_subsets(), np.arange(4 * columns), 1, 1) == 2
    assert halves.label.tolist() == before


def test_what_lies_outside_stays_outside():
    graph = graph_of([1] * 25, grid(5, 5))
    halves = blank(25, 3)
    members = np.array([0, 1, 2, 5, 6, 7, 10, 11, 12])
    halve(graph, halves, members, 4)
    away, _ = weigh_out(graph, halves, room_for_subsets(), members, WeightGoal(4, 5, 4, 0, 1.0, 1.0, 500))
    assert away == 0
    assert np.flatnonzero(halves.label).tolist() == members.tolist()
    assert (halves.label[members] == FIRST).sum() == 4


def is_partition(graph, edges, classes, members, k, cap):
    loads = [int(graph.weights[own].sum()) for own in classes]
    return (
        sorted(np.concatenate(classes).tolist()) == sorted(members.tolist())
        and min(loads) >= k
        and max(loads) <= cap
        and all(connected(own.tolist(), [*map(tuple, edges)]) for own in classes)
    )


@compiled_only
@pytest.mark.parametrize("seed", range(30))
def test_a_split_that_was_hidden_is_found_or_another(seed):
    """Strips of a grid weigh the same: with that as k and cap, classes without slack exist."""
    rng = np.random.default_rng(seed)
    rows, columns, deep = 6, 12, 3
    weights = rng.integers(1, 20, (rows, columns))
    weights[-1] += weights.sum(axis=0).max() - weights.sum(axis=0)
    k = deep * int(weights[:, 0].sum())
    edges = grid(rows, columns)
    graph, members = graph_of(weights.ravel(), edges), np.arange(rows * columns)
    classes, _ = classes_by_halving(graph, members, 4, k, k + 2, 2_000_000 // SHARE**2, rng, lambda _: True)
    if classes is not None:
        assert len(classes) == 4
        assert is_partition(graph, edges, classes, members, k, k + 2)
    assert not COMPILED or classes is not None


def test_classes_that_do_not_exist_are_not_found():
    graph, asked = graph_of([3] * 40, [(v, v + 1) for v in range(39)]), []
    for count, k in ((29, 4), (10, 12)):
        rng = np.random.default_rng(0)
        found, work = classes_by_halving(
            graph, np.arange(40), count, k, 12, 60_000, rng, lambda at: asked.append(at) or True
        )
        assert (work >= 60_000) == (k == 4)
        assert (found is not None) == (k == 12)
    assert asked
    assert asked == sorted(asked)


def test_a_stop_is_heard():
    graph = graph_of([3] * 40, [(v, v + 1) for v in range(39)])
    found, work = classes_by_halving(graph, np.arange(40), 29, 4, 12, 10**9, np.random.default_rng(0), lambda _: False)
    assert found is None
    assert work < 10**9


def test_pieces_share_classes_and_areas():
    rng = np.random.default_rng(5)
    graph = graph_of(rng.integers(1, 9, 200), grid(10, 20))
    search = _Halving(graph, 40, 60, rng)
    whole = Piece(np.arange(200), int(graph.weights.sum()) // 40)
    pieces = search.pieces(whole)
    assert sum(piece.count for piece in pieces) == whole.count
    assert sorted(np.concatenate([piece.members for piece in pieces]).tolist()) == list(range(200))
    assert all(search.weight(piece) >= 40 * piece.count for piece in pieces)
    search.number(pieces)
    chosen = search.neighborhood(pieces, 200 / whole.count)
    areas = np.concatenate([pieces[place].members for place in chosen])
    assert connected(areas.tolist(), [*map(tuple, grid(10, 20))])
    assert len(set(chosen)) == len(chosen) > 1
