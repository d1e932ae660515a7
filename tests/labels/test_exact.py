"""The exact search against brute force: by sets of labels, and by both integer programs; stopped searches."""

from importlib import import_module

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels import even_packing
from kanon_engine.labels.even_packing import Sizes, possible_contents
from kanon_engine.labels.packing import bin_outcome
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Run
from tests.compiled import SHARE
from tests.labels.samples import HARD, labels_of, small_instances
from tests.oracles import labels as oracle

pytestmark = pytest.mark.kernels

module = import_module("kanon_engine.labels.exact")  # the package has a function of this name
first = import_module("kanon_engine.labels.near_optimal")


@pytest.fixture
def no_covers(monkeypatch):
    """So that CP-SAT has something to do."""
    monkeypatch.setattr(module, "COVERS", 0)
    monkeypatch.setattr(first, "COVERS", 0)


@pytest.fixture(autouse=True)
def short_first_searches(monkeypatch):
    """Quick when the kernels are not compiled; the exact search then has more to do."""
    monkeypatch.setattr(even_packing, "THOROUGH_FOR_ONE", 2_000)


def test_brute_force_agrees_on_a_thousand_instances():
    tried = infeasible = 0
    rng = np.random.default_rng(21)
    while tried < 1_000 // SHARE:
        counts = rng.integers(1, int(rng.integers(2, 40)), int(rng.integers(1, 10))).tolist()
        k = int(rng.integers(1, 40))
        tried += 1
        if sum(counts) < k:
            infeasible += 1
            with pytest.raises(kanon.Infeasible):
                kanon.generalize(labels_of(counts), k, "exact")
            continue
        g = kanon.generalize(labels_of(counts), k, "exact")
        assert g.cost == oracle.optimum(counts, k)[0], (counts, k)
        assert g.status == "optimal"
    assert infeasible > 50 // SHARE


def test_the_least_sum_of_squares_is_taken():
    best, bins = module.all_sets(np.array([10, 4, 3, 2, 2, 2, 1]), 3)
    sums = np.bincount(bins, weights=[10, 4, 3, 2, 2, 2, 1])
    assert (best, sorted(sums.tolist())) == (10, [3, 3, 4, 4, 10])


@pytest.mark.usefixtures("no_covers")
@pytest.mark.parametrize("most", [-1, 20_000], ids=["bins", "contents"])
def test_both_programs_find_and_prove_the_optimum(monkeypatch, most):
    """From all labels in one bin and the least of bounds, so that the search has to do everything."""

    def all_in_one(labels, k, run):
        return bin_outcome(labels.descending, np.zeros(len(labels), dtype=np.int64), k, "all in one")

    monkeypatch.setattr(module, "SMALL", 0)
    monkeypatch.setattr(even_packing, "MOST_PATTERNS", most)
    monkeypatch.setattr(module, "near_optimal", all_in_one)
    monkeypatch.setattr(module, "lower_bound", lambda labels, k: Bound(k, "k"))
    proven = 0
    for counts, k in small_instances(40, seed=8):
        outcome = module.exact(labels_of(counts), k, Run())
        sums = np.bincount(outcome.assignment, weights=counts)
        optimum = oracle.optimum(counts, k)[0]
        assert sums.min() >= k
        assert sums.max() == optimum == outcome.bound.value, (counts, k)
        proven += outcome.bound.kind == "solver"
    assert proven > 10


@pytest.mark.usefixtures("no_covers")
def test_a_search_that_stops_keeps_packing_and_bound():
    labels = labels_of(HARD)
    g = kanon.generalize(labels, 2500, "exact", progress=lambda report: False)
    assert g.status == "stopped"
    assert g.lower_bound < g.cost <= g.class_weights.sum()
    g = kanon.generalize(labels, 2500, "exact", time_limit=0.5)
    assert g.status == "stopped"
    assert g.class_weights.min() >= 2500


@pytest.mark.usefixtures("no_covers")
def test_an_effort_that_is_used_up_gives_the_same_result_again(monkeypatch):
    monkeypatch.setattr(module, "BUDGET", 0.02)
    first, second = (kanon.generalize(labels_of(HARD), 2500, "exact", seed=3) for _ in range(2))
    assert first.status == "feasible"
    assert (first.cost, first.lower_bound) == (second.cost, second.lower_bound)
    np.testing.assert_array_equal(first.assignment, second.assignment)


def test_contents_are_all_sets_of_weights_within_the_limits():
    sizes = Sizes([7, 5, 3, 2], [1, 2, 2, 3], k=9, most=3)
    plain = [
        [a, b, c, d]
        for a in range(2)
        for b in range(3)
        for c in range(3)
        for d in range(4)
        if 9 <= 7 * a + 5 * b + 3 * c + 2 * d <= 12
    ]
    assert sorted(possible_contents(sizes, 12)) == plain
    assert possible_contents(Sizes(list(range(60, 0, -1)), [2] * 60, k=900, most=4), 1000) is None
