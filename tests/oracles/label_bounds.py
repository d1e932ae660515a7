"""Plain formulas of the bounds for labels; nothing here comes from the engine."""

from __future__ import annotations


def fewest(labels, missing):
    """How many of the labels, from the heaviest, it takes to reach what is missing."""
    count, level = 0, 0
    while level < missing:
        level += labels[count]
        count += 1
    return count


def plain_most_classes(counts, k):
    """For each middle, the least bound on the number of classes over all numbers of labels excluded."""
    descending = sorted(counts, reverse=True)
    n, bounds = len(counts), {}
    for middle in range(n + 1):
        bounds[middle] = sum(counts) // k
        for excluded in range(middle + 1):
            rest = sum(descending[excluded:])
            if rest < k:
                bounds[middle] = min(bounds[middle], excluded)
                continue
            c = fewest(descending[excluded:middle], k - sum(descending[middle:]))
            number = rest // k if c == 0 else min(rest // k, (middle - excluded) // c)
            bounds[middle] = min(bounds[middle], excluded + number)
    return bounds


def plain_crowded_class(counts, most):
    """The largest of the sums of labels that must come together, over all numbers of labels dealt out."""
    descending = sorted(counts, reverse=True)
    return max(sum(descending[dealt - -(-dealt // most) : dealt]) for dealt in range(1, len(counts) + 1))


def plain_sums(counts):
    """All sums of subsets in ascending order."""
    sums = {0}
    for count in counts:
        sums |= {value + count for value in sums}
    return sorted(sums)
