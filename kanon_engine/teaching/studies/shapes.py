"""Circles and rectangles on the same points: the cost of each shape by the other's measure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.centers import details_of
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.errors import InvalidInput
from kanon_engine.generalize import generalize
from kanon_engine.model.generalization import Generalization
from kanon_engine.rectangles.instance import Points


@dataclass(frozen=True)
class Beside:
    """Rectangles on the points of a space."""

    points: Points
    g: Generalization  # of `points`
    # (m,) float64: radius of the smallest circle around the points of each rectangle, in the unit of the space
    radii: np.ndarray


def has_rectangles(space: MetricSpace) -> bool:
    """Whether the points allow rectangles: places on the globe, or two columns of numbers."""
    return space.metric == "haversine" or (space.metric == "euclidean" and space.points.shape[1] == 2)


def compare_with_rectangles(space: MetricSpace, k: int) -> Beside:
    """Balanced kd rectangles of at least k records, and the smallest circle around the points of each.

    >>> space = MetricSpace([(0, 0), (0, 2), (9, 0), (9, 4)])
    >>> compare_with_rectangles(space, 2).radii.tolist()
    [1.0, 2.0]
    """
    if not has_rectangles(space):
        raise InvalidInput(
            "Rectangles need places on the globe or two columns of numbers; choose two columns of numbers."
        )
    crs = "EPSG:4326" if space.metric == "haversine" else None
    points = Points(space.points, space.weights, crs=crs, unit=space.unit)
    g = generalize(points, k)
    return Beside(points, g, smallest_circles(space, g.assignment))


def smallest_circles(space: MetricSpace, assignment: np.ndarray) -> np.ndarray:
    """(m,) float64: the radius of the smallest circle around the points of each class."""
    from kanon_engine.clusters.centers import ball_centers

    return details_of(space, assignment, centers=ball_centers(space, assignment)).radii


def mean_radius(radii: np.ndarray, weights: np.ndarray) -> float:
    """The mean radius of a record's class.

    >>> mean_radius(np.array([1.0, 4.0]), np.array([2, 1]))
    2.0
    """
    return float((radii * weights).sum() / weights.sum())
