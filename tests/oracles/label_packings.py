"""Plain twins of what the approximations for labels are made of; nothing here comes from the engine."""

from __future__ import annotations

import itertools


def multisets(largest_k, most, extra=1):
    """(counts, k) for k = 2 … largest_k and all multisets of at most `most` counts up to k + extra that can reach k."""
    for k in range(2, largest_k + 1):
        for n in range(1, most + 1):
            for counts in itertools.combinations_with_replacement(range(1, k + extra + 1), n):
                if sum(counts) >= k:
                    yield list(counts), k


def small_instances(generator, number, most=9):
    """Random (counts, k): uniform, few values, large ones with small ones, and heavy ones near each other."""
    while number:
        k = int(generator.integers(2, 60))
        n = int(generator.integers(1, most + 1))
        kind = generator.integers(4)
        if kind == 0:
            counts = generator.integers(1, 2 * k, n)
        elif kind == 1:
            counts = generator.choice([max(1, k - 1), k // 2 + 1, k // 2 + 2, k // 3 + 1, 1], n)
        elif kind == 2:
            large = int(generator.integers(0, n + 1))
            counts = [*generator.integers(k // 2, k, large), *generator.integers(1, k // 2 + 2, n - large)]
        else:
            heavy = int(generator.integers(0, n + 1))
            base = int(generator.integers(k, 4 * k))
            counts = [*generator.integers(base, base + k, heavy), *generator.integers(1, k // 3 + 2, n - heavy)]
        counts = [max(1, int(count)) for count in counts]
        if sum(counts) >= k:
            number -= 1
            yield counts, k


def fill_singles(large, small, k):
    """Where each large label that the small ones fill in turn ends among them."""
    ends, end = [], 0
    for weight in large:
        while weight < k and end < len(small):
            weight += small[end]
            end += 1
        if weight < k:
            break
        ends.append(end)
    return ends


def place_below(levels, weights, limit):
    """The levels after each label went into the lightest bin or, where that would exceed the limit, nowhere (-1)."""
    levels, targets = list(levels), []
    for weight in weights:
        lightest = levels.index(min(levels))
        fits = levels[lightest] + weight <= limit
        targets.append(lightest if fits else -1)
        levels[lightest] += weight if fits else 0
    return levels, targets


def partitions(items):
    """All partitions of a list into non-empty parts, as lists of lists."""
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for parts in partitions(rest):
        yield [[first], *parts]
        for place in range(len(parts)):
            yield [*parts[:place], [first, *parts[place]], *parts[place + 1 :]]


def best_gain(low, high, k, cap, bins):
    """Largest sum of min(k, heaviest possible weight) over packings into exactly so many bins up to `cap`.

    `low` and `high` are the rounded weight and the heaviest of the group of each label; -1 where there is no packing.
    """
    best = -1
    for parts in partitions(list(range(len(low)))):
        if len(parts) == bins and all(sum(low[item] for item in part) <= cap for part in parts):
            best = max(best, sum(min(k, sum(high[item] for item in part)) for part in parts))
    return best
