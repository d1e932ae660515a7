"""Exact covers against brute force: what bins can hold, the search, its limits, and its refutations made again."""

from bisect import bisect_left
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kanon_engine as kanon
from kanon_engine.labels import cover as cover_module
from kanon_engine.labels import cover_kernels
from kanon_engine.labels.bounds import SubsetSums, achievable, most_classes
from kanon_engine.labels.bounds_kernels import least_pair
from kanon_engine.labels.cover import Listing, covered, fields_of, refutable, weakened
from kanon_engine.labels.even_packing import Sizes, sizes_of
from kanon_engine.verification import labels as verifier
from kanon_engine.verification.labels import cover_is_impossible, least_sum
from tests.compiled import COMPILED, SHARE, compiled_only
from tests.labels.samples import labels_of, small_instances
from tests.oracles import label_covers as oracle
from tests.oracles import labels as brute
from tests.oracles.label_bounds import plain_sums
from tests.verification.checked import certificate_failures
from tests.verification.proven import proven

pytestmark = pytest.mark.kernels

ascending = st.lists(st.integers(0, 60), max_size=12).map(sorted).map(lambda values: np.array(values, dtype=np.int64))


def always(*_):
    return True


@given(ascending, ascending, st.integers(0, 90), st.integers(0, 40), st.integers(1, 3))
def test_pairs_are_those_of_all_pairs(one, other, low, width, stride):
    assert least_pair(one, other, low) == oracle.least_pair(one.tolist(), other.tolist(), low)
    sums = [a + b for a in one.tolist() for b in other.tolist() if low <= a + b <= low + width]
    assert cover_kernels.count_pairs(one, other, low, low + width) == len(sums)
    first, second = (np.full(-(-len(sums) // stride), -1) for _ in range(2))
    cover_kernels.list_pairs(one, other, low, low + width, stride, first, second)
    listed = (one[first] + other[second]).tolist() if len(first) else []
    assert len(set(zip(first.tolist(), second.tolist(), strict=True))) == len(first)
    assert set(listed) <= set(sums)
    assert stride > 1 or sorted(listed) == sorted(sums)


def random_sizes(rng):
    weights = sorted(rng.choice(np.arange(1, 30), int(rng.integers(1, 6)), replace=False).tolist(), reverse=True)
    numbers = rng.integers(1, 4, len(weights)).tolist()
    total = sum(w * n for w, n in zip(weights, numbers, strict=True))
    k = int(rng.integers(1, total + 1))
    return Sizes(weights, numbers, k, total // k), total


def test_contents_and_refutations_are_those_of_brute_force():
    rng, seen = np.random.default_rng(5), [0, 0]
    for _ in range(200 // SHARE):
        sizes, total = random_sizes(rng)
        cap = int(rng.integers(sizes.k, total + 1))
        listing = Listing(sizes, fields_of(sizes))
        found = listing.contents(cap, cap)
        low = max(sizes.k, total - (sizes.most - 1) * cap)
        rows = [tuple(listing.numbers(found, place)) for place in range(len(found.sums))]
        assert sorted(rows) == oracle.contents(sizes.weights, sizes.numbers, low, cap)
        for size, (begin, end) in enumerate(pairwise(found.begin.tolist())):
            assert all(not any(row[:size]) and row[size] for row in rows[begin:end])
            assert (np.diff(found.sums[begin:end]) <= 0).all()
        possible = oracle.coverable(sizes.weights, sizes.numbers, sizes.k, cap, sizes.most)
        counts = [w for w, n in zip(sizes.weights, sizes.numbers, strict=True) for _ in range(n)]
        impossible = cover_is_impossible(counts, sizes.k, cap, sizes.most)
        assert refutable(sizes, cap, 1 << 20, 1 << 20) == (not possible) == impossible
        seen[possible] += 1
    assert min(seen) > 20 // SHARE


@pytest.mark.parametrize("remembered", [2, 1 << 8])
def test_the_search_finds_and_proves_the_optimum(monkeypatch, remembered):
    """From the weakest of bounds and packings, also where most of what failed is forgotten."""
    monkeypatch.setattr(cover_module, "REMEMBERED", remembered)
    better = 0
    for counts, k in small_instances(300 // SHARE, seed=11):
        labels, (optimum, _) = labels_of(counts), brute.optimum(counts, k)
        found = covered(labels, k, k, labels.total + 1, 10**7, always)
        assert found.cost == optimum
        assert np.bincount(found.bins, counts).min() >= k
        assert np.bincount(found.bins, counts).max() == optimum
        if optimum > k:
            assert (found.bound.value, found.bound.name, found.bound.kind) == (optimum, "exact cover", "checked")
            assert proven(labels, k, "exact cover", found.bound.witness) == optimum
            better += 1
    assert better > 100 // SHARE


def test_no_witness_proves_more_than_the_optimum():
    for counts, k in small_instances(40 // min(SHARE, 4), seed=4):
        labels, (optimum, _) = labels_of(counts), brute.optimum(counts, k)
        excluded, middle = most_classes(labels, k)[1:]
        for cap in range(labels.total + 2):
            value = proven(labels, k, "exact cover", (cap, excluded, middle))
            assert value == (cap + 1 if cap < optimum else None)


def test_small_slices_end_where_one_does(monkeypatch):
    counts = np.random.default_rng(3).integers(500, 1000, 14 if COMPILED else 9).tolist()
    labels = labels_of(counts)
    whole = covered(labels, 1400, 1400, labels.total, 10**7, always)
    monkeypatch.setattr(cover_module, "FIRST_SLICE", 5)
    monkeypatch.setattr(cover_module, "SLICE", 5)
    shares = []
    parts = covered(labels, 1400, 1400, labels.total, 10**7, lambda share, cost, low: shares.append(share) or True)
    assert (whole.cost, whole.bound) == (parts.cost, parts.bound)
    np.testing.assert_array_equal(whole.bins, parts.bins)
    assert len(shares) > 10
    assert shares == sorted(shares)


def test_what_stops_keeps_what_is_proven_and_found():
    counts = np.random.default_rng(3).integers(500, 1000, 14).tolist()
    labels = labels_of(counts)
    stopped = covered(labels, 1400, 1400, labels.total, 10**7, lambda share, cost, low: False)
    assert (stopped.bins, stopped.cost, stopped.bound) == (None, labels.total, None)
    best = None
    for steps in 100, 3_000, 10**7 if COMPILED else 20_000:
        found = covered(labels, 1400, 1400, labels.total, steps, always)
        again = covered(labels, 1400, 1400, labels.total, steps, always)
        assert (found.cost, found.bound) == (again.cost, again.bound)
        value = found.bound.value if found.bound else 1400
        assert best is None or value >= best
        best = value
        assert found.bound is None or proven(labels, 1400, found.bound.name, found.bound.witness) == value


def test_where_contents_are_too_many_some_are_searched_and_nothing_is_proven(monkeypatch):
    monkeypatch.setattr(cover_module, "MOST_CONTENTS", 40)
    labels = labels_of([7, 7, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 1, 1])
    found = covered(labels, 14, 14, 56, 10**6, always)
    assert found.bound is None
    assert found.bins is None or np.bincount(found.bins, labels.counts).min() >= 14


def test_what_is_too_long_is_left_alone(monkeypatch):
    """Numbers of labels need two words of bits at most; half of the sums must fit."""
    assert fields_of(Sizes(list(range(70, 0, -1)), [1] * 70, 9, 9)) is None
    assert set(fields_of(Sizes(list(range(40, 0, -1)), [1] * 40, 9, 9)).word.tolist()) == {0, 1}
    many = labels_of(list(range(1, 71)))
    assert covered(many, 100, 100, many.total, 10**6, always) == replace(
        covered(many, 100, 100, many.total, 0, always), bins=None
    )
    assert not refutable(sizes_of(many, 100, 5)[1], 100, 10**6, 10**6)
    monkeypatch.setattr(cover_module, "MOST_HALF", 3)
    few = labels_of([9, 8, 7, 6, 5, 4])
    assert covered(few, 12, 12, 39, 10**6, always).bound is None
    assert weakened(sizes_of(few, 12, 3)[1], 12, 39, 10**6, always).best is None


@pytest.mark.parametrize("limit", ["COVER_SUMS", "COVER_TRIES", "COVER_BITS"])
def test_the_verifier_says_nothing_where_it_takes_too_much(monkeypatch, limit):
    counts = np.random.default_rng(3).integers(500, 1000, 12).tolist()
    most = sum(counts) // 1400
    low = covered(labels_of(counts), 1400, 1400, sum(counts), 10**7 if COMPILED else 10**5, always).bound.value
    assert cover_is_impossible(counts, 1400, low - 1, most)
    monkeypatch.setattr(verifier, limit, 2)
    assert not cover_is_impossible(counts, 1400, low - 1, most)
    assert not cover_is_impossible(list(range(1, 71)), 100, 500, 24)


def test_a_search_whose_refutation_is_long_gives_its_word(monkeypatch):
    module = "kanon_engine.labels.cover.CHECKED_STEPS"
    monkeypatch.setattr(module, 0)
    labels = labels_of([9, 7, 6, 5, 5, 4])
    g = kanon.generalize(labels, 12)
    assert (g.bound_name, g.bound_kind, g.status) == ("exact search", "solver", "optimal")
    assert kanon.verify(labels, g).proof == "checked"  # six labels are few enough to look at all packings


HARD = {
    "a perfect split of 40": (np.random.default_rng(402).integers(500_000, 1_000_001, 40), 3, "average class"),
    "twenty heavy ones, in two": (np.random.default_rng(300).integers(5 * 10**6, 10**7 + 1, 20), 2, "sum of labels"),
    "twenty heavy ones, in four": (np.random.default_rng(301).integers(5 * 10**6, 10**7 + 1, 20), 4, "exact cover"),
    "forty in ten": (np.random.default_rng(400).integers(500_000, 1_000_001, 40), 10.5, "exact cover"),
}


@pytest.mark.thorough(one_in=2)
@compiled_only
@pytest.mark.parametrize("name", HARD)
def test_hard_lists_are_proven_and_checked(name):
    counts, share, bound = HARD[name]
    labels = labels_of(counts.tolist())
    g = kanon.generalize(labels, int(labels.total / share))
    assert (g.status, g.bound_kind, g.bound_name if "split" not in name else bound) == ("optimal", "checked", bound)
    assert certificate_failures(labels, g.to_json()) == []
    exact = kanon.generalize(labels, int(labels.total / share), "exact")
    assert (exact.cost, exact.lower_bound) == (g.cost, g.lower_bound)


@compiled_only
def test_three_sizes_of_sixty_each():
    labels = labels_of([7, 11, 13] * 60)
    g = kanon.generalize(labels, 26)
    assert (g.cost, g.status, g.bound_name, g.bound_kind) == (31, "optimal", "exact cover", "checked")
    cap, *places = g.bound_witness
    for witness in (cap + 1, *places), (cap - 1, *places), (cap, *places, 0), tuple(places), (cap, 0, 999):
        with pytest.raises(kanon.CertificateError, match="bound witness"):
            kanon.verify(labels, replace(g, bound_witness=witness).sealed())
        failed = certificate_failures(labels, replace(g, bound_witness=witness).sealed().to_json())
        assert "bound witness" in failed
    assert certificate_failures(labels, g.to_json()) == []


def test_sums_of_many_heavy_labels_come_from_two_halves():
    rng = np.random.default_rng(2)
    counts = (rng.integers(10**9, 2 * 10**9, 18)).tolist()
    plain, found = plain_sums(counts), achievable(np.array(sorted(counts, reverse=True)))
    assert found.bits is None
    for value in [0, 1, *rng.integers(1, sum(counts), 40).tolist(), sum(counts), sum(counts) + 1]:
        place = bisect_left(plain, value)
        least = plain[place] if place < len(plain) else None
        assert found.least(value) == least
        assert least_sum(counts, value) == least
    half = -(-sum(counts) // 2)
    assert SubsetSums(labels_of(counts)).least(half) == plain[bisect_left(plain, half)]


@pytest.mark.parametrize("seed", range(6 if COMPILED else 2))
def test_dealing_out_anew_keeps_labels_and_bins_and_only_evens_them(monkeypatch, seed):
    monkeypatch.setattr(cover_module, "ITEMS", 8)
    rng = np.random.default_rng(seed)
    weights, bins = np.sort(rng.integers(20, 60, 14))[::-1], rng.permutation(np.arange(14) % 5)
    before = np.bincount(bins, weights)
    shares = []
    made = cover_module.remade(
        weights, bins, 1, 1, 10**5, np.random.default_rng(1), lambda share: shares.append(share) or True
    )
    again = cover_module.remade(weights, bins, 1, 1, 10**5, np.random.default_rng(1), always)
    after = np.bincount(made, weights)
    assert (len(after), after.sum()) == (5, before.sum())
    assert after.max() < before.max()
    assert after.min() > 0
    np.testing.assert_array_equal(made, again)
    assert shares == sorted(shares)
    np.testing.assert_array_equal(cover_module.remade(weights, bins, 1, 1, 10**5, rng, lambda share: False), bins)


def test_a_neighborhood_may_reach_k_without_a_lighter_heaviest_bin():
    """Bins of 9, 7 and 8 become three of 8 for k = 8, though the heaviest could stay as it is."""
    weights, bins = np.array([5, 4, 4, 4, 4, 3]), np.array([0, 0, 1, 2, 2, 1])
    made = cover_module.remade(weights, bins, 8, 9, 10**4, np.random.default_rng(0), always)
    assert sorted(np.bincount(made, weights).tolist()) == [8, 8, 8]


@compiled_only
@pytest.mark.parametrize(("n", "groups"), [(43, 3), (50, 2), (50, 4), (80, 10.5)])
def test_more_labels_are_divided_as_evenly_as_can_be(n, groups):
    labels = labels_of(np.random.default_rng(901).integers(500_000, 1_000_001, n).tolist())
    g = kanon.generalize(labels, int(labels.total / groups))
    assert (g.classes, g.status, g.bound_kind) == (int(groups), "optimal", "checked")
    assert g.class_weights.max() - labels.total // int(groups) <= 1


def test_so_many_sums_are_listed_and_no_more(monkeypatch):
    """Of 5 and 7 there are three up to 11: none, one of each."""
    for sums, shown in ((3, True), (2, False)):
        monkeypatch.setattr(verifier, "COVER_SUMS", sums)
        assert cover_is_impossible([5, 7, 9], 8, 11, 2) is shown


@pytest.mark.parametrize(
    ("counts", "k", "cap", "most", "tries"),
    [
        ([18, 17, 16, 13, 12, 6, 5, 3], 20, 24, 4, 20),
        ([18, 17, 16, 16, 15, 15, 14, 12, 11, 4], 32, 36, 4, 72),
        ([19, 18, 17, 16, 16, 16, 9, 8, 6, 5, 4], 23, 29, 5, 202),
    ],
)
def test_so_many_contents_are_tried_and_no_more(monkeypatch, counts, k, cap, most, tries):
    """A bound whose proof takes just as many tries as there may be stands."""
    for limit, shown in ((tries, True), (tries - 1, False)):
        monkeypatch.setattr(verifier, "COVER_TRIES", limit)
        assert cover_is_impossible(counts, k, cap, most) is shown
