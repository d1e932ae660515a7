"""The nearest points of each point, and the least cost of a cluster around it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.verification.metric import EARTH

BLOCK = 1 << 20  # distances that are looked at together
KEPT = 60_000_000  # neighbors that are kept; more are recomputed
NEARLY = 1e-9  # share by which distances in the tree may differ from the metric's


@dataclass(frozen=True)
class Nearest:
    """The ball of each point: its nearest points, itself first, up to the one with which they hold k records."""

    space: MetricSpace
    k: int
    rho: np.ndarray  # (n,) float64: radius of the ball
    # (n,) float64: least distance to a point, or radius of that point's ball if this is larger, over all points: in a
    # solution whose centers are points, some point is as far from its center, or from another member, as `need` of any
    # point
    need: np.ndarray
    _starts: np.ndarray
    _near: np.ndarray

    def ball(self, place: int) -> np.ndarray:
        """Positions of the members of a point's ball, nearest first."""
        if len(self._near):
            return self._near[self._starts[place] : self._starts[place + 1]]
        return _balls(self.space, np.array([place]), self.k)[1]


def nearest(space: MetricSpace, k: int) -> Nearest:
    """The balls of all points, of at least k records each.

    O(n k log n) time with a tree, O(n²) without; O(n k) memory, less for large k.

    >>> found = nearest(MetricSpace([[0], [1], [3], [7]]), 2)
    >>> found.rho.tolist(), found.need.tolist(), found.ball(3).tolist()
    ([1.0, 1.0, 2.0, 4.0], [1.0, 1.0, 2.0, 4.0], [3, 2])
    """
    n = len(space)
    rho, need = np.empty(n), np.empty(n)
    keep = n * min(k, n) <= KEPT
    cached = []
    for rows in _blocks(space, k):
        sizes, near, distances = _balls(space, rows, k)
        ends = np.cumsum(sizes)
        rho[rows] = distances[ends - 1]
        if keep:
            cached.append((sizes, near.astype(np.int32), distances))
    starts = np.zeros(n + 1, dtype=np.int64)
    for number, rows in enumerate(_blocks(space, k)):
        sizes, near, distances = cached[number] if keep else _balls(space, rows, k)
        starts[rows + 1] = sizes
        need[rows] = np.minimum.reduceat(np.maximum(distances, rho[near]), np.cumsum(sizes) - sizes)
    members = np.concatenate([near for _, near, _ in cached]) if keep else np.zeros(0, dtype=np.int32)
    return Nearest(space, k, rho, need, np.cumsum(starts), members)


def _blocks(space: MetricSpace, k: int) -> Iterator[np.ndarray]:
    width = min(k, len(space)) if space.tree is not None else len(space)
    step = max(1, BLOCK // width)
    for begin in range(0, len(space), step):
        yield np.arange(begin, min(begin + step, len(space)))


def _balls(space: MetricSpace, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For some points: how many members each ball has; the members, one ball after another; their distances."""
    n = len(space)
    most = min(n, k if space.total == n else math.ceil(k * n / space.total) + 1)
    sizes = np.zeros(len(rows), dtype=np.int64)
    parts: list[tuple[np.ndarray, np.ndarray]] = [(np.zeros(0, dtype=np.int64), np.zeros(0))] * len(rows)
    open_rows = np.arange(len(rows))
    while len(open_rows):
        near, distances = _closest(space, rows[open_rows], most)
        cumulative = np.cumsum(np.minimum(space.weights[near], k), axis=1)
        full = cumulative[:, -1] >= k
        last = np.argmax(cumulative >= k, axis=1) + 1
        if full.all() and len(open_rows) == len(rows):  # all of one breath, as of single records
            inside = np.arange(most) < last[:, None]
            return last, near[inside], distances[inside]
        for row in np.flatnonzero(full).tolist():
            sizes[open_rows[row]] = last[row]
            parts[open_rows[row]] = near[row, : last[row]], distances[row, : last[row]]
        open_rows, most = open_rows[~full], min(n, 2 * most)
    return sizes, np.concatenate([near for near, _ in parts]), np.concatenate([distances for _, distances in parts])


def _closest(space: MetricSpace, rows: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(r, most) positions and distances, by distance, then position; the point itself first."""
    if space.tree is None or most == len(space):
        distances = space.between(rows)
        near = np.argpartition(distances, most - 1, axis=1)[:, :most]
    else:
        near = space.tree.query(space.tree.data[rows], most, p=space.norm)[1].reshape(len(rows), most)
    absent = ~(near == rows[:, None]).any(axis=1)
    near[absent, -1] = rows[absent]  # others lie at the same place
    near = np.sort(near, axis=1)
    distances = space.paired(np.repeat(rows, most), near.ravel()).reshape(near.shape)
    order = np.argsort(np.where(near == rows[:, None], -1.0, distances), axis=1, kind="stable")
    return np.take_along_axis(near, order, axis=1), np.take_along_axis(distances, order, axis=1)


def reach(space: MetricSpace, width: float) -> float:
    """A radius in the tree within which all lies that the metric has within `width`."""
    if space.metric == "haversine":
        return 2 * math.sin(min((width + 1e-5) / (2 * EARTH), math.pi / 2)) * (1 + NEARLY) + NEARLY**2
    scale = float(space.column_weights.sum()) if space.metric == "gower" else 1.0
    slack = NEARLY * scale if space.norm == 1 else 0.0
    return width * scale * (1 + NEARLY) + slack


def within(space: MetricSpace, place: int, width: float) -> np.ndarray:
    """Positions of all points within a distance of the point at a position, in ascending order.

    >>> within(MetricSpace([[0], [3], [1]]), 0, 1.0).tolist()
    [0, 2]
    """
    if space.tree is None:
        return np.flatnonzero(space.distances(place) <= width)
    near = space.tree.query_ball_point(space.tree.data[place], reach(space, width), p=space.norm)
    candidates = np.sort(np.array(near, dtype=np.int64))
    return candidates[space.distances(place, candidates) <= width]


def need_of(space: MetricSpace, place: int, k: int) -> float:
    """`Nearest.need` of one point, from all distances of the points near it."""
    distances, best = space.distances(place), radius_of(space, place, k)
    for other in np.argsort(distances, kind="stable").tolist():
        if distances[other] >= best:
            return best
        best = min(best, max(float(distances[other]), radius_of(space, other, k)))
    return best


def radius_of(space: MetricSpace, place: int, k: int, removed: np.ndarray | None = None) -> float:
    """Radius of the ball of one point, from all distances; infinite where those that are not gone hold fewer than k."""
    distances, weights = space.distances(place), space.weights
    if removed is not None:
        distances, weights = np.where(removed, np.inf, distances), np.where(removed, 0, weights)
    if len(distances) == space.total:
        return float(np.partition(distances, k - 1)[k - 1])
    order = np.argsort(distances, kind="stable")
    cumulative = np.cumsum(np.minimum(weights[order], k))
    return float(distances[order[np.argmax(cumulative >= k)]]) if cumulative[-1] >= k else math.inf


def nearest_center(space: MetricSpace, rows: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(r,) int64: for the points at some positions the position of the nearest of some centers that are points."""
    if len(rows) == 0:
        return np.zeros(0, dtype=np.int64)
    if space.tree is None:
        choices = [
            space.between(rows[begin : begin + BLOCK // len(places) + 1], places).argmin(axis=1)
            for begin in range(0, len(rows), BLOCK // len(places) + 1)
        ]
        return np.asarray(places[np.concatenate(choices)])
    tree = cKDTree(space.tree.data[places])
    return np.asarray(places[tree.query(space.tree.data[rows], p=space.norm)[1]])


def pairs_within(space: MetricSpace, places: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For some points: which of them (as 0 …), which point, and how far, for all pairs that are within a distance.

    >>> rows, points, apart = pairs_within(MetricSpace([[0], [3], [1]]), np.array([1, 2]), 2.0)
    >>> rows.tolist(), points.tolist(), apart.tolist()
    ([0, 0, 1, 1, 1], [1, 2, 0, 1, 2], [0.0, 2.0, 1.0, 2.0, 0.0])
    """
    parts = []
    step = max(1, (BLOCK if space.tree is None else 64 * BLOCK) // len(space))
    for begin in range(0, len(places), step):
        some = places[begin : begin + step]
        if space.tree is None:
            distances = space.between(some)
            rows, points = np.nonzero(distances <= width)
            parts.append((rows + begin, points, distances[rows, points]))
            continue
        lists = space.tree.query_ball_point(
            space.tree.data[some], reach(space, width), p=space.norm, return_sorted=True
        )
        rows = np.repeat(np.arange(len(some)), [len(near) for near in lists])
        points = np.fromiter((place for near in lists for place in near), dtype=np.int64, count=len(rows))
        distances = space.paired(some[rows], points)
        inside = distances <= width
        parts.append((rows[inside] + begin, points[inside], distances[inside]))
    first, second, third = zip(*parts, strict=True)
    return np.concatenate(first), np.concatenate(second), np.concatenate(third)
