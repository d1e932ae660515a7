"""Theorem 9 against brute force: its ratio, each of its cases, and its tight instance."""

from collections import Counter

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels.five_halves import five_halves
from kanon_engine.model.run import Run
from tests.compiled import compiled_only
from tests.oracles import label_packings
from tests.oracles import labels as oracle

pytestmark = pytest.mark.kernels


def solved(counts, k):
    outcome = five_halves(kanon.Labels(range(len(counts)), counts), k, Run())
    return np.bincount(outcome.assignment, counts).astype(int).tolist(), outcome


def check(counts, k):
    weights, outcome = solved(counts, k)
    optimum, _ = oracle.optimum(counts, k)
    assert min(weights) >= k, (counts, k)
    assert optimum <= max(weights) <= outcome.guarantee, (counts, k)
    assert 2 * max(weights) <= 5 * optimum, (counts, k)
    return outcome.details.method


@compiled_only
def test_all_small_multisets():
    """Few labels make few bins: the cases that the paper omits are all here."""
    methods = Counter(check(counts, k) for counts, k in label_packings.multisets(6, 6))
    assert sum(methods.values()) > 3_000
    assert min(methods.values()) > 20
    assert len(methods) == 3, methods


@compiled_only
def test_random_instances():
    generator = np.random.default_rng(9)
    methods = Counter(check(counts, k) for counts, k in label_packings.small_instances(generator, 400))
    assert len(methods) == 3


def test_three_parts_on_three_bins():
    """Case 1 with three bins: each gets a part of at most k / 2, instead of one getting all."""
    weights, outcome = solved([9] * 6 + [3, 3, 3], 10)
    assert sorted(weights) == [21, 21, 21]
    assert outcome.guarantee == 27


@pytest.mark.parametrize(
    ("counts", "k"), [([9, 9, 5, 4], 10), ([9, 9, 9, 9, 4, 4], 10), ([19, 19, 19, 19, 6, 6, 6], 20)]
)
def test_at_most_three_bins_by_hand(counts, k):
    """The omitted case: one or two full bins and small labels left over."""
    weights, _ = solved(counts, k)
    assert min(weights) >= k
    assert 2 * max(weights) <= 5 * oracle.optimum(counts, k)[0]


def test_places_are_changed_in_case_2_1():
    """9 and 8 share a bin, 6 + 2 are left over; with 9 and 6 exchanged all bins hold k."""
    weights, outcome = solved([9, 8, 6, 2], 10)
    assert sorted(weights) == [11, 14]
    assert outcome.guarantee == 25


def test_case_2_2_needs_no_bound_on_the_optimum():
    """An odd number of large labels, and no bin can hold just one: the optimum is above 3/2 k, not below 6/5 k."""
    counts, k = [8, 8, 7, 1], 10
    assert max(counts) + 1 < k
    assert oracle.optimum(counts, k)[0] > 3 * k / 2
    check(counts, k)


def test_oversize_labels_exceed_level_two():
    """ "All of the bins will have levels less than 2" is not so with a label of 35 at k = 10; the ratio holds."""
    weights, _ = solved([35, 9, 9, 4], 10)
    assert max(weights) == 35


@pytest.mark.parametrize("m", [5, 50, 500])
def test_ratio_is_attained_in_the_limit(m):
    """2 m labels of k - 1 and k - 1 single records, k = 4 m + 1: the optimum is k + 1, Theorem 9 costs 5/2 k - 5/2."""
    k = 4 * m + 1
    weights, _ = solved([k - 1] * (2 * m) + [1] * (k - 1), k)
    assert max(weights) == 10 * m
    assert (k - 1) // (2 * m) == 2  # each label of k - 1 can have two single records: a packing of cost k + 1
