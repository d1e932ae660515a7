"""Brute force over partitions of a sequence into intervals; nothing here comes from the engine."""

from __future__ import annotations


def best_intervals(counts, k):
    """(least possible largest interval, least sum of squares with it) over all feasible cuts."""
    n = len(counts)
    best = None
    for mask in range(1 << (n - 1)):
        sums, level = [], 0
        for place, count in enumerate(counts):
            level += count
            if place == n - 1 or mask >> place & 1:
                sums.append(level)
                level = 0
        if min(sums) >= k:
            key = max(sums), sum(value * value for value in sums)
            best = key if best is None else min(best, key)
    return best
