"""Colours that tell neighbouring rectangles of a tiling apart."""

from __future__ import annotations

import numpy as np

from kanon_engine.plot.colors import Shading, class_colours, colour_shades


def neighbour_shades(rectangles: np.ndarray, numbers: np.ndarray | None = None) -> Shading:
    """Colours that differ wherever two rectangles of a tiling, (m, 4), share more than a corner; or colours as given.

    Example
    -------
    >>> neighbour_shades(np.array([(0, 0, 1, 1), (1, 0, 2, 1), (0, 1, 2, 2)])).values.tolist()
    [2.0, 1.0, 0.0]
    """
    if numbers is None:
        numbers = class_colours(neighbours(rectangles), np.arange(len(rectangles)), len(rectangles))
    return colour_shades(numbers)


def neighbours(rectangles: np.ndarray) -> np.ndarray:
    """Pairs of rectangles of a tiling, (m, 4), that share more than a corner.

    Complexity
    ----------
    O(m log m).

    Example
    -------
    >>> neighbours(np.array([(0, 0, 1, 1), (1, 0, 2, 1), (1, 1, 2, 2), (0, 1, 1, 2)])).tolist()
    [[0, 1], [0, 3], [1, 2], [3, 2]]
    """
    pairs: list[tuple[int, int]] = []
    for axis in (0, 1):
        low, high = rectangles[:, 1 - axis].tolist(), rectangles[:, 3 - axis].tolist()
        before, after = _by_line(rectangles[:, 2 + axis], low), _by_line(rectangles[:, axis], low)
        for line in before.keys() & after.keys():
            ends, starts = before[line], after[line]
            i = j = 0
            while i < len(ends) and j < len(starts):
                one, other = ends[i], starts[j]
                if min(high[one], high[other]) > max(low[one], low[other]):
                    pairs.append((one, other))
                if high[one] <= high[other]:
                    i += 1
                else:
                    j += 1
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _by_line(lines: np.ndarray, low: list[float]) -> dict[float, list[int]]:
    """The rectangles at each line, from below upwards."""
    found: dict[float, list[int]] = {}
    for number in sorted(range(len(low)), key=low.__getitem__):
        found.setdefault(float(lines[number]), []).append(number)
    return found
