"""A study area: where rectangles are cut off for display."""

from __future__ import annotations

from typing import Any

import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.io.confined import confined
from kanon_engine.io.coordinates import is_degrees
from kanon_engine.io.geofile import read_shapes
from kanon_engine.io.source import Source


@confined("file")
def study_area(
    file: Any, filename: str | None = None, *, on_map: bool = True, layer: str | None = None
) -> shapely.Geometry:
    """The union of all areas in a file.

    Parameters
    ----------
    file : path, bytes or readable object
        Areas as GeoJSON, GeoPackage, FlatGeobuf, TopoJSON, GeoParquet or a zipped shapefile.
    filename : str, optional
        What to call it in sentences.
    on_map : bool
        Whether the points have a place on earth: then the area is turned into longitude and latitude.
    layer : str, optional
        The one of a file with several.

    Returns
    -------
    Polygon or MultiPolygon

    Raises
    ------
    InvalidInput
        Another kind of file, no areas, areas without a coordinate system that are not in degrees.
    """
    source = Source.open(file, filename)
    frame, _ = read_shapes(source, layer)
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
