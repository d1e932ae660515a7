"""The bounds against brute force and plain formulas; their witnesses and the corruption of these."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels.bounds import SubsetSums, achievable, crowded_class, lower_bound, lower_bounds, most_classes
from kanon_engine.verification.labels import least_sum
from tests.compiled import SHARE, compiled_only
from tests.labels.samples import labels_of, small_instances
from tests.oracles import labels as oracle
from tests.oracles.label_bounds import plain_crowded_class, plain_most_classes, plain_sums
from tests.verification.proven import proven

pytestmark = pytest.mark.kernels

KINDS = {
    "k": ([2, 2], 2),
    "heaviest label": ([9, 2, 2], 4),
    "average class": ([4] * 9, 10),
    "crowded class": ([8, 8, 7, 7, 7, 1, 1], 11),
    "class of a label": ([9, 7, 5, 5, 5, 5, 5, 5], 10),
    "sum of labels": ([6, 6, 4, 4, 4, 4], 9),
}


def test_bounds_never_pass_the_optimum():
    better, names, reached = 0, Counter(), 0
    for counts, k in small_instances(1_000, seed=7):
        cost, most = oracle.optimum(counts, k)
        labels = labels_of(counts)
        bound, aside, middle = most_classes(labels, k)
        plain = plain_most_classes(counts, k)
        assert most <= bound <= plain[len(counts)], (counts, k)
        assert bound == min(plain.values()) == plain[middle], (counts, k, aside, middle)
        assert sum(min(count, k) for count in counts) // k >= bound
        crowded = crowded_class(labels, bound)[0]
        assert crowded == plain_crowded_class(counts, bound) <= cost, (counts, k)
        found = lower_bound(labels, k)
        simple = max(k, max(counts), -(-sum(counts) // (sum(counts) // k)))
        assert max(simple, crowded, -(-sum(counts) // bound)) <= found.value <= cost, (counts, k)
        assert proven(labels, k, found.name, found.witness) == found.value, (counts, k, found)
        better += found.value > simple
        reached += found.value == cost
        names[found.name] += 1
    assert better > 100
    assert reached > 0.9 * names.total()
    assert set(names) == set(KINDS)


def test_many_classes_are_searched_block_after_block():
    """The best number of labels to exclude lies far from the first."""
    counts = [7] * 6_000 + [2] * 9_000
    assert most_classes(labels_of(counts), 5) == (6_000 + 9_000 // 3, 6_000, 15_000)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_of_bound_is_certified_and_refused_when_spoilt(name):
    counts, k = KINDS[name]
    labels = labels_of(counts)
    g = kanon.generalize(labels, k)
    assert (g.bound_name, g.status) == (name, "optimal")
    assert g.lower_bound == oracle.optimum(counts, k)[0]
    for witness in (*g.bound_witness, 0), (*g.bound_witness[:-1], 99), (*g.bound_witness[:-1], -1):
        with pytest.raises(kanon.CertificateError, match="bound witness"):
            kanon.verify(labels, replace(g, bound_witness=witness).sealed())
    for value in g.lower_bound + 1, g.lower_bound - 1:
        with pytest.raises(kanon.CertificateError):
            kanon.verify(labels, replace(g, lower_bound=value, status="feasible").sealed())


@pytest.mark.parametrize(
    ("name", "witness"),
    [
        ("k", (0,)),
        ("heaviest label", (6,)),
        ("heaviest label", ("0",)),
        ("average class", (0,)),
        ("average class", (5, 3)),
        ("average class", (0, 7)),
        ("crowded class", (0, 0, 6)),
        ("crowded class", (7, 0, 6)),
        ("class of a label", (9,)),
        ("sum of labels", ()),
        ("a hunch", ()),
    ],
)
def test_what_is_no_witness_proves_nothing(name, witness):
    assert proven(labels_of([6, 6, 4, 4, 4, 4]), 9, name, witness) is None


@compiled_only
def test_a_witness_that_is_not_the_best_proves_less_but_no_more_than_the_optimum():
    for counts, k in small_instances(120 // SHARE, seed=3):
        cost, n = oracle.optimum(counts, k)[0], len(counts)
        for a in range(n + 1):
            for middle in range(a, n + 1):
                for name in "average class", "sum of labels":
                    assert (proven(labels_of(counts), k, name, (a, middle)) or 0) <= cost, (counts, k, name, a, middle)
                for dealt in range(1, n + 1):
                    value = proven(labels_of(counts), k, "crowded class", (dealt, a, middle))
                    assert (value or 0) <= cost, (counts, k, dealt, a, middle)
        assert all((proven(labels_of(counts), k, "class of a label", (i,)) or 0) <= cost for i in range(n))


def test_sums_are_those_of_all_subsets():
    rng = np.random.default_rng(5)
    for _ in range(200):
        counts = (rng.integers(1, 30, rng.integers(1, 9)) * rng.integers(1, 4)).tolist()
        plain = plain_sums(counts)
        found = achievable(np.array(sorted(counts, reverse=True)))
        assert (found is None) == (plain == list(range(sum(counts) + 1)))
        huge = achievable(np.array(sorted((count * 10**9 + 1 for count in counts), reverse=True)))
        for sums, expected in (found, plain), (huge, plain_sums([count * 10**9 + 1 for count in counts])):
            for value in range(sum(counts) + 2) if sums is not None else ():
                value *= expected[-1] // plain[-1]
                assert sums.least(value) == min((s for s in expected if s >= value), default=None)


def test_many_sums_are_bits():
    """More labels than are listed; the table holds what the listing would."""
    rng = np.random.default_rng(8)
    for unit in 1, 12:
        counts = (rng.integers(3, 30, 20) * unit).tolist()
        plain, found = plain_sums(counts), achievable(np.array(sorted(counts, reverse=True)))
        assert found.bits is not None
        for value in range(sum(counts) + 2):
            assert found.least(value) == min((s for s in plain if s >= value), default=None)
            assert found.least(value) == least_sum(counts, value)


def test_where_the_sums_are_too_many_nothing_is_claimed():
    labels = labels_of([10**9 + 2 * place for place in range(41)])
    sums = SubsetSums(labels)
    assert (sums.least(5), sums.of_a_label(5)) == (5, (0, 0))
    assert lower_bound(labels, 3 * 10**9).value >= 3 * 10**9


def test_the_verifier_lists_sums_as_bits_or_of_halves():
    assert least_sum([7] * 50 + [3], 100) == 101
    large = [10**9 + 2 * place for place in range(41)]
    assert least_sum(large[:20], 3 * 10**9) == 3 * 10**9 + 6
    assert least_sum(large, 3 * 10**9) is None


def test_lower_bounds_of_many_k_are_those_of_single_k():
    for counts, _ in small_instances(25, seed=9):
        labels = labels_of(counts)
        ks = np.arange(1, labels.total + 1)
        assert lower_bounds(labels, ks).tolist() == [lower_bound(labels, int(k)).value for k in ks]
