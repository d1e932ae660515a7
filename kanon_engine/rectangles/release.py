"""What of rectangles leaves as a file, and whether it may be published: only where they were made on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely

from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import Generalization
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.projection_shapes import lonlat_shapes, on_globe, plain_shape
from kanon_engine.release import groups_frame
from kanon_engine.release.made import groups_released, require_no_columns
from kanon_engine.release.publication import Offered, groups_offered, shapes_offered
from kanon_engine.release.released import Released

if TYPE_CHECKING:
    import geopandas
    from plotly import graph_objects as go

    from kanon_engine.plot.maps import Atlas

SIDE_NAMES = ("xmin", "ymin", "xmax", "ymax")
SIDES = (
    "Internal: without a grid the outer sides are the outermost points' own coordinates, and inner sides may lie "
    "halfway between two points. Set “Snap” (--snap) to make one that may be published."
)


def files(
    points: Points,
    g: Generalization,
    area: shapely.Geometry | None = None,
    background: Atlas | geopandas.GeoDataFrame | None = None,
) -> list[Offered]:
    """The rectangles and their sizes.

    Parameters
    ----------
    area : Polygon or MultiPolygon, optional
        A study area, at which further shapes are cut off.
    background : Atlas or GeoDataFrame, optional
        For the picture alone.
    """
    snap = g.options["snap"]
    free = snap is not None
    sides = f"All sides are multiples of {snap:.10g}, and none is a point's own coordinate." if free else SIDES
    words = f"The rectangle of every group with its size; no point. {sides}"
    offered = [shapes_offered(g, words, free, lambda: shapes_frame(points, g))]
    if area is not None:
        words = (
            "For maps: the shapes are cut off at your study area. The groups are still the whole rectangles, whose "
            f"sides stand beside them; no point. {sides}"
        )
        cut = replace(shapes_offered(g, words, free, lambda: shapes_frame(points, g, area=area)), key="area")
        offered.append(replace(cut, label="Groups in the study area", name="area", endings=("gpkg",)))
    contents = f"The sides of every rectangle and its size; no point. {sides}"
    table = lambda: pd.DataFrame(shapes_frame(points, g).drop(columns="geometry"))  # noqa: E731
    return [*offered, groups_offered(g, contents, free, table)]


def frame(points: Points, g: Generalization, keep: Sequence[str] = ()) -> geopandas.GeoDataFrame:
    """The rectangles of the groups, where they were made on a grid."""
    require_grid(g)
    return shapes_frame(points, g)


def released(
    points: Points, g: Generalization, keep: Sequence[str] | None = None, sensitive: Sequence[str] | None = None
) -> Released:
    """The groups with the sides of their rectangles."""
    require_grid(g)
    require_no_columns("points", keep, sensitive)
    return groups_released(points, g, dict(zip(SIDE_NAMES, g.details.rectangles.T, strict=True)))


def require_grid(g: Generalization) -> None:
    """Raise `InvalidInput` for rectangles whose sides tell coordinates of points."""
    if g.options["snap"] is None:
        raise InvalidInput(
            "These rectangles may not leave: without a grid their sides are coordinates of points, or halfway between "
            "two. Give generalize a grid, as snap=0.01.",
            parameter="snap",
        )


def private(points: Points, g: Generalization, frame: pd.DataFrame) -> str:
    """A coordinate of a point that is the side of a rectangle; "" where none is."""
    for axis, names in enumerate((("xmin", "xmax"), ("ymin", "ymax"))):
        for name in names:
            if name in frame.columns and np.isin(frame[name].to_numpy(dtype=np.float64), points.xy[:, axis]).any():
                return f"the coordinate of a point, in “{name}”"
    return ""


def picture(
    points: Points,
    g: Generalization,
    area: shapely.Geometry | None = None,
    background: Atlas | geopandas.GeoDataFrame | None = None,
) -> go.Figure:
    """The rectangles without points, over outlines to orient the picture by."""
    from kanon_engine.rectangles.plot import rectangles_figure

    return rectangles_figure(points, g, area=area, background=background, exact=False)


def pictured(points: Points, g: Generalization, **surroundings: Any) -> tuple[str, bool]:
    """What is in the picture, and whether it may be published."""
    free = g.options["snap"] is not None
    return "Unlike on the page, no point is in it." if free else SIDES, free


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
    for name, sides in zip(SIDE_NAMES, g.details.rectangles.T, strict=True):
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
