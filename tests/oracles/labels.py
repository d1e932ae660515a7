"""Brute force and plain twins for labels; nothing here comes from the engine."""

from __future__ import annotations


def optimum(counts, k):
    """(least possible largest class, most possible classes) over all feasible partitions, by sums over subsets."""
    n = len(counts)
    sums = [0] * (1 << n)
    for mask in range(1, 1 << n):
        low = mask & -mask
        sums[mask] = sums[mask ^ low] + counts[low.bit_length() - 1]
    infinite = float("inf")
    cost, most = [infinite] * (1 << n), [-infinite] * (1 << n)
    cost[0], most[0] = 0, 0
    for mask in range(1, 1 << n):
        low = mask & -mask
        rest = mask ^ low
        subset = rest
        while True:
            own = subset | low
            if sums[own] >= k:
                cost[mask] = min(cost[mask], max(sums[own], cost[mask ^ own]))
                most[mask] = max(most[mask], 1 + most[mask ^ own])
            if subset == 0:
                break
            subset = (subset - 1) & rest
    return cost[-1], most[-1]


def next_fit(counts, order, k):
    """Bins (lists of positions) and the leftover positions."""
    bins = [[item] for item in order if counts[item] >= k]
    current, level = [], 0
    for item in order:
        if counts[item] >= k:
            continue
        current.append(item)
        level += counts[item]
        if level >= k:
            bins.append(current)
            current, level = [], 0
    return bins, current


def fold(counts, order, k):
    """Bins of Fold."""
    bins, left = next_fit(counts, order, k)
    weights = [sum(counts[item] for item in members) for members in bins]
    bins[weights.index(min(weights))] += left
    return bins


def spread(counts, order, k):
    """Bins of Spread, every placement by a look at all bins."""
    bins, left = next_fit(counts, order, k)
    weights = [sum(counts[item] for item in members) for members in bins]
    largest = max(weights)
    while left:
        lightest = weights.index(min(weights))
        if weights[lightest] + counts[left[0]] > largest:
            break
        weights[lightest] += counts[left[0]]
        bins[lightest].append(left.pop(0))
    turn = sorted(range(len(bins)), key=lambda number: weights[number])
    for place, item in enumerate(left):
        bins[turn[place % len(turn)]].append(item)
    return bins


def cost(counts, bins):
    """Weight of the heaviest bin."""
    return max(sum(counts[item] for item in members) for members in bins)


def theorem_7(counts, k):
    """The paper's ceiling for Fold."""
    return max(k - 1 + max(counts), 3 * k - 3)


def one_pass(counts, k, spread_leftovers):
    """Cost and number of bins in one plain pass over counts below k: what a sweep costs without prefix sums."""
    weights, level, start = [], 0, 0
    for place, count in enumerate(counts):
        level += count
        if level >= k:
            weights.append(level)
            level, start = 0, place + 1
    if not spread_leftovers:
        weights[weights.index(min(weights))] += level
        return max(weights), len(weights)
    left = counts[start:]
    largest, place = max(weights), 0
    while place < len(left):
        lightest = weights.index(min(weights))
        if weights[lightest] + left[place] > largest:
            break
        weights[lightest] += left[place]
        place += 1
    weights.sort()
    for step, count in enumerate(left[place:]):
        weights[step % len(weights)] += count
    return max(weights), len(weights)
