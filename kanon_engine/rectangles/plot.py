"""The picture of rectangles over points: a map if the coordinates have a location on one, otherwise the plane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import shapely
from plotly import graph_objects as go
from shapely.affinity import translate

from kanon_engine.model.generalization import Generalization
from kanon_engine.model.words import counted, times_k
from kanon_engine.plot import CHANGED, Companion, maps
from kanon_engine.plot.colors import INK, VERMILION, Shading, check_color_by, class_colors, color_shades, shading_of
from kanon_engine.plot.scene import dots, polyline, styled
from kanon_engine.rectangles.instance import Points
from kanon_engine.rectangles.projection import transformed

if TYPE_CHECKING:
    import geopandas


def rectangles_figure(
    points: Points,
    g: Generalization,
    *,
    background: maps.Atlas | geopandas.GeoDataFrame | None = None,
    selected: int | None = None,
    tiles: bool = False,
    companion: Companion | None = None,
    area: shapely.Geometry | None = None,
    exact: bool = True,
    color_by: str = "group",
) -> go.Figure:
    """Rectangles in colors, with the points, or their density if there are many.

    Parameters
    ----------
    background : Atlas or GeoDataFrame, optional
        Land, water and places, or custom outlines, for orientation; only on a map.
    selected : Class with a thick border.
    tiles : Draw over street map tiles, which are loaded from the network; only on a map.
    companion : The settings adopted from the picture of another result.
    area : Polygon or MultiPolygon, optional
        Clip the drawn rectangles to a study area; see `kanon_engine.rectangles.read`.
    exact : Draw the points too. Otherwise the figure shows only rectangles; if they were made on a grid, it can be
    released.
    color_by : "group" or "fullness"
        Few colors with neighbors differing, or shades for weight / k. Parts are always shaded.

    Returns
    -------
    Figure
        A MapLibre map, or a plane with equal scales if the coordinate system is unknown. `customdata` begins with the
        class number; it is -1 if there are more rectangles than a picture holds, so that parts of several are drawn.
        Hovering shows group, weight and number of points.
    """
    check_color_by(color_by)
    on_map = points.crs is not None
    parts = overview(g)
    means = np.ones(1)
    if parts is not None:
        rectangles, weights, means = parts.rectangles, parts.weights, parts.classes
        classes = np.full(len(weights), -1)
        words = [
            f"{counted(number, 'group')} with {weight:,} {points.unit}<br>{times_k(weight / g.k / number)} on average"
            for number, weight in zip(parts.classes.tolist(), weights.tolist(), strict=True)
        ]
    else:
        rectangles, weights = g.details.rectangles, g.class_weights
        classes = np.arange(g.classes)
        counts = np.bincount(g.assignment, minlength=g.classes)
        words = [
            f"<b>Group {number:,}</b><br>{weight:,} {points.unit} ({times_k(weight / g.k)})<br>{counted(many, 'point')}"
            for number, (weight, many) in enumerate(zip(weights.tolist(), counts.tolist(), strict=True), 1)
        ]
    strong = [] if selected is None else outlines(points, rectangles[[selected]])
    grouped = parts is None and color_by == "group"
    if grouped:
        shades = neighbor_shades(rectangles, companion.colors if companion else None)
    else:
        shades = shading_of(weights / means / g.k, companion.top if companion else None)
    rings = outlines(points, rectangles)
    title = "Rectangles; neighbors differ in color" if grouped else f"Rectangles, shaded by {points.unit} ÷ k"
    if parts is not None:
        title = f"{g.classes:,} rectangles, drawn as {len(rectangles):,} parts, shaded by the mean of {points.unit} ÷ k"
    drawn = maps.whole(rings)
    if area is not None:
        ends = np.vstack(rings)
        area = beside(area, ends[:, 0].min(), ends[:, 0].max()) if on_map else area
        around_it = shapely.get_parts(shapely.boundary(shapely.get_parts(area)))
        drawn, strong = clipped(rings, area), [*strong, *map(shapely.get_coordinates, around_it)]
        title += "; clipped to the study area"
    none = maps.Marks(np.empty((0, 2)), np.empty(0))
    many = len(points) > maps.FEW_POINTS  # then the cells of a grid are marked
    marks = maps.marks_of(points.xy, points.box, many) if exact else none
    others = none if companion is None else maps.marks_of(points.xy[companion.changed], points.box, many)
    if len(others.xy):  # there is little room next to another picture
        title = f"Orange: points {CHANGED}"
    if on_map:
        extent = lonlat(points, points.box.reshape(2, 2)) if exact else np.vstack(rings)
        view = lonlat(points, maps.most_of(points.xy, points.weights, points.box)) if exact else extent
        figure = maps.map_figure(drawn, shades, classes, words, extent, view, background, tiles)
        figure.add_trace(dots(lonlat(points, marks.xy), INK, marks.sizes, True, {"opacity": 0.55}))
        if len(others.xy):
            figure.add_trace(dots(lonlat(points, others.xy), VERMILION, others.sizes, True, {"opacity": 0.55}))
        if isinstance(background, maps.Atlas) and not tiles:
            maps.add_places(figure, maps.around(background, extent), view)
        figure.add_trace(polyline(maps.joined(strong), VERMILION, 3, on_map=True))
    else:
        figure = maps.plane_figure(drawn, shades, classes, words, marks, strong)
        if len(others.xy):
            figure.add_trace(dots(others.xy, VERMILION, others.sizes))
    return styled(
        figure,
        title,
        margin=(10, 10, 45, maps.CAPTION if figure.layout.annotations else 10),
        showlegend=False,
        uirevision=f"points {points.digest}",  # another k keeps zoom and position
    )


MOST = 20_000  # rectangles that a browser draws while a person waits


@dataclass(frozen=True)
class Overview:
    """Parts of the box that cuts made on the way to the rectangles."""

    rectangles: np.ndarray  # (p, 4) float64
    # weights, classes: (p,) int64: what lies in each part
    weights: np.ndarray
    classes: np.ndarray


def overview(g: Generalization, most: int = MOST) -> Overview | None:
    """Parts with about equally many classes, at most `most`; None if there are no more rectangles, or no cuts made
    them.

    Complexity
    ----------
    O(m log m).
    """
    splits, rectangles = g.details.splits, g.details.rectangles
    if g.classes <= most or len(splits) != g.classes - 1:
        return None
    parents = splits[:, 0].astype(np.int64)
    low = 2 * np.arange(len(splits)) + 1
    boxes = np.empty((2 * len(splits) + 1, 4))
    boxes[0] = [*rectangles[:, :2].min(axis=0), *rectangles[:, 2:].max(axis=0)]
    for number, (part, axis, line) in enumerate(splits.tolist()):
        boxes[2 * number + 1 : 2 * number + 3] = boxes[int(part)]
        boxes[2 * number + 1, 2 + int(axis)] = boxes[2 * number + 2, int(axis)] = line
    class_of = {tuple(box): number for number, box in enumerate(rectangles.tolist())}
    leaf = np.ones(len(boxes), dtype=bool)
    leaf[parents] = False
    weights = np.zeros(len(boxes), dtype=np.int64)
    weights[leaf] = g.class_weights[[class_of[tuple(box)] for box in boxes[leaf].tolist()]]
    classes = leaf.astype(np.int64)
    for number in range(len(splits) - 1, -1, -1):
        both = slice(low[number], low[number] + 2)
        weights[parents[number]] = weights[both].sum()
        classes[parents[number]] = classes[both].sum()
    above = np.empty(len(boxes), dtype=np.int64)  # classes of the part that each was cut from
    above[0] = classes[0] + 1
    above[low] = above[low + 1] = classes[parents]
    sizes = np.unique(classes)
    parts = np.searchsorted(np.sort(classes), sizes, "right") - np.searchsorted(np.sort(above), sizes, "right")
    size = sizes[int(np.argmax(parts <= most))]
    visible = (classes <= size) & (above > size)
    return Overview(boxes[visible], weights[visible], classes[visible])


def neighbor_shades(rectangles: np.ndarray, numbers: np.ndarray | None = None) -> Shading:
    """Colors that differ wherever two rectangles of a tiling, (m, 4), share more than a corner; or the given colors.

    >>> neighbor_shades(np.array([(0, 0, 1, 1), (1, 0, 2, 1), (0, 1, 2, 2)])).values.tolist()
    [2.0, 1.0, 0.0]
    """
    if numbers is None:
        numbers = class_colors(neighbors(rectangles), np.arange(len(rectangles)), len(rectangles))
    return color_shades(numbers)


def neighbors(rectangles: np.ndarray) -> np.ndarray:
    """Pairs of rectangles of a tiling, (m, 4), that share more than a corner.

    Complexity
    ----------
    O(m log m).

    >>> neighbors(np.array([(0, 0, 1, 1), (1, 0, 2, 1), (1, 1, 2, 2), (0, 1, 1, 2)])).tolist()
    [[0, 1], [0, 3], [1, 2], [3, 2]]
    """
    pairs: list[tuple[int, int]] = []
    for axis in (0, 1):
        low, high = rectangles[:, 1 - axis].tolist(), rectangles[:, 3 - axis].tolist()
        before, after = _by_line(rectangles[:, 2 + axis], low), _by_line(rectangles[:, axis], low)
        for line in before.keys() & after.keys():
            ends, starts = before[line], after[line]
            i = j = 0
            while i < len(ends) and j < len(starts):
                one, other = ends[i], starts[j]
                if min(high[one], high[other]) > max(low[one], low[other]):
                    pairs.append((one, other))
                if high[one] <= high[other]:
                    i += 1
                else:
                    j += 1
    return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2)


def _by_line(lines: np.ndarray, low: list[float]) -> dict[float, list[int]]:
    """The rectangles at each line, from bottom to top."""
    result: dict[float, list[int]] = {}
    for number in sorted(range(len(low)), key=low.__getitem__):
        result.setdefault(float(lines[number]), []).append(number)
    return result


def lonlat(points: Points, xy: np.ndarray) -> np.ndarray:
    """(p, 2) longitudes and latitudes of coordinates in the points' system."""
    if not points.geographic:
        middle = transformed((points.box[None, :2] + points.box[None, 2:]) / 2, points.crs)[0, 0]
        xy = transformed(xy, points.crs)
        xy[:, 0] = middle + (xy[:, 0] - middle + 180) % 360 - 180  # across the 180th meridian longitudes continue
    return np.column_stack([xy[:, 0], np.clip(xy[:, 1], -maps.MERCATOR_LIMIT, maps.MERCATOR_LIMIT)])


def outlines(points: Points, rectangles: np.ndarray) -> list[np.ndarray]:
    """The closed outline of each rectangle, (v, 2); sides that bend on the map have more vertices than corners.

    A box without width or height is drawn with a little of both so that it is visible.
    """
    longest = (points.box[2:] - points.box[:2]).max()
    extent = rectangles[:, 2:].max(axis=0) - rectangles[:, :2].min(axis=0)
    breadth = np.where(extent > 0, 0, 0.02 * longest if longest > 0 else 1e-3)
    low, high = rectangles[:, :2] - breadth, rectangles[:, 2:] + breadth
    along = np.linspace(0, 1, 2 if points.geographic or points.crs is None else 9)[:-1, None]
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    steps = [
        np.array(a) + along * (np.array(b) - np.array(a))
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    unit = np.vstack([*steps, [[0, 0]]])
    rings = low[:, None, :] + unit[None, :, :] * (high - low)[:, None, :]
    if points.crs is not None:
        rings = lonlat(points, rings.reshape(-1, 2)).reshape(rings.shape)
    return list(rings)


def beside(area: shapely.Geometry, west: float, east: float) -> shapely.Geometry:
    """An area in longitudes, matched to points whose longitudes continue beyond 180°."""
    middle = (west + east) / 2
    world = shapely.box(middle - 180, -91, middle + 180, 91)
    return shapely.union_all([shapely.intersection(translate(area, 360 * turn), world) for turn in (-1, 0, 1)])


def clipped(rings: list[np.ndarray], area: shapely.Geometry) -> list[maps.Outline]:
    """The part of each ring inside the area; nothing for rings outside."""
    shapes = shapely.polygons([shapely.linearrings(ring) for ring in rings])
    shapely.prepare(area)
    inside = shapely.contains_properly(area, shapes)
    outlines = maps.whole(rings)
    for place in np.flatnonzero(~inside).tolist():
        parts = shapely.get_parts(shapely.intersection(shapes[place], area))
        outlines[place] = [
            [shapely.get_coordinates(ring) for ring in (part.exterior, *part.interiors)]
            for part in parts
            if part.geom_type == "Polygon" and not part.is_empty
        ]
    return outlines
