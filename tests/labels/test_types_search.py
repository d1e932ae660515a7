"""The dynamic program over types against all partitions, and the refusal of what is too large."""

from fractions import Fraction

import numpy as np
import pytest

import kanon_engine as kanon
from kanon_engine.labels.scheme import TypesSearch
from tests.compiled import compiled_only
from tests.oracles import label_packings

pytestmark = pytest.mark.kernels


def searches():
    generator = np.random.default_rng(6)
    for _ in range(60):
        k = int(generator.integers(3, 30))
        counts = generator.integers(1, k + 3, int(generator.integers(2, 8)))
        if counts.sum() >= k:
            epsilon = Fraction(int(generator.integers(1, 5)), 5)
            labels = kanon.Labels(range(len(counts)), counts)
            yield TypesSearch(labels, k, epsilon, int(generator.integers(k, 3 * k)))


@compiled_only
def test_gains_and_caps_are_those_of_all_partitions():
    """For every number of bins: the least cap at which some partition has room for B bins and enough small labels."""
    found_some = refused_some = 0
    for search in searches():
        low = search.rounding.low[search.rounding.group].tolist()
        high = search.rounding.high[search.rounding.group].tolist()
        for bins in range(1, search.labels.total // search.k + 1):
            found = search.type_for(bins)
            for cap in search.caps.tolist():
                gains = [label_packings.best_gain(low, high, search.k, cap, used) for used in range(bins + 1)]
                if max(gains) >= 0 and bins * search.k - max(gains) <= search.small:
                    break
            else:
                assert found is None
                refused_some += 1
                continue
            assert found is not None
            found_some += 1
            assert len(found) <= bins
            np.testing.assert_array_equal(
                np.sum([*found, 0 * search.rounding.numbers], axis=0), search.rounding.numbers
            )
            assert max([0, *(int(row @ search.rounding.low) for row in found)]) <= cap
            gain = sum(min(search.k, int(row @ search.rounding.high)) for row in found)
            assert bins * search.k - gain <= search.small
    assert found_some > 50
    assert refused_some > 10


def test_completion_keeps_the_type_and_every_label():
    for search in searches():
        found = search.type_for(1)
        if found is not None:
            bins, levels = search.completed(found, 1)
            assert bins.tolist() == [0] * len(search.labels)
            assert levels.tolist() == [search.labels.total]
        for many in range(2, search.labels.total // search.k + 1):
            found = search.type_for(many)
            if found is None:
                continue
            bins, levels = search.completed(found, many)
            assert np.bincount(bins, search.weights, many).tolist() == levels.tolist()
            for place, row in enumerate(found):
                groups = search.rounding.group[bins[: search.large] == place]
                assert np.bincount(groups, minlength=len(row)).tolist() == row.tolist()


def test_small_labels_go_into_the_lightest_bin():
    search = TypesSearch(kanon.Labels(range(6), [9, 5, 2, 2, 1, 1]), 10, Fraction(1, 2), 20)
    bins, levels = search.completed(search.type_for(2), 2)
    assert bins.tolist() == [0, 1, 1, 1, 0, 1] or bins.tolist() == [1, 0, 0, 0, 1, 0]
    assert sorted(levels.tolist()) == [10, 10]


@compiled_only
@pytest.mark.parametrize(("number", "epsilon"), [(60, Fraction(1, 10)), (400, Fraction(1, 20))])
def test_hopeless_enumerations_are_refused_with_their_size(number, epsilon):
    counts = np.linspace(200, 990, number).astype(int)
    with pytest.raises(kanon.InvalidInput, match=rf"{number} labels are large .*10\^\d+ entries .* larger epsilon"):
        TypesSearch(kanon.Labels(range(number), counts), 1_000, epsilon, 2_000)
