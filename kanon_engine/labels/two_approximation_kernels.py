"""Filling single large labels from small ones, and placing labels below a limit."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.labels.packing_kernels import first_reaching, sink


@njit(cache=True, nogil=True)
def fill_singles(large, prefix, k, ends):
    """Give each large label in turn the next small ones until it holds k; return how many do.

    Writes where each ends into `ends`. `prefix` is over the small labels: prefix[i] is the weight of the first i.
    """
    end = 0
    for place in range(len(large)):
        end = first_reaching(prefix, end, prefix[end] + k - large[place])
        if end == len(prefix):
            return place
        ends[place] = end
    return len(large)


@njit(cache=True, nogil=True)
def place_below(levels, weights, limit, targets):
    """Put each label into the lightest bin (the first of equals), or nowhere (-1) if that would exceed `limit`.

    Raises `levels` in place and writes the bin of each label into `targets`.
    """
    heap = np.argsort(levels, kind="mergesort")  # a sorted array is a heap; stable, so that the first of equals leads
    for item in range(len(weights)):
        lightest = heap[0]
        if levels[lightest] + weights[item] > limit:
            targets[item] = -1
            continue
        levels[lightest] += weights[item]
        targets[item] = lightest
        sink(heap, len(levels), levels)
