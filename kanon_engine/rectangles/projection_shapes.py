"""Rectangles as shapes in longitude and latitude: sides that bend get vertices, and the 180th meridian splits them."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import shapely
from shapely.affinity import translate

ALONG = 200  # vertices along the whole box


def lonlat_shapes(rectangles: np.ndarray, crs: str) -> list[shapely.Geometry]:
    """The shapes of rectangles of a coordinate system, without gaps between neighbours.

    Parameters
    ----------
    rectangles : (m, 4) float64 array
        xmin, ymin, xmax, ymax; they tile a box.
    crs : str

    Returns
    -------
    list of Polygon, MultiPolygon, LineString or Point
        Within -180 to 180 and -90 to 90.
    """
    from pyproj import Transformer

    from kanon_engine.io.coordinates import is_degrees

    if is_degrees(crs):
        return [on_globe(plain_shape(*sides)) for sides in rectangles.tolist()]
    change = Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    return [on_globe(_unrolled(np.column_stack(change.transform(*ring.T)))) for ring in _rings(rectangles)]


def on_globe(shape: shapely.Geometry) -> shapely.Geometry:
    """A shape whose longitudes run on, cut off at the poles and split at the 180th meridian."""
    west, south, east, north = shape.bounds
    if west >= -180 and east <= 180 and south >= -90 and north <= 90:
        return shape
    parts: list[shapely.Geometry] = []
    for turn in range(int(np.floor((west + 180) / 360)), int(np.floor((east + 180) / 360)) + 1):
        world = shapely.box(360 * turn - 180, -90, 360 * turn + 180, 90)
        part = translate(shapely.intersection(shape, world), -360 * turn)
        parts += [piece for piece in shapely.get_parts(part) if piece.length > 0 or shape.length == 0]
    whole = [piece for piece in parts if piece.area > 0] or parts
    return whole[0] if len(whole) == 1 else shapely.union_all(whole)


def plain_shape(west: float, south: float, east: float, north: float) -> shapely.Geometry:
    """The shape of a rectangle in its own system; a line or a point where it has no extent."""
    if west < east and south < north:
        return shapely.box(west, south, east, north)
    if west == east and south == north:
        return shapely.Point(west, south)
    return shapely.LineString([(west, south), (east, north)])


def _rings(rectangles: np.ndarray) -> list[np.ndarray]:
    """Closed outlines with a vertex wherever a neighbour has a corner, and at common marks along the box."""
    low, high = rectangles[:, :2].min(axis=0), rectangles[:, 2:].max(axis=0)
    marks = [np.linspace(low[axis], high[axis], ALONG + 1) for axis in range(2)]
    corners: tuple[dict[float, set[float]], ...] = (defaultdict(set), defaultdict(set))
    for west, south, east, north in rectangles.tolist():
        for x in (west, east):
            corners[0][x] |= {south, north}
        for y in (south, north):
            corners[1][y] |= {west, east}
    stops = [{line: np.array(sorted(ends)) for line, ends in known.items()} for known in corners]

    def between(axis: int, line: float, start: float, stop: float) -> np.ndarray:
        """Where a side has vertices: the line lies across the axis."""
        parts = []
        for values in (stops[axis][line], marks[1 - axis]):
            first, last = np.searchsorted(values, start, "left"), np.searchsorted(values, stop, "right")
            parts.append(values[first:last])
        return np.unique(np.concatenate(parts))

    rings = []
    for west, south, east, north in rectangles.tolist():
        bottom, top = between(1, south, west, east), between(1, north, west, east)
        left, right = between(0, west, south, north), between(0, east, south, north)
        sides = [
            np.column_stack([bottom, np.full(len(bottom), south)])[:-1],
            np.column_stack([np.full(len(right), east), right])[:-1],
            np.column_stack([top, np.full(len(top), north)])[::-1][:-1],
            np.column_stack([np.full(len(left), west), left])[::-1],
        ]
        rings.append(np.vstack(sides))
    return rings


def _unrolled(ring: np.ndarray) -> shapely.Geometry:
    """A ring of longitudes and latitudes as a shape whose longitudes run on; around a pole it is closed along it."""
    longitudes, latitudes = np.unwrap(ring[:, 0], period=360), ring[:, 1]
    if abs(longitudes[-1] - longitudes[0]) > 180:
        pole = 90.0 if latitudes.mean() > 0 else -90.0
        longitudes = np.concatenate([longitudes, [longitudes[-1], longitudes[0], longitudes[0]]])
        latitudes = np.concatenate([latitudes, [pole, pole, latitudes[0]]])
    places = np.column_stack([longitudes, latitudes])
    if len(np.unique(places, axis=0)) == 1:
        return shapely.Point(places[0])
    if shapely.Polygon(places).area == 0 if len(places) > 3 else True:
        return shapely.LineString(np.unique(places, axis=0))
    return shapely.Polygon(places)
