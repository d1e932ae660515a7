"""Which rectangles of a grid can be cut into classes of weight k to a cap: one bit per rectangle."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit

BITS = 64  # of a word


@njit(cache=True, nogil=True)
def pair(first, end, count):
    """Number of the interval [first, end) among those of `count` neighbors, by where they begin."""
    return first * count - first * (first - 1) // 2 + end - first - 1


@njit(cache=True, nogil=True)
def has(table, rectangle, shape):
    """Whether the bit of a rectangle (first column, first row, end column, end row) is set; shape: columns, rows."""
    (a, b, c, d), (wide, high) = rectangle, shape
    words = table.shape[1] // high
    return (table[pair(a, c, wide), b * words + (d - 1) // BITS] >> np.uint64((d - 1) % BITS)) & np.uint64(1) != 0


@njit(cache=True, nogil=True)
def table_shape(wide, high):
    """The shape of the table of a grid."""
    return wide * (wide + 1) // 2, high * ((high + BITS - 1) // BITS)


@njit(cache=True, nogil=True)
def work(wide, high):
    """How many words `fill` examines, at most."""
    rows, words = table_shape(wide, high)
    return rows * words * (wide // 3 + high // 2 + 1)


@njit(cache=True, nogil=True)
def set_bits(table, sums, width, k, cap):
    """Set the bits of all rectangles of `width` columns, as `fill`; those of narrower ones are known."""
    wide, high = sums.shape[0] - 1, sums.shape[1] - 1
    words = table.shape[1] // high
    one = np.uint64(1)
    for a in range(wide - width + 1):
        c = a + width
        mine = table[pair(a, c, wide)]
        mine[:] = 0
        if sums[c, high] - sums[a, high] < k:
            continue
        for x in range(a + 1, c):
            if sums[x, high] - sums[a, high] < k:
                continue
            if sums[c, high] - sums[x, high] < k:
                break
            left, right = table[pair(a, x, wide)], table[pair(x, c, wide)]
            for word in range(len(mine)):
                mine[word] |= left[word] & right[word]
        low, end = high, high  # rows b … low - 1 are the least that weigh k; no end above `end` is below the cap
        for b in range(high - 1, -1, -1):
            below = sums[c, b] - sums[a, b]
            if sums[c, high] - sums[a, high] - below < k:
                continue
            while low > b + 1 and sums[c, low - 1] - sums[a, low - 1] - below >= k:
                low -= 1
            while end > low and sums[c, end] - sums[a, end] - below > cap:
                end -= 1
            if sums[c, end] - sums[a, end] - below <= cap:
                for d in range(low, end + 1):
                    mine[b * words + (d - 1) // BITS] |= one << np.uint64((d - 1) % BITS)
            for y in range(low, high):
                if (mine[b * words + (y - 1) // BITS] >> np.uint64((y - 1) % BITS)) & one != 0:
                    for word in range(words):
                        mine[b * words + word] |= mine[y * words + word]


@njit(cache=True, nogil=True)
def fill(table, sums, k, cap):
    """Set the bit of every rectangle that cuts from side to side can divide into classes of weight k to the cap.

    sums[c, d] is the weight of the first c columns and d rows. table (intervals of columns, rows times words) uint64:
    bit d - 1 of the words of row b stands, in table[pair(a, c)], for columns a … c - 1 and rows b … d - 1.
    """
    for width in range(1, sums.shape[0]):
        set_bits(table, sums, width, k, cap)
