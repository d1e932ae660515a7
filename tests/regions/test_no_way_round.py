"""The bound that a frontier proves, and its check."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.regions import frontier
from kanon_engine.regions.frontier import (
    ALIKE,
    LOAD_FINENESS,
    STEP_WORK,
    Order,
    part_of,
    refutation_bound,
    refuted,
    steps_of,
)
from kanon_engine.regions.frontier_kernels import WIDEST
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.trees import neighbor_lists
from kanon_engine.regions.trees_kernels import Graph
from kanon_engine.regions.wishes import Items, prepared
from kanon_engine.verification import regions as verifier
from tests.compiled import COMPILED, SHARE, compiled_only
from tests.regions.graphs import grid
from tests.regions.graphs_any import feasible, simple, some
from tests.regions.wished_maps import wished_map
from tests.verification.proven import proven

pytestmark = pytest.mark.kernels

PATH = Regions(range(4), [5, 3, 3, 5], [(0, 1), (1, 2), (2, 3)])
NAME = "no way round"
ALL_WORK = frontier.ALL_WORK  # also where a fixture gives plain Python less


def test_the_check_counts_as_the_search_does():
    assert (verifier.STATES_IN_ALL, verifier.STATES_A_STEP) == (frontier.WITNESS_WORK, frontier.WITNESS_STEP)
    assert max(states for states, _ in frontier.LEVELS) <= verifier.STATES_STORED
    assert (verifier.STEP, verifier.ALIKE, verifier.FINENESS, verifier.WAITING) == (
        STEP_WORK,
        ALIKE,
        LOAD_FINENESS,
        WIDEST,
    )


def test_places_are_of_one_part_of_the_map():
    edges = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7)]
    for first, weights in ((0, [5, 3, 3, 5, 9, 9, 9, 9]), (4, [9, 9, 9, 9, 5, 3, 3, 5])):
        regions, other = Regions(range(8), weights, edges), 4 - first
        places = range(first, first + 4)
        assert proven(regions, 9, NAME, (15, 100, *places)) == 16
        for wrong in ((other, *places), (*places, other), (places[0], other, *places[1:])):
            assert proven(regions, 9, NAME, (15, 100, *wrong)) is None


@pytest.mark.parametrize("seed", range(5))
def test_it_is_never_above_the_optimum_and_both_agree(seed, monkeypatch):
    monkeypatch.setattr(frontier, "ALL_WORK", ALL_WORK)
    better = tight = 0
    for rng, regions, k, best in some(feasible(300 + seed), 200):
        low, high = simple(regions, k), int(regions.component_weights.max())
        label = regions.components if rng.random() < 0.3 else rng.integers(0, 3, len(regions))  # classes or not
        if high <= low:
            continue
        bound = refutation_bound(regions, k, low, high, label, effort=float(rng.choice([1.0, 1e-4])))
        if bound is None:
            continue
        better += 1
        tight += bound.value == best
        assert low < bound.value == bound.witness[0] + 1 <= best
        assert (bound.name, bound.kind) == (NAME, "checked")
        assert proven(regions, k, NAME, bound.witness) == bound.value
        cap, limit, *areas = bound.witness
        higher = max(cap + 1, best)
        assert proven(regions, k, NAME, (higher, limit, *areas)) is None
    assert better >= 20 // SHARE
    assert tight >= 15 // SHARE


@pytest.mark.parametrize("seed", range(5))
def test_any_witness_says_the_same_in_all_three(seed):
    refutations = 0
    for rng, regions, k, best in some(feasible(400 + seed, 8 if COMPILED else 5), 100):
        cap, limit = int(rng.integers(k, max(best + 2, k + 1))), int(rng.choice([1, 2, 3, 1000]))
        part = np.flatnonzero(regions.components == rng.choice(regions.components))
        areas = rng.permutation(part)[: int(rng.integers(1, len(part) + 1))]
        witness = (cap, limit, *areas.tolist())
        graph = Graph(*neighbor_lists(regions.edges, len(regions)), regions.weights)
        inside, rim = part_of(graph, areas)
        order = np.arange(len(areas))
        width = max(len(step.kept) for step in steps_of(inside, order))
        total = int(regions.weights[part].sum())
        spare = total - -(-total // cap) * k
        spare = spare if 0 <= spare < k else -1
        said = refuted(inside, k, cap, limit=limit, order=Order(order, width), rim=rim, spare=spare)[0]
        if cap < regions.total:
            assert (proven(regions, k, NAME, witness) is not None) == said
            assert cap < best or not said
        refutations += said
    assert refutations > 10 // SHARE


def test_spoilt_witnesses_are_refused():
    bound = refutation_bound(PATH, 6, 6, 8, np.array([0, 0, 1, 1]))
    cap, limit, *areas = bound.witness
    assert proven(PATH, 6, NAME, bound.witness) == 8
    spoilt = [(), (cap,), (cap, limit), (cap + 1, limit, *areas), (5, limit, *areas), (-1, limit, *areas)]
    spoilt += [(cap, 0, *areas), (cap, -1, *areas), (cap, limit, *areas, 0), (cap, limit, *areas, 4), (16, 1, *areas)]
    spoilt += [(cap, limit, *areas[:-1], -1), (float(cap), limit, *areas), (True, limit, *areas), (cap, 1.0, *areas)]
    spoilt += [(cap, limit, 1, 2)]
    for witness in spoilt:
        assert proven(PATH, 6, NAME, witness) is None
    g = kanon.generalize(PATH, 6, "tree-split")
    good = replace(g, bound_name=NAME, bound_witness=bound.witness).sealed()
    kanon.verify(PATH, good)
    for witness in spoilt:
        with pytest.raises(kanon.CertificateError) as caught:
            kanon.verify(PATH, replace(good, bound_witness=witness).sealed())
        assert caught.value.check in ("bound witness", "form")


def test_areas_of_two_parts_are_no_witness():
    two = Regions(range(4), [5, 3, 3, 5], [(0, 1), (2, 3)])
    assert proven(two, 6, NAME, (7, 300, 0, 1)) == 8
    assert proven(two, 6, NAME, (7, 300, 0, 1, 2)) is None


def test_the_work_of_the_check_is_limited(monkeypatch):
    witness = (7, 300, 0, 1, 2, 3)
    graph = Graph(*neighbor_lists(PATH.edges, 4), PATH.weights)
    work = refuted(graph, 6, 7, limit=300, order=Order(np.arange(4), 1), spare=4)[1]
    monkeypatch.setattr(verifier, "STATES_IN_ALL", work)
    assert proven(PATH, 6, NAME, witness) == 8
    for name, value in (("STATES_IN_ALL", work - 1), ("STATES_A_STEP", 129), ("WAITING", 0), ("ALIKE", 0)):
        with monkeypatch.context() as patched:
            patched.setattr(verifier, name, value)
            assert proven(PATH, 6, NAME, witness) is None


@pytest.mark.parametrize("seed", range(5))
def test_what_stays_together_is_one_area(seed):
    """With wishes and minima the bound is one of the quotient, and what brute force finds is not below it."""
    rng, found = np.random.default_rng(seed), 0
    for _ in range(-(-150 // SHARE)):
        case = wished_map(rng, 8 if COMPILED else 5)
        if case.best is None:
            continue
        items = prepared(case.regions, case.k, case.require, "recombine")
        ground = items.quotient if isinstance(items, Items) else items
        high = int(items.component_weights.max())
        bound = refutation_bound(items, case.k, case.k, high, items.components) if high > case.k else None
        if bound is not None:
            found += 1
            assert bound.value <= case.best
            assert proven(ground, case.k, NAME, bound.witness) == bound.value
    assert found > 10 // SHARE


def test_the_largest_weights():
    """Two classes of three areas of 2^53 / 6 each, less 0 to 5: the best have 7 and 8 less together."""
    weights = np.full(6, 2**53 // 6) - np.arange(6)
    regions = Regions(range(6), weights, grid(2, 3))
    k = 3 * (2**53 // 6) - 15
    best = 3 * (2**53 // 6) - 7
    bound = refutation_bound(regions, k, k, best, np.array([0, 1, 1, 0, 0, 1]))
    assert proven(regions, k, NAME, bound.witness) == bound.value == best
    cap, *rest = bound.witness
    assert proven(regions, k, NAME, (cap + 1, *rest)) is None


@pytest.mark.thorough
@compiled_only
def test_more_effort_proves_no_less():
    rng = np.random.default_rng(3)
    regions = Regions(range(36), rng.integers(1, 30, 36), grid(6, 6))
    label = np.repeat(np.arange(6), 6)
    values = []
    for effort in (0.001, 0.01, 0.1):
        bound = refutation_bound(regions, 60, 60, 150, label, effort)
        values.append(60 if bound is None else bound.value)
        assert bound == refutation_bound(regions, 60, 60, 150, label, effort)
        assert bound is None or proven(regions, 60, NAME, bound.witness) == bound.value
    assert values == sorted(values)
    assert values[-1] > 60


@pytest.mark.thorough
@compiled_only
def test_a_forged_witness_is_refused_in_bounded_memory():
    regions = Regions(range(300), np.random.default_rng(6).integers(1, 10**9, 300), grid(30, 10))
    assert proven(regions, 2 * 10**9, NAME, (6 * 10**9, verifier.STATES_STORED + 1, *range(10))) is None
    tracemalloc.start()
    assert proven(regions, 2 * 10**9, NAME, (6 * 10**9, verifier.STATES_STORED, *range(200))) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20


@compiled_only
def test_a_large_grid_stays_within_the_work():
    regions = Regions(range(3_000), np.random.default_rng(0).integers(1, 50, 3_000), grid(30, 100))
    label = np.arange(3_000) // 100 * 25 + np.arange(3_000) % 100 // 4
    bound = refutation_bound(regions, 60, 60, 200, label, effort=0.1)
    assert bound is not None
    assert proven(regions, 60, NAME, bound.witness) == bound.value
