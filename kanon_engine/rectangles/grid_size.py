"""A size of the grid to begin with."""

from __future__ import annotations

import math

import numpy as np

from kanon_engine.model.run import Run
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.kd_tree import kd_tree
from kanon_engine.rectangles.snap import snap_grid

ENOUGH = 20_000  # points that tell how large rectangles become
LINES = 16  # grid lines across a small rectangle, so that cuts move little
SMALL = 0.02  # this share of the rectangles' sides is smaller
MOST_DECIMALS = 8
MOST_HALVINGS = 24  # halvings of the box
FINEST_DEGREES = 2.0**-13  # some 14 metres


def suggested_snap(points: Points, k: int) -> float:
    """A power of two about a 16th as large as small rectangles at this k, in the unit of the coordinates.

    It is halved until no cell holds more than a 16th of k, unless a single location does.

    Where all coordinates have d decimals at most, 2 ** -(d + 1) is added unless the size is as small: then every other
    multiple has more decimals than a coordinate can have, and goes through no point however many there are.

    Example
    -------
    >>> suggested_snap(Points([(0.1, 0.1), (0.3, 0.2), (0.8, 0.9), (0.9, 0.7)]), 1)
    0.001953125
    """
    step = -(-len(points) // ENOUGH)
    some = Points(points.xy[::step], points.weights[::step], crs=points.crs)
    k = min(max(1, k // step), some.total)
    extent, farthest = float((points.box[2:] - points.box[:2]).max()), float(np.abs(points.xy).max())
    least = max(extent / 2.0**MOST_HALVINGS, farthest / 2.0**40, FINEST_DEGREES if points.geographic else 0.0)
    sides = _sides(some, k)
    size = float(np.quantile(sides, SMALL)) / LINES if len(sides) else 1.0 / LINES
    size = 2.0 ** math.floor(math.log2(max(size, least)))
    heaviest = max(k // LINES, int(some.location_weights.max()))
    while size / 2 >= least and snap_grid(some, size).points.location_weights.max() > heaviest:
        size /= 2
    if points.geographic:
        size = min(size, 1.0)
    decimals = next((number for number in range(MOST_DECIMALS) if (some.xy.round(number) == some.xy).all()), None)
    if decimals is not None and size >= 2.0**-decimals:
        size += 2.0 ** -(decimals + 1)
    return size


def _sides(points: Points, k: int) -> np.ndarray:
    """Lengths of the sides of the rectangles of a kd-tree, those without length left out."""
    rectangles = kd_tree(points, k, Run(), cut="balanced").details.rectangles  # type: ignore[attr-defined]
    sides = (rectangles[:, 2:] - rectangles[:, :2]).ravel()
    return sides[sides > 0]
