"""The released rectangles as a table with shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import shapely

from kanon_engine.model.generalization import Generalization
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.projection_shapes import lonlat_shapes, on_globe, plain_shape
from kanon_engine.release import groups_frame

if TYPE_CHECKING:
    import geopandas


def shapes_frame(points: Points, g: Generalization, *, area: shapely.Geometry | None = None) -> geopandas.GeoDataFrame:
    """One row a group, for GeoPackage, GeoJSON or CSV; nothing in it speaks of a single record.

    Parameters
    ----------
    points : Points
    g : Generalization
    area : Polygon or MultiPolygon, optional
        A study area to cut the shapes off at, for display: the groups are still the whole rectangles of the sides. In
        longitude and latitude, or in the points' own coordinates where these have no place on earth.

    Returns
    -------
    GeoDataFrame
        The columns of `groups_frame`, the sides xmin, ymin, xmax and ymax, and geometry, both in the points' coordinate
        system; only the shapes of points that a reader projected are in longitude and latitude again, and those beyond
        the 180th meridian are split there. Where all points lie on one line, or at one place, the shapes are lines or a
        point.

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
    in_degrees = points.crs is not None and (points.geographic or points.reading.get("project") is not None)
    if in_degrees:
        shapes = lonlat_shapes(g.details.rectangles, str(points.crs))
    else:
        shapes = [plain_shape(*sides) for sides in g.details.rectangles.tolist()]
    if area is not None:
        if in_degrees:
            area = on_globe(area)
        elif points.crs is not None:
            area = geopandas.GeoSeries([area], crs="EPSG:4326").to_crs(points.crs).iloc[0]
        shapes = list(shapely.intersection(shapes, area))
    crs = "EPSG:4326" if in_degrees and not points.geographic else points.crs
    return geopandas.GeoDataFrame(frame, geometry=shapes, crs=crs)
