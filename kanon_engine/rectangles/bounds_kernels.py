"""Weights of rectangles on a small grid."""

import numpy as np

from kanon_engine.kernel_cache import njit


@njit(cache=True, nogil=True)
def least_rectangles(sums, columns, rows, k):
    """For each cell the least weight >= k of a rectangle of whole columns and rows that holds it.

    sums[c, d] is the weight of the first c columns and d rows; cell number i lies at columns[i], rows[i].
    """
    wide, high = sums.shape[0] - 1, sums.shape[1] - 1
    total = sums[wide, high]
    least = np.full(len(columns), total)
    strip = np.empty(high, np.int64)
    for a in range(wide):
        for c in range(a + 1, wide + 1):
            if sums[c, high] - sums[a, high] < k:
                continue
            strip[:] = total
            for b in range(high):
                inside = total  # the least weight of a rectangle from row b on that reaches row d or farther
                for d in range(high, b, -1):
                    weight = sums[c, d] - sums[a, d] - sums[c, b] + sums[a, b]
                    if k <= weight < inside:
                        inside = weight
                    if inside < strip[d - 1]:
                        strip[d - 1] = inside
            for cell in range(len(columns)):
                if a <= columns[cell] < c and strip[rows[cell]] < least[cell]:
                    least[cell] = strip[rows[cell]]
    return least


@njit(cache=True, nogil=True)
def next_weight(sums, value):
    """The least weight >= value of any rectangle of whole columns and rows; value is at most that of all."""
    wide, high = sums.shape[0] - 1, sums.shape[1] - 1
    least = sums[wide, high]
    for a in range(wide):
        for c in range(a + 1, wide + 1):
            d = 1
            for b in range(high):
                d = max(d, b + 1)
                while d < high and sums[c, d] - sums[a, d] - sums[c, b] + sums[a, b] < value:
                    d += 1
                weight = sums[c, d] - sums[a, d] - sums[c, b] + sums[a, b]
                if value <= weight < least:
                    least = weight
    return least
