"""A clustering while it is made better."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.clusters.radii import details_of, largest


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
    """The clustering in which each point has the center at the position that `owner` says."""
    places, assignment = np.unique(owner, return_inverse=True)
    return Solution(assignment.astype(np.int64), details_of(space, assignment, places=places))
