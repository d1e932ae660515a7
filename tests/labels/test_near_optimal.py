"""near-optimal between optimum and guarantee, the sweep against single runs, and the kernels one by one."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanon_engine as kanon
from kanon_engine.labels import even_packing as near_optimal_packings
from kanon_engine.labels import even_packing_kernels as kernels
from kanon_engine.labels.even_packing import Packings
from tests.compiled import compiled_only
from tests.corruption import corrupted
from tests.labels.every_k import near_optimal_costs
from tests.labels.samples import HARD, labels_of, small_instances
from tests.oracles import labels as oracle

pytestmark = pytest.mark.kernels

module = import_module("kanon_engine.labels.near_optimal")  # the package has a function of this name


@pytest.fixture(autouse=True)
def short_searches(monkeypatch):
    """Long enough for small instances, and quick when the kernels are not compiled."""
    monkeypatch.setattr(near_optimal_packings, "THOROUGH_FOR_ONE", 4_000)


@compiled_only
def test_cost_lies_between_optimum_and_guarantee():
    optimal = tried = 0
    for counts, k in small_instances(400, seed=13):
        optimum = oracle.optimum(counts, k)[0]
        g = kanon.generalize(labels_of(counts), k)
        assert g.algorithm == "near-optimal"
        assert g.lower_bound <= optimum <= g.cost <= min(g.guarantee, 2 * optimum), (counts, k)
        order = sorted(range(len(counts)), key=lambda item: -counts[item])
        assert g.guarantee == oracle.cost(counts, oracle.fold(counts, order, k)) <= oracle.theorem_7(counts, k)
        optimal += g.cost == optimum
        tried += 1
    assert optimal >= 0.99 * tried


def test_the_sweep_gives_what_single_runs_give(monkeypatch):
    monkeypatch.setattr(module, "COVERS", 0)
    rng = np.random.default_rng(2)
    cases = [HARD, rng.integers(1, 60, 40).tolist(), rng.geometric(0.02, 150).tolist(), [5], [90, 1, 1, 1, 30, 30]]
    for counts in cases:
        labels = labels_of(counts)
        ks = np.unique(np.linspace(1, labels.total, 12).astype(np.int64))
        costs, bounds = near_optimal_costs(labels, ks, seed=6)
        single = [kanon.generalize(labels, int(k), seed=6) for k in ks]
        assert costs.tolist() == [g.cost for g in single]
        assert bounds.tolist() == [g.lower_bound for g in single]


@compiled_only
def test_exact_covers_only_better_what_the_sweep_gives():
    labels = labels_of(np.random.default_rng(301).integers(5 * 10**6, 10**7, 20).tolist())
    ks = np.array([labels.total // 4, labels.total // 10, 2 * 10**7])
    costs, bounds = near_optimal_costs(labels, ks)
    single = [kanon.generalize(labels, int(k)) for k in ks]
    assert all(g.lower_bound == g.cost for g in single)
    assert (bounds <= [g.lower_bound for g in single]).all()
    assert (costs >= [g.cost for g in single]).all()
    assert any(costs > [g.cost for g in single])


def test_an_even_packing_serves_every_k_with_as_many_bins():
    labels = labels_of(list(range(1, 41)))
    costs, bounds = near_optimal_costs(labels, np.arange(40, labels.total + 1))
    assert (costs == bounds).all()
    assert costs[0] == 41


def test_seed_and_stop(monkeypatch):
    monkeypatch.setattr(module, "COVERS", 0)
    labels = labels_of(HARD)
    first, second = (kanon.generalize(labels, 2500, seed=9) for _ in range(2))
    np.testing.assert_array_equal(first.assignment, second.assignment)
    assert first.status == "feasible"
    stopped = kanon.generalize(labels, 2500, progress=lambda report: False)
    assert stopped.status == "stopped"
    assert first.cost <= stopped.cost <= stopped.guarantee


def test_reports_name_a_packing_and_a_bound_that_hold(monkeypatch):
    monkeypatch.setattr(module, "COVERS", 0)
    told = []
    g = kanon.generalize(labels_of(HARD), 2500, progress=told.append)
    assert len(told) > 1
    assert all(report.lower_bound <= g.cost <= report.best for report in told)


def test_of_equal_costs_the_evenest_packing_is_taken():
    """The label of 50 is the largest class anyway; the others are to be dealt out evenly."""
    g = kanon.generalize(labels_of([50, 9, 8, 7, 6, 5, 4, 3, 2]), 11)
    assert sorted(g.class_weights.tolist()) == [11, 11, 11, 11, 50]


def plain_lowest_level_first(weights, bins):
    levels, chosen = [0] * bins, []
    for weight in weights:
        chosen.append(levels.index(min(levels)))
        levels[chosen[-1]] += weight
    return chosen, levels


weight_lists = st.lists(st.integers(1, 90), min_size=1, max_size=30).map(lambda values: sorted(values, reverse=True))


@given(weight_lists, st.integers(1, 8))
def test_lowest_level_first_is_its_plain_twin(weights, bins):
    bin_of, levels = np.empty(len(weights), dtype=np.int64), np.zeros(bins, dtype=np.int64)
    kernels.lowest_level_first(kernels.EvenPacking(np.array(weights), bin_of, levels))
    assert (bin_of.tolist(), levels.tolist()) == plain_lowest_level_first(weights, bins)


@given(weight_lists)
def test_differencing_splits_as_it_says(weights):
    side = np.empty(len(weights), dtype=np.int64)
    difference = kernels.differencing(np.array(weights), side)
    assert set(side.tolist()) <= {1, -1}
    assert difference == sum(weight * sign for weight, sign in zip(weights, side.tolist(), strict=True)) >= 0
    values = sorted(weights)
    while len(values) > 1:
        values = sorted([*values[:-2], values[-1] - values[-2]])
    assert difference == values[0]


@given(weight_lists, weight_lists, st.integers(1, 400))
def test_best_swap_is_the_best_of_all(one, other, difference):
    x = np.array(sorted(one + other, reverse=True))
    places = np.random.default_rng(0).permutation(len(x))
    a, b = np.sort(places[: len(one)]), np.sort(places[len(one) :])
    moves = [(abs(difference - 2 * int(x[i])), i, -1) for i in a]
    swaps = [(abs(difference - 2 * int(x[i] - x[j])), i, j) for i in a for j in b]
    best, first, second = kernels.best_swap(x, a, b, difference)
    assert best == min(difference, *(left for left, *_ in moves + swaps))
    if first >= 0:
        assert best == abs(difference - 2 * int(x[first] - (x[second] if second >= 0 else 0)))


@pytest.mark.parametrize("bins", [1, 2, 5, 9])
def test_packings_are_what_their_keys_say_and_only_get_better(bins):
    labels = labels_of(HARD)
    packings = Packings(labels, seed=1)
    weights = labels.counts[labels.descending]
    least = []
    for archive in packings.quick(bins), packings.thorough(bins):
        rows = np.flatnonzero(archive.lightest >= 0)
        assert len(rows)
        for row in rows:
            sums = np.bincount(archive.bins[row], weights=weights, minlength=bins)
            known = archive.lightest[row], archive.heaviest[row], archive.squares[row]
            assert known == (sums.min(), sums.max(), (sums**2).sum())
        least.append(archive.heaviest[rows].min())
    assert plain_lowest_level_first(weights.tolist(), bins)[1]
    assert least[1] <= least[0] <= max(plain_lowest_level_first(weights.tolist(), bins)[1])


def test_no_packing_of_the_archive_is_needless():
    archive = kernels.Archive.blank(3, 4)
    for bins in [0, 0, 0, 1], [0, 1, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]:
        levels = np.bincount(bins, weights=[4, 3, 2, 1]).astype(np.int64)
        kernels.add_to_archive(kernels.EvenPacking(np.array([4, 3, 2, 1]), np.array(bins), levels), archive)
    assert [(low, high, sums) for _, low, high, sums in zip(*archive, strict=True) if low >= 0] == [(4, 6, 52)]


@pytest.mark.parametrize("name", ["near-optimal", "exact", "ordered"])
def test_no_field_can_be_spoilt(name):
    labels = labels_of([8, 8, 7, 7, 7, 1, 1])
    g = kanon.generalize(labels, 11, name)
    spoilt = list(corrupted(g))
    assert {field for field, _ in spoilt} >= {"assignment", "cost", "lower_bound", "bound_witness", "details"}
    for _, bad in spoilt:
        with pytest.raises(kanon.CertificateError):
            kanon.verify(labels, bad)


def test_a_long_search_goes_on_where_bins_cannot_be_equal():
    """It aims at the lightest bin, too; of many labels in two bins only the lightest are differenced."""
    stuck = Packings(labels_of([9, 9, 9, 2])).thorough(3)
    assert stuck.heaviest[stuck.lightest >= 0].tolist() == [11]
    even = np.random.default_rng(6).integers(1, 90, 130) * 2
    even[0] += 2 * (int(even.sum()) // 2 % 2 == 0)  # so that two bins differ by 2 at least
    found = Packings(labels_of(even.tolist())).quick(2)
    assert (found.heaviest - found.lightest).min() == 2
