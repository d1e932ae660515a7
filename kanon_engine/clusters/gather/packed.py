"""Disjoint balls of k records, the smallest first; every point ends near a center: a local ratio of 3."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.nearest import NEARLY, Nearest, nearest_center


def packed(found: Nearest) -> np.ndarray:
    """(n,) int64: the position of each point's center; every center has at least k records.

    Guarantee: each point is within 3 times its own `need` of its center where the triangle inequality holds, so the
    radius is at most 3 times the best possible around points, with counts too: docs/proofs/clusters/gather.md.

    Go through the balls by their radius. Take one if it is disjoint from those taken, and no member has a third of this
    radius as a larger `need`. Then every other point goes to the nearest center.

    O(n k + n log n), besides the balls.

    Example
    -------
    >>> from kanon_engine.clusters.instance import MetricSpace
    >>> from kanon_engine.clusters.nearest import nearest
    >>> packed(nearest(MetricSpace([[0], [1], [2], [8], [9]]), 2)).tolist()
    [0, 0, 0, 3, 3]
    """
    n = len(found.rho)
    owner = np.full(n, -1, dtype=np.int64)
    taken = [False] * n
    near_enough = 3 * found.need * (1 + NEARLY)
    centers = []
    for place in np.argsort(found.rho, kind="stable").tolist():
        if taken[place]:
            continue
        ball = found.ball(place)
        if (owner[ball] < 0).all() and (near_enough[ball] >= found.rho[place]).all():
            owner[ball] = place
            centers.append(place)
            for member in ball.tolist():
                taken[member] = True
    rest = np.flatnonzero(owner < 0)
    owner[rest] = nearest_center(found.space, rest, np.sort(np.array(centers, dtype=np.int64)))
    return owner
