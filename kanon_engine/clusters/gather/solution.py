"""A clustering while it is made better."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_engine.clusters.balls import ball_centers
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.means import means_of
from kanon_engine.clusters.radii import details_of, largest
from kanon_engine.model.generalization import members_of


@dataclass(frozen=True)
class Solution:
    """Classes of at least k records with a center each.

    Attributes
    ----------
    assignment : (n,) int array
        Class of each point, 0 … m - 1.
    details : ClusterDetails
    """

    assignment: np.ndarray
    details: ClusterDetails

    @cached_property
    def cost(self) -> float:
        """The largest radius."""
        return largest(self.details)


def around_points(space: MetricSpace, owner: np.ndarray) -> Solution:
    """The clustering in which each point has the center at the position that `owner` says; -1 for points without."""
    places = np.unique(owner[owner >= 0])
    assignment = np.where(owner >= 0, np.searchsorted(places, owner), -1)
    return Solution(assignment, details_of(space, assignment, places=places))


def around_balls(space: MetricSpace, assignment: np.ndarray) -> Solution:
    """The clustering with the smallest ball around each class."""
    assignment = assignment.astype(np.int64)
    return Solution(assignment, details_of(space, assignment, centers=ball_centers(space, assignment)))


def around_means(space: MetricSpace, assignment: np.ndarray) -> Solution:
    """The clustering with the mean of the records of each class, summed without rounding, as its center."""
    means = means_of(space.points, members_of(assignment), space.counts)
    return Solution(assignment, details_of(space, assignment, centers=means))


def replaced(solution: Solution, points: np.ndarray, part: Solution) -> Solution:
    """The clustering in which the classes of some points are those of another one, which has these points alone."""
    old = solution.details
    kept = np.ones(len(old.radii), dtype=bool)
    kept[solution.assignment[points]] = False
    assignment = (np.cumsum(kept) - 1)[solution.assignment]
    assignment[points] = int(kept.sum()) + part.assignment[points]
    new = part.details
    return Solution(
        assignment,
        ClusterDetails(
            np.concatenate([old.places[kept], new.places]),
            np.concatenate([old.centers[kept], new.centers]),
            np.concatenate([old.radii[kept], new.radii]),
            old.prices,
            old.curve,
        ),
    )
