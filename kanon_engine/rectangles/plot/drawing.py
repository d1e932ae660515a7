"""What the pictures draw: rectangles and points on a map or in the plane, and density where points are many."""

from __future__ import annotations

import numpy as np

from kanon_engine.plot.maps import FEW_POINTS, MERCATOR_LIMIT, Marks, marks_of, most_of
from kanon_engine.rectangles.instance import Points


def on_map(points: Points) -> bool:
    """Whether the points have a place on a map: their coordinate system is known."""
    return points.crs is not None


def lonlat(points: Points, xy: np.ndarray) -> np.ndarray:
    """(p, 2) longitudes and latitudes of coordinates in the points' system."""
    if not points.geographic:
        from pyproj import Transformer

        change = Transformer.from_crs(points.crs, "EPSG:4326", always_xy=True)
        xy = np.column_stack(change.transform(xy[:, 0], xy[:, 1]))
        middle = change.transform(*((points.box[:2] + points.box[2:]) / 2))[0]
        xy[:, 0] = middle + (xy[:, 0] - middle + 180) % 360 - 180  # across the 180th meridian longitudes run on
    return np.column_stack([xy[:, 0], np.clip(xy[:, 1], -MERCATOR_LIMIT, MERCATOR_LIMIT)])


def outlines(points: Points, rectangles: np.ndarray) -> list[np.ndarray]:
    """The closed outline of each rectangle, (v, 2); sides that bend on the map have more vertices than corners.

    A box without width or height is drawn with a little, or nothing of it would be seen.
    """
    longest = (points.box[2:] - points.box[:2]).max()
    extent = rectangles[:, 2:].max(axis=0) - rectangles[:, :2].min(axis=0)
    breadth = np.where(extent > 0, 0, 0.02 * longest if longest > 0 else 1e-3)
    low, high = rectangles[:, :2] - breadth, rectangles[:, 2:] + breadth
    along = np.linspace(0, 1, 2 if points.geographic or not on_map(points) else 9)[:-1, None]
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    steps = [
        np.array(a) + along * (np.array(b) - np.array(a))
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    unit = np.vstack([*steps, [[0, 0]]])
    rings = low[:, None, :] + unit[None, :, :] * (high - low)[:, None, :]
    if on_map(points):
        rings = lonlat(points, rings.reshape(-1, 2)).reshape(rings.shape)
    return list(rings)


def marks(points: Points, some: np.ndarray | None = None) -> Marks:
    """Every point while they are few; else the non-empty cells of a grid, larger where more points lie.

    Those alone that `some`, (n,) bool, picks, where it is given.
    """
    return marks_of(points.xy if some is None else points.xy[some], points.box, len(points) > FEW_POINTS)


def first_look(points: Points) -> np.ndarray:
    """(2, 2) lower left and upper right of what a map shows first, as `most_of` has it."""
    return most_of(points.xy, points.weights, points.box)
