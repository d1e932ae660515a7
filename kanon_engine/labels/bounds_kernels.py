"""Bounds on the number of classes and on what one class must hold; `prefix` is over the labels, heaviest first."""

from __future__ import annotations

import numpy as np
from numba import njit

from kanon_engine.labels.kernels import first_reaching, most_classes

EFFORT = 1 << 16  # places that one call looks at; any of them gives a proven bound


@njit(cache=True, nogil=True)
def fewer_classes(prefix, k):
    """Least a + min(R // k, (i - a) // c) over a and i, with a and i. See labels/bounds.py."""
    count = len(prefix) - 1
    total = prefix[count]
    best, aside = most_classes(prefix, k)
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
                aside = a
                middle = i
        left -= fewest
        a += 1
    return best, aside, middle


@njit(cache=True, nogil=True)
def crowd(prefix, k, most, i):
    """What one class weighs at least, with at most `most` classes, because of the i heaviest labels."""
    total = prefix[len(prefix) - 1]
    fewest = first_reaching(prefix, 0, k - (total - prefix[i]))
    classes = most if fewest == 0 else min(most, i // fewest)
    together = (i + classes - 1) // classes
    return prefix[i] - prefix[i - together]


@njit(cache=True, nogil=True)
def crowded_class(prefix, k, most):
    """The best `crowd` of the places i at which it can begin to be larger, and i."""
    count = len(prefix) - 1
    best = np.int64(0)
    where = np.int64(0)
    for number in range(min(count // most, EFFORT) + 1):
        i = min(number * most + 1, count)
        value = crowd(prefix, k, most, i)
        if value > best:
            best = value
            where = i
    fewest = min(first_reaching(prefix, 1, k), EFFORT)
    for c in range(1, fewest + 1):
        first = first_reaching(prefix, c, prefix[count] - k + prefix[c - 1] + 1)
        full = (first + c - 1) // c * c
        for i in (first, full, full + 1):
            if i <= count:
                value = crowd(prefix, k, most, i)
                if value > best:
                    best = value
                    where = i
    return best, where
