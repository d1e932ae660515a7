"""What a picture of areas needs and no result changes: simplified shapes, the borders between them, the view."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import shapely

from kanon_engine.plot.geojson import GeoJson
from kanon_engine.regions.read.contiguity import all_segments, shared_segments
from kanon_engine.regions.read.shapes import repaired

if TYPE_CHECKING:
    import geopandas

    from kanon_engine.regions.instance import Regions

FINEST = 3_000  # parts of the map's width: no detail is kept below one
CORNERS = 40_000  # of the simplified shapes, and for each area:
CORNERS_EACH = 7  # about the fewest that areas with six neighbours can have
WINDOW = (760, 440)  # pixels that the map is first fitted to
FEW = 0.01  # share of areas whose borders do not fit, below which the picture does not suffer
TILE = 512  # pixels of MapLibre's world at zoom 0


@dataclass(frozen=True, eq=False)
class DisplayMap:
    """Areas in longitude and latitude, ready to be drawn.

    Attributes
    ----------
    order : (n,) int64 array
        The areas' positions in the order in which they are drawn, from west to east: a picture that somebody keeps
        should not tell the order of the file.
    shapes : (n,) array of polygons and multipolygons
        Simplified, in the order of drawing; empty where an area has no shape.
    centre : (longitude, latitude)
    zoom : float
    bounds : (west, south, east, north)
        For a page that fits the view to the space it has.
    points : (n, 2) float64 array
        A point inside each area, by position; NaN where an area has no shape.
    placed : bool
        Whether the shapes have a place on Earth.
    """

    order: np.ndarray
    shapes: np.ndarray
    centre: tuple[float, float]
    zoom: float
    bounds: tuple[float, float, float, float]
    points: np.ndarray
    placed: bool

    @cached_property
    def place(self) -> np.ndarray:
        """(n,) int64: where in the order of drawing each area stands, by position."""
        place = np.empty_like(self.order)
        place[self.order] = np.arange(len(self.order))
        return place

    @cached_property
    def geojson(self) -> GeoJson:
        """One feature an area, in the order of drawing, which is its `id`."""
        features = [
            {"type": "Feature", "id": place, "properties": {}, "geometry": json.loads(text)}
            for place, text in enumerate(shapely.to_geojson(self.shapes).tolist())
        ]
        return GeoJson({"type": "FeatureCollection", "features": features})

    @property
    def border_points(self) -> np.ndarray:
        """(b, 2) float32: border lines, each followed by a row of NaN."""
        return self._borders[0]

    @property
    def border_pairs(self) -> np.ndarray:
        """(b, 2) int32: the positions of the areas that each of these points lies between; -1 is the outside."""
        return self._borders[1]

    @cached_property
    def _borders(self) -> tuple[np.ndarray, np.ndarray]:
        points, drawn = border_lines(self.shapes)
        return points, np.append(self.order, -1)[drawn]


_KEPT: WeakKeyDictionary[Regions, DisplayMap] = WeakKeyDictionary()


def display_map(regions: Regions) -> DisplayMap:
    """The drawable map of an instance with shapes; made once for each instance."""
    if regions not in _KEPT:
        if regions.geometry is None:
            raise ValueError("these areas have no shapes")
        _KEPT[regions] = _made(regions.geometry)
    return _KEPT[regions]


def _made(geometry: geopandas.GeoSeries) -> DisplayMap:
    shapes = shapely.transform(on_earth(geometry), to_mercator)
    there = ~(shapely.is_missing(shapes) | shapely.is_empty(shapes))
    inside = np.full((len(shapes), 2), np.nan)
    inside[there] = shapely.get_coordinates(shapely.point_on_surface(shapes[there]))
    order = np.lexsort((inside[:, 1], inside[:, 0]))
    shapes, there = np.where(there, shapes, shapely.Polygon())[order], there[order]
    if there.any():
        shapes[there] = shapely.transform(simplified(shapes[there]), degrees)
        west, south, east, north = map(float, shapely.total_bounds(shapes))
    else:
        west, south, east, north = 0.0, 0.0, 1.0, 1.0
    decimals = int(np.clip(np.ceil(-np.log10(max(east - west, north - south, 1e-9) / FINEST / 8)), 3, 8))
    shapes = shapely.transform(shapes, lambda xy: np.round(xy, decimals))
    low, high = to_mercator(np.array([[west, south], [east, north]]))
    width, height = np.maximum(high - low, 1e-9) / (2 * np.pi)
    zoom = min(np.log2(WINDOW[0] / TILE / width), np.log2(WINDOW[1] / TILE / height))
    x, y = degrees(((low + high) / 2)[None])[0]
    return DisplayMap(
        order=order,
        shapes=shapes,
        centre=(float(x), float(y)),
        zoom=float(np.clip(zoom, 0, 20)),
        bounds=(west, south, east, north),
        points=degrees(inside),
        placed=geometry.crs is not None,
    )


def on_earth(geometry: geopandas.GeoSeries) -> np.ndarray:
    """Shapes in longitude and latitude; shapes without a place on Earth are put on the equator."""
    if geometry.crs is not None:
        return together(geometry.to_crs(4326).to_numpy())
    west, south, east, north = geometry.total_bounds
    scale = 1 / max(east - west, north - south)
    middle = np.array([(west + east) / 2, (south + north) / 2])
    placed: np.ndarray = shapely.transform(geometry.to_numpy(), lambda xy: (xy - middle) * scale)
    return placed


def together(shapes: np.ndarray) -> np.ndarray:
    """Shapes in longitude and latitude; where they lie on both sides of the date line, the western ones go east.

    That is so where half of the Earth, or more, lies empty between them. A part of a shape goes as a whole, for one
    that spans the meridian of Greenwich must not be torn.
    """
    parts = shapely.get_parts(shapes)
    west, _, east, _ = shapely.bounds(parts[~shapely.is_empty(parts)]).T
    order = np.argsort(west)
    west, reach = west[order], np.maximum.accumulate(east[order])
    gaps = west[1:] - reach[:-1]
    if not len(gaps) or gaps.max() <= 180:
        return shapes
    border = reach[gaps.argmax()]
    _, part = shapely.get_coordinates(parts, return_index=True)
    moved = shapely.bounds(parts)[part, 2] <= border
    return shapely.transform(shapes, lambda xy: np.column_stack([xy[:, 0] + 360 * moved, xy[:, 1]]))


def to_mercator(xy: np.ndarray) -> np.ndarray:
    latitude = np.radians(np.clip(xy[:, 1], -85, 85))
    return np.column_stack([np.radians(xy[:, 0]), np.arcsinh(np.tan(latitude))])


def degrees(xy: np.ndarray) -> np.ndarray:
    return np.degrees(np.column_stack([xy[:, 0], np.arctan(np.sinh(xy[:, 1]))]))


def simplified(shapes: np.ndarray) -> np.ndarray:
    """The shapes with fewer corners; borders that two shapes share stay shared."""
    west, south, east, north = shapely.total_bounds(shapes)
    tolerance = max(east - west, north - south) / FINEST
    whole = repaired(shapes)
    misfits = ~shapely.is_empty(shapely.coverage_invalid_edges(whole))
    if misfits.mean() > FEW:
        cleaned = shapely.coverage_clean(whole, gap_width=tolerance / 2)
        lost = shapely.is_empty(cleaned) | shapely.is_missing(cleaned)  # an area inside another one: drawn as it is
        whole = np.where(lost, whole, cleaned)
    budget = CORNERS + CORNERS_EACH * len(shapes)
    result = shapely.coverage_simplify(whole, tolerance)
    before, corners = np.inf, shapely.get_num_coordinates(result).sum()
    while corners > budget and corners < 0.95 * before:  # corners where three areas meet cannot be left out
        tolerance *= 1.5
        result = shapely.coverage_simplify(result, tolerance)
        before, corners = corners, shapely.get_num_coordinates(result).sum()
    gone = shapely.is_empty(result) | shapely.is_missing(result)
    return np.where(gone, shapes, result)


def border_lines(shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lines between each two neighbouring shapes and around the outside, and for each point its pair of shapes."""
    first, second, segments = shared_segments(shapes)
    owners, every = all_segments(shapes)
    outside = _not_in(every, segments)
    pairs = np.vstack(
        [
            np.column_stack([first, second]),
            np.column_stack([owners[outside], np.full(outside.sum(), -1, dtype=np.int64)]),
        ]
    )
    segments = np.concatenate([segments, every[outside]])
    long = (segments[:, 0] != segments[:, 1]).any(axis=1)
    segments, pairs = segments[long], pairs[long]
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    distinct, group = np.unique(pairs[order], axis=0, return_inverse=True)
    bundles = shapely.multilinestrings(shapely.linestrings(segments[order]), indices=group.ravel())
    lines, bundle = shapely.get_parts(shapely.line_merge(bundles), return_index=True)
    points, line = shapely.get_coordinates(lines, return_index=True)
    ends = np.flatnonzero(np.diff(line, append=-1)) + 1
    between = distinct[bundle[line]].astype(np.int32)
    return (
        np.insert(points, ends, np.nan, axis=0).astype(np.float32),
        np.insert(between, ends, between[ends - 1], axis=0),
    )


def _not_in(segments: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(s,) bool: the segments that are not among the others, in either direction."""

    def keys(ends: np.ndarray) -> np.ndarray:
        points = np.ascontiguousarray(ends).view(np.complex128)[:, :, 0]
        return np.sort(points, axis=1)

    everything: Any = np.concatenate([keys(segments), keys(others)])
    _, number = np.unique(everything, axis=0, return_inverse=True)
    number = number.ravel()
    return ~np.isin(number[: len(segments)], number[len(segments) :])
