"""Lengths and areas on the ground, whatever the coordinates of shapes are in."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from kanon_engine.io.crs import is_degrees

EQUAL_AREA = "EPSG:6933"  # cylindrical, of the whole ellipsoid: areas are true everywhere
SQUARE_KM = 1e6


def metres(lines: np.ndarray, crs: Any) -> np.ndarray | None:
    """Length of each, on the ellipsoid where coordinates are degrees; None without a coordinate system.

    Parameters
    ----------
    lines : (n,) array of lines, or of collections with lines
    crs : pyproj.CRS or None

    Example
    -------
    >>> from pyproj import CRS
    >>> metres(shapely.linestrings([[(0, 0), (0, 1)]]), CRS("EPSG:4326")).round().tolist()
    [110574.0]
    """
    if crs is None:
        return None
    if not is_degrees(crs):
        return shapely.length(lines) * crs.axis_info[0].unit_conversion_factor
    pieces, owner = shapely.get_parts(lines, return_index=True)
    strings = shapely.get_type_id(pieces) == shapely.GeometryType.LINESTRING
    points, string = shapely.get_coordinates(pieces[strings], return_index=True)
    steps = string[1:] == string[:-1]  # not from the end of one line to the beginning of the next
    start, end = points[:-1][steps], points[1:][steps]
    lengths = crs.get_geod().inv(start[:, 0], start[:, 1], end[:, 0], end[:, 1])[2]
    return np.bincount(owner[strings][string[1:][steps]], lengths, minlength=len(lines))


def square_kilometres(shapes: np.ndarray, crs: Any) -> np.ndarray | None:
    """(n,) float64: the area of each shape in an equal-area projection; None without a coordinate system.

    Parameters
    ----------
    shapes : (n,) array of polygons and multipolygons
        Longitudes from -180 to 180.
    crs : pyproj.CRS, text, or None

    Example
    -------
    >>> from pyproj import Geod
    >>> box = shapely.box(10, 50, 11, 51)
    >>> whole = abs(Geod(ellps="WGS84").geometry_area_perimeter(shapely.segmentize(box, 0.001))[0]) / 1e6
    >>> float(round(square_kilometres(np.array([box]), "EPSG:4326")[0] / whole, 4))
    1.0
    """
    if crs is None:
        return None
    from pyproj import Transformer

    change = Transformer.from_crs(crs, EQUAL_AREA, always_xy=True)
    flat = shapely.transform(shapes, lambda places: np.column_stack(change.transform(*places.T)))
    return np.asarray(shapely.area(flat)) / SQUARE_KM
