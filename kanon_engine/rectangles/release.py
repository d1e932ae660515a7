"""What is released of rectangles as a file; it may be published only if they were made on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import shapely

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.coordinates import is_degrees, numbers_of, square_kilometers
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.measure import AREA, Measure, area_measures, short
from kanon_engine.model.words import counted
from kanon_engine.plot.colors import GRAY, INK
from kanon_engine.plot.drawing import WORDS, drawable, explain, shades, shape_axes, true_to_scale
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.projection import lonlat_shapes, on_globe, plain_shape, transformed
from kanon_engine.rectangles.read import westward
from kanon_engine.release import groups_frame
from kanon_engine.release.made import groups_released, require_no_columns
from kanon_engine.release.placing import BLANK, Placed
from kanon_engine.release.publication import Offered, groups_offered, shapes_offered
from kanon_engine.release.released import Released

if TYPE_CHECKING:
    import geopandas
    from matplotlib.figure import Figure
    from plotly import graph_objects as go

    from kanon_engine.plot.maps import Atlas

SIDE_NAMES = ("xmin", "ymin", "xmax", "ymax")
SIDES = (
    "Internal: without a grid the outer sides are the outermost points' own coordinates, and inner sides may lie "
    "halfway between two points. Set “Snap” (--snap) to make a release that may be published."
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
    area : Polygon or MultiPolygon, optional. A study area; further shapes are clipped to it.
    background : Atlas or GeoDataFrame, optional. For the picture alone.
    """
    snap = g.options["snap"]
    free = snap is not None
    sides = f"All sides are multiples of {snap:.10g}, and none is a point's own coordinate." if free else SIDES
    words = f"The rectangle and size of every group, without any points. {sides}"
    offered = [shapes_offered(g, words, free, lambda: shapes_frame(points, g))]
    if area is not None:
        words = (
            "For maps: shapes clipped to your study area. The groups are still the whole rectangles; the file also "
            f"lists their sides, without any points. {sides}"
        )
        cut = replace(shapes_offered(g, words, free, lambda: shapes_frame(points, g, area=area)), key="area")
        offered.append(replace(cut, label="Groups in the study area", name="area", endings=("gpkg",)))
    contents = f"The sides and size of every rectangle, without any points. {sides}"
    table = lambda: pd.DataFrame(shapes_frame(points, g).drop(columns="geometry"))  # noqa: E731
    return [*offered, groups_offered(g, contents, free, table)]


def frame(points: Points, g: Generalization, keep: Sequence[str] = ()) -> geopandas.GeoDataFrame:
    """The rectangles of the groups, if they were made on a grid."""
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
    """Raise `InvalidInput` for rectangles whose sides reveal coordinates of points."""
    if g.options["snap"] is None:
        raise InvalidInput(
            "These rectangles may not be released: without a grid their sides are coordinates of points, or halfway "
            "between two",
            remedy=Remedy("group the points again on a grid", "snap", 0.01, " or another spacing"),
        )


def private(points: Points, g: Generalization, frame: pd.DataFrame) -> str:
    """A coordinate of a point that is the side of a rectangle; "" if none is."""
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
    """The rectangles without points, over outlines for orientation."""
    from kanon_engine.rectangles.plot import rectangles_figure

    return rectangles_figure(points, g, area=area, background=background, exact=False)


def pictured(points: Points, g: Generalization, **surroundings: Any) -> tuple[str, bool]:
    """A description of the picture, and whether it may be published."""
    free = g.options["snap"] is not None
    return "Unlike the picture on the page, it shows no points." if free else SIDES, free


def shapes_frame(points: Points, g: Generalization, *, area: shapely.Geometry | None = None) -> geopandas.GeoDataFrame:
    """One row per group, for GeoPackage, GeoJSON or CSV; nothing in it is about a single record.

    Parameters
    ----------
    area : Polygon or MultiPolygon, optional
        A study area to clip the shapes to, for display: the groups are still the whole rectangles given by the sides.
        In longitude and latitude, or in the points' own coordinates if these have no location on Earth.

    Returns
    -------
    GeoDataFrame
        The columns of `groups_frame`, the sides xmin, ymin, xmax and ymax, and geometry, both in the points' coordinate
        system; only the shapes of points that a reader projected are in longitude and latitude again, and those beyond
        the 180th meridian are split there. If all points lie on one line, or at one place, the shapes are lines or a
        point.

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


def placed(points: Points, g: Generalization, records: pd.DataFrame, by: Sequence[str]) -> Placed:
    """The sides of rectangles in place of coordinates, which are read as those of the points were."""
    require_grid(g)
    if len(by) != 2:
        raise InvalidInput("Choose the two columns of the records that hold x and y, or longitude and latitude.")
    xy = np.column_stack([numbers_of(records[name])[0] for name in by])
    there = np.isfinite(xy).all(axis=1)
    classes = rectangle_of(_as_cut(points, xy, g.details.rectangles), g.details.rectangles)
    reasons = np.where(classes >= 0, "", np.where(there, "outside of all rectangles", BLANK)).astype(object)
    columns = {"group": np.arange(1, g.classes + 1).tolist()}
    sides = {name: values.tolist() for name, values in zip(SIDE_NAMES, g.details.rectangles.T, strict=True)}
    return Placed(classes, reasons, tuple(by), columns | sides)


def rectangle_of(xy: np.ndarray, rectangles: np.ndarray) -> np.ndarray:
    """The rectangle that each place lies in.

    Parameters
    ----------
    xy : (n, 2) float. Places; one that is not a number lies nowhere.
    rectangles : (m, 4) float. As in `RectangleDetails`.

    Returns
    -------
    (n,) int64 array : -1 if a place lies in none.

    Complexity
    ----------
    O(n log n + m log n), and each rectangle is compared with the places that lie as far east.

    >>> rectangle_of(np.array([[2.0, 1.0], [1.0, 0.0], [3.0, 0.0]]), np.array([[0, 0, 1, 1], [1, 0, 2, 1]])).tolist()
    [1, 1, -1]
    """
    order = np.argsort(xy[:, 0], kind="stable")
    x, y = xy[order].T  # values that are not numbers come last
    right, top = rectangles[:, 2].max(), rectangles[:, 3].max()
    result = np.full(len(xy), -1, dtype=np.int64)
    for number, (xmin, ymin, xmax, ymax) in enumerate(rectangles.tolist()):
        first = np.searchsorted(x, xmin, side="left")
        last = np.searchsorted(x, xmax, side="right" if xmax == right else "left")
        heights = y[first:last]
        result[order[first:last][(heights >= ymin) & ((heights < ymax) | ((heights == ymax) & (ymax == top)))]] = number
    return result


def _as_cut(points: Points, xy: np.ndarray, rectangles: np.ndarray) -> np.ndarray:
    """Coordinates in the system that the rectangles are cut in."""
    if points.reading.get("project") is not None:
        return transformed(xy, points.reading.get("crs") or "EPSG:4326", str(points.crs))
    if not points.geographic:
        return xy
    west, east = rectangles[:, 0].min(), rectangles[:, 2].max()
    x = westward(xy[:, 0])
    # longitudes across the 180th meridian were continued
    return np.column_stack([np.where((x < west) & (x + 360 <= east), x + 360, x), xy[:, 1]])


STEPS = 32  # of a line through the middle: a parallel is not the shortest path
PLAIN = "In the unit of the coordinates, because their coordinate system is not known."
SIDES_SOURCE = "Along lines through the middle of each rectangle, on the ellipsoid."


def utility(points: Points, g: Generalization) -> tuple[Measure, ...]:
    """Area and sides of the rectangles."""
    has_crs = points.crs is not None
    square, area_source = ("km²", AREA) if has_crs else ("square units", PLAIN)
    length, side_source = ("km", SIDES_SOURCE) if has_crs else ("units", PLAIN)
    sides = _sides(points, g)
    middle, longest = float(np.median(sides)), float(sides.max())
    return (
        *area_measures("rectangle", _areas(points, g), g.class_weights, points.unit, square, area_source),
        Measure(
            "side-median",
            "Longer side of the median rectangle",
            middle,
            f"{short(middle)} {length}",
            "Half of the rectangles are no longer than this.",
            side_source,
        ),
        Measure(
            "side-largest",
            "Longest side of a rectangle",
            longest,
            f"{short(longest)} {length}",
            "Two places that the release does not distinguish can be this far apart.",
            side_source,
        ),
    )


def _areas(points: Points, g: Generalization) -> np.ndarray:
    west, south, east, north = g.details.rectangles.T
    if points.crs is None:
        return np.asarray((east - west) * (north - south))
    shapes = np.asarray(lonlat_shapes(g.details.rectangles, points.crs), dtype=object)
    areas = square_kilometers(shapes, "EPSG:4326")
    return np.zeros(len(shapes)) if areas is None else areas


def _sides(points: Points, g: Generalization) -> np.ndarray:
    """(m,) float64: the longer side of each, in km if places are known."""
    west, south, east, north = g.details.rectangles.T
    if points.crs is None:
        return np.asarray(np.maximum(east - west, north - south))
    part = np.linspace(0, 1, STEPS + 1)
    along = west[:, None] + (east - west)[:, None] * part
    up = south[:, None] + (north - south)[:, None] * part
    across = _kilometers(along, np.broadcast_to(((south + north) / 2)[:, None], along.shape), points.crs)
    return np.maximum(across, _kilometers(np.broadcast_to(((west + east) / 2)[:, None], up.shape), up, points.crs))


def _kilometers(x: np.ndarray, y: np.ndarray, crs: str) -> np.ndarray:
    """(m,): how long lines through these places are, one row per line."""
    from pyproj import Geod

    if not is_degrees(crs):
        x, y = transformed(np.column_stack([x.ravel(), y.ravel()]), crs).T.reshape(2, *x.shape)
    start, end = (slice(None), slice(-1)), (slice(None), slice(1, None))
    steps = Geod(ellps="WGS84").inv(x[start].ravel(), y[start].ravel(), x[end].ravel(), y[end].ravel())[2]
    return np.reshape(steps, (len(x), -1)).sum(axis=1) / 1000


# ---------------------------------------------------------------------------------------------------------------------
# The rectangles of a release of points, shaded by how full they are.
# ---------------------------------------------------------------------------------------------------------------------


MOST_NUMBERED, MOST_RECTANGLES = 150, 5_000  # rectangles with a number, and rectangles that are drawn


def draw_rectangles(figure: Figure, points: Points, g: Generalization) -> bool:
    """Only if they were made on a grid; otherwise their sides are coordinates of points."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    if g.options.get("snap") is None or g.classes > MOST_RECTANGLES:
        return False
    frame = shapes_frame(points, g)
    sides = frame[["xmin", "ymin", "xmax", "ymax"]].to_numpy(dtype=float)
    boxes = [Rectangle((west, south), east - west, north - south) for west, south, east, north in sides.tolist()]
    full = g.class_weights / g.k
    low, high = sides[:, :2].min(axis=0), sides[:, 2:].max(axis=0)
    edge = 0.01 * max(float((high - low).max()), 1e-12)
    shapes = PatchCollection(boxes, facecolors=shades(full), edgecolor="white", linewidth=0.8)
    axes = shape_axes(figure, shapes, low - edge, high + edge)
    true_to_scale(axes, low, high, points.geographic)
    if g.classes <= MOST_NUMBERED:
        for number, (west, south, east, north) in enumerate(sides.tolist(), 1):
            dark = full[number - 1] - 1 > 0.55 * (full.max() - 1)
            axes.text((west + east) / 2, (south + north) / 2, str(number), size=7 if g.classes < 60 else 5.5,
                      ha="center", va="center", color="white" if dark else INK)  # fmt: skip
    names = ("Longitude", "Latitude") if points.geographic else ("East", "North")
    axes.set_xlabel(f"{names[0]}, in the unit of the coordinates", size=WORDS, color=GRAY)
    axes.set_ylabel(f"{names[1]}, in the unit of the coordinates", size=WORDS, color=GRAY)
    title = f"{counted(g.classes, 'rectangle')} with at least {g.k:,} {drawable(points.unit, 40)} each"
    caption = f"Numbers refer to the groups. Sides lie on a grid of {g.options['snap']:.10g}; no point is drawn."
    explain(figure, title, caption, full, points.unit)
    return True
