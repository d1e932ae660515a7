"""The guarantee of rectangle results, computed again with other means than the algorithms'."""

from __future__ import annotations

import numpy as np


def ranks(xy: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number of each point's vertical line, horizontal line and location, lines from low to high."""
    columns, rows = (np.unique(xy[:, axis], return_inverse=True)[1] for axis in range(2))
    return columns, rows, np.unique(columns * (int(rows.max()) + 1) + rows, return_inverse=True)[1]


def ceiling_of(columns: np.ndarray, rows: np.ndarray, locations: np.ndarray, weights: np.ndarray, k: int) -> int:
    """The most that a rectangle may weigh which no line cuts into two parts of weight >= k.

    On both sides of some vertical line its points weigh at most s < k, and so they do on both sides of some horizontal
    line. What is left lies on the vertical line, in a run that falls into a part below the horizontal line, the
    crossing, and a part above it, each part at most s; and likewise on the horizontal line. So no rectangle exceeds 2 s
    + the lesser of both runs at its crossing. Takes what `ranks` returns, and the points' weights.
    """
    count = int(locations.max()) + 1
    loads, column, row = (np.zeros(count, dtype=np.int64) for _ in range(3))
    np.add.at(loads, locations, weights)
    column[locations], row[locations] = columns, rows
    side = 0 if (loads >= k).all() else k - 1 - (k - 1) % int(np.gcd.reduce(loads))
    vertical, vertical_gap = _runs(column, row, loads, side)
    horizontal, horizontal_gap = _runs(row, column, loads, side)
    crossing = int(np.minimum(vertical, horizontal).max())
    return min(int(loads.sum()), 2 * side + max(crossing, min(vertical_gap, horizontal_gap)))


def _runs(line: np.ndarray, along: np.ndarray, loads: np.ndarray, side: int) -> tuple[np.ndarray, int]:
    """The heaviest run through each location with at most `side` before and after it; the heaviest around a gap.

    Alone on its line, a location is all of both; only the others are looked at.
    """
    through, number = loads.copy(), np.bincount(line)
    alone = number[line] == 1
    gaps = int(loads[alone & (loads <= side)].max(initial=0))
    order = np.flatnonzero(~alone)
    if len(order) == 0:
        return through, gaps
    order = order[np.lexsort((along[order], line[order]))]
    sorted_loads, sorted_line = loads[order], line[order]
    back = _reach(sorted_loads, sorted_line, side)
    ahead = _reach(sorted_loads[::-1], sorted_line[::-1], side)[::-1]
    # back[i] is the heaviest run within `side` that ends with i, ahead[i] that begins with i
    same = sorted_line[1:] == sorted_line[:-1]
    before = np.concatenate([[0], np.where(same, back[:-1], 0)])
    after = np.concatenate([np.where(same, ahead[1:], 0), [0]])
    through[order] = before + sorted_loads + after
    # a gap has a location on one side at least, and maybe on the other
    gaps = max(gaps, int((back + after).max()), int((before + ahead).max()))
    return through, gaps


def _reach(loads: np.ndarray, line: np.ndarray, side: int) -> np.ndarray:
    """Weight of the longest run of a line that ends at each location and weighs at most `side`.

    How many locations the run takes in is found bit by bit, for all at once.
    """
    count = len(loads)
    totals = np.concatenate([[0], loads.cumsum()])
    first = np.arange(count) + 1  # the run is first … i; empty for now
    stride = 1 << int(np.bincount(line).max()).bit_length()
    while stride:
        trial = first - stride
        inside = np.maximum(trial, 0)
        fits = (trial >= 0) & (line[np.minimum(inside, count - 1)] == line)
        fits &= totals[1:] - totals[inside] <= side
        first = np.where(fits, trial, first)
        stride >>= 1
    return totals[1:] - totals[first]
