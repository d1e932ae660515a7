"""The released rectangles as a table with shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.generalization import Generalization
from kanon_engine.rectangles.instance import Points

if TYPE_CHECKING:
    import geopandas


def rectangles_frame(points: Points, g: Generalization) -> geopandas.GeoDataFrame:
    """One row a class, for GeoPackage, GeoJSON or CSV; nothing in it speaks of a single record.

    Parameters
    ----------
    points : Points
    g : Generalization

    Returns
    -------
    GeoDataFrame
        class (from 0), weight, unit, points, overfull_ratio (weight / k), the sides xmin, ymin, xmax and ymax, and
        geometry, both in the points' coordinate system. Where all points lie on one line, or at one place, the shapes
        are lines or a point.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> line = kanon.Points([(0, 0), (1, 2), (2, 1), (3, 1)])
    >>> rectangles_frame(line, kanon.generalize(line, 2))["geometry"].to_wkt().tolist()[0]
    'POLYGON ((1.5 0, 1.5 2, 0 2, 0 0, 1.5 0))'
    """
    import geopandas

    return geopandas.GeoDataFrame(
        {
            "class": np.arange(g.classes),
            "weight": g.class_weights,
            "unit": points.unit,
            "points": np.bincount(g.assignment, minlength=g.classes),
            "overfull_ratio": g.class_weights / g.k,
        }
        | dict(zip(("xmin", "ymin", "xmax", "ymax"), g.details.rectangles.T, strict=True)),
        geometry=[_shape(*sides) for sides in g.details.rectangles.tolist()],
        crs=points.crs,
    )


def _shape(west: float, south: float, east: float, north: float) -> shapely.Geometry:
    if west < east and south < north:
        return shapely.box(west, south, east, north)
    if west == east and south == north:
        return shapely.Point(west, south)
    return shapely.LineString([(west, south), (east, north)])
