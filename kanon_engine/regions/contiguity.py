"""Which areas border each other: from their shapes, or from a list of borders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import shapely

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.confined import confined
from kanon_engine.io.coordinates import crs_name
from kanon_engine.io.frames import read_frame
from kanon_engine.io.limits import limits, passed
from kanon_engine.io.names import plain
from kanon_engine.io.source import TABLES, Source
from kanon_engine.model.wishes import parts_of
from kanon_engine.model.words import number_text
from kanon_engine.regions.columns import column_ids, counted, some

if TYPE_CHECKING:
    import geopandas


POLYGONS = (3, 6)  # shapely's type numbers of Polygon and MultiPolygon
CONTIGUITIES = ("rook", "queen")
NO_BORDER = "have no common border but were joined to connect separate parts"  # in such a note, which a page looks for


def checked_shapes(
    geometry: geopandas.GeoSeries, ids: Sequence[Any], where: str, crs: str | None = None
) -> tuple[geopandas.GeoSeries, list[str]]:
    """Valid, flat polygons with a known system where possible, and notes on what was changed.

    Raises `InvalidInput`: a shape that is missing, empty or not a polygon; the message names the area.
    """
    notes = []
    shapes = shapely.force_2d(geometry.to_numpy())
    points, owner = shapely.get_coordinates(shapes, return_index=True)
    for bad, problem in (
        (shapely.is_missing(shapes), "has no shape"),
        (shapely.is_empty(shapes), "has an empty shape"),
        (
            ~shapely.is_missing(shapes) & ~np.isin(shapely.get_type_id(shapes), (*POLYGONS, 7)),
            "is not an area but a {kind}",
        ),
        (
            np.isin(np.arange(len(shapes)), owner[~np.isfinite(points).all(axis=1)]),
            "has a coordinate that is not a number",
        ),
    ):
        if bad.any():
            first = int(np.flatnonzero(bad)[0])
            kind = shapes[first].geom_type if shapes[first] is not None else ""
            more = f" (like {counted(int(bad.sum()) - 1, 'other area')})" if bad.sum() > 1 else ""
            raise InvalidInput(
                f"In {where} the area {ids[first]} {problem.format(kind=kind)}{more}; load polygons, and leave out "
                "areas without a polygon."
            )
    invalid = np.flatnonzero(~shapely.is_valid(shapes))
    if len(invalid):
        shapes = repaired(shapes)
        names = some([ids[place] for place in invalid.tolist()])
        notes.append(f"{counted(len(invalid), 'area')} had a shape that crosses itself, which was repaired: {names}.")
    for place in np.flatnonzero(~np.isin(shapely.get_type_id(shapes), POLYGONS)).tolist():
        pieces = [piece for piece in shapely.get_parts(shapes[place]) if piece.geom_type in ("Polygon", "MultiPolygon")]
        shapes[place] = shapely.union_all(pieces)
    flat = np.flatnonzero(shapely.area(shapes) == 0).tolist()
    if flat:
        raise InvalidInput(f"In {where} the area {ids[flat[0]]} has a shape of zero area; correct it.")
    shapes = type(geometry)(shapes, crs=geometry.crs)
    if crs is not None:
        clause = "the file states no coordinate system" if shapes.crs is None else f"the file says “{shapes.crs.name}”"
        notes.append(f"The coordinates were taken as {crs_name(crs)}, as requested; {clause}.")
        shapes = shapes.set_crs(crs_name(crs), allow_override=True)
    several = int((shapely.get_num_geometries(shapes.to_numpy()) > 1).sum())
    if several:
        notes.append(f"{counted(several, 'area')} {'consists' if several == 1 else 'consist'} of several pieces.")
    return _placed(shapes, notes), notes


def repaired(shapes: np.ndarray) -> np.ndarray:
    """The shapes, with invalid ones repaired; empty if one had no area."""
    valid, broken = shapes.copy(), ~shapely.is_valid(shapes)
    valid[broken] = shapely.make_valid(shapes[broken], method="structure", keep_collapsed=False)
    return valid


def _placed(shapes: geopandas.GeoSeries, notes: list[str]) -> geopandas.GeoSeries:
    """The shapes with their coordinate system, guessed if the file does not state it."""
    bounds = shapes.total_bounds
    if shapes.crs is None and (np.abs(bounds) <= (180, 90, 180, 90)).all():
        notes.append(
            "The file states no coordinate system; its coordinates were taken as longitude and latitude (WGS 84)."
        )
        return shapes.set_crs(4326)
    if shapes.crs is not None and not (shapes.crs.is_geographic or shapes.crs.is_projected):
        notes.append(f"The coordinate system “{shapes.crs.name}” does not describe places on Earth and was ignored.")
        shapes = shapes.set_crs(None, allow_override=True)
    if shapes.crs is None:
        notes.append(
            "The file states no coordinate system; its coordinates were taken as points in a plane, so the map has no "
            "location on Earth."
        )
    elif shapes.crs.is_geographic and not (np.abs(bounds) <= (360, 90.001, 360, 90.001)).all():
        raise InvalidInput(
            f"The file says that its coordinates are longitudes and latitudes, but they reach "
            f"{np.abs(bounds).max():,.0f}; correct its coordinate system."
        )
    else:
        corners = type(shapes)(shapely.points(bounds.reshape(2, 2)), crs=shapes.crs)
        if not np.isfinite(corners.to_crs(4326).total_bounds).all():
            raise InvalidInput(
                f"The coordinates lie outside the file's coordinate system, “{shapes.crs.name}”; correct the system."
            )
    return shapes


def borders(
    geometry: geopandas.GeoSeries, labels: Sequence[str], kind: str, islands: str
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Edges by contiguity, the part of them that joins islands, and notes on both."""
    result = contiguity(geometry.to_numpy(), kind)
    most = limits().borders + 20 * len(geometry)
    if len(result.edges) > most:
        pairs = f"has {len(result.edges):,} pairs of areas that border each other"
        raise passed("The map", pairs, f"{most:,}", "load a map whose areas do not overlap")
    notes = []
    if len(result.misfits):
        crs, unit = geometry.crs, 1.0  # in meters
        if crs is not None:
            unit = 111_320.0 if crs.is_geographic else float(crs.axis_info[0].unit_conversion_factor)
        width = length(result.tolerance * unit, crs is not None)
        across, names = int(result.inexact.sum()), some([labels[place] for place in result.misfits], 3)
        notes.append(
            f"The shapes of {counted(len(result.misfits), 'area')} do not fit those of their neighbors exactly: they "
            f"overlap, or leave gaps narrower than {width} ({names}). Areas that meet there count as neighbors; areas "
            "farther apart do not."
            + (f" {counted(across, 'pair')} of areas border each other only at such places." if across else "")
        )
    if islands != "attach":
        return result.edges, np.empty((0, 2), dtype=np.int64), notes
    added, joins = joined(geometry, result.edges, labels)
    return np.vstack([result.edges, added]), added, notes + joins


def joined(geometry: geopandas.GeoSeries, edges: np.ndarray, labels: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """The edges that attach separate parts, with one sentence each so that none is overlooked."""
    added, distances = attach_parts(geometry, edges)
    return added, [
        f"{labels[a]} and {labels[b]} {NO_BORDER}; they "
        + (f"lie {length(distance, geometry.crs is not None)} apart." if distance > 0 else "touch.")
        for (a, b), distance in zip(added.tolist(), distances.tolist(), strict=True)
    ]


def length(meters: float, has_unit: bool = True) -> str:
    """A length for a sentence.

    >>> length(1234.5), length(12.3), length(0.0812)
    ('1.2 km', '12 m', '0.081 m')
    """
    if not has_unit:
        return f"{number_text(meters, 3)} units"
    return f"{meters / 1000:,.1f} km" if meters >= 1000 else f"{meters:,.0f} m" if meters >= 10 else f"{meters:.2g} m"


RELATIVE_TOLERANCE = 1e-4  # of the typical width of an area: narrower gaps and overlaps are drawing errors
LEAST_BORDER = 20  # tolerances: what two areas must share across a gap or overlap to border each other


@dataclass(frozen=True)
class Contiguity:
    """Which areas border each other, and how well the shapes fit together."""

    edges: np.ndarray  # (e, 2) int64: positions, the smaller first, sorted
    inexact: np.ndarray  # (e,) bool: edges whose common border exists only across a narrow gap or through an overlap
    misfits: np.ndarray  # (m,) int64: positions of areas with a border that does not fit its neighbor's exactly
    tolerance: float  # width below which a gap counts as a drawing error, in the unit of the coordinates


def contiguity(shapes: np.ndarray, kind: str = "rook") -> Contiguity:
    """Pairs of polygons with a common border ("rook"), or with at least a common point ("queen").

    Parameters
    ----------
    shapes : (n,) array of valid polygons and multipolygons
    kind : "rook" or "queen".

    Notes
    -----
    Most borders are found at once because their segments are the same in both areas. The remaining pairs whose shapes
    meet are compared one by one: exactly, and, if drawing errors separate borders or make them overlap, by the length
    of one border that lies within the tolerance of the other area.

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
    shared_keys = np.unique(np.minimum(first, second) * count + np.maximum(first, second))
    near = shapely.STRtree(shapes).query(shapely.box(*_grown(bounds, tolerance)))
    near = near[:, near[0] < near[1]]
    open_pairs = np.setdiff1d(near[0] * count + near[1], shared_keys)
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
    keys = np.concatenate([shared_keys, open_pairs[accepted]])
    inexact = np.concatenate([np.zeros(len(shared_keys), dtype=bool), ~exact[accepted]])
    order = np.argsort(keys)
    edges = np.column_stack(np.divmod(keys[order], count))
    return Contiguity(edges, inexact[order], misfits, tolerance)


def shared_segments(shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Border segments that two shapes have in common, point for point: (s,) both shapes, and (s, 2, 2) both ends."""
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
    """For each pair, how much of one's border lies within the tolerance of the other; the longer of both directions."""
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
    """The part of a shape inside a box."""
    try:
        return shapely.clip_by_rect(shape, *box)
    except shapely.GEOSException:  # it may reduce a needle to a ring of three points, which is invalid
        return shapely.intersection(shape, shapely.box(*box))


def _grown(bounds: np.ndarray, by: float) -> tuple[np.ndarray, ...]:
    return bounds[..., 0] - by, bounds[..., 1] - by, bounds[..., 2] + by, bounds[..., 3] + by


def attach_parts(geometry: geopandas.GeoSeries, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges that make a map one connected part, each between the two nearest areas of two parts.

    Every part except the largest finds the nearest area outside it. The shortest of these joins are made first,
    skipping any that would close a cycle, until one part is left (Borůvka's spanning tree of the parts).

    `geometry`: GeoSeries of n polygons. Longitudes and latitudes are projected around the middle of the map before
        distances are compared.
    `edges`: (e, 2) int.
    Returns `added`: (parts - 1, 2) int64. Positions, the smaller first; `distances`: (parts - 1,) float64. In meters,
        or in the unit of the coordinates if unknown.
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
    """For each part except the largest, the shortest join to an area outside; shortest first, ties by position."""
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
        # a part that found an area within the radius has found its nearest; only the others look farther
        seekers = seekers[~np.isin(part[seekers], list(joins))]
        radius *= 2
        if not np.isfinite(radius):
            raise InvalidInput(
                "Some areas lie at places from which distances cannot be measured",
                remedy=(Remedy("correct them"), Remedy("do not join separate parts", "islands", "separate")),
            )
    return sorted(joins.values())


def flat(geometry: geopandas.GeoSeries) -> np.ndarray:
    """Shapes in a plane in which distances can be compared."""
    if geometry.crs is None or not geometry.crs.is_geographic:
        return geometry.to_numpy()
    return geometry.to_crs(_around_the_middle(geometry)).to_numpy()


def _around_the_middle(geometry: geopandas.GeoSeries) -> str:
    """An equal-area projection; its error in distances is small within a few thousand kilometers."""
    west, south, east, north = geometry.total_bounds
    return f"+proj=laea +lon_0={(west + east) / 2:.4f} +lat_0={(south + north) / 2:.4f} +datum=WGS84"


def measured(geometry: geopandas.GeoSeries, pairs: list[tuple[int, int]], planar: list[float]) -> np.ndarray:
    """The distances of pairs in meters, along the ellipsoid if the shapes have longitudes and latitudes."""
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


PAIRS = (
    ("a", "b"),
    ("source", "target"),
    ("from", "to"),
    ("focal", "neighbor"),
    ("focal", "neighbour"),
    ("id1", "id2"),
)
GAL_HEADER = re.compile(r"\s*(0\s+\d+\s+\S+\s+\S+|\d+)\s*")


@confined("file")
def read_edges(file: Any, filename: str | None = None) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Pairs of ids that border each other, and all ids in the order of the file.

    Raises `InvalidInput`: an unsupported kind of file, not two columns of ids, a missing id, or an area that borders
    itself.
    """
    source = Source.open(file, filename)
    if source.kind == "text" and _is_gal(source):
        pairs, ids = _pairs_of_gal(source)
    else:
        pairs, ids = _pairs_of_table(source)
    for a, b in pairs:
        if a == b:
            raise InvalidInput(f"{source.name} says that {a} borders itself; leave that line out.")
    return pairs, list(dict.fromkeys(ids))


def looks_like_edges(source: Source) -> bool:
    """Whether a file is a list of borders: a .gal file, or a table of exactly two columns with the same kind of ids."""
    if source.kind == "text" and _is_gal(source):
        return True
    if source.kind not in TABLES:
        return False
    frame, _ = read_frame(source)
    if _coordinate_pair(frame.columns) is not None:
        return True
    if frame.shape[1] != 2:
        return False
    one, other = (set(frame.iloc[:, place].dropna().astype(str)) | {str(frame.columns[place])} for place in (0, 1))
    return len(one & other) > 0.5 * min(len(one), len(other))


def _coordinate_pair(columns: Any) -> list[Any] | None:
    names = {plain(column): column for column in columns}
    return next(([names[a], names[b]] for a, b in PAIRS if a in names and b in names), None)


def _pairs_of_table(source: Source) -> tuple[list[tuple[Any, Any]], list[Any]]:
    frame, _ = read_frame(source)
    chosen = _coordinate_pair(frame.columns)
    if chosen is None:
        if frame.shape[1] != 2:
            listing = ", ".join(map(str, frame.columns))
            raise InvalidInput(
                f"{source.name} should list borders as two columns of ids, but its columns are: {listing}; "
                f"keep only two, or name two of them a and b."
            )
        chosen = list(frame.columns)
        if source.kind == "text" and {*chosen} & {*frame[chosen[0]], *frame[chosen[1]]}:  # the first line is a pair too
            frame, _ = read_frame(source, header=False)
            chosen = list(frame.columns)
    ends = [column_ids(frame[column], source.name) for column in chosen]
    pairs = list(zip(*ends, strict=True))
    return pairs, [end for pair in pairs for end in pair]


def _is_gal(source: Source) -> bool:
    head = source.data[:2000].decode("utf-8-sig", errors="replace").splitlines()
    second = head[1].split() if len(head) > 1 else []
    return bool(head) and GAL_HEADER.fullmatch(head[0]) is not None and len(second) == 2 and second[1].isdecimal()


def _pairs_of_gal(source: Source) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """First line: the number of areas, alone or second. Then for each area: id and number of neighbors; their ids."""
    text = source.data.decode("utf-8-sig", errors="replace")
    header, *lines = [line.split() for line in text.splitlines() if line.strip()]
    count = int(header[1] if len(header) > 1 else header[0])
    pairs: list[tuple[Any, Any]] = []
    ids: list[Any] = []
    place = 0
    while place < len(lines):
        line = lines[place]
        if len(line) != 2 or not line[1].isdecimal():
            raise InvalidInput(
                f"{source.name} is not a .gal file: the line “{' '.join(line)}” should hold an id and its number of "
                "neighbors."
            )
        ids.append(line[0])
        neighbors = lines[place + 1] if int(line[1]) and place + 1 < len(lines) else []
        if len(neighbors) != int(line[1]):
            raise InvalidInput(
                f"{source.name} lists {len(neighbors)} neighbors of {line[0]} but says that it has {line[1]}; correct "
                "it."
            )
        pairs += [(line[0], neighbor) for neighbor in neighbors]
        place += 2 if neighbors else 1
    if len(ids) != count:
        raise InvalidInput(f"{source.name} says that it has {count} areas but lists {len(ids)}; it may be incomplete.")
    unknown = sorted({b for _, b in pairs} - set(ids))
    if unknown:
        raise InvalidInput(f"{source.name} lists a neighbor {unknown[0]} that is not an area of the file; correct it.")
    return pairs, ids
