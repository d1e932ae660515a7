"""Bounds on the number of classes and on what one class must hold; `prefix` is over the labels, heaviest first."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.labels.packing_kernels import first_reaching, most_classes

EFFORT = 1 << 16  # places that one call examines; each gives a proven bound


@njit(cache=True, nogil=True)
def fewer_classes(prefix, k):
    """Least a + min(R // k, (i - a) // c) over a and i, with a and i. See docs/proofs/labels/bounds.md."""
    count = len(prefix) - 1
    total = prefix[count]
    best, excluded = most_classes(prefix, k)
    middle = np.int64(count)
    left = EFFORT
    a = 0
    while a < best and left > 0 and total - prefix[a] >= k:
        fewest = first_reaching(prefix, a + 1, prefix[a] + k) - a
        for c in range(1, fewest + 1):
            # the least i for which c - 1 of the labels a + 1 … i, with all from i + 1 on, are too light
            i = first_reaching(prefix, a, total - k + prefix[a + c - 1] - prefix[a] + 1)
            if a + (i - a) // c < best:
                best = a + (i - a) // c
                excluded = a
                middle = i
        left -= fewest
        a += 1
    return best, excluded, middle


@njit(cache=True, nogil=True)
def crowded_class(prefix, most):
    """The greatest weight of the lightest ceil(i / most) of the i heaviest labels, and i."""
    count = len(prefix) - 1
    best = np.int64(0)
    where = np.int64(0)
    for others in range((count - 1) // most + 1):  # with as many labels together, the least i is the best
        i = others * most + 1
        value = prefix[i] - prefix[i - others - 1]
        if value > best:
            best = value
            where = i
    return best, where


@njit(cache=True, nogil=True)
def down_to(value, other, place, least):
    """Going down an ascending list, the first place from which a value plus each number reaches `least`."""
    while place > 0 and value + other[place - 1] >= least:
        place -= 1
    return place


@njit(cache=True, nogil=True)
def least_pair(one, other, value):
    """The least sum of a number of each of two ascending lists that is at least `value`; -1 where there is none."""
    best = np.int64(-1)
    j = len(other)
    for i in range(len(one)):
        j = down_to(one[i], other, j, value)
        if j < len(other) and (best < 0 or one[i] + other[j] < best):
            best = one[i] + other[j]
    return best
