"""Partitions of a sequence into intervals; prefix[i] is the weight of the first i items, prefix[0] = 0."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit


@njit(cache=True, nogil=True)
def reachable(prefix, k, cap, good):
    """Whether all items can be cut into intervals of weight k to cap; good[i] says so of the first i items. O(n)."""
    last = len(prefix) - 1
    good[:] = False
    good[0] = True
    low = 0  # the least start whose interval is not above cap
    high = 0  # the least start whose interval is below k
    between = 0  # good starts among low … high - 1
    for i in range(1, last + 1):
        while high < i and prefix[i] - prefix[high] >= k:
            between += good[high]
            high += 1
        while prefix[i] - prefix[low] > cap and low < high:
            between -= good[low]
            low += 1
        good[i] = between > 0
    return good[last]


@njit(cache=True, nogil=True)
def least_cap(prefix, k, low, high):
    """The least cap from `low` to `high` with which all items can be cut; it must be possible with `high`."""
    good = np.empty(len(prefix), np.bool_)
    while low < high:
        middle = (low + high) // 2
        if reachable(prefix, k, middle, good):
            high = middle
        else:
            low = middle + 1
    return low


@njit(cache=True, nogil=True)
def even_cuts(prefix, k, cap, effort, ends):
    """Cut into intervals of weight k to cap with the least sum of squares; write the ends, return how many.

    At most `effort` starts are examined, but for every end at least the last possible one. If they do not suffice, the
    intervals have weight k to cap but not the least sum of squares.
    """
    last = len(prefix) - 1
    good = np.empty(last + 1, np.bool_)
    reachable(prefix, k, cap, good)
    starts = np.flatnonzero(good)  # only these can begin an interval
    cost = np.zeros(last + 1, np.float64)
    begin = np.zeros(last + 1, np.int64)
    high = 0
    for end in starts[1:]:
        while high < len(starts) and prefix[end] - prefix[starts[high]] >= k:
            high += 1
        cost[end] = np.inf
        place = high - 1
        while place >= 0:
            start = starts[place]
            weight = prefix[end] - prefix[start]
            if weight > cap or (effort <= 0 and place < high - 1):
                break
            total = cost[start] + float(weight) * float(weight)
            if total < cost[end]:
                cost[end] = total
                begin[end] = start
            place -= 1
            effort -= 1
    count = 0
    end = last
    while end > 0:
        ends[count] = end
        count += 1
        end = begin[end]
    ends[:count] = ends[:count][::-1].copy()
    return count
