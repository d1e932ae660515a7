"""Rectangles cut off at a study area, for display alone: the classes are still the whole rectangles."""

from __future__ import annotations

import numpy as np
import shapely
from shapely.affinity import translate

from kanon_engine.plot.maps import Outline, whole


def beside(area: shapely.Geometry, west: float, east: float) -> shapely.Geometry:
    """An area of longitudes where points lie whose longitudes run on beyond 180°."""
    middle = (west + east) / 2
    world = shapely.box(middle - 180, -91, middle + 180, 91)
    return shapely.union_all([shapely.intersection(translate(area, 360 * turn), world) for turn in (-1, 0, 1)])


def clipped(rings: list[np.ndarray], area: shapely.Geometry) -> list[Outline]:
    """What lies in the area of each ring; nothing of those that lie outside."""
    shapes = shapely.polygons([shapely.linearrings(ring) for ring in rings])
    shapely.prepare(area)
    inside = shapely.contains_properly(area, shapes)
    outlines = whole(rings)
    for place in np.flatnonzero(~inside).tolist():
        parts = shapely.get_parts(shapely.intersection(shapes[place], area))
        outlines[place] = [
            [shapely.get_coordinates(ring) for ring in (part.exterior, *part.interiors)]
            for part in parts
            if part.geom_type == "Polygon" and not part.is_empty
        ]
    return outlines


def borders(area: shapely.Geometry) -> list[np.ndarray]:
    """The lines around an area."""
    return [shapely.get_coordinates(line) for line in shapely.get_parts(shapely.boundary(shapely.get_parts(area)))]
