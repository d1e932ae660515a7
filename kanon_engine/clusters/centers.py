"""Centers with their radii: the details of every result."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from kanon_engine.clusters.ball_kernels import smallest_balls
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.model.generalization import members_of

NO_PRICES = np.zeros((0, 0))


def radius_around(space: MetricSpace, center: np.ndarray, members: np.ndarray) -> float:
    """The radius of a cluster around a free center."""
    return space.definitions.free_radius(float(space.from_center(center, members).max()))


def details_of(
    space: MetricSpace,
    assignment: np.ndarray,
    *,
    places: Sequence[int] | np.ndarray | None = None,
    centers: np.ndarray | None = None,
    prices: np.ndarray = NO_PRICES,
    curve: Sequence[Sequence[float]] | np.ndarray = (),
) -> ClusterDetails:
    """The record of a result, with the radius of every class.

    `assignment`: (n,) int. Class of each point, 0 … m - 1, or -1.
    `places`: (m,) ints, optional. Positions of centers that are points; -1, or None for all, where they are free.
    `centers`: (m, d) float64, optional. Free centers; the rows of others do not matter.
    `prices`, `curve`: as in `ClusterDetails`.
    """
    classes = int(assignment.max()) + 1
    spots = np.full(classes, -1, dtype=np.int64) if places is None else np.asarray(places, dtype=np.int64)
    positions = np.zeros((classes, 0))
    if space.free:
        positions = (
            np.zeros((classes, space.points.shape[1])) if centers is None else np.array(centers, dtype=np.float64)
        )
        # a center that is a point has exactly its coordinates, whatever was given for it
        positions[spots >= 0] = space.points[spots[spots >= 0]]
    inside = np.flatnonzero(assignment >= 0)
    center_of = spots[assignment[inside]]
    radii, fixed = np.zeros(classes), center_of >= 0
    np.maximum.at(radii, assignment[inside[fixed]], space.paired(inside[fixed], center_of[fixed]))
    for number, members in enumerate(members_of(assignment, classes)):
        if spots[number] < 0:
            radii[number] = radius_around(space, positions[number], members)
    return ClusterDetails(spots, positions, radii, prices, np.array(curve, dtype=np.float64).reshape(-1, 3))


def ball_centers(space: MetricSpace, assignment: np.ndarray, points: np.ndarray | None = None) -> np.ndarray:
    """(m, d) float64: the center of the smallest ball around each class, in the coordinates of the points.

    Up to rounding. On the globe it is the smallest circle, where a class lies on less than half of it.

    O(n d³) time or a little more, O(n d) memory.

    `space`: with free centers.
    `assignment`: (n,) int. Class of each point, 0 … m - 1, none of them empty; -1 for none.
    `points`: (n,) int, optional. Positions of these points; all, in their order, when None.
    References: K. Fischer, B. Gärtner, M. Kutz, "Fast smallest-enclosing-ball computation in high dimensions", ESA
        2003.

    >>> ball_centers(MetricSpace([(0, 0), (0, 2), (1, 1), (8, 8)]), np.array([0, 0, 0, 1])).tolist()
    [[0.0, 1.0], [8.0, 8.0]]
    """
    order = np.argsort(assignment, kind="stable")
    starts = np.searchsorted(assignment[order], np.arange(int(assignment.max()) + 2))
    order = order if points is None else points[order]
    spots = np.ascontiguousarray(space.points if space.metric == "euclidean" else space.embedding)
    centers = np.empty((len(starts) - 1, spots.shape[1]))
    smallest_balls(spots, order, starts, centers)
    return centers if space.metric == "euclidean" else degrees(centers, spots[order[starts[:-1]]])


def degrees(vectors: np.ndarray, instead: np.ndarray) -> np.ndarray:
    """(m, 2) float64: longitude and latitude of directions; of others where a vector has none."""
    length = np.sqrt((vectors**2).sum(axis=1))
    # opposite points have their middle in the globe's center, which has no direction
    vectors = np.where((length > 1e-9)[:, None], vectors, instead)
    flat = np.hypot(vectors[:, 0], vectors[:, 1])
    return np.column_stack(
        [np.degrees(np.arctan2(vectors[:, 1], vectors[:, 0])), np.degrees(np.arctan2(vectors[:, 2], flat))]
    )


def means_of(points: np.ndarray, groups: Iterable[np.ndarray], counts: np.ndarray | None = None) -> np.ndarray:
    """(m, d) float64: the mean of the points at the positions of each group, weighted by counts; 1 each when None.

    Each column's sum is rounded once, so that a recomputation gives the same.

    >>> points = np.array([[0.0], [1.0], [5.0]])
    >>> means_of(points, [np.array([0, 1]), np.array([2])]).tolist()
    [[0.5], [5.0]]
    >>> means_of(points, [np.array([0, 1]), np.array([2])], np.array([1, 3, 2])).tolist()
    [[0.75], [5.0]]
    """
    means = []
    for members in groups:
        weights = np.ones(len(members)) if counts is None else counts[members]
        sums = (points[members] * weights[:, None]).T.tolist()
        means.append([math.fsum(column) / int(weights.sum()) for column in sums])
    return np.array(means)
