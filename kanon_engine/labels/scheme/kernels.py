"""The dynamic program over types: which numbers of bins can hold all large labels, and how full those bins can be."""

from __future__ import annotations

from kanon_engine.kernel_cache import njit


@njit(cache=True, nogil=True)
def best_gains(numbers, configurations, offsets, gains, starts, table):
    """Largest total gain of packing so many labels of each size into exactly so many bins; -1 where it is impossible.

    State s stands for the number of labels of each size, in mixed radix with size 0 first; table[s, b] is over b bins,
    none empty. A bin with the heaviest label that is left is a configuration of rows starts[top] … starts[top + 1] - 1,
    `top` being the size of that label; `offsets` are the configurations as states.
    """
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
            while size <= top and configurations[row, size] <= left[size]:
                size += 1
            if size <= top:
                continue
            before = state - offsets[row]
            for used in range(bins):
                if table[before, used] >= 0 and table[before, used] + gains[row] > table[state, used + 1]:
                    table[state, used + 1] = table[before, used] + gains[row]
