"""Means of classes, each column's sum rounded once, so that whoever works them out again gets the same."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np


def means_of(points: np.ndarray, groups: Iterable[np.ndarray], counts: np.ndarray | None = None) -> np.ndarray:
    """(m, d) float64: the mean of the points at the positions of each group, each counted so often; once when None.

    Example
    -------
    >>> points = np.array([[0.0], [1.0], [5.0]])
    >>> means_of(points, [np.array([0, 1]), np.array([2])]).tolist()
    [[0.5], [5.0]]
    >>> means_of(points, [np.array([0, 1]), np.array([2])], np.array([1, 3, 2])).tolist()
    [[0.75], [5.0]]
    """
    means = []
    for own in groups:
        counted = np.ones(len(own)) if counts is None else counts[own]
        sums = (points[own] * counted[:, None]).T.tolist()
        means.append([math.fsum(column) / int(counted.sum()) for column in sums])
    return np.array(means)
