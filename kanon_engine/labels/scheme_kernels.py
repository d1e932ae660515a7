"""The dynamic program over types: which numbers of bins can hold all large labels, and how full those bins can be."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit


class Configurations(NamedTuple):
    """What a bin may hold, ordered by the heaviest label in it."""

    rows: np.ndarray  # (c, s) int64: labels of each size
    offsets: np.ndarray  # (c,) int64: the same as a state
    gains: np.ndarray  # (c,) int64
    starts: np.ndarray  # (s + 1,) int64: size i is the heaviest in the rows starts[i] … starts[i + 1] - 1


@njit(cache=True, nogil=True)
def best_gains(numbers, configurations, table):
    """Largest total gain of packing given numbers of labels of each size into exactly b bins; -1 if impossible.

    State s represents the number of labels of each size, in mixed radix with size 0 first; table[s, b] is over b bins,
    none empty. The heaviest remaining label goes into a bin with a configuration in which it is the heaviest.
    """
    rows, offsets, gains, starts = configurations
    bins = table.shape[1] - 1
    table[:] = -1
    table[0, 0] = 0
    left = numbers * 0
    for state in range(1, len(table)):
        place = 0
        while left[place] == numbers[place]:
            left[place] = 0
            place += 1
        left[place] += 1
        top = len(numbers) - 1
        while left[top] == 0:
            top -= 1
        for row in range(starts[top], starts[top + 1]):
            size = 0
            while size <= top and rows[row, size] <= left[size]:
                size += 1
            if size <= top:
                continue
            before = state - offsets[row]
            for used in range(bins):
                if table[before, used] >= 0 and table[before, used] + gains[row] > table[state, used + 1]:
                    table[state, used + 1] = table[before, used] + gains[row]
