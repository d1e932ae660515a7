"""The independent look at all tilings of few points, where a bound is a search's word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.verify.bounds import useful_ranks
from kanon_engine.rectangles.verify.ceiling import ranks

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MOST = 60  # columns or rows
WORK = 300_000  # rectangles looked at, in all tries together


class _TooMuch(Exception):
    pass


def beaten(points: Points, g: Generalization) -> bool | None:
    """Whether rectangles tile the bounding box that are all below the claimed bound; None if there are too many to try.

    Tilings are built from below: the lowest free place, the leftmost of these, is the corner of some rectangle, and
    every one that it could be is tried. How high each column is filled tells what is left, so what was found
    impossible to fill is remembered. Only lines with k on both sides count, as in `bounds`.
    """
    columns, rows, _ = ranks(points.xy)
    column, row = useful_ranks(columns, points.weights, g.k), useful_ranks(rows, points.weights, g.k)
    wide, high = int(column.max()) + 1, int(row.max()) + 1
    if max(wide, high) > MOST:
        return None
    sums = np.zeros((wide + 1, high + 1), dtype=np.int64)
    np.add.at(sums, (column + 1, row + 1), points.weights)
    try:
        return _Tilings(sums.cumsum(axis=0).cumsum(axis=1).tolist(), g.k, g.lower_bound - 1).fills((0,) * wide)
    except _TooMuch:
        return None


class _Tilings:
    def __init__(self, sums: list[list[int]], k: int, cap: int) -> None:
        self.sums, self.k, self.cap = sums, k, cap
        self.high = len(sums[0]) - 1
        self.work = WORK
        self.impossible: set[tuple[int, ...]] = set()

    def fills(self, filled: tuple[int, ...]) -> bool:
        """Whether rectangles of k to the cap fill what is left above these heights."""
        low = min(filled)
        if low == self.high:
            return True
        if filled in self.impossible:
            return False
        left = filled.index(low)
        right = left
        while right < len(filled) and filled[right] == low:
            right += 1
            for top in range(low + 1, self.high + 1):
                self.work -= 1
                if self.work < 0:
                    raise _TooMuch
                weight = self.weight(left, low, right, top)
                if weight > self.cap:
                    break
                if weight >= self.k and self.fills((*filled[:left], *[top] * (right - left), *filled[right:])):
                    return True
        self.impossible.add(filled)
        return False

    def weight(self, left: int, low: int, right: int, top: int) -> int:
        sums = self.sums
        return sums[right][top] - sums[left][top] - sums[right][low] + sums[left][low]
