"""What follows the first annealing of recombine: neighborhoods, narrow maps, other beginnings."""

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.model.run import Run
from kanon_engine.regions import recombine
from kanon_engine.regions.neighborhoods import _Classes, _clumps, _contracted, narrowed, remade
from kanon_engine.regions.recombine import sizes_for
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph
from tests.compiled import SHARE, compiled_only, thorough_only
from tests.oracles.recombine import best_value
from tests.oracles.regions import connected
from tests.regions.graphs import grid, random_connected_graph


def anything(*_):
    return True


def graph_of(weights, edges):
    return Graph(*neighbor_lists(np.asarray(edges), len(weights)), np.asarray(weights, dtype=np.int64))


def small(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 9))
    return rng.integers(0, 9, n), random_connected_graph(rng, n, rng.choice([0.0, 0.2, 0.5])), int(rng.integers(2, 9))


def is_partition(graph, edges, label, k):
    loads = np.bincount(label, weights=graph.weights)
    return loads[np.unique(label)].min() >= k and all(
        connected(np.flatnonzero(label == own).tolist(), [*map(tuple, edges)]) for own in np.unique(label)
    )


def largest(graph, label):
    return int(np.bincount(label, weights=graph.weights).max())


def test_narrow_maps_against_brute_force():
    """The smallest largest class and, as nothing was left out, that it is."""
    cases = 0
    for seed in range(60 // SHARE + 3):
        weights, edges, k = small(seed)
        best = best_value(weights.tolist(), edges, k)
        if best is None:
            continue
        graph, rng = graph_of(weights, edges), np.random.default_rng(seed)
        label, bound = narrowed(graph, k, np.zeros(len(weights), np.int64), k, 10**6, rng, anything, anything)
        assert is_partition(graph, edges, label, k)
        assert largest(graph, label) == bound == best[0]
        cases += 1
    assert cases > 1


def test_narrow_parts_alone_are_made_anew():
    """Of a wide part and a narrow one the first stays; a part that meets the bound is not asked for."""
    wide, narrow = grid(13, 13), np.array([(i, i + 1) for i in range(169, 174)])
    graph = graph_of([1] * 169 + [2] * 6, np.concatenate([wide, narrow]))
    own = np.repeat([0, 1], [169, 6])
    asked = []
    label, bound = narrowed(
        graph, 3, own, 3, 10**5, np.random.default_rng(0), anything, lambda *at: asked.append(at) or True
    )
    assert len(np.unique(label[:169])) == 1
    assert np.bincount(label[169:], weights=graph.weights[169:]).max() == 4
    assert bound == 4, "of every partition, for the narrow part alone allows no 3"
    assert asked
    kept, bound = narrowed(graph, 3, own, 169, 10**5, np.random.default_rng(0), anything, anything)
    assert bound == 169
    assert (kept == own).all()


def test_neighborhoods_never_make_it_worse():
    better = []
    for seed in range(40 // SHARE + 1):
        rng = np.random.default_rng(seed)
        edges = grid(6, 6)
        graph = graph_of(rng.integers(0, 30, 36), edges)
        start = np.repeat([0, 1, 2], 12)
        k = min(int(load) for load in np.bincount(start, weights=graph.weights))
        label = remade(graph, k, start, k, 200_000, rng, anything, anything)
        assert is_partition(graph, edges, label, k)
        assert largest(graph, label) <= largest(graph, start)
        better.append(largest(graph, label) < largest(graph, start))
    assert np.mean(better) >= 0.5


def test_a_stop_or_a_rule_leaves_the_classes():
    graph, start = graph_of([3, 1, 1, 3], [(0, 1), (1, 2), (2, 3)]), np.zeros(4, dtype=np.int64)
    rng = np.random.default_rng(0)
    for search in (lambda *own: narrowed(*own)[0], remade):
        assert search(graph, 3, start, 4, 10**6, rng, anything, anything).tolist() != [0, 0, 0, 0]
        assert search(graph, 3, start, 4, 10**6, rng, lambda *_: False, anything).tolist() == [0, 0, 0, 0]
        assert search(graph, 3, start, 4, 10**6, rng, anything, lambda *_: False).tolist() == [0, 0, 0, 0]


def test_classes_of_many_areas_are_made_anew_from_connected_sets():
    rng = np.random.default_rng(1)
    edges = grid(10, 10)
    graph = graph_of(rng.integers(1, 9, 100), edges)
    own = np.repeat([0, 1], 50)
    for size in (1, 2, 20, 100):
        clump = _clumps(graph, own, size, rng)
        assert len(np.unique(clump)) == max(size, 2)
        for number in range(max(size, 2)):
            members = np.flatnonzero(clump == number)
            assert len(np.unique(own[members])) == 1
            assert connected(members.tolist(), edges.tolist())
        fewer = _contracted(graph, clump)
        assert fewer.weights.tolist() == np.bincount(clump, weights=graph.weights).tolist()
        wanted = {(a, b) for pair in clump[edges].tolist() for a, b in (pair, pair[::-1]) if a != b}
        tails = np.repeat(np.arange(len(fewer.weights)), np.diff(fewer.start))
        assert set(zip(tails.tolist(), fewer.neighbors.tolist(), strict=True)) == wanted
    label = remade(graph, 100, np.zeros(100, np.int64), 100, 300_000, rng, anything, anything)
    assert is_partition(graph, edges, label, 100)
    assert largest(graph, label) < graph.weights.sum()


def test_lists_of_members_follow_the_labels():
    rng = np.random.default_rng(3)
    graph = graph_of(rng.integers(0, 9, 30), grid(5, 6))
    classes = _Classes(graph, rng.integers(0, 6, 30))
    for _ in range(200):
        chosen = rng.permutation(len(classes.members))[: int(rng.integers(1, 5))].tolist()
        members = np.concatenate([classes.members[c] for c in chosen])
        labels = np.unique(rng.integers(0, int(rng.integers(1, 6)), len(members)), return_inverse=True)[1]
        classes.replace(chosen, members, labels)
        assert np.unique(classes.label).tolist() == list(range(len(classes.members)))
        assert [own.tolist() for own in map(np.sort, classes.members)] == [
            np.flatnonzero(classes.label == c).tolist() for c in range(len(classes.members))
        ]
        assert classes.loads.tolist() == np.bincount(classes.label, weights=graph.weights).tolist()


def open_map(number):
    """A map on which recombine does not meet its bound."""
    rng = np.random.default_rng(number)
    weights = rng.integers(1, 50, 42)
    weights[rng.random(len(weights)) < 0.15] += 100
    return kanon.Regions(range(len(weights)), weights, grid(6, 7)), int(weights.sum() / 6.5)


@pytest.mark.thorough
def test_one_core_finds_what_two_find(monkeypatch):
    monkeypatch.setattr(recombine, "STEPS", 1_000 // SHARE)
    monkeypatch.setattr(recombine, "WORK", 5_000 // SHARE)
    regions, k = open_map(2)
    found = []
    for threads in (1, 2):
        monkeypatch.setattr(recombine, "THREADS", threads)
        found.append(kanon.generalize(regions, k, "recombine", seed=5).assignment)
    assert (found[0] == found[1]).all()


@pytest.mark.thorough
@compiled_only
@pytest.mark.parametrize("number", [2, *thorough_only([3, 4, 6])])
def test_more_effort_is_never_worse(number, monkeypatch):
    monkeypatch.setattr(recombine, "STEPS", 300)
    monkeypatch.setattr(recombine, "WORK", 3_000)
    regions, k = open_map(number)
    values = []
    for effort in (1.0, 2.0, 4.0, 10.0):
        g = kanon.generalize(regions, k, "recombine", effort=effort, seed=number)
        values.append((g.cost, sum(int(weight) ** 2 for weight in g.class_weights)))
    assert values == sorted(values, reverse=True)


def test_sizes_of_a_smaller_effort_come_first():
    for effort in (1, 2, 3.5, 4, 8, 9, 100):
        sizes = sizes_for(effort)
        assert sum(sizes) <= effort
        for less in (1, 1.9, 2, 4, 8):
            if less <= effort:
                assert sizes[: len(sizes_for(less))] == sizes_for(less)


@pytest.mark.thorough(one_in=2)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_in_a_later_turn_is_heard_at_once(threads, monkeypatch):
    monkeypatch.setattr(recombine, "THREADS", threads)
    monkeypatch.setattr(recombine, "WAIT", 0.001)
    monkeypatch.setattr(recombine, "STEPS", 1_000 // SHARE)
    monkeypatch.setattr(recombine, "WORK", 5_000 // SHARE)
    regions, k = open_map(2)
    for until in (0.41, 0.6, 0.8):
        heard = []

        def stop(report, heard=heard, until=until):
            heard.append(report)
            return report.done < until

        g = kanon.generalize(regions, k, "recombine", effort=2, progress=stop)
        assert g.status == "stopped"
        assert [report.done for report in heard] == sorted(report.done for report in heard)
        assert all(report.done < until for report in heard[:-1])
        assert g.cost <= min(report.best for report in heard if report.best is not None)


def test_minima_are_kept_and_wishes_are_left_to_the_annealing(monkeypatch):
    monkeypatch.setattr(recombine, "STEPS", 5_000 // SHARE)
    regions, k = open_map(4)
    rng = np.random.default_rng(0)
    counts = {"homes": rng.integers(0, 5, len(regions))}
    with_homes = kanon.Regions(range(len(regions)), regions.weights, regions.edges, columns=counts, apart=[(0, 1)])
    least = int(counts["homes"].sum() / 8)
    g = kanon.generalize(with_homes, k, "recombine", effort=0.3, require=kanon.Minimum("homes", least))
    assert np.bincount(g.assignment, weights=counts["homes"]).min() >= least
    assert g.assignment[0] != g.assignment[1]


def test_a_part_of_a_run_tells_the_whole():
    heard = []
    whole = Run(progress=lambda said: heard.append(said.done) or len(heard) < 3)
    part = whole.part(0.5, 0.7)
    assert [part.goes_on(done, None, None, "") for done in (0.0, 0.5, 1.0)] == [True, True, False]
    assert heard == pytest.approx([0.5, 0.6, 0.7])
    assert part.stopped
    assert whole.stopped
