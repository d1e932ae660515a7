"""Cellular clusterings as results: the best centers of given clusters, their cost and the ceiling."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.balls import ball_centers
from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.radii import details_of
from kanon_engine.model.generalization import members_of


@dataclass(frozen=True)
class Clustering:
    """Clusters with centers and what they cost.

    Attributes
    ----------
    assignment : (n,) int64 array
    details : ClusterDetails
    cost : float
    """

    assignment: np.ndarray
    details: ClusterDetails
    cost: float


def clustering(
    distances: Distances, labels: np.ndarray, free: bool, facility_cost: float, prices: np.ndarray
) -> Clustering:
    """The clusters with the best center of each: of all points, or of all places where centers are free."""
    space = distances.space
    if free:
        details = details_of(
            space, labels, places=lone_points(space, labels), centers=ball_centers(space, labels), prices=prices
        )
    else:
        details = details_of(space, labels, places=best_points(distances.matrix, labels), prices=prices)
    sums = np.zeros(len(details.radii), dtype=np.int64)
    np.add.at(sums, labels[labels >= 0], space.weights[labels >= 0])
    return Clustering(labels, details, cellular_cost(sums, details.radii, facility_cost))


def lone_points(space: MetricSpace, labels: np.ndarray) -> np.ndarray:
    """(m,) int64: the first point of each cluster whose points are all at one place; -1 for other clusters."""
    inside = np.flatnonzero(labels >= 0)
    own, first = np.unique(labels[inside], return_index=True)
    places = inside[first]
    spread = (space.points[inside] != space.points[places[labels[inside]]]).any(axis=1)
    places[np.isin(own, labels[inside[spread]])] = -1
    return places


def best_points(matrix: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(m,) int64: of each cluster the point from which its farthest record is nearest."""
    return np.array([int(np.argmin(matrix[own].max(axis=0))) for own in members_of(labels)], dtype=np.int64)


def cellular_cost(records: np.ndarray, radii: np.ndarray, facility_cost: float) -> float:
    """Records times radius, summed over clusters, and what each cluster costs besides.

    Example
    -------
    >>> cellular_cost(np.array([50, 20, 8]), np.array([10.0, 5.0, 3.0]), 0.0)  # Figure 1.2 (c) of the paper
    624.0
    """
    parts = [weight * radius for weight, radius in zip(records.tolist(), radii.tolist(), strict=True)]
    return math.fsum([*parts, *[facility_cost] * len(parts)])


def ceiling_of(space: MetricSpace, ratio: int, k: int, bound: float, cost: float) -> float | None:
    """What a ratio to the lower bound allows, six digits, in spite of rounding.

    None where the triangle inequality is not known to hold, or where rounding made the cost larger still.
    """
    if not space.definitions.is_metric:
        return None
    value = space.definitions.ceiling(ratio, bound, k)
    return value if cost <= value else None
