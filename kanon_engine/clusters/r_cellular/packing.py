"""Balls of k records packed greedily: where a search for cellular clusterings begins besides the paper's solution."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.dual import Distances


def packed(distances: Distances) -> tuple[np.ndarray, np.ndarray]:
    """Take the smallest ball of k records that meets none before, while there is one; the rest goes to the nearest.

    Returns the cluster of each point and the centers.
    """
    matrix, order, weights, k = distances.matrix, distances.order, distances.space.weights, distances.k
    held = np.cumsum(weights[order], axis=1)
    size = (held < k).sum(axis=1) + 1
    rows = np.arange(len(matrix))
    ball = matrix[rows, order[rows, size - 1]]
    labels = np.full(len(matrix), -1, dtype=np.int64)
    centers: list[int] = []
    for v in np.argsort(ball, kind="stable").tolist():
        own = order[v, : size[v]]
        if (labels[own] < 0).all():
            labels[own] = len(centers)
            centers.append(v)
    known = np.array(centers, dtype=np.int64)
    for i in np.flatnonzero(labels < 0).tolist():
        labels[i] = np.argmin(matrix[i, known])
    return labels, known
