"""The released rectangles as a table with shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from kanon_engine.generalization import Generalization
from kanon_engine.rectangles.instance import Points
from kanon_engine.release import groups_frame

if TYPE_CHECKING:
    import geopandas


def shapes_frame(points: Points, g: Generalization) -> geopandas.GeoDataFrame:
    """One row a group, for GeoPackage, GeoJSON or CSV; nothing in it speaks of a single record.

    Parameters
    ----------
    points : Points
    g : Generalization

    Returns
    -------
    GeoDataFrame
        The columns of `groups_frame`, the sides xmin, ymin, xmax and ymax, and geometry, both in the points' coordinate
        system. Where all points lie on one line, or at one place, the shapes are lines or a point.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = kanon.Points([(0, 0), (1, 2), (2, 1), (3, 1)])
    >>> shapes_frame(line, kanon.generalize(line, 2))["geometry"].to_wkt().tolist()[0]
    'POLYGON ((1.5 0, 1.5 2, 0 2, 0 0, 1.5 0))'
    """
    import geopandas

    frame = groups_frame(points, g)
    for name, sides in zip(("xmin", "ymin", "xmax", "ymax"), g.details.rectangles.T, strict=True):
        frame[name] = sides
    shapes = [_shape(*sides) for sides in g.details.rectangles.tolist()]
    return geopandas.GeoDataFrame(frame, geometry=shapes, crs=points.crs)


def _shape(west: float, south: float, east: float, north: float) -> shapely.Geometry:
    if west < east and south < north:
        return shapely.box(west, south, east, north)
    if west == east and south == north:
        return shapely.Point(west, south)
    return shapely.LineString([(west, south), (east, north)])
