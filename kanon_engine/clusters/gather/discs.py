"""Discs of one radius: where their centers can be, and which points they hold; the least disc around a point."""

from __future__ import annotations

import math

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import NEARLY, Nearest, within
from kanon_engine.verification.metric import EARTH, rounded_up, six_digits_below

QUARTER = 9_000.0  # km; circles on the globe that are nearly this wide are no discs any more
MOST_SPOTS = 60_000  # centers that are looked at together
MOST_ASKED = 20_000  # points whose least disc is asked for
PLACED = 6e-6  # km; by which a center on the globe moves at most when it is rounded
ROUNDED = 1e-6  # km; more than distances on the globe are rounded by
BLOCK = 1 << 22


def in_a_plane(space: MetricSpace) -> bool:
    """Whether free centers lie in a plane, on a line or on the globe: then discs can be listed."""
    return space.metric == "haversine" or (space.metric == "euclidean" and space.points.shape[1] <= 2)


def canonical(
    space: MetricSpace, points: np.ndarray, width: float, proof: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Centers, in coordinates of its own, of discs of a radius, and which of some points each holds.

    Wherever a disc of this radius is, in a plane or on the globe, one of these holds as much: it can be moved until two
    points are on its border, or its center is a point. In more dimensions there are points and middles of two points.

    Returns
    -------
    spots : (s, 2 or 3 or d) float64 array
    inside : (s, m) bool array
            None at all where there are too many centers; for a proof also where the list would not be complete.
    """
    local = _local(space, points)
    if proof and not (in_a_plane(space) and (space.metric != "haversine" or width < QUARTER)):
        return local[:0], np.zeros((0, len(points)), dtype=bool)
    radius = _larger(space, width) if proof else _radius(space, width)
    near = _apart(local, local) <= (2 * radius * (1 + NEARLY)) ** 2
    first, second = np.nonzero(np.triu(near, 1))
    if 2 * len(first) + len(points) > MOST_SPOTS:
        return local[:0], np.zeros((0, len(points)), dtype=bool)
    spots = np.vstack([local, *_crossings(space, local[first], local[second], radius)])
    return spots, _held(spots, local, radius * (1 + NEARLY))


def _held(spots: np.ndarray, local: np.ndarray, radius: float) -> np.ndarray:
    step = max(1, BLOCK // len(local))
    parts = [_apart(spots[begin : begin + step], local) <= radius**2 for begin in range(0, len(spots), step)]
    return np.concatenate(parts)


def _local(space: MetricSpace, points: np.ndarray) -> np.ndarray:
    """Coordinates of points: unit vectors, or differences to the first one."""
    if space.metric == "haversine":
        spots = np.asarray(space.embedding)[points]
        return np.asarray(spots / np.sqrt((spots**2).sum(axis=1))[:, None])
    return np.asarray(space.points[points] - space.points[points[0]])


def _radius(space: MetricSpace, width: float) -> float:
    """In these coordinates: on the globe the chord, a little less, for centers will be rounded."""
    if space.metric == "haversine":
        return 2 * math.sin(min(max(width - PLACED, 0.0) / (2 * EARTH), math.pi / 2))
    return width


def _larger(space: MetricSpace, width: float) -> float:
    """The same, more by what rounding can amount to."""
    radius = width * (1 + 3 * NEARLY)
    if space.metric == "haversine":
        return 2 * math.sin(min((radius + ROUNDED) / (2 * EARTH), math.pi / 2))
    return radius


def _apart(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(r, m): squared distances."""
    found = np.zeros((len(left), len(right)))
    for axis in range(left.shape[1]):
        found += (left[:, axis, None] - right[None, :, axis]) ** 2
    return found


def _crossings(space: MetricSpace, a: np.ndarray, b: np.ndarray, radius: float) -> list[np.ndarray]:
    """Centers of the discs of a radius with both points on the border, pair by pair."""
    apart = ((a - b) ** 2).sum(axis=1)
    a, b, apart = a[apart > 0], b[apart > 0], apart[apart > 0]
    if space.metric == "haversine":  # the center x has a·x = b·x = cos r
        middle = (a + b) * ((1 - radius**2 / 2) / (2 - apart / 2))[:, None]
        normal = np.cross(a, b)
        rest = np.maximum(radius**2 * (1 - radius**2 / 4) - apart / 4, 0.0) / (1 - apart / 4)
        side = normal * np.sqrt(rest / np.maximum((normal**2).sum(axis=1), 1e-300))[:, None]
        return [middle + side, middle - side]
    middle = (a + b) / 2
    if a.shape[1] != 2:
        return [middle]
    turned = np.column_stack([a[:, 1] - b[:, 1], b[:, 0] - a[:, 0]])
    side = turned * np.sqrt(np.maximum(radius**2 / apart - 0.25, 0.0))[:, None]
    return [middle + side, middle - side]


def disc_holds(space: MetricSpace, place: int, width: float, k: int) -> bool:
    """Whether a disc of a radius holds a point and k records, the point's own among them; True where it is too close.

    The radius is made larger by what rounding can amount to, so that False is proven: docs/proofs/clusters/gather.md,
    bound B.
    """
    more = 10 * ROUNDED if space.metric == "haversine" else 0.0
    if more and width > QUARTER:
        return True
    near = within(space, place, 2 * width * (1 + 10 * NEARLY) + more)
    near = near[near != place]
    weights = np.minimum(space.weights[near], k)
    missing = k - int(space.weights[place])
    if weights.sum() < missing:
        return False
    local = _local(space, np.concatenate([[place], near]))
    radius = _larger(space, width)
    slack = radius * (1 + NEARLY / 10) + 1e-15
    if len(near) == 0 or (_held(local[:1], local[1:], slack) @ weights)[0] >= missing:
        return True
    for begin in range(len(local)):  # discs with this point and a later one on the border
        here, later = local[begin : begin + 1], local[begin + 1 :]
        later = later[_apart(here, later)[0] <= (2 * slack) ** 2]
        spots = np.vstack([here, *_crossings(space, np.repeat(here, len(later), axis=0), later, radius)])
        spots = spots[_apart(spots, local[:1])[:, 0] <= slack**2]
        if len(spots) and (_held(spots, local[1:], slack) @ weights).max() >= missing:
            return True
    return False


def disc_need(found: Nearest) -> tuple[float, int]:
    """The least radius, six digits, of a cluster around a free center that holds some point; and that point.

    Proven for that point; of all points about the largest.
    """
    space, k = found.space, found.k
    best, where = 0.0, int(found.rho.argmax())
    for place in [where, *np.argsort(-found.need, kind="stable")[:MOST_ASKED].tolist()]:
        if found.need[place] <= best:
            break
        if best and disc_holds(space, place, best, k):
            continue
        low, high = max(best, float(found.rho[place]) / 2 * (1 - NEARLY)), float(found.need[place])
        while high - low > 1e-8 * high:
            middle = (low + high) / 2
            if disc_holds(space, place, middle, k):
                high = middle
            else:
                low = middle
        best, where = high, place
    value = rounded_up(best)
    while value > 0 and disc_holds(space, where, six_digits_below(value), k):
        value = six_digits_below(value)
    return value, where
