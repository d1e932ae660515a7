"""The best partition of few items against a look at all partitions."""

import numpy as np
import pytest

from kanon_engine.search.search_kernels import best_classes, sums_of_sets


def partitions(items):
    if not items:
        yield []
        return
    for parts in partitions(items[1:]):
        yield [[items[0]], *parts]
        for place in range(len(parts)):
            yield [*parts[:place], [items[0], *parts[place]], *parts[place + 1 :]]


def bits(items):
    return sum(1 << item for item in items)


def case(seed):
    """Weights, k, which sets are allowed, their weights, and the loads of all partitions that are possible."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 7)), int(rng.integers(1, 12))
    weights = rng.integers(0, 9, n)
    allowed = rng.random(1 << n) < rng.choice([0.6, 1.0])
    sums = sums_of_sets(weights)
    loads = [
        [int(sums[bits(part)]) for part in parts]
        for parts in partitions(list(range(n)))
        if all(allowed[bits(part)] and sums[bits(part)] >= k for part in parts)
    ]
    return weights, k, allowed, sums, loads


CASES = [case(seed) for seed in range(60)]


def test_sums():
    for weights, _, _, sums, _ in CASES:
        plain = [sum(int(w) for item, w in enumerate(weights) if own >> item & 1) for own in range(len(sums))]
        assert sums.tolist() == plain


@pytest.mark.parametrize("one", [one for one in CASES if one[-1]])
def test_largest_class_and_sum_of_squares_are_the_least(one):
    weights, k, allowed, sums, loads = one
    class_of = np.zeros(len(weights), dtype=np.int64)
    best = best_classes(sums, allowed, k, 0, class_of)
    assert best == min(map(max, loads)) == np.bincount(class_of, weights=weights).max()
    squares = best_classes(sums, allowed, k, int(best), class_of)
    assert squares == min(sum(load**2 for load in own) for own in loads if max(own) <= best)
    chosen = [bits(np.flatnonzero(class_of == number).tolist()) for number in range(class_of.max() + 1)]
    assert all(allowed[own] and sums[own] >= k for own in chosen)
    assert sum(int(sums[own]) ** 2 for own in chosen) == squares


@pytest.mark.parametrize("one", [one for one in CASES if not one[-1]])
def test_no_partition_is_infinitely_bad(one):
    weights, k, allowed, sums, _ = one
    assert best_classes(sums, allowed, k, 0, np.zeros(len(weights), dtype=np.int64)) == np.inf
