"""Where the shapes of a printed map lie on paper: metres around the middle of the map, where the shapes tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import geopandas
import numpy as np
import shapely

from kanon_engine.regions.plot.display import display_map, on_earth, to_mercator, together
from kanon_engine.regions.release import dissolved

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization
    from kanon_engine.regions.coarse import CoarseShapes
    from kanon_engine.regions.instance import Regions

WIDEST = 3_000_000.0  # metres: on a wider map one scale is not true everywhere


@dataclass(frozen=True, eq=False)
class Plane:
    """Shapes on paper.

    Attributes
    ----------
    groups : (classes,) array of polygons and multipolygons
    areas : (lines, 2, 2) array
        Borders between the areas of a group, as segments; none where the areas are not public.
    metres : bool
        Whether the unit is a metre and north is up, so that a scale and an arrow are true.
    """

    groups: np.ndarray
    areas: np.ndarray
    metres: bool


def on_plane(regions: Regions, g: Generalization, coarse: CoarseShapes | None) -> Plane:
    """The groups on paper: as these squares of a grid, or simplified, with the borders of areas."""
    if coarse is None:
        made = display_map(regions)
        groups = np.array(dissolved(made.shapes[made.place], g))
        lost = shapely.is_empty(groups)  # too small for the display, or nearer to a pole than it reaches
        if lost.any():
            groups[lost] = np.array(dissolved(on_earth(regions.geometry), g))[lost]
        points, pairs = made.border_points, made.border_pairs
        one, other = pairs.T
        inside = (other >= 0) & (g.assignment[one] == g.assignment[other])
        segments = np.stack([points[:-1], points[1:]], axis=1)[inside[:-1] & inside[1:]].astype(float)
        segments = segments[np.isfinite(segments).all(axis=(1, 2))]
        placed = made.placed
    else:
        groups, segments = coarse.shapes, np.empty((0, 2, 2))
        crs = None if regions.geometry is None else regions.geometry.crs
        placed = crs is not None
        groups = together(geopandas.GeoSeries(groups, crs=crs).to_crs(4326).to_numpy()) if placed else groups
    project, metres = _projection(groups, placed, coarse is None)
    return Plane(shapely.transform(groups, project), project(segments.reshape(-1, 2)).reshape(-1, 2, 2), metres)


def _projection(shapes: np.ndarray, placed: bool, displayed: bool) -> tuple[Callable[[np.ndarray], np.ndarray], bool]:
    """From longitude and latitude to the plane, and whether that is in metres with north up."""
    if not placed:  # the display puts shapes without a place on the equator
        return (to_mercator if displayed else np.asarray), False
    import pyproj

    west, south, east, north = shapely.total_bounds(shapes)
    centre = f"+proj=laea +lat_0={(south + north) / 2} +lon_0={(west + east) / 2} +datum=WGS84 +units=m"
    there = pyproj.Transformer.from_crs("EPSG:4326", centre, always_xy=True)

    def project(xy: np.ndarray) -> np.ndarray:
        return np.column_stack(there.transform(xy[:, 0], xy[:, 1]))

    corners = project(np.array([[west, south], [east, south], [west, north], [east, north]]))
    if not np.isfinite(corners).all() or np.ptp(corners, axis=0).max() > WIDEST:
        return to_mercator, False
    return project, True
