"""Min-max bin covering, 3-Partition and Partition by looking at everything."""

from itertools import combinations

from tests.oracles.label_packings import partitions


def least_largest_bin(counts, k):
    """The least possible weight of the heaviest class where each weighs at least k; None where there is none."""
    sums = ([sum(counts[item] for item in members) for members in one] for one in partitions(list(range(len(counts)))))
    return min((max(weights) for weights in sums if min(weights) >= k), default=None)


def has_halves(numbers):
    """Whether some of the numbers are half of all."""
    every = range(len(numbers))
    chosen = (sum(numbers[place] for place in one) for size in every for one in combinations(every, size))
    return any(2 * total == sum(numbers) for total in chosen)
