"""The cuts that make a tiling, if cuts from side to side can make it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def cuts_of(tiles: np.ndarray) -> tuple[list[tuple[int, int, int]], list[int]] | None:
    """The cuts of a tiling in their order, and its tiles along the tree of cuts; None if it is not guillotine.

    Fewer than five tiles are always guillotine: docs/proofs/rectangles/exact.md, few rectangles.

    Parameters
    ----------
    tiles : (m, 4) int64 array
        First column, first row, end column and end row of each.

    Returns
    -------
    splits : list of (part, axis, line)
        As in `RectangleDetails`, with lines by number.
    order : list of int
        Numbers of the tiles.

    Complexity
    ----------
    O(m^2 log m).

    Example
    -------
    >>> cuts_of(np.array([[0, 0, 2, 1], [0, 1, 1, 2], [1, 1, 2, 2]]))
    ([(0, 1, 1), (2, 0, 1)], [0, 1, 2])
    >>> pinwheel = np.array([[0, 0, 2, 1], [2, 0, 3, 2], [1, 2, 3, 3], [0, 1, 1, 3], [1, 1, 2, 2]])
    >>> cuts_of(pinwheel) is None
    True
    """
    splits: list[tuple[int, int, int]] = []
    parts: list[np.ndarray] = [np.arange(len(tiles))]
    below: dict[int, int] = {}
    number = 0
    while number < len(parts):
        if len(parts[number]) > 1:
            cut = _most_even_cut(tiles[parts[number]])
            if cut is None:
                return None
            axis, line = cut
            low = tiles[parts[number], axis] < line
            below[number] = len(parts)
            splits.append((number, axis, line))
            parts += [parts[number][low], parts[number][~low]]
        number += 1
    order: list[int] = []
    waiting = [0]
    while waiting:
        number = waiting.pop()
        if number in below:
            waiting += [below[number] + 1, below[number]]
        else:
            order += parts[number].tolist()
    return splits, order


def splits_at(cuts: list[tuple[int, int, int]], lines: Sequence[np.ndarray]) -> np.ndarray:
    """Cuts as in `RectangleDetails`, from those of `cuts_of` and where each line of either axis is."""
    return np.array([(part, axis, lines[axis][line]) for part, axis, line in cuts], dtype=np.float64).reshape(-1, 3)


def _most_even_cut(tiles: np.ndarray) -> tuple[int, int] | None:
    """Axis and line that cross no tile, with the most equal numbers of tiles on both sides; the first of several."""
    best: tuple[int, int] | None = None
    most = 0
    for axis in range(2):
        order = np.argsort(tiles[:, axis], kind="stable")
        lows = tiles[order, axis]
        highs = np.maximum.accumulate(tiles[order, axis + 2])
        for before in np.flatnonzero(highs[:-1] <= lows[1:]).tolist():
            lighter = min(before + 1, len(tiles) - before - 1)
            if lighter > most:
                most, best = lighter, (axis, int(lows[before + 1]))
    return best
