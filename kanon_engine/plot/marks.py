"""Points as the pictures draw them: each, or their density where they are many."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEW_POINTS = 3_000  # up to here every point is drawn
DENSITY_CELLS = 160  # along the longer side
ENOUGH = 50_000  # points that tell where most of them lie


@dataclass(frozen=True)
class Marks:
    """Points, or cells of a grid that stand for many.

    Attributes
    ----------
    xy : (p, 2) float64 array
    sizes : (p,) float64 array
        Diameters in pixels.
    """

    xy: np.ndarray
    sizes: np.ndarray


def marks_of(xy: np.ndarray, box: np.ndarray, many: bool) -> Marks:
    """Every place, or where points are many the non-empty cells of a grid over a box, larger where more points lie."""
    if not many or not len(xy):
        places = np.unique(xy, axis=0)
        return Marks(places, np.full(len(places), 4.0))
    sides = np.maximum(box[2:] - box[:2], 0)
    cell = (sides.max() or 1.0) / DENSITY_CELLS
    columns, rows = ((xy - box[:2]) // cell).astype(np.int64).T
    keys, counts = np.unique(columns * (DENSITY_CELLS + 2) + rows, return_counts=True)
    middles = box[:2] + cell * (np.column_stack(np.divmod(keys, DENSITY_CELLS + 2)) + 0.5)
    return Marks(middles, 1.2 + 3.3 * np.sqrt(counts / counts.max()))


def most_of(xy: np.ndarray, weights: np.ndarray, box: np.ndarray) -> np.ndarray:
    """(2, 2) lower left and upper right of what a map shows first.

    All, unless a few far places would make the rest small: then where all but 2 % of the weight lies, and a margin.
    """
    low, high = box[:2], box[2:]
    some = slice(None, None, -(-len(xy) // ENOUGH))
    xy, weights = xy[some], weights[some]
    most = []
    for axis in range(2):
        order = np.argsort(xy[:, axis], kind="stable")
        sums = np.cumsum(weights[order]) / weights.sum()
        most.append(xy[order[np.searchsorted(sums, [0.01, 0.99])], axis])
    inner_low, inner_high = np.array(most).T
    margin = 0.08 * (inner_high - inner_low)
    inner_low, inner_high = np.maximum(inner_low - margin, low), np.minimum(inner_high + margin, high)
    if np.prod(inner_high - inner_low) < 0.4 * np.prod(high - low):
        low, high = inner_low, inner_high
    return np.array([low, high])
