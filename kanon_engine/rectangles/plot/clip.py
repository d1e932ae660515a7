"""Rectangles cut off at a study area, for display alone: the classes are still the whole rectangles."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely
from shapely.affinity import translate

from kanon_engine.errors import InvalidInput
from kanon_engine.io.confined import confined
from kanon_engine.io.crs import is_degrees

Outline = list[list[np.ndarray]]  # polygons, each its outer ring and the rings of its holes


@confined("file")
def study_area(file: Any, filename: str | None = None, *, on_map: bool = True) -> shapely.Geometry:
    """The union of all areas in a file.

    Parameters
    ----------
    file : path, bytes or readable object
        Areas as GeoJSON, GeoPackage, FlatGeobuf, TopoJSON, GeoParquet or a zipped shapefile.
    filename : str, optional
        What to call it in sentences.
    on_map : bool
        Whether the points have a place on earth: then the area is turned into longitude and latitude.

    Returns
    -------
    Polygon or MultiPolygon

    Raises
    ------
    InvalidInput
        Another kind of file, no areas, areas without a coordinate system that are not in degrees.
    """
    from kanon_engine.io.geofile import read_shapes
    from kanon_engine.io.source import Source

    source = Source.open(file, filename)
    frame, _ = read_shapes(source)
    shapes = frame.geometry
    if on_map and shapes.crs is not None and not is_degrees(shapes.crs):
        shapes = shapes.to_crs("EPSG:4326")
    parts = shapely.get_parts(shapely.make_valid(shapes.to_numpy()[~shapes.isna().to_numpy()]))
    parts = shapely.get_parts(parts)
    parts = parts[(shapely.get_dimensions(parts) == 2) & ~shapely.is_empty(parts)]
    if not len(parts):
        raise InvalidInput(f"{source.name} holds no areas; load the study area as a polygon.")
    area = shapely.union_all(parts)
    west, south, east, north = area.bounds
    if on_map and not (west >= -360 and east <= 360 and south >= -90 and north <= 90):
        raise InvalidInput(
            f"{source.name} does not state its coordinate system and is not in degrees; save it with one, or in "
            "longitude and latitude."
        )
    return area


def beside(area: shapely.Geometry, west: float, east: float) -> shapely.Geometry:
    """An area of longitudes where points lie whose longitudes run on beyond 180°."""
    middle = (west + east) / 2
    world = shapely.box(middle - 180, -91, middle + 180, 91)
    return shapely.union_all([shapely.intersection(translate(area, 360 * turn), world) for turn in (-1, 0, 1)])


def whole(rings: list[np.ndarray]) -> list[Outline]:
    """Outlines that are not cut off."""
    return [[[ring]] for ring in rings]


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
