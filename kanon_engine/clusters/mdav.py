"""MDAV: groups of the k nearest records around the farthest ones, then improved."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.mdav_kernels import take_rest, take_rounds
from kanon_engine.clusters.squares import along_widest, microaggregated
from kanon_engine.model.run import Outcome, Run


def mdav(space: MetricSpace, k: int, run: Run, improve: bool = True) -> Outcome:
    """Clusters of at least k records with a small sum of squared distances to their means.

    Guarantee: none in advance; each result has a lower bound (docs/proofs/clusters/mdav.md).

    The record farthest from the mean of the remaining records gets the k - 1 nearest to it, and so does the record
    farthest from that one. The last 2k to 3k - 1 make two clusters. Then clusters are improved by annealing:
    records swap places or move, and nearby clusters are rebuilt. One column is solved exactly.

    Complexity: O(n² / k) distances; then a limited number of steps.
    References: Domingo-Ferrer, Torra 2005, Ordinal, continuous and heterogeneous k-anonymity through microaggregation.
        Hansen, Mukherjee 2003, A polynomial algorithm for optimal univariate microaggregation.

    >>> space = MetricSpace([(0, 0), (0, 1), (5, 5), (6, 5), (9, 0), (9, 1)])
    >>> outcome = mdav(space, 2, Run())
    >>> outcome.assignment.tolist(), outcome.cost
    ([0, 0, 2, 2, 1, 1], 1.5)
    """
    return microaggregated(space, k, run, improve, distance_groups)


WORK = 1e8  # distances between two reports


def distance_groups(points: np.ndarray, k: int, run: Run) -> np.ndarray:
    """(n,) the group of each point, 0, 1, … in order of creation.

    If the run is stopped, the remaining points are grouped along their widest column.
    """
    assignment = np.zeros(len(points), dtype=np.int64)
    left, group = np.arange(len(points)), 0
    while len(left) >= 3 * k:
        rounds = int(WORK // (4 * points.size) + 1)
        left, group = take_rounds(points, left, k, group, assignment, rounds)
        share = 1 - (len(left) / len(points)) ** 2
        if not run.goes_on(0.1 * share, None, None, f"{group:,} groups were made"):
            assignment[left] = group + along_widest(points[left], k)
            return assignment
    take_rest(points, left, k, group, assignment)
    return assignment
