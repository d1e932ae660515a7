"""V-MDAV: groups around the farthest records that grow where records lie close together."""

from __future__ import annotations

from functools import partial

import numpy as np

from kanon_engine.clusters.centers import means_of
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.squares import along_widest, microaggregated, squared_distances
from kanon_engine.clusters.v_mdav_kernels import take_grown
from kanon_engine.model.generalization import members_of
from kanon_engine.model.run import Outcome, Run

WORK = 1e8  # distances between two reports


def v_mdav(space: MetricSpace, k: int, run: Run, gamma: float = 0.2, improve: bool = True) -> Outcome:
    """Clusters of k to 2k - 1 records with a small sum of squared distances to their means.

    Guarantee: none beforehand; each result has a lower bound (docs/proofs/clusters/v_mdav.md).

    The record that is the farthest from the mean of all and is in no cluster yet gets the k - 1 nearest ones. The
    cluster takes the next record as long as that is nearer to it than gamma times to the nearest one outside, up to
    2k - 1. Fewer than k records that are left in the end join the clusters of the nearest means. Then clusters are
    improved as in `mdav`.

    Complexity: O(n²) distances; then a limited number of steps.
    References: Solanas, Martinez-Balleste 2006, V-MDAV: a multivariate microaggregation with variable group size.

    >>> space = MetricSpace([(0,), (1,), (2,), (50,), (51,), (90,), (91,), (92,)])
    >>> v_mdav(space, 2, Run(), gamma=1.1, improve=False).assignment.tolist()
    [0, 0, 0, 2, 2, 1, 1, 1]
    """
    return microaggregated(space, k, run, improve, partial(grown_groups, gamma=gamma))


def grown_groups(points: np.ndarray, k: int, run: Run, gamma: float) -> np.ndarray:
    """(n,) the group of each point, 0, 1, … in order of creation; like `distance_groups`."""
    assignment = np.full(len(points), -1, dtype=np.int64)
    everyone = np.zeros(len(points), dtype=np.int64)
    squares = squared_distances(points, means_of(points, members_of(everyone))[0])
    left, group = np.argsort(-squares, kind="stable"), 0
    while len(left) >= k:
        rounds = int(WORK // (4 * k * points.size) + 1)
        left, group = take_grown(points, left, k, gamma, group, assignment, rounds)
        share = 1 - (len(left) / len(points)) ** 2
        if not run.goes_on(0.1 * share, None, None, f"{group:,} groups were made"):
            break
    if len(left) >= k:
        assignment[left] = group + along_widest(points[left], k)
    elif len(left) > 0:
        assignment[left] = nearest_means(points, assignment, left)
    return assignment


def nearest_means(points: np.ndarray, assignment: np.ndarray, left: np.ndarray) -> list[int]:
    """For each of those left the group whose mean is nearest."""
    means = means_of(points, members_of(assignment))
    return [int(squared_distances(means, points[i]).argmin()) for i in left.tolist()]
