"""Whether a disc of some radius can hold a point and k records: by sweeps along circles around the points near it."""

from __future__ import annotations

import math

import numpy as np

from kanon_engine.clusters.instance import MetricSpace

EARTH = 6371.0088  # km
QUARTER = 9_000.0  # km
TURN = 1e-10  # by which angles may be wrong


def disc_holds(space: MetricSpace, place: int, width: float, k: int) -> bool:
    """False is proven: no disc of this radius, nor of one that rounding makes of it, holds the point and k records.

    A disc that holds some points can be moved until one of them is on its border. Along the circle of such centers
    around that point, each other point is within the radius on one arc.
    """
    globe = space.metric == "haversine"
    if globe and width > QUARTER:
        return True
    apart = space.distances(place)
    near = np.flatnonzero(apart <= 2 * width * (1 + 1e-8) + (1e-5 if globe else 0.0))
    weights = np.minimum(space.weights[near], k)
    if int(weights.sum()) < k:
        return False
    own = int(np.flatnonzero(near == place)[0])
    much = k * (len(near) + 1)  # more than all others together: the point itself must be in the disc
    weights[own] += much
    if globe:
        spots = np.asarray(space.embedding)[near]
        spots = spots / np.sqrt((spots**2).sum(axis=1))[:, None]
        radius = (width * (1 + 2e-9) + 6e-7) / EARTH
    else:
        spots = space.points[near] - space.points[place]
        spots = np.column_stack([spots, np.zeros((len(near), 2 - spots.shape[1]))])
        radius = width * (1 + 1e-9)
    return any(_most(*_arcs(spots, number, radius), weights, number) >= much + k for number in range(len(near)))


def _arcs(spots: np.ndarray, number: int, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Of centers around a point: in which direction the middle of each other point's arc is, and half its length.

    Half the length is 0 where no center is near enough, and no less than a half turn where all are.
    """
    here = spots[number]
    step = spots - here
    if spots.shape[1] == 2:
        length = np.sqrt((step**2).sum(axis=1))
        share = length / (2 * radius)
        middle = np.arctan2(step[:, 1], step[:, 0])
    else:
        length = 2 * np.arcsin(np.minimum(np.sqrt((step**2).sum(axis=1)) / 2, 1.0))
        share = np.tan(length / 2) / math.tan(radius)
        axis = np.zeros(3)
        axis[np.argmin(np.abs(here))] = 1.0
        east = np.cross(here, axis)
        east /= math.sqrt(float((east**2).sum()))
        middle = np.arctan2(step @ np.cross(here, east), step @ east)
    half = np.where(share <= 1, np.arccos(np.minimum(share, 1.0)) + TURN, -1.0)
    return middle, np.where(length == 0, 4.0, half)


def _most(middle: np.ndarray, half: np.ndarray, weights: np.ndarray, number: int) -> int:
    """The most records that are within the radius of one center on the circle around a point."""
    always = half >= math.pi
    some = np.flatnonzero(~always & (half >= 0))
    held = int(weights[always].sum())
    if len(some) == 0:
        return held
    start, end = middle[some] - half[some], middle[some] + half[some]
    turns = np.concatenate([start, start + 2 * math.pi, end, end + 2 * math.pi])
    change = np.concatenate([weights[some], weights[some], -weights[some], -weights[some]])
    closing = np.repeat([0, 1], 2 * len(some))
    order = np.lexsort((closing, turns))
    return held + int(np.cumsum(change[order]).max())
