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
    classes = np.full(len(xy), -1, dtype=np.int64)
    rectangles = g.details.rectangles
    x, y = _as_cut(points, xy, rectangles).T
    right, top = rectangles[:, 2].max(), rectangles[:, 3].max()
    for number, (xmin, ymin, xmax, ymax) in enumerate(rectangles.tolist()):
        across = (x >= xmin) & ((x < xmax) | ((x == xmax) & (xmax == right)))
        up = (y >= ymin) & ((y < ymax) | ((y == ymax) & (ymax == top)))
        classes[across & up] = number
    reasons = np.where(classes >= 0, "", np.where(there, "outside of all rectangles", BLANK)).astype(object)
    shown = {"group": np.arange(1, g.classes + 1).tolist()}
    sides = {name: values.tolist() for name, values in zip(SIDE_NAMES, rectangles.T, strict=True)}
    return Placed(classes, reasons, tuple(by), shown | sides)


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
