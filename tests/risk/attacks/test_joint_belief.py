"""Belief from several releases against all ways in which people can have the values of their groups."""

from itertools import product
from math import factorial, prod

import numpy as np
import pytest

from kanon_engine.risk.attacks.composition import joint_beliefs


def plain(counts, sizes, prior, shared):
    """Everybody gets every value; the ways that give the groups count, each by the product of its shares.

    The last value is of those whose value is in no other group.
    """
    values = range(len(prior))
    found, total = [0.0] * len(prior), 0.0
    for together in range(1, min(sizes) + 1) if shared is None else [shared]:
        for own in product(values, repeat=together):
            weight = prod(prior[value] for value in own)
            for row, size in zip(counts, sizes, strict=True):
                rest = [count - own.count(value) for value, count in zip(values, row, strict=True)]
                if min(rest) < 0 or sum(rest) != size - together:
                    weight = 0
                    break
                weight *= factorial(size - together) / prod(map(factorial, rest))
                weight *= prod(prior[value] ** count for value, count in zip(values, rest, strict=True))
            total += weight
            for value in own:
                found[value] += weight / together
    return [one / total if total else 0.0 for one in found]


@pytest.mark.parametrize("seed", range(60))
def test_beliefs_are_those_of_all_ways(seed):
    rng = np.random.default_rng(seed)
    releases, values = int(rng.integers(2, 4)), int(rng.integers(2, 4))
    counts = rng.integers(0, 4, (releases, values))
    counts[:, 0] += 1
    sizes = counts.sum(axis=1)
    prior = rng.dirichlet(np.ones(values))
    shared = None if seed % 2 else int(rng.integers(1, counts.min(axis=0).sum() + 1))
    told = joint_beliefs(counts, sizes.tolist(), prior, shared)
    assert told == pytest.approx(plain(counts.tolist(), sizes.tolist(), prior.tolist(), shared))
    # values that are not in all groups can be left out
    some = counts.min(axis=0) > 0
    assert joint_beliefs(counts[:, some], sizes.tolist(), prior[some], shared) == pytest.approx(told[some])


def test_a_group_that_is_released_again_tells_no_more():
    counts = np.array([[8, 2], [8, 2]])
    told = joint_beliefs(counts, [10, 10], np.array([0.5, 0.5]), 10)
    assert told == pytest.approx([0.8, 0.2])
    assert joint_beliefs(counts, [10, 10], np.array([0.5, 0.5]), 1)[0] == pytest.approx(64 / 68)
    assert 0.8 < joint_beliefs(counts, [10, 10], np.array([0.5, 0.5]), None)[0] < 0.85


def test_large_groups_and_rare_values_do_not_overflow():
    counts = np.array([[600, 300, 1], [500, 1, 400]])
    told = joint_beliefs(counts, [901, 901], np.array([0.9, 1e-9, 0.1]), None)
    assert np.isfinite(told).all()
    assert told.sum() == pytest.approx(1)
    assert joint_beliefs(counts, [901, 901], np.array([0.9, 1e-9, 0.1]), 503).sum() == 0  # so many cannot be in both
