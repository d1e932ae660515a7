"""Rounded sizes and configurations against their definitions."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from kanon_engine.labels.scheme import configurations, exact, rounded

pytestmark = pytest.mark.kernels


def cases():
    generator = np.random.default_rng(3)
    for _ in range(150):
        k = int(generator.integers(1, 40))
        weights = np.sort(generator.integers(1, 2 * k + 2, int(generator.integers(1, 8))))[::-1]
        yield np.ascontiguousarray(weights), k, exact(float(generator.choice([0.1, 0.25, 0.5, 1.0])))


def test_a_decimal_is_what_was_written():
    assert exact(0.1) == Fraction(1, 10)


def test_groups_hold_the_large_labels_and_are_narrow():
    for weights, k, epsilon in cases():
        rounding = rounded(weights, k, epsilon)
        large = [weight for weight in weights.tolist() if weight >= epsilon * k]
        assert len(rounding.group) == len(large)
        assert rounding.numbers.sum() == len(large)
        for weight, group in zip(large, rounding.group.tolist(), strict=True):
            assert rounding.low[group] <= weight <= rounding.high[group] <= (1 + epsilon) * rounding.low[group]
        for group in range(len(rounding.low)):
            members = [weight for weight, own in zip(large, rounding.group.tolist(), strict=True) if own == group]
            assert (min(members), max(members)) == (rounding.low[group], rounding.high[group])


def test_there_are_no_more_sizes_than_in_the_paper():
    for weights, k, epsilon in cases():
        rounding = rounded(weights, k, epsilon)
        powers = set()
        for weight in weights.tolist():
            power, size = 0, epsilon * k
            while size * (1 + epsilon) <= weight:
                power, size = power + 1, size * (1 + epsilon)
            if weight >= epsilon * k:
                powers.add(power)
        assert len(rounding.low) <= len(powers)


def test_configurations_are_all_that_fit():
    for weights, k, epsilon in cases():
        rounding = rounded(weights, k, epsilon)
        limit = 2 * k
        found = configurations(rounding, limit, 10_000)
        expected = {
            row
            for row in itertools.product(*(range(number + 1) for number in rounding.numbers.tolist()))
            if any(row) and sum(np.array(row) * rounding.low) <= limit
        }
        assert {tuple(row) for row in found.tolist()} == expected
        assert len(found) == len(expected)
        tops = [max(np.flatnonzero(row)) for row in found]
        assert tops == sorted(tops)
        if len(expected) > 3:
            assert configurations(rounding, limit, 3) is None
