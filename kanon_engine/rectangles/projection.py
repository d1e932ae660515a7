"""Where cuts are made: longitudes that continue beyond 180°, and coordinates in meters instead of degrees."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import shapely
from shapely.affinity import translate

from kanon_engine.errors import InvalidInput, Remedy
from kanon_engine.io.coordinates import crs_name, is_degrees

NEAR_POLE = 85.0  # degrees of latitude beyond which a degree of longitude is less than a tenth of one of latitude
ZONE_REACH = 9.0  # degrees from the middle of a UTM zone up to which lengths stay within 1 %
UTM_NORTH, UTM_SOUTH = 84.0, -80.0
POLAR = "EPSG:3413 around the north pole, EPSG:3031 around the south pole"


def recentered(xy: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Longitudes continued beyond 180° if that keeps the points together, and a sentence that says so.

    The circle of longitudes is opened at its widest gap, if the points then span at most half of it, but span more
    without that.

    Parameters
    ----------
    xy : (n, 2) float64. Longitudes from -180 to 180, and latitudes.

    >>> recentered(np.array([[178.0, -17.0], [-179.5, -16.0]]))[0].tolist()
    [[178.0, -17.0], [180.5, -16.0]]
    """
    longitudes = np.unique(xy[:, 0])
    if longitudes[-1] - longitudes[0] <= 180:
        return xy, ()
    gaps = np.diff(longitudes)
    widest = int(np.argmax(gaps))
    if gaps[widest] < 180:
        return xy, ()
    moved = xy.copy()
    moved[xy[:, 0] <= longitudes[widest], 0] += 360
    note = (
        "The points lie on both sides of the 180th meridian. Longitudes continue beyond it (−170° becomes 190°), so "
        "that it does not split rectangles; downloaded shapes are split there."
    )
    return moved, (note,)


def pole_notes(xy: np.ndarray) -> tuple[str, ...]:
    """Notes on longitudes and latitudes near a pole."""
    near = int((np.abs(xy[:, 1]) > NEAR_POLE).sum())
    if not near:
        return ()
    return (
        f"Points beyond {NEAR_POLE:g}° of latitude: {near:,}. Rectangles in longitude and latitude are wedges there; "
        f"cut in a polar system instead ({POLAR}).",
    )


def projected(xy: np.ndarray, crs: str | None, project: str) -> tuple[np.ndarray, str, tuple[str, ...]]:
    """Coordinates in another system, its name, and a sentence on the choice.

    Parameters
    ----------
    xy : (n, 2) float64
    crs : The system of the coordinates.
    project : The target system, such as "EPSG:5070", or "utm" for the zone in whose middle the points lie best.

    Raises
    ------
    InvalidInput
        No source system, a target system in degrees, or points that have no place in it or lie too far from the zone.
    """
    from pyproj import CRS

    if crs is None:
        raise InvalidInput(
            "The coordinates cannot be projected: no coordinate system is stated",
            parameter="project",
            value=project,
            remedy=Remedy("state it", "crs", more=", such as “EPSG:4326”"),
        )
    if project.strip().lower() == "utm":
        name = _utm_zone(xy, crs)
    else:
        name = crs_name(project) or ""
        if is_degrees(name):
            raise InvalidInput(f"{name} is in degrees; choose a system in meters to project to, or “utm”.")
    system = CRS.from_user_input(name)
    moved = transformed(xy, crs, name)
    lost = int((~np.isfinite(moved)).any(axis=1).sum())
    if lost:
        raise InvalidInput(
            f"{lost:,} of {len(xy):,} points cannot be converted to {system.name} ({name}); choose another coordinate "
            "system."
        )
    low, high = moved.min(axis=0), moved.max(axis=0)
    margin = 0.01 * (high - low).max()  # for a grid
    sides = [np.linspace(low[axis] - margin, high[axis] + margin, 33) for axis in range(2)]
    around = np.column_stack([values.ravel() for values in np.meshgrid(*sides)])
    if not np.isfinite(transformed(around, name)).all():
        raise InvalidInput(
            f"The box around the points extends beyond the area that {system.name} ({name}) covers; choose another "
            "coordinate system, or leave out distant points."
        )
    unit = system.axis_info[0].unit_name
    note = (
        f"The rectangles are cut in {system.name} ({name}), in {'meters' if unit == 'metre' else unit}; downloaded "
        "shapes are in longitude and latitude."
    )
    return moved, name, (note, *_outside(xy, crs, system))


def transformed(xy: np.ndarray, crs: str | None, to: str = "EPSG:4326") -> np.ndarray:
    """(n, 2) float64: coordinates converted from one system to another."""
    from pyproj import Transformer

    return np.column_stack(Transformer.from_crs(crs, to, always_xy=True).transform(xy[:, 0], xy[:, 1]))


def _utm_zone(xy: np.ndarray, crs: str) -> str:
    degrees, _ = recentered(xy if is_degrees(crs) else transformed(xy, crs))
    longitude, latitude = (degrees.min(axis=0) + degrees.max(axis=0)) / 2
    zone = math.floor((longitude + 180) / 6) % 60
    # the shorter way around the globe, for zones next to the 180th meridian
    reach = float(np.abs((degrees[:, 0] - (6 * zone - 177) + 180) % 360 - 180).max())
    if reach > ZONE_REACH:
        raise InvalidInput(
            f"The points lie up to {reach:.0f}° of longitude from the middle of UTM zone {zone + 1}, too far for one "
            "zone; choose a system for the whole area, such as “EPSG:5070” for the United States."
        )
    if degrees[:, 1].max() > UTM_NORTH or degrees[:, 1].min() < UTM_SOUTH:
        raise InvalidInput(f"UTM ends at 84° north and 80° south; choose a polar system instead ({POLAR}).")
    return f"EPSG:{32601 + zone if latitude >= 0 else 32701 + zone}"


def _outside(xy: np.ndarray, crs: str, system: object) -> tuple[str, ...]:
    """A sentence on points outside the area that a system is made for."""
    area = system.area_of_use  # type: ignore[attr-defined]
    if area is None:
        return ()
    degrees = xy if is_degrees(crs) else transformed(xy, crs)
    # counted from the western side, because an area may cross the 180th meridian
    east = (degrees[:, 0] - area.west) % 360 > (area.east - area.west) % 360 if area.east - area.west < 360 else False
    beyond = int((east | (degrees[:, 1] < area.south) | (degrees[:, 1] > area.north)).sum())
    if not beyond:
        return ()
    return (f"Points outside the area that this system is designed for ({area.name.rstrip('.')}): {beyond:,}.",)


ALONG = 200  # vertices along the whole box


def lonlat_shapes(rectangles: np.ndarray, crs: str) -> list[shapely.Geometry]:
    """The shapes of rectangles of a coordinate system, without gaps between neighbors.

    Parameters
    ----------
    rectangles : (m, 4) float64. xmin, ymin, xmax, ymax; they tile a box.

    Returns
    -------
    list of Polygon, MultiPolygon, LineString or Point : Within -180 to 180 and -90 to 90.
    """
    from pyproj import Transformer

    if is_degrees(crs):
        return [on_globe(plain_shape(*sides)) for sides in rectangles.tolist()]
    change = Transformer.from_crs(crs, "EPSG:4326", always_xy=True)
    return [on_globe(_unrolled(np.column_stack(change.transform(*ring.T)))) for ring in _rings(rectangles)]


def on_globe(shape: shapely.Geometry) -> shapely.Geometry:
    """A shape whose longitudes continue, cut off at the poles and split at the 180th meridian."""
    west, south, east, north = shape.bounds
    if west >= -180 and east <= 180 and south >= -90 and north <= 90:
        return shape
    parts: list[shapely.Geometry] = []
    for turn in range(int(np.floor((west + 180) / 360)), int(np.floor((east + 180) / 360)) + 1):
        world = shapely.box(360 * turn - 180, -90, 360 * turn + 180, 90)
        part = translate(shapely.intersection(shape, world), -360 * turn)
        # where a shape only touches a meridian, a line or point is left, which is no part of it
        parts += [piece for piece in shapely.get_parts(part) if piece.length > 0 or shape.length == 0]
    whole = [piece for piece in parts if piece.area > 0] or parts
    return whole[0] if len(whole) == 1 else shapely.union_all(whole)


def plain_shape(west: float, south: float, east: float, north: float) -> shapely.Geometry:
    """The shape of a rectangle in its own system; a line or a point if it has no extent."""
    if west < east and south < north:
        return shapely.box(west, south, east, north)
    if west == east and south == north:
        return shapely.Point(west, south)
    return shapely.LineString([(west, south), (east, north)])


def _rings(rectangles: np.ndarray) -> list[np.ndarray]:
    """Closed outlines with a vertex wherever a neighbor has a corner, and at common marks along the box."""
    low, high = rectangles[:, :2].min(axis=0), rectangles[:, 2:].max(axis=0)
    marks = [np.linspace(low[axis], high[axis], ALONG + 1) for axis in range(2)]
    corners: tuple[dict[float, set[float]], ...] = (defaultdict(set), defaultdict(set))
    for west, south, east, north in rectangles.tolist():
        for x in (west, east):
            corners[0][x] |= {south, north}
        for y in (south, north):
            corners[1][y] |= {west, east}
    stops = [{line: np.array(sorted(ends)) for line, ends in lines.items()} for lines in corners]

    def between(axis: int, line: float, start: float, stop: float) -> np.ndarray:
        """Positions of the vertices of a side; the line lies across the axis."""
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
    """A ring of longitudes and latitudes as a shape whose longitudes continue; around a pole it is closed along the
    pole."""
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
