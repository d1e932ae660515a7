"""Kernels shared by searches of several families: random numbers, and the best partition of a few items."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit, uncounted_njit

# ---------------------------------------------------------------------------------------------------------------------
# Random numbers for kernels: a generator whose state is an array of one number, so that a run can be repeated.
# ---------------------------------------------------------------------------------------------------------------------


@uncounted_njit(cache=True, nogil=True)
def bits(random):
    """63 random bits; xorshift, whose state is random[0]."""
    state = random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    random[0] = state
    return np.int64(state >> np.uint64(1))


@uncounted_njit(cache=True, nogil=True)
def draw(random, count):
    """A random whole number below count, which is below 2^31; without a division."""
    return ((bits(random) >> 32) * count) >> 31


# ---------------------------------------------------------------------------------------------------------------------
# The best partition of a few items by dynamic programming over sets of items, written as bits.
# ---------------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def sums_of_sets(weights):
    """The weight of every set of items."""
    sums = np.zeros(1 << len(weights), np.int64)
    for item in range(len(weights)):
        first = 1 << item
        for other in range(first):
            sums[first + other] = sums[other] + weights[item]
    return sums


@njit(cache=True, nogil=True)
def write_classes(best, chosen, class_of):
    """Write the class of each item, from the class that was chosen first in each set; returns their cost."""
    left = len(best) - 1
    number = 0
    while left > 0 and best[left] < np.inf:
        for item in range(len(class_of)):
            if chosen[left] >> item & 1:
                class_of[item] = number
        left ^= chosen[left]
        number += 1
    return best[len(best) - 1]


@njit(cache=True, nogil=True)
def best_classes(sums, allowed, k, cap, class_of):
    """Classes of weight k to cap: with the least largest one, or, if `cap` is positive, the least sum of squares.

    Each class must be an allowed set. A cap of 0 means no cap. Writes the class of each item and returns the largest
    class, or the sum of squares; infinity if there is no such partition. O(3^n): the class of the first item of every
    set is tried.
    """
    best = np.full(len(sums), np.inf)
    chosen = np.zeros(len(sums), np.int64)
    best[0] = 0.0
    for whole in range(1, len(sums)):
        if sums[whole] < k:
            continue
        low = whole & -whole
        rest = whole ^ low
        part = rest
        while True:
            members = part | low
            weight = float(sums[members])
            if allowed[members] and sums[members] >= k and (cap == 0 or sums[members] <= cap):
                value = max(weight, best[whole ^ members]) if cap == 0 else weight * weight + best[whole ^ members]
                if value < best[whole]:
                    best[whole] = value
                    chosen[whole] = members
            if part == 0:
                break
            part = (part - 1) & rest
    return write_classes(best, chosen, class_of)


@njit(cache=True, nogil=True)
def cheapest_classes(costs, class_of):
    """The partition of all items with the least total cost of classes; `costs` of all sets of items, written as bits.

    Writes the class of each item and returns the cost; infinity if no partition costs less. O(3^n), as above.
    """
    best = np.full(len(costs), np.inf)
    chosen = np.zeros(len(costs), np.int64)
    best[0] = 0.0
    for whole in range(1, len(costs)):
        low = whole & -whole
        rest = whole ^ low
        part = rest
        while True:
            members = part | low
            value = costs[members] + best[whole ^ members]
            if value < best[whole]:
                best[whole] = value
                chosen[whole] = members
            if part == 0:
                break
            part = (part - 1) & rest
    return write_classes(best, chosen, class_of)
