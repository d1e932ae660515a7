"""Pairs of sums from two sorted lists, and the search for contents that hold every label once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.labels.bounds_kernels import down_to


class Fields(NamedTuple):
    """Where two words of bits hold the number of labels of each size; above each number is a 0 bit."""

    word: np.ndarray  # (s,) int64: 0 for the low word, 1 for the high one
    shift: np.ndarray  # (s,) int64
    mask: np.ndarray  # (s,) int64: of the number, at the lowest bits
    guard_low: int  # the bits above the numbers
    guard_high: int


class Contents(NamedTuple):
    """What a bin may hold, grouped by the heaviest size in it, the heaviest content first."""

    sums: np.ndarray  # (c,) int64
    low: np.ndarray  # (c,) int64: words of `Fields`
    high: np.ndarray  # (c,) int64
    begin: np.ndarray  # (s + 1,) int64: where the contents whose heaviest size is s begin


class Failed(NamedTuple):
    """Sets of labels for which no packing was found, by hash; a later entry replaces an earlier one."""

    low: np.ndarray  # (h,) int64; h is a power of two
    high: np.ndarray  # (h,) int64
    bins: np.ndarray  # (h,) int64: into this many bins or fewer
    cap: np.ndarray  # (h,) int64: none of them above this; -1 if empty


class Stack(NamedTuple):
    """The filled bins, and what is left after each; the search resumes where it stopped."""

    low: np.ndarray  # (d + 1,) int64
    high: np.ndarray  # (d + 1,) int64
    weight: np.ndarray  # (d + 1,) int64: of what is left
    size: np.ndarray  # (d + 1,) int64: the heaviest that is left
    place: np.ndarray  # (d + 1,) int64: the content to be tried next
    chosen: np.ndarray  # (d,) int64
    best: np.ndarray  # (d,) int64: contents of the best packing that was found
    found: np.ndarray  # (1,) int64: their number
    depth: np.ndarray  # (1,) int64: -1 when nothing is left to try
    cap: np.ndarray  # (1,) int64: no bin may weigh more; falls below every packing found


@njit(cache=True, nogil=True)
def count_pairs(one, other, low, cap):
    """How many sums of a number of each of two ascending lists lie between `low` and `cap`."""
    count = 0
    begin = len(other)
    end = len(other)
    for i in range(len(one)):
        end = down_to(one[i], other, end, cap + 1)
        begin = down_to(one[i], other, begin, low)
        count += max(0, end - begin)
    return count


@njit(cache=True, nogil=True)
def list_pairs(one, other, low, cap, stride, first, second):
    """Write the places of every `stride`-th pair that `count_pairs` counts."""
    count = 0
    row = 0
    begin = len(other)
    end = len(other)
    for i in range(len(one)):
        end = down_to(one[i], other, end, cap + 1)
        begin = down_to(one[i], other, begin, low)
        for j in range(begin, end):
            if count % stride == 0:
                first[row] = i
                second[row] = j
                row += 1
            count += 1


@njit(cache=True, nogil=True)
def hashed(low, high, size):
    """A place in a table of `size` entries, a power of two."""
    mixed = low ^ (high << 3) ^ (high >> 29)
    mixed ^= mixed >> 31
    mixed ^= mixed >> 15
    return mixed & (size - 1)


@njit(cache=True, nogil=True)
def search(fields, contents, failed, stack, k, most, steps):
    """Fill one bin after another, each with the heaviest remaining label, until all is tried or the steps are used up.

    Every packing found lowers the cap below its largest bin. Returns the steps that were taken. See
    docs/proofs/labels/exact_cover.md.
    """
    sums, lows, highs, begin = contents
    guard_low, guard_high = fields.guard_low, fields.guard_high
    size = len(failed.cap)
    cap = stack.cap[0]
    depth = stack.depth[0]
    done = 0
    while depth >= 0 and done < steps:
        low, high, weight = stack.low[depth], stack.high[depth], stack.weight[depth]
        heaviest = stack.size[depth]
        bins = min(weight // k, most - depth)
        least = max(k, weight - (bins - 1) * cap)
        guarded_low = low | guard_low
        guarded_high = high | guard_high
        place = stack.place[depth]
        end = begin[heaviest + 1]
        deeper = False
        while place < end and not deeper:
            load = sums[place]
            done += 1
            if load < least:
                break
            fits = load <= cap and ((guarded_low - lows[place]) & guard_low) == guard_low
            if fits and ((guarded_high - highs[place]) & guard_high) == guard_high:
                rest = weight - load
                others = min(rest // k, bins - 1)
                if (rest + cap - 1) // cap <= others:
                    after_low = low - lows[place]
                    after_high = high - highs[place]
                    entry = hashed(after_low, after_high, size)
                    refuted = failed.cap[entry] >= cap and failed.bins[entry] >= others
                    if not (refuted and failed.low[entry] == after_low and failed.high[entry] == after_high):
                        stack.chosen[depth] = place
                        stack.place[depth] = place + 1
                        stack.low[depth + 1] = after_low
                        stack.high[depth + 1] = after_high
                        stack.weight[depth + 1] = rest
                        deeper = True
            place += 1
        if deeper and stack.weight[depth + 1] == 0:
            cap = np.int64(0)
            for number in range(depth + 1):
                stack.best[number] = stack.chosen[number]
                cap = max(cap, sums[stack.chosen[number]])
            stack.found[0] = depth + 1
            cap -= 1
            depth = 0
            while sums[stack.chosen[depth]] <= cap:
                depth += 1
        elif deeper:
            depth += 1
            while True:
                words = stack.high[depth] if fields.word[heaviest] else stack.low[depth]
                if words >> fields.shift[heaviest] & fields.mask[heaviest]:
                    break
                heaviest += 1
            stack.size[depth] = heaviest
            stack.place[depth] = begin[heaviest]
        else:
            entry = hashed(low, high, size)
            failed.low[entry] = low
            failed.high[entry] = high
            failed.bins[entry] = bins
            failed.cap[entry] = cap
            depth -= 1
    stack.cap[0] = cap
    stack.depth[0] = depth
    return done
