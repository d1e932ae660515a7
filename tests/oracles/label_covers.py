"""Plain twins of the search for exact covers; nothing here comes from the engine."""

from __future__ import annotations

import itertools


def contents(weights, numbers, low, cap):
    """What a bin that weighs `low` to the cap can hold: tuples of how many labels of each weight."""
    held = itertools.product(*(range(number + 1) for number in numbers))
    return sorted(
        row for row in held if any(row) and low <= sum(w * n for w, n in zip(weights, row, strict=True)) <= cap
    )


def coverable(weights, numbers, k, cap, most):
    """Whether at most so many bins of weight k to the cap hold all labels: every content is tried for the first bin."""
    rows = contents(weights, numbers, k, cap)
    known = {}

    def packs(left, bins):
        if not any(left):
            return True
        if bins == 0:
            return False
        if (left, bins) not in known:
            fitting = (tuple(a - b for a, b in zip(left, row, strict=True)) for row in rows)
            known[left, bins] = any(packs(rest, bins - 1) for rest in fitting if min(rest) >= 0)
        return known[left, bins]

    return packs(tuple(numbers), most)


def least_pair(one, other, value):
    """The least sum of a number of each of two lists that is at least the value."""
    return min((a + b for a in one for b in other if a + b >= value), default=-1)
