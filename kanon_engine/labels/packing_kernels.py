"""Packing into bins on prefix sums: prefix[i] is the weight of the first i items in packing order, prefix[0] = 0."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit


@njit(cache=True, nogil=True)
def first_reaching(prefix, low, target):
    """The least i >= low with prefix[i] >= target, by binary search; len(prefix) when there is none."""
    high = len(prefix)
    while low < high:
        middle = (low + high) // 2
        if prefix[middle] < target:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True, nogil=True)
def next_fit(prefix, k, ends):
    """Fill one bin after another up to k; write where each bin ends into `ends` and return how many bins are full."""
    last = len(prefix) - 1
    bins = 0
    end = 0
    while prefix[last] - prefix[end] >= k:
        end = first_reaching(prefix, end + 1, prefix[end] + k)
        ends[bins] = end
        bins += 1
    return bins


@njit(cache=True, nogil=True)
def sink(heap, size, levels):
    """Move the root of a heap of bins, the lightest on top (of equal ones the first), to where it belongs."""
    place = 0
    bin_number = heap[0]
    level = levels[bin_number]
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        lower = heap[child]
        if child + 1 < size:
            other = heap[child + 1]
            if levels[other] < levels[lower] or (levels[other] == levels[lower] and other < lower):
                child += 1
                lower = other
        if levels[lower] > level or (levels[lower] == level and lower > bin_number):
            break
        heap[place] = lower
        place = child
    heap[place] = bin_number


@njit(cache=True, nogil=True)
def spread_leftovers(levels, prefix, start, targets):
    """Place the items from `start` on: into the lightest bin while the maximum stays, then in turn, lightest first.

    Raises `levels` in place and writes the bin of each item into `targets`.
    """
    last = len(prefix) - 1
    bins = len(levels)
    largest = levels.max()
    heap = np.argsort(levels, kind="mergesort")  # a sorted array is a heap; stable, so that the first of equals leads
    item = start
    while item < last:
        weight = prefix[item + 1] - prefix[item]
        lightest = heap[0]
        if levels[lightest] + weight > largest:
            break
        levels[lightest] += weight
        targets[item - start] = lightest
        sink(heap, bins, levels)
        item += 1
    if item == last:
        return
    turn = np.argsort(levels, kind="mergesort")
    place = 0
    while item < last:
        levels[turn[place]] += prefix[item + 1] - prefix[item]
        targets[item - start] = turn[place]
        place = place + 1 if place + 1 < bins else 0
        item += 1


@njit(cache=True, nogil=True)
def fold_costs(prefix, alone, ks, costs, classes):
    """Largest bin and number of bins of Fold for each k, when exactly the items `alone` weigh at least k.

    `prefix` is over the other items. O(bins log n) for each k.
    """
    last = len(prefix) - 1
    for row in range(len(ks)):
        k = ks[row]
        bins = len(alone)
        largest = alone.max() if bins > 0 else np.int64(0)
        # above any level, until there is a bin
        lightest = alone.min() if bins > 0 else np.int64(2) ** 62
        end = 0
        while prefix[last] - prefix[end] >= k:
            begin = end
            end = first_reaching(prefix, begin + 1, prefix[begin] + k)
            level = prefix[end] - prefix[begin]
            largest = max(largest, level)
            lightest = min(lightest, level)
            bins += 1
        costs[row] = max(largest, lightest + prefix[last] - prefix[end])
        classes[row] = bins


@njit(cache=True, nogil=True)
def spread_costs(prefix, alone, ks, costs, classes):
    """Largest bin and number of bins of Spread for each k; as `fold_costs`, plus the leftover items one by one."""
    last = len(prefix) - 1
    most = last
    if len(ks) > 0:
        # each full bin holds k, so the least k makes the most of them
        most = min(last, prefix[last] // ks.min())
    ends = np.empty(most, np.int64)
    levels = np.empty(len(alone) + most, np.int64)
    targets = np.empty(last, np.int64)
    for row in range(len(ks)):
        full = next_fit(prefix, ks[row], ends)
        bins = len(alone) + full
        levels[: len(alone)] = alone
        begin = 0
        for number in range(full):
            levels[len(alone) + number] = prefix[ends[number]] - prefix[begin]
            begin = ends[number]
        spread_leftovers(levels[:bins], prefix, begin, targets)
        costs[row] = levels[:bins].max()
        classes[row] = bins


@njit(cache=True, nogil=True)
def most_classes(prefix, k):
    """Least i + min(R // k, r // c) over i; `prefix` is over the labels from the heaviest on. See
    docs/proofs/labels/bounds.md."""
    count = len(prefix) - 1
    total = prefix[count]
    best = total // k
    excluded = 0
    for i in range(count + 1):
        # the bound is at least i from here on
        if i >= best:
            break
        left = total - prefix[i]
        bound = i
        if left >= k:
            fewest = first_reaching(prefix, i + 1, prefix[i] + k) - i
            bound += min(left // k, (count - i) // fewest)
        if bound < best:
            best = bound
            excluded = i
    return best, excluded


@njit(cache=True, nogil=True)
def most_classes_each(prefix, ks, most):
    """The bound of `most_classes` for each k."""
    for row in range(len(ks)):
        most[row] = most_classes(prefix, ks[row])[0]
