"""The best partition of a large grid that cuts from side to side can make, by a bit a rectangle for each cap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.rectangles.bit_table_kernels import has, set_bits, table_shape, work
from kanon_engine.rectangles.grid import Grid

WORDS = 1 << 24  # of a table: 134 MB, for some 200 columns and as many rows
WORK = 1 << 35  # words that all tables of a run may look at
FEWEST = 8  # caps that are worth beginning with


def fits(columns: int, rows: int) -> bool:
    """Whether a table has room for a grid, and a few of them can be filled.

    Example
    -------
    >>> fits(200, 200), fits(250, 250), fits(10, 1_000)
    (True, False, True)
    """
    intervals, words = table_shape(columns, rows)
    return int(intervals) * int(words) <= WORDS and FEWEST * int(work(columns, rows)) <= WORK


def best_below(
    grid: Grid, k: int, low: int, best: int, goes_on: Callable[[float, int], bool]
) -> tuple[np.ndarray | None, bool]:
    """The guillotine partition of the grid with the smallest largest class, if there is one below the best known.

    A table tells for every rectangle whether cuts can divide it into classes of weight k to a cap. Caps are halved
    between a lower bound and the best known. Proof: docs/proofs/rectangles/exact.md, caps.

    Parameters
    ----------
    grid : Grid
        One that `fits`.
    k, low, best : int
        Least weight of a class, a lower bound on the largest, and the largest of what is known already.
    goes_on : callable
        Told the share of the work that is done and the best so far; returns False to stop.

    Returns
    -------
    tiles : (m, 4) int64 array or None
        First column, first row, end column and end row of each tile.
    finished : bool
        Whether none is better; False where the work was stopped or ended before.

    Complexity
    ----------
    O(C^2 R^2 (C + R) / 64) time a cap and O(C^2 R^2 / 64) space for C columns and R rows.
    """
    table = np.empty(table_shape(*grid.shape), np.uint64)
    asks = WORK // int(work(*grid.shape))
    asked, filled, known = 0, 0, best

    def possible(cap: int) -> bool | None:
        """Whether there is a partition below the cap; None where the work was stopped."""
        nonlocal asked, filled
        asked += 1
        for width in range(1, grid.shape[0] + 1):
            if not goes_on((asked - 1 + width / grid.shape[0]) / (asks + 1), known):
                return None
            set_bits(table, grid.sums, width, k, cap)
        filled = cap
        return bool(has(table, (0, 0, *grid.shape), grid.shape))

    while low < known and asked < asks - 1:
        cap = (low + known - 1) // 2
        answer = possible(cap)
        if answer is None:
            break
        if answer:
            known = cap
        else:
            low = cap + 1
    if known == best or (filled != known and not possible(known)):
        return None, low >= best
    return _carved(grid, table, k), low >= known


def _carved(grid: Grid, table: np.ndarray, k: int) -> np.ndarray:
    """Tiles along set bits, each cut by the most balanced line that leaves two with set bits, until none does."""
    tiles, waiting = [], [(0, 0, *grid.shape)]
    while waiting:
        a, b, c, d = waiting.pop()
        halves = np.array(
            [(a, b, x, d, x, b, c, d) for x in range(a + 1, c)] + [(a, b, c, y, a, y, c, d) for y in range(b + 1, d)]
        ).reshape(-1, 8)
        lows, highs = grid.weights_of(halves[:, :4]), grid.weights_of(halves[:, 4:])
        lighter = np.minimum(lows, highs)
        for way in np.argsort(-lighter, kind="stable").tolist():
            low, high = tuple(halves[way, :4].tolist()), tuple(halves[way, 4:].tolist())
            if lighter[way] >= k and has(table, low, grid.shape) and has(table, high, grid.shape):
                waiting += [high, low]
                break
        else:
            tiles.append((a, b, c, d))
    return np.array(tiles, dtype=np.int64)
