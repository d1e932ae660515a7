"""Guillotine partitions of all rectangles of a grid, from narrow to wide."""

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit


class Classes(NamedTuple):
    """What classes may weigh, and what is minimized."""

    k: int
    cap: int
    squares: bool  # the sum of squared weights instead of the largest


@njit(cache=True, nogil=True)
def interval(first, length, count):
    """Number of the interval [first, first + length) among those of `count` neighbors, short ones first."""
    return (length - 1) * count - (length - 1) * (length - 2) // 2 + first


@njit(cache=True, nogil=True)
def widen(best, sums, width, classes):
    """Fill best[column interval, row interval] for all rectangles of `width` columns; narrower ones are known.

    sums[c, d] is the weight of the first c columns and d rows. The value of a rectangle is the least largest class, or
    the least sum of squares, that repeated cuts from side to side can reach with classes of weight k to cap; infinite
    if there is no such partition.
    """
    k, cap, squares = classes
    wide, high = sums.shape[0] - 1, sums.shape[1] - 1
    for a in range(wide - width + 1):
        row = best[interval(a, width, wide)]
        for height in range(1, high + 1):
            for b in range(high - height + 1):
                d = b + height
                weight = sums[a + width, d] - sums[a, d] - sums[a + width, b] + sums[a, b]
                value = np.inf
                if k <= weight <= cap:
                    value = float(weight) * float(weight) if squares else float(weight)
                row[interval(b, height, high)] = value
        for left in range(1, width):
            one, two = best[interval(a, left, wide)], best[interval(a + left, width - left, wide)]
            for place in range(len(row)):
                value = one[place] + two[place] if squares else max(one[place], two[place])
                row[place] = min(row[place], value)
        for height in range(2, high + 1):
            for b in range(high - height + 1):
                d = b + height
                if sums[a + width, d] - sums[a, d] - sums[a + width, b] + sums[a, b] < 2 * k:
                    continue
                value = row[interval(b, height, high)]
                for low in range(1, height):
                    one, two = row[interval(b, low, high)], row[interval(b + low, height - low, high)]
                    value = min(value, one + two if squares else max(one, two))
                row[interval(b, height, high)] = value
