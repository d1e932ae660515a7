"""The bound on the number of classes against brute force and the plain formula."""

import numpy as np

import kanon_engine as kanon
from kanon_engine.bound import counting_bound
from kanon_engine.labels.bounds import lower_bound, most_classes
from tests.labels.test_fold_spread import labels_of, small_instances
from tests.oracles import labels as oracle


def plain_most_classes(counts, k):
    best = sum(counts) // k
    descending = sorted(counts, reverse=True)
    for aside in range(len(counts) + 1):
        rest = descending[aside:]
        if sum(rest) < k:
            best = min(best, aside)
            continue
        fewest = next(c for c in range(1, len(rest) + 1) if sum(rest[:c]) >= k)
        best = min(best, aside + min(sum(rest) // k, len(rest) // fewest))
    return best


def test_bounds_never_pass_the_optimum():
    better = 0
    for counts, k in small_instances(600, seed=7):
        cost, most = oracle.optimum(counts, k)
        bound, _ = most_classes(labels_of(counts), k)
        assert bound >= most, (counts, k)
        assert bound == plain_most_classes(counts, k), (counts, k)
        assert sum(min(count, k) for count in counts) // k >= bound
        value = lower_bound(labels_of(counts), k).value
        assert max(k, max(counts), counting_bound(sum(counts), k)) <= value <= cost, (counts, k)
        better += value > max(k, max(counts), counting_bound(sum(counts), k))
    assert better > 0


def test_many_classes_are_searched_block_after_block():
    """The best number of labels to set aside lies beyond the first block."""
    counts = [7] * 6_000 + [2] * 9_000
    bound, aside = most_classes(labels_of(counts), 5)
    assert aside >= 6_000
    assert (bound, aside) == (6_000 + 9_000 // 3, 6_000)


def test_every_kind_of_bound_is_certified():
    seen = set()
    for counts, k in ([2, 2], 2), ([9, 2, 2], 4), ([4] * 9, 10):
        g = kanon.generalize(labels_of(counts), k)
        seen.add(g.bound_name)
        np.testing.assert_equal(g.lower_bound, oracle.optimum(counts, k)[0])
    assert seen == {"k", "heaviest label", "average class"}
