"""Maps whose shapes are broken in ways that files are: by the seed, whatever a reader may still accept."""

import geopandas
import numpy as np
import shapely

PLACES = {
    "degrees": ("EPSG:4326", (-71.0, 43.0), 1.0),
    "street": ("EPSG:4326", (-71.0, 43.0), 1e-4),
    "date line": ("EPSG:4326", (179.4, 52.0), 1.0),
    "pole": ("EPSG:4326", (-160.0, 62.0), 27.8),
    "beyond mercator": ("EPSG:4326", (-160.0, 86.0), 3.9),
    "world": ("EPSG:4326", (-89.0, -89.0), 178.0),
    "meters": ("EPSG:32618", (431_017.3, 4_512_033.9), 9_000.0),
    "polar": ("EPSG:3413", (-900_000.0, -900_000.0), 1_800_000.0),
    "plane": (None, (1_000.0, 1_000.0), 500.0),
    "far plane": (None, (1e9, -1e9), 500.0),
    "tiny plane": (None, (0.0, 1e3), 1e-6),
}


def broken_map(seed: int) -> tuple[geopandas.GeoDataFrame, str]:
    """A map with the columns id and people, some of whose shapes are broken, and what was done to it."""
    rng = np.random.default_rng(seed)
    place = list(PLACES)[seed % len(PLACES)]
    crs, corner, size = PLACES[place]
    shapes = _tessellation(rng)
    done = rng.choice(len(BREAKS), size=int(rng.integers(1, 4)), replace=False)
    for number in done:
        shapes = list(BREAKS)[number](rng, shapes)
    shapes = [shapely.transform(shape, lambda xy: xy * size + corner) for shape in shapes]
    if place == "date line":  # what lies east of it stands at the other end of the map
        shapes = [_around(shape) for shape in shapes]
    people = rng.integers(0, 9, len(shapes)) + rng.integers(0, 2, len(shapes)) * 40
    ids = [f"{number + 10_001}" for number in range(len(shapes))]
    columns = {"id": ids, "people": people}
    return geopandas.GeoDataFrame(columns, geometry=shapes, crs=crs), f"{place}, {', '.join(_name(n) for n in done)}"


def _name(number: int) -> str:
    return list(BREAKS)[number].__name__.strip("_")


def _around(shape):
    west = shapely.intersection(shapely.make_valid(shape), shapely.box(-180, -90, 180, 90))
    east = shapely.intersection(shapely.make_valid(shape), shapely.box(180, -90, 540, 90))
    moved = shapely.transform(east, lambda xy: xy - (360, 0))
    parts = [part for one in (west, moved) for part in shapely.get_parts(one) if part.geom_type == "Polygon"]
    return shapely.MultiPolygon(parts)


def _tessellation(rng) -> list[shapely.Polygon]:
    """Areas that fill the unit square, with borders of many corners."""
    points = shapely.MultiPoint(rng.random((int(rng.integers(5, 24)), 2)))
    whole = shapely.box(0, 0, 1, 1)
    cells = [shapely.intersection(cell, whole) for cell in shapely.get_parts(shapely.voronoi_polygons(points))]
    lines = shapely.union_all([cell.exterior for cell in cells])
    fine = shapely.segmentize(lines, 0.02)
    rough = rng.normal(0, float(rng.choice([0, 1e-4, 4e-3])), (997, 2))

    def shaken(xy):
        keys = (np.round(xy, 12) * 1e9).astype(np.int64) @ np.array([7, 13])
        return xy + rough[keys % len(rough)]

    return list(shapely.get_parts(shapely.polygonize([*shapely.get_parts(shapely.transform(fine, shaken))])))


def _some(rng, shapes):
    return rng.choice(len(shapes), size=max(1, len(shapes) // 4), replace=False).tolist()


def _box(shape):
    return np.array(shape.bounds[:2]), np.array(shape.bounds[2:]) - np.array(shape.bounds[:2])


def _changed(rng, shapes, change):
    chosen = set(_some(rng, shapes))
    return [change(shape) if place in chosen else shape for place, shape in enumerate(shapes)]


def _bow_ties(rng, shapes):
    def tie(shape):
        low, wide = _box(shape)
        return shapely.Polygon(np.array([(0, 0), (1, 1), (1, 0), (0, 1)]) * wide + low)

    return _changed(rng, shapes, tie)


def _crossed(rng, shapes):
    """Two corners of a ring change places."""

    def cross(shape):
        corners = shapely.get_coordinates(shapely.get_parts(shape)[0].exterior)[:-1]
        one, other = rng.integers(0, len(corners), 2)
        corners[[one, other]] = corners[[other, one]]
        return shapely.Polygon(corners)

    return _changed(rng, shapes, cross)


def _slivers(rng, shapes):
    """Gaps and overlaps along borders."""
    by = float(rng.choice([1e-9, 1e-6, 1e-3]))
    return [shapely.transform(shape, lambda xy: xy + rng.normal(0, by, 2)) for shape in shapes]


def _needles(rng, shapes):
    """New areas that are almost lines."""
    new = []
    for place in _some(rng, shapes):
        low, wide = _box(shapes[place])
        new.append(shapely.Polygon([low, low + wide, low + wide + (0, float(rng.choice([1e-12, 1e-8, 1e-5])))]))
    return [*shapes, *new]


def _shared_holes(rng, shapes):
    """A hole in an area, with another area just in it, and one in that again."""
    made = list(shapes)
    for place in _some(rng, shapes):
        outer = shapely.make_valid(shapes[place])
        if outer.geom_type != "Polygon":
            continue
        inner = shapely.buffer(outer, -np.sqrt(outer.area) / 6)
        for ring in shapely.get_parts(inner)[:1]:
            if ring.area > 0:
                made[place] = shapely.Polygon(outer.exterior, [ring.exterior])
                made.append(shapely.Polygon(ring.exterior))
    return made


def _holes_outside(rng, shapes):
    def hole(shape):
        part = shapely.get_parts(shape)[0]
        away = shapely.transform(part.exterior, lambda xy: xy * 0.5 + 0.3)
        return shapely.Polygon(part.exterior, [away])

    return _changed(rng, shapes, hole)


def _islands(rng, shapes):
    """New areas of three points, far from the others or among them."""
    spots = rng.random((3, 2)) * float(rng.choice([1, 1.5]))
    return [*shapes, *(shapely.Polygon(spot + rng.random((3, 2)) * 0.02) for spot in spots)]


def _spikes(rng, shapes):
    """A border that goes out and comes back on itself."""

    def spike(shape):
        corners = shapely.get_coordinates(shapely.get_parts(shape)[0].exterior)
        place = int(rng.integers(1, len(corners)))
        return shapely.Polygon(np.insert(corners, place, [corners[place - 1], rng.random(2), corners[place - 1]], 0))

    return _changed(rng, shapes, spike)


def _twice(rng, shapes):
    """An area stands there twice, another within another one."""
    new = [shapes[place] for place in _some(rng, shapes)[:2]]
    new += [shapely.transform(shape, lambda xy: (xy - xy.mean(axis=0)) * 0.5 + xy.mean(axis=0)) for shape in new]
    return [*shapes, *new]


def _pieces(rng, shapes):
    """Areas of several parts, which touch or overlap."""
    order = rng.permutation(len(shapes)).tolist()
    pairs = [order[place : place + 2] for place in range(0, len(order), 2)]
    return [
        shapely.MultiPolygon([part for place in pair for part in shapely.get_parts(shapes[place])]) for pair in pairs
    ]


def _rounded(rng, shapes):
    """Few decimals, as a file that somebody made small."""
    decimals = int(rng.integers(1, 4))
    return [shapely.transform(shape, lambda xy: np.round(xy, decimals)) for shape in shapes]


def _three_points(rng, shapes):
    """Areas become triangles of three of their corners."""

    def triangle(shape):
        corners = shapely.get_coordinates(shape)
        return shapely.Polygon(corners[rng.integers(0, len(corners), 3)])

    return _changed(rng, shapes, triangle)


BREAKS = dict.fromkeys(
    (_bow_ties, _crossed, _slivers, _needles, _shared_holes, _holes_outside, _islands, _spikes, _twice, _pieces)
    + (_rounded, _three_points)
)
