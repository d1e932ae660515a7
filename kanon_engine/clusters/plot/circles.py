"""Circles of true radius, on the globe and in the plane."""

from __future__ import annotations

import numpy as np

from kanon_engine.plot.maps import MERCATOR_LIMIT, Outline
from kanon_engine.verification.metric import EARTH

CORNERS = 64  # of a circle while there are few
MOST_CORNERS = 60_000  # of all circles
FEWEST = 16  # corners of a circle where there are many


def corners_for(circles: int) -> int:
    """How many corners each of so many circles has."""
    return max(FEWEST, min(CORNERS, MOST_CORNERS // max(circles, 1)))


def plane_circles(centers: np.ndarray, radii: np.ndarray) -> list[Outline]:
    """The outline of each circle around (m, 2) centers.

    Example
    -------
    >>> outline = plane_circles(np.array([(1.0, 2.0)]), np.array([3.0]))[0][0][0]
    >>> bool(np.allclose(np.hypot(*(outline - (1, 2)).T), 3))
    True
    """
    turns = _turns(len(centers))
    unit = np.column_stack([np.cos(turns), np.sin(turns)])
    return [[[center + radius * unit]] for center, radius in zip(centers, radii.tolist(), strict=True)]


def globe_circles(centers: np.ndarray, radii: np.ndarray) -> list[Outline]:
    """The outline of all places within so many km of each center, as longitudes and latitudes a web map can show.

    One around a pole runs along the map's upper or lower edge, and one that holds both poles is the whole map but for a
    hole.

    Example
    -------
    >>> outline = globe_circles(np.array([(10.0, 0.0)]), np.array([EARTH * np.pi / 2 / 90]))[0][0][0]
    >>> outline.min(axis=0).round(6).tolist(), outline.max(axis=0).round(6).tolist()
    ([9.0, -1.0], [11.0, 1.0])
    """
    spots = zip(centers[:, 0].tolist(), centers[:, 1].tolist(), radii.tolist(), strict=True)
    return [_globe_circle(lon, lat, radius, len(centers)) for lon, lat, radius in spots]


def _globe_circle(lon: float, lat: float, radius: float, circles: int) -> Outline:
    angle = radius / EARTH
    north, south = np.radians(90 - lat) <= angle, np.radians(90 + lat) <= angle
    turns = _turns(circles)
    if north and south:
        west, east, low, high = lon - 180, lon + 180, -MERCATOR_LIMIT, MERCATOR_LIMIT
        whole = np.array([(west, low), (east, low), (east, high), (west, high), (west, low)])
        rest = max(np.pi - angle, 0.0)
        return [[whole, _ring(lon + 180 if lon <= 0 else lon - 180, -lat, rest, turns)]] if rest else [[whole]]
    ring = _ring(lon, lat, angle, turns)
    if not (north or south):
        return [[ring]]
    edge = MERCATOR_LIMIT if north else -MERCATOR_LIMIT
    ring = ring[:-1][np.argsort(ring[:-1, 0], kind="stable")]  # once around the pole, from west to east
    ends = np.array([ring[-1] - (360, 0), ring[0] + (360, 0)])
    ring = np.vstack([ends[:1], ring, ends[1:]])
    return [[np.vstack([ring, [(ring[-1, 0], edge), (ring[0, 0], edge)], ring[:1]])]]


def _ring(lon: float, lat: float, angle: float, turns: np.ndarray) -> np.ndarray:
    """(v, 2) degrees at an angle from a place, one for each bearing."""
    height = np.radians(lat)
    sine = np.sin(height) * np.cos(angle) + np.cos(height) * np.sin(angle) * np.cos(turns)
    aside = np.arctan2(np.sin(turns) * np.sin(angle) * np.cos(height), np.cos(angle) - np.sin(height) * sine)
    latitudes = np.clip(np.degrees(np.arcsin(np.clip(sine, -1, 1))), -MERCATOR_LIMIT, MERCATOR_LIMIT)
    return np.column_stack([lon + np.degrees(aside), latitudes])


def _turns(circles: int) -> np.ndarray:
    """Bearings all around, the first one again at the end."""
    return np.linspace(0, 2 * np.pi, corners_for(circles) + 1) % (2 * np.pi)
