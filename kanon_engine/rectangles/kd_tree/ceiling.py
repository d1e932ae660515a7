"""The guarantee: how heavy a rectangle can be that no line cuts into two parts of weight >= k."""

from __future__ import annotations

import numpy as np

from kanon_engine.rectangles.instance import Points, along_lines


def ceiling(points: Points, k: int) -> int:
    """The most that an uncuttable rectangle of these points may weigh, whatever cuts led to it.

    Proof: docs/proofs/rectangles/kd_tree.md. With all points on different lines it is 2 k - 1; it never exceeds
    4 (k - 1) + the heaviest location, nor 2 (k - 1) + the heaviest line.

    Parameters
    ----------
    points : Points
    k : int

    Returns
    -------
    int

    Complexity
    ----------
    O(n log n).

    Example
    -------
    >>> ceiling(Points([(0, 3), (1, 2), (2, 1), (3, 0)], [4, 4, 4, 4]), 6)
    12
    """
    weights = points.location_weights
    step = 1 if weights.min() == 1 else int(np.gcd.reduce(weights))
    side = 0 if int(weights.min()) >= k else (k - 1) // step * step
    places = np.empty(len(weights), dtype=np.int64)
    places[points.locations] = np.arange(len(points))
    x, y = points.xy[places].T  # from low to high x, then y
    columns = _crossings(weights, x, side)
    by_row = along_lines(y, x)
    in_rows = _crossings(weights[by_row], y[by_row], side)
    rows = np.empty_like(columns[0])
    rows[by_row] = in_rows[0]
    heaviest = max(int(np.minimum(columns[0], rows).max()), min(columns[1], in_rows[1]))
    return min(2 * side + heaviest, points.total)


def _crossings(weights: np.ndarray, lines: np.ndarray, side: int) -> tuple[np.ndarray, int]:
    """h + d + u at each location, and the heaviest d + u of all gaps; locations are sorted along their lines."""
    count = len(weights)
    sums = np.concatenate([[0], np.cumsum(weights)])
    starts = np.flatnonzero(np.concatenate([[True], lines[1:] != lines[:-1]]))
    if len(starts) == count:
        return weights, min(side, int(weights[weights <= side].max(initial=0)))
    lengths = np.diff(starts, append=count)
    first, last = np.repeat(starts, lengths), np.repeat(starts + lengths, lengths)
    before = sums[:-1] - sums[np.maximum(np.searchsorted(sums, sums[:-1] - side), first)]
    after = sums[np.minimum(np.searchsorted(sums, sums[1:] + side, side="right") - 1, last)] - sums[1:]
    # a gap behind location i: what ends with i, and what begins with i + 1 on the same line
    ends = sums[1:] - sums[np.maximum(np.searchsorted(sums, sums[1:] - side), first)]
    begins = sums[np.minimum(np.searchsorted(sums, sums[:-1] + side, side="right") - 1, last)] - sums[:-1]
    follows = np.append(lines[1:] == lines[:-1], False)
    gaps = ends + np.where(follows, np.append(begins[1:], 0), 0)
    return weights + before + after, int(max(gaps.max(), begins.max()))
