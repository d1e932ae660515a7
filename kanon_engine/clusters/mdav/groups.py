"""The groups of MDAV, in stages that can be stopped."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.mdav.kernels import take_rest, take_rounds
from kanon_engine.clusters.squares.widest import along_widest
from kanon_engine.model.run import Run

WORK = 1e8  # distances between two reports


def distance_groups(points: np.ndarray, k: int, run: Run) -> np.ndarray:
    """(n,) the group of each point, 0, 1, … in the order in which they are made.

    Where the run is stopped, the points that are left are grouped along their widest column.
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
