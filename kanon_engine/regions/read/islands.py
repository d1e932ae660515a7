"""Joining separate parts of a map to their nearest neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import shapely

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.search.parts import parts_of

if TYPE_CHECKING:
    import geopandas


def attach_parts(geometry: geopandas.GeoSeries, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges that make a map one connected part, each between the two nearest areas of two parts.

    Every part but the largest looks for the nearest area outside of it; the shortest of these joins are made first, and
    none that would close a circle; until one part is left (Borůvka's spanning tree of the parts).

    Parameters
    ----------
    geometry : GeoSeries of n polygons
        Longitudes and latitudes are projected around the middle of the map before distances are compared.
    edges : (e, 2) int array

    Returns
    -------
    added : (parts - 1, 2) int64 array
        Positions, the smaller first.
    distances : (parts - 1,) float64 array
        In metres, or in the unit of the coordinates where it is not known.
    """
    count = len(geometry)
    edges = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    added: list[tuple[int, int]] = []
    distances: list[float] = []
    shapes, tree = None, None
    while True:
        part = parts_of(np.vstack([edges, np.array(added, dtype=np.int64).reshape(-1, 2)]), count)
        if part.max(initial=0) == 0:
            return np.array(added, dtype=np.int64).reshape(-1, 2), measured(geometry, added, distances)
        if shapes is None or tree is None:
            shapes = flat(geometry)
            tree = shapely.STRtree(shapes)
        for distance, low, high in _nearest_joins(shapes, tree, part):
            if part[low] != part[high]:
                part[part == part[high]] = part[low]
                added.append((low, high))
                distances.append(distance)


def _nearest_joins(shapes: np.ndarray, tree: shapely.STRtree, part: np.ndarray) -> list[tuple[float, int, int]]:
    """For each part but the largest, the shortest join to an area outside; shortest first, ties by position."""
    largest = int(np.argmax(np.bincount(part)))
    bounds = shapely.bounds(shapes)
    radius = float(np.median(bounds[:, 2:] - bounds[:, :2])) or 1.0
    seekers = np.flatnonzero(part != largest)
    joins: dict[int, tuple[float, int, int]] = {}
    while len(seekers):
        inside, outside = tree.query(shapes[seekers], predicate="dwithin", distance=radius)
        inside = seekers[inside]
        crossing = part[inside] != part[outside]
        inside, outside = inside[crossing], outside[crossing]
        gaps = shapely.distance(shapes[inside], shapes[outside])
        for gap, a, b in zip(gaps.tolist(), inside.tolist(), outside.tolist(), strict=True):
            join = (gap, min(a, b), max(a, b))
            joins[part[a]] = min(joins.get(part[a], join), join)
        seekers = seekers[~np.isin(part[seekers], list(joins))]
        radius *= 2
        if not np.isfinite(radius):
            raise InvalidInput(
                "Some areas lie where distances cannot be measured",
                remedy=(Remedy("correct them"), Remedy("leave separate parts apart", "islands", "separate")),
            )
    return sorted(joins.values())


def flat(geometry: geopandas.GeoSeries) -> np.ndarray:
    """Shapes in a plane in which distances can be compared."""
    if geometry.crs is None or not geometry.crs.is_geographic:
        return geometry.to_numpy()
    return geometry.to_crs(_around_the_middle(geometry)).to_numpy()


def _around_the_middle(geometry: geopandas.GeoSeries) -> str:
    """An equal-area projection; its error in distances is small within a few thousand kilometres."""
    west, south, east, north = geometry.total_bounds
    return f"+proj=laea +lon_0={(west + east) / 2:.4f} +lat_0={(south + north) / 2:.4f} +datum=WGS84"


def measured(geometry: geopandas.GeoSeries, pairs: list[tuple[int, int]], planar: list[float]) -> np.ndarray:
    """The distances of pairs in metres, along the ellipsoid where the shapes have longitudes and latitudes."""
    crs = geometry.crs
    if not pairs or crs is None:
        return np.array(planar, dtype=np.float64)
    if not crs.is_geographic:
        return np.array(planar) * crs.axis_info[0].unit_conversion_factor
    shapes = flat(geometry)
    positions = np.array(pairs)
    lines = shapely.shortest_line(shapes[positions[:, 0]], shapes[positions[:, 1]])
    back = type(geometry)(lines, crs=_around_the_middle(geometry)).to_crs(crs)
    ends = shapely.get_coordinates(back.to_numpy()).reshape(-1, 2, 2)
    return np.abs(crs.get_geod().inv(ends[:, 0, 0], ends[:, 0, 1], ends[:, 1, 0], ends[:, 1, 1])[2])
