"""Which areas border each other, from their shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

RELATIVE_TOLERANCE = 1e-4  # of the typical width of an area: narrower gaps and overlaps are drawing errors
LEAST_BORDER = 20  # tolerances: what two areas must share across a gap or overlap to border each other


@dataclass(frozen=True)
class Contiguity:
    """Who borders whom, and how well the shapes fit together.

    Attributes
    ----------
    edges : (e, 2) int64 array
        Positions, the smaller first, sorted.
    inexact : (e,) bool array
        Edges whose common border exists only across a narrow gap or through an overlap.
    misfits : (m,) int64 array
        Positions of areas with a border that does not fit its neighbour's exactly.
    tolerance : float
        Width below which a gap counts as a drawing error, in the unit of the coordinates.
    """

    edges: np.ndarray
    inexact: np.ndarray
    misfits: np.ndarray
    tolerance: float


def contiguity(shapes: np.ndarray, kind: str = "rook") -> Contiguity:
    """Pairs of polygons with a common border ("rook"), or with at least a common point ("queen").

    Parameters
    ----------
    shapes : (n,) array of valid polygons and multipolygons
    kind : str
        "rook" or "queen".

    Returns
    -------
    Contiguity

    Notes
    -----
    Most borders are found at once, for their segments are the same in both areas. The pairs left over whose shapes
    meet are compared one by one: exactly, and, where drawing errors keep borders apart or make them overlap, by the
    length of the one border that lies within the tolerance of the other area.

    Complexity
    ----------
    O(s log s) for s segments, and a comparison for each pair that meets without a common segment.
    """
    count = len(shapes)
    bounds = shapely.bounds(shapes)
    widths = np.sqrt((bounds[:, 2] - bounds[:, 0]) * (bounds[:, 3] - bounds[:, 1]))
    tolerance = RELATIVE_TOLERANCE * float(np.median(widths))
    misfits = np.flatnonzero(~shapely.is_empty(shapely.coverage_invalid_edges(shapes, gap_width=tolerance)))

    first, second, _ = shared_segments(shapes)
    known = np.unique(np.minimum(first, second) * count + np.maximum(first, second))
    near = shapely.STRtree(shapes).query(shapely.box(*_grown(bounds, tolerance)))
    near = near[:, near[0] < near[1]]
    open_pairs = np.setdiff1d(near[0] * count + near[1], known)
    left, right = np.divmod(open_pairs, count)
    shapely.prepare(shapes)
    meets = shapely.dwithin(shapes[left], shapes[right], tolerance)
    open_pairs, left, right = open_pairs[meets], left[meets], right[meets]

    if kind == "queen":
        exact = shapely.intersects(shapes[left], shapes[right])
        accepted = np.ones(len(open_pairs), dtype=bool)
    else:
        exact = shapely.relate_pattern(shapes[left], shapes[right], "****1****")
        accepted = exact.copy()
        rest = ~exact
        accepted[rest] = close_border(shapes[left[rest]], shapes[right[rest]], tolerance) > LEAST_BORDER * tolerance
    keys = np.concatenate([known, open_pairs[accepted]])
    inexact = np.concatenate([np.zeros(len(known), dtype=bool), ~exact[accepted]])
    order = np.argsort(keys)
    edges = np.column_stack(np.divmod(keys[order], count))
    return Contiguity(edges, inexact[order], misfits, tolerance)


def shared_segments(shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Border segments that two shapes have in common, point for point.

    Returns
    -------
    first, second : (s,) int64 arrays
        The two shapes, first < second.
    segments : (s, 2, 2) float64 array
        Both ends of each segment.
    """
    owners, segments = all_segments(shapes)
    order = np.argsort(_segment_hashes(segments), kind="stable")
    owners, segments = owners[order], segments[order]
    ends = np.sort(segments.view(np.complex128)[:, :, 0], axis=1)  # either direction
    same = (ends[1:] == ends[:-1]).all(axis=1) & (owners[1:] != owners[:-1])
    one, other = owners[:-1][same], owners[1:][same]
    return np.minimum(one, other), np.maximum(one, other), segments[:-1][same]


def all_segments(shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every border segment of every shape: its owner (s,) and its two ends (s, 2, 2)."""
    polygons, shape = shapely.get_parts(shapes, return_index=True)
    rings, polygon = shapely.get_rings(polygons, return_index=True)
    points, ring = shapely.get_coordinates(rings, return_index=True)
    inside = ring[1:] == ring[:-1]
    segments = np.stack([points[:-1][inside], points[1:][inside]], axis=1)
    return shape[polygon[ring[:-1][inside]]].astype(np.int64), segments


def _segment_hashes(segments: np.ndarray) -> np.ndarray:
    """(s,) uint64, the same for both directions of a segment."""
    words = np.ascontiguousarray(segments + 0.0).view(np.uint64)  # + 0.0 makes -0.0 and 0.0 the same
    with np.errstate(over="ignore"):
        points = words[..., 0] * np.uint64(0x9E3779B97F4A7C15) ^ (words[..., 1] * np.uint64(0xC2B2AE3D27D4EB4F))
        points ^= points >> np.uint64(29)
        points *= np.uint64(0xBF58476D1CE4E5B9)
        return points[:, 0] + points[:, 1]


def close_border(one: np.ndarray, other: np.ndarray, tolerance: float) -> np.ndarray:
    """For each pair, how much of one's border lies within the tolerance of the other; the longer of both ways."""
    lengths = np.zeros(len(one))
    for place, pair in enumerate(zip(one, other, strict=True)):
        boxes = np.array([shape.bounds for shape in pair])
        common = np.concatenate([boxes[:, :2].max(axis=0), boxes[:, 2:].min(axis=0)])
        for shape, target in (pair, pair[::-1]):
            line = _clipped(shapely.boundary(shape), _grown(common, 2 * tolerance))
            ground = _clipped(target, _grown(common, 5 * tolerance))
            near = shapely.intersection(line, shapely.buffer(ground, tolerance, quad_segs=2))
            lengths[place] = max(lengths[place], shapely.length(near))
    return lengths


def _clipped(shape: shapely.Geometry, box: tuple[np.ndarray, ...]) -> shapely.Geometry:
    """What of a shape lies in a box."""
    try:
        return shapely.clip_by_rect(shape, *box)
    except shapely.GEOSException:  # of a needle it may leave a ring of three points, which is none
        return shapely.intersection(shape, shapely.box(*box))


def _grown(bounds: np.ndarray, by: float) -> tuple[np.ndarray, ...]:
    return bounds[..., 0] - by, bounds[..., 1] - by, bounds[..., 2] + by, bounds[..., 3] + by
