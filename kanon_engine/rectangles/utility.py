"""What a grouping of points into rectangles loses: how large they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.io.coordinates import is_degrees, square_kilometres
from kanon_engine.model.measure import Measure, short
from kanon_engine.rectangles.projection_shapes import lonlat_shapes

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization
    from kanon_engine.rectangles.instance import Points

STEPS = 32  # of a line through the middle: a parallel is no shortest way
AREA = "Area in a cylindrical equal-area projection of the ellipsoid (EPSG:6933)."
PLAIN = "In the unit of the coordinates, whose place on earth is not known."
SIDES = "Along lines through the middle of each rectangle, on the ellipsoid."


def utility(points: Points, g: Generalization) -> tuple[Measure, ...]:
    """Area and sides of the rectangles."""
    on_earth = points.crs is not None
    areas, sides = _areas(points, g), _sides(points, g)
    square, length = ("km²", "km") if on_earth else ("square units", "units")
    weights = g.class_weights
    mean = float(areas @ weights / weights.sum())
    area_source, side_source = (AREA, SIDES) if on_earth else (PLAIN, PLAIN)
    return (
        Measure(
            "area-median",
            "Area of the middle rectangle",
            float(np.median(areas)),
            f"{short(float(np.median(areas)))} {square}",
            "Half of the rectangles are not larger than this.",
            area_source,
        ),
        Measure(
            "area-largest",
            "Largest area of a rectangle",
            float(areas.max()),
            f"{short(float(areas.max()))} {square}",
            "In the largest rectangle a place is known to this area only.",
            area_source,
        ),
        Measure(
            "area-of-person",
            f"Area of the rectangle, on average over {points.unit}",
            mean,
            f"{short(mean)} {square}",
            "How large the rectangle is that one of them is in, on average.",
            f"Areas weighted by {points.unit}. {area_source}",
        ),
        Measure(
            "side-median",
            "Longer side of the middle rectangle",
            float(np.median(sides)),
            f"{short(float(np.median(sides)))} {length}",
            "Half of the rectangles are not longer than this.",
            side_source,
        ),
        Measure(
            "side-largest",
            "Longest side of a rectangle",
            float(sides.max()),
            f"{short(float(sides.max()))} {length}",
            "So far apart two places can be that the release does not tell apart.",
            side_source,
        ),
    )


def _areas(points: Points, g: Generalization) -> np.ndarray:
    west, south, east, north = g.details.rectangles.T
    if points.crs is None:
        return np.asarray((east - west) * (north - south))
    shapes = np.asarray(lonlat_shapes(g.details.rectangles, points.crs), dtype=object)
    areas = square_kilometres(shapes, "EPSG:4326")
    return np.zeros(len(shapes)) if areas is None else areas


def _sides(points: Points, g: Generalization) -> np.ndarray:
    """(m,) float64: the longer side of each, in km where places are known."""
    west, south, east, north = g.details.rectangles.T
    if points.crs is None:
        return np.asarray(np.maximum(east - west, north - south))
    part = np.linspace(0, 1, STEPS + 1)
    along = west[:, None] + (east - west)[:, None] * part
    up = south[:, None] + (north - south)[:, None] * part
    across = _kilometres(along, np.broadcast_to(((south + north) / 2)[:, None], along.shape), points.crs)
    return np.maximum(across, _kilometres(np.broadcast_to(((west + east) / 2)[:, None], up.shape), up, points.crs))


def _kilometres(x: np.ndarray, y: np.ndarray, crs: str) -> np.ndarray:
    """(m,): how long lines through these places are, a row a line."""
    from pyproj import Geod, Transformer

    if not is_degrees(crs):
        change = Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
        x, y = (np.reshape(values, x.shape) for values in change.transform(x.ravel(), y.ravel()))
    start, end = (slice(None), slice(-1)), (slice(None), slice(1, None))
    steps = Geod(ellps="WGS84").inv(x[start].ravel(), y[start].ravel(), x[end].ravel(), y[end].ravel())[2]
    return np.reshape(steps, (len(x), -1)).sum(axis=1) / 1000
