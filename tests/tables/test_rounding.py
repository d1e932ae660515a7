"""Ends of boxes are moved outward to round limits, or to the next box, as comparing every box with every other does."""

import numpy as np
import pytest

from kanon_engine.tables.rounding_kernels import move_out

pytestmark = pytest.mark.kernels


def moved_out(low, high, column, first, last):
    """The same one box after another, each compared with all."""
    low, high = low.copy(), high.copy()
    others = np.arange(low.shape[1]) != column
    for box in range(len(low)):
        least, most = low[box, column], high[box, column]
        beside = ((low <= high[box]) & (high >= low[box]))[:, others].all(axis=1)
        below, above = beside & (high[:, column] < least), beside & (low[:, column] > most)
        low[box, column] = max(first[least], high[below, column].max(initial=-1) + 1)
        high[box, column] = min(last[most], low[above, column].min(initial=len(first)) - 1)
    return low, high


def disjoint_boxes(rng, columns, values, count):
    """(low, high) of up to `count` boxes that do not meet, in any order, each smaller than its share of the space."""
    parts = [(np.zeros(columns, int), np.full(columns, values - 1))]
    for _ in range(count - 1):
        number, column = rng.integers(len(parts)), rng.integers(columns)
        low, high = parts[number]
        if low[column] == high[column]:
            continue
        left_high, right_low = high.copy(), low.copy()
        left_high[column] = rng.integers(low[column], high[column])
        right_low[column] = left_high[column] + 1
        parts[number] = (low, left_high)
        parts.append((right_low, high))
    low, high = (np.array(ends, dtype=np.int32) for ends in zip(*rng.permutation(parts), strict=True))
    low += rng.integers(0, (high - low) // 2 + 1, dtype=np.int32)
    return low, high


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("overlapping", [False, True])
def test_it_is_as_comparing_every_box_with_every_other(seed, overlapping):
    rng = np.random.default_rng(seed)
    columns, values = int(rng.integers(1, 6)), int(rng.integers(2, 80))
    low, high = disjoint_boxes(rng, columns, values, int(rng.integers(1, 120)))
    if overlapping:  # relaxed cuts make such boxes
        high = np.minimum(high + rng.integers(0, 3, high.shape, dtype=np.int32), values - 1)
    cells = np.arange(values) // int(rng.integers(1, 25))
    first = np.searchsorted(cells, cells, "left").astype(np.int32)
    last = (np.searchsorted(cells, cells, "right") - 1).astype(np.int32)
    for column in range(columns):
        expected = moved_out(low, high, column, first, last)
        move_out(low, high, column, first, last)
        np.testing.assert_array_equal((low, high), expected)
