"""Cut lines and outer sides on a grid, so that no number in a release is a point's own coordinate."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from kanon_engine.algorithm import Algorithm, Option
from kanon_engine.errors import InvalidInput
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.snap_kernels import NO_CUT, snap_all
from kanon_engine.run import Outcome, Run

SNAP = Option(
    "snap",
    "number",
    None,
    (),
    "Puts every line and outer side on a multiple of this size, in the unit of the coordinates (degrees, or metres "
    "where they are projected), and on no point's own coordinate. The ceiling above then no longer holds.",
    minimum=1e-12,
)
FINEST = 2.0**50  # so many grid lines between 0 and the farthest coordinate can be told apart
NUMBERS = np.iinfo(np.int64)


def snappable(algorithm: Algorithm) -> Algorithm:
    """The same algorithm with the option `snap`."""
    function = algorithm.function

    @wraps(function)
    def run_and_snap(points: Points, k: int, run: Run, *, snap: float | None, **options: Any) -> Outcome:
        if snap is None:
            return function(points, k, run, **options)
        require_grid(points, snap)
        return snapped(points, k, function(points, k, run, **options), snap)

    return replace(algorithm, function=run_and_snap, options=(*algorithm.options, SNAP))


def snapped(points: Points, k: int, outcome: Outcome, snap: float) -> Outcome:
    """Cuts along a grid after the model of an outcome's cuts; every class still weighs at least k.

    Guarantee: none on the cost. Bounds stay true: cut off at the points' bounding box, a tiling along the grid is one
    of those that they speak of.

    From the outermost cut inwards, a cut moves to the grid line across the same axis that comes nearest to its shares
    of the weight: of those that leave room for as many classes as it had on both sides, else of those that leave k.
    Where there is none, and where the model has no cut, the most balanced grid line across either axis is taken while
    one leaves k on both sides; otherwise what was cut stays one rectangle. Grid lines through a point are never taken,
    so that points with equal coordinates stay together and no line gives a coordinate away. Where the model is no
    sequence of cuts, all cuts are found so.

    Parameters
    ----------
    points : Points
    k : int
    outcome : Outcome
        Of any algorithm of this family.
    snap : float
        Size of the grid in the unit of the coordinates; lines are at its multiples.

    Returns
    -------
    Outcome

    Complexity
    ----------
    O(n log n) to sort, and O(n) a level of the tree.

    Example
    -------
    >>> points = Points([(0.11, 0.5), (0.52, 0.5), (0.93, 0.5), (1.34, 0.5)])
    >>> from kanon_engine.rectangles.instance import RectangleDetails
    >>> sides = np.array([[0.11, 0.5, 0.7, 0.5], [0.7, 0.5, 1.34, 0.5]])
    >>> half = Outcome(np.array([0, 0, 1, 1]), RectangleDetails(sides, np.array([[0, 0, 0.7]]), "balanced"), 3)
    >>> snapped(points, 2, half, 0.25).details.rectangles.tolist()
    [[0.0, 0.25, 0.75, 0.75], [0.75, 0.25, 1.5, 0.75]]
    """
    xy = np.ascontiguousarray(points.xy.T)
    order = np.argsort(xy, axis=1, kind="stable")
    taken = _taken(xy, snap)
    tree = _model(points, outcome)
    ranges, boxes, splits = snap_all(xy, points.weights, order, k, float(snap), grid_box(points, snap), tree, taken)
    leaf = np.ones(len(boxes), dtype=bool)
    leaf[splits[:, 0].astype(np.int64)] = False
    leaves = np.flatnonzero(leaf)
    leaves = leaves[np.argsort(ranges[leaves, 0])]
    assignment = np.empty(len(points), dtype=np.int32)
    assignment[order[0]] = np.repeat(np.arange(len(leaves), dtype=np.int32), np.diff(ranges[leaves], axis=1).ravel())
    details = replace(outcome.details, rectangles=boxes[leaves], splits=splits)  # type: ignore[type-var, call-arg]
    return Outcome(assignment, details, None, outcome.bound)


def grid_box(points: Points, snap: float) -> np.ndarray:
    """(4,) xmin, ymin, xmax, ymax: the smallest box with sides on the grid that no point touches."""
    low, high = points.xy.min(axis=0), points.xy.max(axis=0)
    south_west, north_east = np.floor(low / snap), np.ceil(high / snap)
    south_west -= south_west * snap >= low
    north_east += north_east * snap <= high
    return np.concatenate([south_west, north_east]) * snap + 0.0


def require_grid(points: Points, snap: float) -> None:
    """Refuse a grid whose lines cannot be told apart or counted."""
    farthest = float(np.abs(points.xy).max())
    if farthest > snap * FINEST:
        raise InvalidInput(
            f"A grid of {snap:g} is too fine for coordinates as large as {farthest:g}; choose one of at least "
            f"{farthest / FINEST:.2g}."
        )
    with np.errstate(over="ignore"):
        if not np.isfinite(grid_box(points, snap)).all():
            raise InvalidInput(f"A grid of {snap:g} is too coarse for these coordinates; choose a smaller one.")


def _taken(xy: np.ndarray, snap: float) -> np.ndarray:
    """(2, t) int64, rising: the grid lines, by number, that are a point's x or y; filled up with the largest number."""
    rows = []
    for values in xy:
        numbers = np.rint(values / snap)
        rows.append(np.unique(numbers[numbers * snap == values]).astype(np.int64))
    taken = np.full((2, max(len(row) for row in rows)), NUMBERS.max)
    for axis, row in enumerate(rows):
        taken[axis, : len(row)] = row
    return taken


def _model(points: Points, outcome: Outcome) -> np.ndarray:
    """(parts, 4) int64: axis, low side, leaves and weight of every part of the outcome's cuts; see `snap_all`."""
    details: Any = outcome.details
    weights = np.bincount(outcome.assignment, weights=points.weights).astype(np.int64)
    splits = details.splits
    if len(splits) != len(weights) - 1:  # a tiling that no sequence of cuts makes
        return np.array([[NO_CUT, NO_CUT, 1, points.total]])
    parts, axes = splits[:, 0].astype(np.int64), splits[:, 1].astype(np.int64)
    boxes = np.tile(points.box, (2 * len(splits) + 1, 1))
    for number, (part, axis, line) in enumerate(zip(parts.tolist(), axes.tolist(), splits[:, 2].tolist(), strict=True)):
        boxes[2 * number + 1 : 2 * number + 3] = boxes[part]
        boxes[2 * number + 1, 2 + axis] = boxes[2 * number + 2, axis] = line
    tree = np.full((len(boxes), 4), NO_CUT, dtype=np.int64)
    tree[parts, 0] = axes
    tree[parts, 1] = 2 * np.arange(len(splits)) + 1
    class_of = {tuple(box): number for number, box in enumerate(details.rectangles.tolist())}
    leaves = np.flatnonzero(tree[:, 0] == NO_CUT)
    tree[leaves, 2] = 1
    tree[leaves, 3] = weights[[class_of[tuple(box)] for box in boxes[leaves].tolist()]]
    for part in parts[::-1].tolist():
        low = tree[part, 1]
        tree[part, 2:] = tree[low, 2:] + tree[low + 1, 2:]
    return tree
