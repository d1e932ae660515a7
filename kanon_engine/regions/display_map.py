"""What pictures of areas need, independent of results: simplified shapes, borders, the view, a network if there are no
shapes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

import networkx as nx
import numpy as np
import shapely
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from kanon_engine.plot.maps import COARSE, Atlas, GeoJson
from kanon_engine.regions.contiguity import all_segments, repaired, shared_segments
from kanon_engine.regions.group_names import places_of

if TYPE_CHECKING:
    import geopandas

    from kanon_engine.regions.instance import Regions


FINEST = 3_000  # parts of the map's width: no detail is kept below one
CORNERS = 40_000  # of the simplified shapes, and for each area:
CORNERS_EACH = 7  # about the fewest that areas with six neighbors can have
WINDOW = (760, 440)  # pixels that the map is first fitted to
FEW = 0.01  # share of areas whose borders do not fit, below which the picture is unaffected
TILE = 512  # pixels of MapLibre's world at zoom 0


@dataclass(frozen=True, eq=False)
class DisplayMap:
    """Areas in longitude and latitude, ready to be drawn."""

    # (n,) int64: the areas' positions in the order in which they are drawn, from west to east: a saved picture should
    # not reveal the order of the file
    order: np.ndarray
    # (n,) array of polygons and multipolygons: simplified, in the order of drawing; empty if an area has no shape
    shapes: np.ndarray
    center: tuple[float, float]  # (longitude, latitude)
    zoom: float
    # (west, south, east, north): for a page that fits the view to the space it has
    bounds: tuple[float, float, float, float]
    points: np.ndarray  # (n, 2) float64: a point inside each area, by position; NaN if an area has no shape
    placed: bool  # whether the shapes have a place on Earth

    @cached_property
    def place(self) -> np.ndarray:
        """(n,) int64: place of each area in the order of drawing, by position."""
        place = np.empty_like(self.order)
        place[self.order] = np.arange(len(self.order))
        return place

    @cached_property
    def geojson(self) -> GeoJson:
        """One feature per area, in the order of drawing, which is its `id`."""
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


Made = TypeVar("Made")


def once_for_each(make: Callable[[Regions], Made]) -> Callable[[Regions], Made]:
    """Data derived from an instance, kept as long as the instance."""
    cache: WeakKeyDictionary[Regions, Made] = WeakKeyDictionary()

    @wraps(make)
    def kept(regions: Regions) -> Made:
        if regions not in cache:
            cache[regions] = make(regions)
        return cache[regions]

    return kept


@once_for_each
def display_map(regions: Regions) -> DisplayMap:
    """The drawable map of an instance with shapes."""
    geometry = regions.geometry
    if geometry is None:
        raise ValueError("these areas have no shapes")
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
        center=(float(x), float(y)),
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
    result: np.ndarray = shapely.transform(geometry.to_numpy(), lambda xy: (xy - middle) * scale)
    return result


def together(shapes: np.ndarray) -> np.ndarray:
    """Shapes in longitude and latitude; if they lie on both sides of the date line, the western ones move east.

    That is the case if at least half of the Earth between them is empty. A part of a shape moves as a whole, because
    one that spans the Greenwich meridian must not be torn.
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
    empty = shapely.is_empty(result) | shapely.is_missing(result)
    return np.where(empty, shapes, result)


def border_lines(shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lines between neighboring shapes and around the outside, and for each point its pair of shapes."""
    first, second, segments = shared_segments(shapes)
    owners, every = all_segments(shapes)
    ends = np.concatenate([every, segments]).view(np.complex128)[:, :, 0]
    number = np.unique(np.sort(ends, axis=1), axis=0, return_inverse=True)[1].ravel()  # the same in either direction
    outside = ~np.isin(number[: len(every)], number[len(every) :])
    pairs = np.column_stack([first, second])
    pairs = np.vstack([pairs, np.column_stack([owners[outside], np.full(outside.sum(), -1, dtype=np.int64)])])
    segments = np.concatenate([segments, every[outside]])
    long = (segments[:, 0] != segments[:, 1]).any(axis=1)
    segments, pairs = segments[long], pairs[long]
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    distinct, group = np.unique(pairs[order], axis=0, return_inverse=True)
    bundles = shapely.multilinestrings(shapely.linestrings(segments[order]), indices=group.ravel())
    lines, bundle = shapely.get_parts(shapely.line_merge(bundles), return_index=True)
    points, line = shapely.get_coordinates(lines, return_index=True)
    last = np.flatnonzero(np.diff(line, append=-1)) + 1
    between = distinct[bundle[line]].astype(np.int32)
    return (
        np.insert(points, last, np.nan, axis=0).astype(np.float32),
        np.insert(between, last, between[last - 1], axis=0),
    )


# ---------------------------------------------------------------------------------------------------------------------
# The background of a map: coasts, borders, counties, and the places in the areas' names
# ---------------------------------------------------------------------------------------------------------------------


BEYOND = 0.6  # fraction of the longer side drawn in addition on each side of the areas
COUNTIES = 14.0  # degrees beyond which counties are too small to be drawn
ONE_PLACE = 0.4  # degrees: areas of one name that are closer together are one place
MOST_PLACES = 400


@dataclass(frozen=True, eq=False)
class Ground:
    """Longitudes and latitudes."""

    # water, borders, counties: list of (v, 2): closed rings; lines; lines
    water: list[np.ndarray]
    borders: list[np.ndarray]
    counties: list[np.ndarray]
    names: list[str]  # the heaviest places first
    places: np.ndarray  # (p, 2) float64
    # whether the view is so wide that the borders coincide with those of the areas; otherwise they are drawn only
    # around them
    over: bool


def ground_of(regions: Regions, display: DisplayMap, atlas: Atlas | None) -> Ground:
    """What is known about the background; outlines only if the areas have a location on Earth."""
    names, places = _places(regions, display)
    west, south, east, north = display.bounds
    side = max(east - west, north - south)
    if atlas is None or not display.placed:
        return Ground([], [], [], names, places, False)
    beyond = BEYOND * side
    low, high = np.round([west - beyond, south - beyond], 3), np.round([east + beyond, north + beyond], 3)
    view = (float(low[0]), float(low[1]), float(high[0]), float(high[1]))
    surroundings = atlas.around(*view)
    water = [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(surroundings.water))]
    counties = atlas.paths("counties", view) if side < COUNTIES else []
    return Ground(water, surroundings.lines, counties, names, places, side >= COARSE)


def _places(regions: Regions, display: DisplayMap) -> tuple[list[str], np.ndarray]:
    """The heaviest places in the names of areas, each at its heaviest area."""
    if regions.names is None:
        return [], np.empty((0, 2))
    place_names, points = places_of(regions), display.points
    seeds: dict[str, list[int]] = {}  # the heaviest area of each place of a name
    sums: dict[int, int] = {}
    for area in np.argsort(-regions.weights, kind="stable").tolist():
        if np.isnan(points[area, 0]):
            continue
        same_name = seeds.setdefault(place_names[area], [])
        seed = next((one for one in same_name if np.abs(points[one] - points[area]).max() < ONE_PLACE), None)
        if seed is None:
            same_name.append(seed := area)
        sums[seed] = sums.get(seed, 0) + int(regions.weights[area])
    heaviest = sorted(sums, key=lambda seed: -sums[seed])[:MOST_PLACES]
    return [place_names[seed] for seed in heaviest], points[heaviest]


_COVERAGE_FILES: WeakKeyDictionary[Regions, dict[Atlas | None, CoverageFile]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class CoverageFile:
    """The shapes and names of the areas of an instance, in the order of drawing.

    Attributes
    ----------
    content : bytes
        Little endian: the length of the header (uint32); the header, JSON padded to whole words; the arrays that it
        names, one after another.

        - `xy` float32, corners, ring after ring, each ring closed: Web Mercator from the middle of the map, in units of
          half its larger side, y to the north
        - `rings`, `parts`, `areas` uint32: where each ring, each part (its outer ring, then its holes) and each area
          begins, and where the last ends
        - `points` float32, a point inside each area; NaN if an area has no shape
        - `joins` uint32, pairs of areas: the joined ones without a common border
        - `water`, `borders`, `counties` float32, corners of what the areas lie on, and `water_starts` and the like,
          uint32, where each ring or line begins, and where the last ends
        - `places` float32, points of the places in the header

        The header also holds `ids`, `names` or null, and `weights` of the areas, `places_names`, the heaviest first,
        `middle` and `half`, the radians of the map's middle and of half its larger side, `placed`, whether the shapes
        have a place on Earth, and `over`, whether borders are drawn over the areas too.
    """

    digest: str  # of the content
    content: bytes


def coverage_file(regions: Regions, atlas: Atlas | None = None) -> CoverageFile:
    """The file of an instance with shapes; made once for each instance and atlas."""
    files = _COVERAGE_FILES.setdefault(regions, {})
    if atlas not in files:
        content = _file_content(regions, atlas)
        files[atlas] = CoverageFile(hashlib.sha256(content).hexdigest(), content)
    return files[atlas]


def _file_content(regions: Regions, atlas: Atlas | None) -> bytes:
    display = display_map(regions)
    ground = ground_of(regions, display, atlas)
    low, high = to_mercator(np.array(display.bounds).reshape(2, 2))
    middle, half = (low + high) / 2, max(float((high - low).max()) / 2, 1e-12)
    parts, part_area = shapely.get_parts(display.shapes, return_index=True)
    polygon = (shapely.get_type_id(parts) == shapely.GeometryType.POLYGON) & ~shapely.is_empty(parts)
    parts, part_area = parts[polygon], part_area[polygon]
    rings, ring_part = shapely.get_rings(parts, return_index=True)
    corners, corner_ring = shapely.get_coordinates(rings, return_index=True)
    arrays = {
        "xy": ((to_mercator(corners) - middle) / half).astype("<f4"),
        "rings": _starts(corner_ring, len(rings)),
        "parts": _starts(ring_part, len(parts)),
        "areas": _starts(part_area, len(regions)),
        "points": ((to_mercator(display.points[display.order]) - middle) / half).astype("<f4"),
        "joins": display.place[regions.added_edges].astype("<u4"),
        "places": ((to_mercator(ground.places) - middle) / half).astype("<f4"),
    }
    for name in ("water", "borders", "counties"):
        lines: list[np.ndarray] = getattr(ground, name)
        corners = np.vstack([np.empty((0, 2)), *lines])
        arrays[name] = ((to_mercator(corners) - middle) / half).astype("<f4")
        arrays[f"{name}_starts"] = np.cumsum([0, *map(len, lines)]).astype("<u4")
    header = {
        "arrays": {name: array.size for name, array in arrays.items()},
        "middle": middle.tolist(),
        "half": half,
        "placed": display.placed,
        "places_names": ground.names,
        "over": ground.over,
        "ids": [str(name) for name in regions.ids[display.order]],
        "names": None if regions.names is None else regions.names[display.order].tolist(),
        "weights": regions.weights[display.order].tolist(),
    }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([np.uint32(len(text)).tobytes(), text, *(array.tobytes() for array in arrays.values())])


def _starts(owner: np.ndarray, count: int) -> np.ndarray:
    """Where the items of each owner begin, and where the last end."""
    return np.searchsorted(owner, np.arange(count + 1)).astype("<u4")


EXACT = 300  # areas up to which distances in the drawing follow those in the graph
SPRING = 1_500  # areas up to which springs, quadratic in their number, are fast enough
ROUNDS = 60
PIVOTS = 50


@once_for_each
def positions(regions: Regions) -> np.ndarray:
    """(n, 2) float64: where each area is drawn, the same for the same graph, with its parts side by side in rows."""
    xy = np.zeros((len(regions), 2))
    graph = nx.Graph()
    graph.add_nodes_from(range(len(regions)))
    graph.add_edges_from(regions.edges.tolist())
    parts = sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    row = float(np.sqrt(sum(len(part) for part in parts))) * 2
    left = top = height = 0.0
    for part in parts:
        members = sorted(part)
        size = float(np.sqrt(len(members)))
        if left and left + size > row:
            left, top, height = 0.0, top - height, 0.0
        middle = (left + size / 2, top - size / 2)
        xy[members] = _network_layout(graph.subgraph(members), members) * size * 0.45 + middle
        left, height = left + size, max(height, size)
    return xy


def _network_layout(graph: nx.Graph, members: list[int]) -> np.ndarray:
    """One connected part within the square from -1 to 1."""
    if len(members) == 1:
        return np.zeros((1, 2))
    ordered = nx.Graph()
    ordered.add_nodes_from(members)  # a subgraph's own order is that of a set
    ordered.add_edges_from(sorted(tuple(sorted(edge)) for edge in graph.edges))
    if len(members) <= EXACT:
        layout = nx.kamada_kawai_layout(ordered)
        xy = np.array([layout[member] for member in members])
    else:
        xy = _by_pivots(nx.to_scipy_sparse_array(ordered, nodelist=members, format="csr"))
    if EXACT < len(members) <= SPRING:
        start = dict(zip(members, xy / np.abs(xy).max(), strict=True))
        layout = nx.spring_layout(ordered, pos=start, seed=0, iterations=ROUNDS)
        xy = np.array([layout[member] for member in members])
    xy -= (xy.max(axis=0) + xy.min(axis=0)) / 2
    return xy / max(float(np.abs(xy).max()), 1e-9)


def _by_pivots(graph: csr_array) -> np.ndarray:
    """Classical scaling of the distances to a few areas that lie far apart: O(n) for each of them.

    References
    ----------
    U. Brandes, C. Pich, "Eigensolver methods for progressive multidimensional scaling of large data", Graph Drawing
    2006.
    """
    rows: list[np.ndarray] = []
    pivot, nearest = 0, np.full(graph.shape[0], np.inf)
    for _ in range(PIVOTS):
        rows.append(dijkstra(graph, indices=pivot, unweighted=True))
        nearest = np.minimum(nearest, rows[-1])
        pivot = int(nearest.argmax())
    squares = np.array(rows).T ** 2
    centered = squares.mean(axis=0) + squares.mean(axis=1, keepdims=True) - squares - squares.mean()
    directions = np.linalg.eigh(centered.T @ centered)[1][:, -2:]
    directions *= np.where(directions[np.abs(directions).argmax(axis=0), [0, 1]] < 0, -1, 1)  # one of two mirror images
    xy: np.ndarray = centered @ directions[:, ::-1]
    return xy
