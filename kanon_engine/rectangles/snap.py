"""Cut lines and outer sides on a grid, so that no number in a release is a point's own coordinate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import wraps
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.model.setting import Setting
from kanon_engine.model.words import number_text
from kanon_engine.rectangles.instance import Points

SNAP = Setting(
    "snap",
    "Puts every line and outer side on a multiple of this size, in the unit of the coordinates (degrees, or meters if "
    "projected), and never on a point's own coordinate. Points between the same lines are treated as one place.",
    "number",
    minimum=1e-12,
)
FINEST = 2.0**50  # this many grid lines between 0 and the farthest coordinate can be distinguished


@dataclass(frozen=True)
class SnapGrid:
    """Points moved together in the cells of a grid, and the lines between the cells."""

    points: Points  # each at the middle of its cell; cells without points between two others belong to neither
    # pair of (cells + 1,) float64: across x and y: the lines around the cells that hold points, outer sides included;
    # all free
    lines: tuple[np.ndarray, np.ndarray]

    def line_at(self, axis: int, places: np.ndarray) -> np.ndarray:
        """The grid line that lies between the same cells as each place."""
        lines = self.lines[axis]
        middles = lines[:-1] + 0.5 * np.diff(lines)
        return lines[np.searchsorted(middles, places, "left")]


def snappable(algorithm: Algorithm) -> Algorithm:
    """The same algorithm with the option `snap`."""
    function = algorithm.function

    @wraps(function)
    def run_on_grid(points: Points, k: int, run: Run, *, snap: float | None, **options: Any) -> Outcome:
        if snap is None:
            return function(points, k, run, **options)
        grid = snap_grid(points, snap)

        def heard(report: Progress) -> bool:
            """The progress reported for cells, translated to their points."""
            solution = report.solution
            restored = None if solution is None else lambda: off_grid(grid, solution())
            return run.goes_on(report.done, report.best, None, report.message, restored)

        return off_grid(grid, function(grid.points, k, Run(run.seed, None, heard), **options))

    return replace(algorithm, function=run_on_grid, options=(*algorithm.options, SNAP))


def snap_grid(points: Points, snap: float) -> SnapGrid:
    """Points, as far as the lines of a grid distinguish them.

    A grid line is free when no point has it as its coordinate. Cuts along free lines cannot separate points with no
    free line between them; for all others they can do what cuts between points can do. So an algorithm that works on
    cells instead of points solves the problem along the grid, with all its guarantees, for the cells' weights.

    Parameters
    ----------
    snap : Size of the grid in the unit of the coordinates; lines are at its multiples.

    Raises
    ------
    InvalidInput : Lines that cannot be distinguished or counted.

    Complexity
    ----------
    O(n log n).

    >>> grid = snap_grid(Points([(0.1, 5), (0.2, 5), (0.6, 5), (1.0, 5), (3.2, 5)]), 0.5)
    >>> grid.lines[0].tolist(), grid.points.xy[:, 0].tolist()
    ([0.0, 0.5, 2.0, 3.5], [0.25, 0.25, 1.25, 1.25, 2.75])
    """
    _require_grid(points, snap)
    lines, middles = [], []
    for values in points.xy.T:
        distinct, numbers = np.unique(values, return_inverse=True)
        between = _between(distinct[:-1], distinct[1:], snap)
        cell = np.concatenate([[0], np.cumsum(~np.isnan(between))])
        low, high = _outside(distinct[[0, -1]], snap)
        around = np.concatenate([[low], between[~np.isnan(between)], [high]])
        lines.append(around)
        middles.append((around[:-1] + 0.5 * np.diff(around))[cell[numbers]])
    cells = Points(np.column_stack(middles), points.weights, crs=points.crs, unit=points.unit)
    return SnapGrid(cells, (lines[0], lines[1]))


def off_grid(grid: SnapGrid, outcome: Outcome) -> Outcome:
    """An outcome for cells as one for their points: lines become grid lines, the outer sides those of the grid.

    A bound on the largest cell class does not hold for the points, between which more lines could be drawn.
    """
    details: Any = outcome.details
    rectangles, splits = details.rectangles.copy(), details.splits.copy()
    box = rectangles[:, :2].min(axis=0), rectangles[:, 2:].max(axis=0)
    for axis in range(2):
        for side, outer in ((axis, 0), (2 + axis, 1)):
            at_edge = rectangles[:, side] == box[outer][axis]
            inner = grid.line_at(axis, rectangles[:, side])
            rectangles[:, side] = np.where(at_edge, grid.lines[axis][-outer], inner)
        mine = splits[:, 1] == axis
        splits[mine, 2] = grid.line_at(axis, splits[mine, 2])
    return Outcome(outcome.assignment, replace(details, rectangles=rectangles, splits=splits), outcome.guarantee)


def _between(low: np.ndarray, high: np.ndarray, snap: float) -> np.ndarray:
    """The multiple nearest to the middle of each gap between neighboring coordinates; NaN if there is none."""
    first, last = np.floor(low / snap), np.ceil(high / snap)
    for _ in range(2):  # twice, because the quotient may be rounded
        first += first * snap <= low
        last -= last * snap >= high
    return np.where(first <= last, (first + np.floor((last - first) / 2)) * snap + 0.0, np.nan)


def _outside(extremes: np.ndarray, snap: float) -> tuple[float, float]:
    """The nearest multiples beyond the lowest and the highest coordinate."""
    low, high = np.floor(extremes[0] / snap), np.ceil(extremes[1] / snap)
    low -= low * snap >= extremes[0]
    high += high * snap <= extremes[1]
    return float(low * snap + 0.0), float(high * snap + 0.0)


def _require_grid(points: Points, snap: float) -> None:
    farthest = float(np.abs(points.xy).max())
    if farthest > snap * FINEST:
        raise InvalidInput(
            f"A grid of {number_text(snap)} is too fine for coordinates as large as {number_text(farthest)}; choose "
            f"one of at least {number_text(farthest / FINEST, 2)}."
        )
    with np.errstate(over="ignore"):
        sides = [_outside(np.array([values.min(), values.max()]), snap) for values in points.xy.T]
    if not np.isfinite(sides).all():
        raise InvalidInput(f"A grid of {number_text(snap)} is too coarse for these coordinates; choose a smaller one.")
