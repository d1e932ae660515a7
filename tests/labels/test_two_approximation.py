"""Ratio 2 against brute force, on every kind of packing that its proof names; and its kernels against plain twins."""

from collections import Counter
from importlib import import_module

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels.two_approximation import LargeSmall
from kanon_engine.labels.two_approximation_kernels import fill_singles, place_below
from kanon_engine.model.run import Run
from tests.compiled import compiled_only
from tests.oracles import label_packings
from tests.oracles import labels as oracle

pytestmark = pytest.mark.kernels

module = import_module("kanon_engine.labels.two_approximation")  # the package's name for it is the function


def check(counts, k):
    outcome = module.two_approximation(kanon.Labels(range(len(counts)), counts), k, Run())
    weights = np.bincount(outcome.assignment, counts)
    optimum, _ = oracle.optimum(counts, k)
    assert weights.min() >= k, (counts, k)
    assert optimum <= weights.max() <= outcome.guarantee, (counts, k)
    assert weights.max() <= 2 * optimum, (counts, k)
    return outcome.details.method


@compiled_only
def test_all_small_multisets():
    methods = Counter(check(counts, k) for counts, k in label_packings.multisets(6, 6))
    assert sum(methods.values()) > 3_000
    assert len(methods) > 5


@compiled_only
def test_random_instances():
    generator = np.random.default_rng(2)
    methods = Counter(check(counts, k) for counts, k in label_packings.small_instances(generator, 600))
    assert len(methods) > 10


@pytest.mark.parametrize(
    ("counts", "k", "words"),
    [
        ([9, 9, 6, 6, 4], 10, "small labels went to some of these groups"),
        ([9, 6, 6, 6, 4, 1], 10, "two of 4 large labels were packed alone"),
        ([9, 6, 6, 1, 3], 10, "the last small labels all went to the lightest of these groups"),
        ([9, 8, 6, 5, 4, 4], 10, "then the small labels were added"),
    ],
)
def test_each_packing_of_the_proof_is_feasible(counts, k, words):
    """All candidates are feasible, also where another one wins."""
    labels = kanon.Labels(range(len(counts)), counts)
    found = list(module._by_number_alone(LargeSmall(labels, k)))
    assert any(words in entry.method for entry in found), [entry.method for entry in found]
    for entry in found:
        assert sorted(entry.order.tolist()) == list(range(len(counts)))
        assert np.bincount(entry.bins, labels.counts[entry.order]).min() >= k


def test_candidates_end_once_the_ratio_is_proven(monkeypatch):
    """With a limit of two candidates the ratio still holds, since those that are needed are still tried."""
    monkeypatch.setattr(module, "ENOUGH", 2)
    for counts, k in label_packings.multisets(6, 5):
        check(counts, k)


def test_fill_singles_is_its_twin():
    generator = np.random.default_rng(4)
    for _ in range(300):
        k = int(generator.integers(4, 40))
        large = np.sort(generator.integers(k // 2 + 1, k, int(generator.integers(0, 6))))[::-1]
        small = np.sort(generator.integers(1, k // 2 + 1, int(generator.integers(0, 9))))[::-1]
        ends = np.empty(len(large), dtype=np.int64)
        many = fill_singles(np.ascontiguousarray(large), np.concatenate([[0], np.cumsum(small)]), k, ends)
        assert ends[:many].tolist() == label_packings.fill_singles(large.tolist(), small.tolist(), k)


def test_place_below_is_its_twin():
    generator = np.random.default_rng(5)
    for _ in range(300):
        levels = generator.integers(0, 20, int(generator.integers(1, 6)))
        weights = generator.integers(1, 12, int(generator.integers(0, 12)))
        targets = np.empty(len(weights), dtype=np.int64)
        expected = label_packings.place_below(levels.tolist(), weights.tolist(), 24)
        place_below(levels, weights, 24, targets)
        assert (levels.tolist(), targets.tolist()) == expected
