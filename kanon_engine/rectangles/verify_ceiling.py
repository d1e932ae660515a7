"""The guarantee of rectangle results, computed again with other means than the algorithms'."""

from __future__ import annotations

import numpy as np

from kanon_engine.rectangles.instance import Points


def ceiling_of(points: Points, k: int) -> int:
    """The most that a rectangle may weigh which no line cuts into two parts of weight >= k.

    On both sides of some vertical line its points weigh at most s < k, and so they do on both sides of some horizontal
    line. What is left lies on the vertical line, in a run that falls into a part below the horizontal line, the
    crossing, and a part above it, each part at most s; and likewise on the horizontal line. So no rectangle exceeds 2 s
    + the lesser of both runs at its crossing.
    """
    columns, rows = (np.unique(points.xy[:, axis], return_inverse=True)[1].astype(np.int64) for axis in range(2))
    keys, place = np.unique(columns * (int(rows.max()) + 1) + rows, return_inverse=True)
    loads = np.zeros(len(keys), dtype=np.int64)
    np.add.at(loads, place, points.weights)
    side = 0 if (loads >= k).all() else k - 1 - (k - 1) % int(np.gcd.reduce(loads))
    column, row = np.divmod(keys, int(rows.max()) + 1)
    upright, apart = _runs(column, row, loads, side)
    level, aside = _runs(row, column, loads, side)
    crossing = int(np.minimum(upright, level).max())
    return min(sum(loads.tolist()), 2 * side + max(crossing, min(apart, aside)))


def _runs(line: np.ndarray, along: np.ndarray, loads: np.ndarray, side: int) -> tuple[np.ndarray, int]:
    """The heaviest run through each location with at most `side` before and after it; the heaviest around a gap.

    Window by window: how far it reaches back is found by doubling the number of locations that it takes in.
    """
    order = np.lexsort((along, line))
    sorted_loads, sorted_line = loads[order], line[order]
    back = _reach(sorted_loads, sorted_line, side)
    ahead = _reach(sorted_loads[::-1], sorted_line[::-1], side)[::-1]
    # back[i] is the heaviest run within `side` that ends with i, ahead[i] that begins with i
    same = sorted_line[1:] == sorted_line[:-1]
    before = np.concatenate([[0], np.where(same, back[:-1], 0)])
    after = np.concatenate([np.where(same, ahead[1:], 0), [0]])
    through = np.empty(len(loads), dtype=np.int64)
    through[order] = before + sorted_loads + after
    # a gap has a location on one side at least, and maybe on the other
    gaps = max(int((back + after).max()), int((before + ahead).max()))
    return through, gaps


def _reach(loads: np.ndarray, line: np.ndarray, side: int) -> np.ndarray:
    """Weight of the longest run of a line that ends at each location and weighs at most `side`."""
    count = len(loads)
    totals = np.concatenate([[0], loads.cumsum()])
    first = np.arange(count) + 1  # the run is first … i; empty for now
    stride = 1 << count.bit_length()
    while stride:
        trial = first - stride
        inside = np.maximum(trial, 0)
        fits = (trial >= 0) & (line[np.minimum(inside, count - 1)] == line)
        fits &= totals[1:] - totals[inside] <= side
        first = np.where(fits, trial, first)
        stride >>= 1
    return totals[1:] - totals[first]
