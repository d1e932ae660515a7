"""Records of one's own among rectangles: the one that each place lies in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.io.coordinates import numbers_of
from kanon_engine.rectangles.read.positions import westward
from kanon_engine.rectangles.release import SIDE_NAMES, require_grid
from kanon_engine.release.placing import BLANK, Placed

if TYPE_CHECKING:
    import pandas as pd

    from kanon_engine.model.generalization import Generalization
    from kanon_engine.rectangles.instance import Points


def placed(points: Points, g: Generalization, records: pd.DataFrame, by: Sequence[str]) -> Placed:
    """The sides of rectangles in place of coordinates, which are read as those of the points were."""
    require_grid(g)
    if len(by) != 2:
        raise InvalidInput("Name the two columns of x and y, or of longitude and latitude, that the records have.")
    xy = np.column_stack([numbers_of(records[name])[0] for name in by])
    there = np.isfinite(xy).all(axis=1)
    classes = rectangle_of(_as_cut(points, xy, g.details.rectangles), g.details.rectangles)
    reasons = np.where(classes >= 0, "", np.where(there, "outside of all rectangles", BLANK)).astype(object)
    shown = {"group": np.arange(1, g.classes + 1).tolist()}
    sides = {name: values.tolist() for name, values in zip(SIDE_NAMES, g.details.rectangles.T, strict=True)}
    return Placed(classes, reasons, tuple(by), shown | sides)


def rectangle_of(xy: np.ndarray, rectangles: np.ndarray) -> np.ndarray:
    """The rectangle that each place lies in.

    Parameters
    ----------
    xy : (n, 2) float array
        Places; one that is no number lies nowhere.
    rectangles : (m, 4) float array
        As `RectangleDetails` has them.

    Returns
    -------
    (n,) int64 array
        -1 where a place lies in none.

    Complexity
    ----------
    O(n log n + m log n), and each rectangle is compared with the places that lie as far east.

    Example
    -------
    >>> rectangle_of(np.array([[2.0, 1.0], [1.0, 0.0], [3.0, 0.0]]), np.array([[0, 0, 1, 1], [1, 0, 2, 1]])).tolist()
    [1, 1, -1]
    """
    order = np.argsort(xy[:, 0], kind="stable")
    x, y = xy[order].T  # what is no number stands last
    right, top = rectangles[:, 2].max(), rectangles[:, 3].max()
    found = np.full(len(xy), -1, dtype=np.int64)
    for number, (xmin, ymin, xmax, ymax) in enumerate(rectangles.tolist()):
        first = np.searchsorted(x, xmin, side="left")
        last = np.searchsorted(x, xmax, side="right" if xmax == right else "left")
        own = y[first:last]
        found[order[first:last][(own >= ymin) & ((own < ymax) | ((own == ymax) & (ymax == top)))]] = number
    return found


def _as_cut(points: Points, xy: np.ndarray, rectangles: np.ndarray) -> np.ndarray:
    """Coordinates in the system that the rectangles are cut in."""
    if points.reading.get("project") is not None:
        from pyproj import Transformer

        come_from = points.reading.get("crs") or "EPSG:4326"
        moved = Transformer.from_crs(come_from, points.crs, always_xy=True).transform(xy[:, 0], xy[:, 1])
        return np.column_stack(moved)
    if not points.geographic:
        return xy
    west, east = rectangles[:, 0].min(), rectangles[:, 2].max()
    x = westward(xy[:, 0])
    # longitudes across the 180th meridian were counted on
    return np.column_stack([np.where((x < west) & (x + 360 <= east), x + 360, x), xy[:, 1]])
