"""What the pictures draw: rectangles and points on a map or in the plane, and density where points are many."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kanon_engine.rectangles.instance import Points

FEW_POINTS = 3_000  # up to here every point is drawn
DENSITY_CELLS = 160  # along the longer side
ENOUGH = 50_000  # points that tell where most of them lie
MERCATOR_LIMIT = 85.05  # a web map ends there


@dataclass(frozen=True)
class Marks:
    """Points, or cells of a grid that stand for many.

    Attributes
    ----------
    xy : (p, 2) float64 array
    sizes : (p,) float64 array
        Diameters in pixels.
    """

    xy: np.ndarray
    sizes: np.ndarray


def on_map(points: Points) -> bool:
    """Whether the points have a place on a map: their coordinate system is known."""
    return points.crs is not None


def lonlat(points: Points, xy: np.ndarray) -> np.ndarray:
    """(p, 2) longitudes and latitudes of coordinates in the points' system."""
    if not points.geographic:
        from pyproj import Transformer

        change = Transformer.from_crs(points.crs, "EPSG:4326", always_xy=True)
        xy = np.column_stack(change.transform(xy[:, 0], xy[:, 1]))
        middle = change.transform(*((points.box[:2] + points.box[2:]) / 2))[0]
        xy[:, 0] = middle + (xy[:, 0] - middle + 180) % 360 - 180  # across the 180th meridian longitudes run on
    return np.column_stack([xy[:, 0], np.clip(xy[:, 1], -MERCATOR_LIMIT, MERCATOR_LIMIT)])


def outlines(points: Points, rectangles: np.ndarray) -> list[np.ndarray]:
    """The closed outline of each rectangle, (v, 2); sides that bend on the map have more vertices than corners.

    A box without width or height is drawn with a little, or nothing of it would be seen.
    """
    longest = (points.box[2:] - points.box[:2]).max()
    extent = rectangles[:, 2:].max(axis=0) - rectangles[:, :2].min(axis=0)
    breadth = np.where(extent > 0, 0, 0.02 * longest if longest > 0 else 1e-3)
    low, high = rectangles[:, :2] - breadth, rectangles[:, 2:] + breadth
    along = np.linspace(0, 1, 2 if points.geographic or not on_map(points) else 9)[:-1, None]
    corners = [(0, 0), (1, 0), (1, 1), (0, 1)]
    steps = [
        np.array(a) + along * (np.array(b) - np.array(a))
        for a, b in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    unit = np.vstack([*steps, [[0, 0]]])
    rings = low[:, None, :] + unit[None, :, :] * (high - low)[:, None, :]
    if on_map(points):
        rings = lonlat(points, rings.reshape(-1, 2)).reshape(rings.shape)
    return list(rings)


def marks(points: Points, some: np.ndarray | None = None) -> Marks:
    """Every point while they are few; else the non-empty cells of a grid, larger where more points lie.

    Those alone that `some`, (n,) bool, picks, where it is given.
    """
    xy = points.xy if some is None else points.xy[some]
    if len(points) <= FEW_POINTS or not len(xy):
        places = np.unique(xy, axis=0)
        return Marks(places, np.full(len(places), 4.0))
    sides = np.maximum(points.box[2:] - points.box[:2], 0)
    cell = (sides.max() or 1.0) / DENSITY_CELLS
    columns, rows = ((xy - points.box[:2]) // cell).astype(np.int64).T
    keys, counts = np.unique(columns * (DENSITY_CELLS + 2) + rows, return_counts=True)
    middles = points.box[:2] + cell * (np.column_stack(np.divmod(keys, DENSITY_CELLS + 2)) + 0.5)
    return Marks(middles, 1.2 + 3.3 * np.sqrt(counts / counts.max()))


def joined(lines: list[np.ndarray]) -> np.ndarray:
    """Several lines as one, with a gap (NaN) after each."""
    gap = np.full((1, 2), np.nan)
    return np.vstack([part for line in lines for part in (line, gap)]) if lines else np.empty((0, 2))


def first_look(points: Points) -> np.ndarray:
    """(2, 2) lower left and upper right of what a map shows first.

    All, unless a few far places would make the rest small: then where all but 2 % of the weight lies, and a margin.
    """
    low, high = points.box[:2], points.box[2:]
    some = slice(None, None, -(-len(points) // ENOUGH))
    xy, weights = points.xy[some], points.weights[some]
    most = []
    for axis in range(2):
        order = np.argsort(xy[:, axis], kind="stable")
        sums = np.cumsum(weights[order]) / weights.sum()
        most.append(xy[order[np.searchsorted(sums, [0.01, 0.99])], axis])
    inner_low, inner_high = np.array(most).T
    margin = 0.08 * (inner_high - inner_low)
    inner_low, inner_high = np.maximum(inner_low - margin, low), np.minimum(inner_high + margin, high)
    if np.prod(inner_high - inner_low) < 0.4 * np.prod(high - low):
        low, high = inner_low, inner_high
    return np.array([low, high])


def view(corners: np.ndarray, width: int = 820, height: int = 460) -> tuple[float, float, float]:
    """Longitude, latitude and zoom at which a map shows all of some longitudes and latitudes, (p, 2)."""
    height_of = np.log(np.tan(np.pi / 4 + np.radians(corners[:, 1]) / 2))
    south, north = float(height_of.min()), float(height_of.max())
    west, east = float(corners[:, 0].min()), float(corners[:, 0].max())
    zooms = [math.log2(0.88 * width * 360 / (512 * max(east - west, 1e-6)))]
    zooms.append(math.log2(0.88 * height * 2 * math.pi / (512 * max(north - south, 1e-8))))
    middle = math.degrees(2 * math.atan(math.exp((south + north) / 2)) - math.pi / 2)
    return (west + east) / 2, middle, min(max(min(zooms), 0.0), 15.0)
