"""Smallest enclosing balls: the best free centers of given clusters."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.ball_kernels import smallest_balls
from kanon_engine.clusters.instance import MetricSpace


def ball_centers(space: MetricSpace, assignment: np.ndarray, points: np.ndarray | None = None) -> np.ndarray:
    """(m, d) float64: the center of the smallest ball around each class, in the coordinates of the points.

    Up to rounding. On the globe it is the smallest circle, where a class lies on less than half of it.

    O(n d³) time or a little more, O(n d) memory.

    Parameters
    ----------
    space : MetricSpace
        With free centers.
    assignment : (n,) int array
        Class of each point, 0 … m - 1, none of them empty; -1 for none.
    points : (n,) int array, optional
        Positions of these points; all, in their order, when None.

    References
    ----------
    K. Fischer, B. Gärtner, M. Kutz, "Fast smallest-enclosing-ball computation in high dimensions", ESA 2003.

    Example
    -------
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
    vectors = np.where((length > 1e-9)[:, None], vectors, instead)
    flat = np.hypot(vectors[:, 0], vectors[:, 1])
    return np.column_stack(
        [np.degrees(np.arctan2(vectors[:, 1], vectors[:, 0])), np.degrees(np.arctan2(vectors[:, 2], flat))]
    )
