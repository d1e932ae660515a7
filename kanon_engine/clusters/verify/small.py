"""The independent look at all clusterings of few points, where a bound is a search's word."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.verify.digits import free_radius

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MOST = 10  # points; every set of them is looked at, with all of its parts
NEARLY = 1 - 1e-12  # what rounding may make of a sum


def beaten(space: MetricSpace, g: Generalization) -> bool | None:
    """Whether some clustering costs less than the claimed bound; None where there are too many to look at.

    The least cost of every set of points is built up from those of its parts: the part that holds the set's first point
    is a cluster.
    """
    n, counted = len(space), g.options.get("cost", "radius")
    free = space.free and g.options.get("centers") != "input"
    other = "epsilon" in g.options or g.options.get("max_clusters") is not None
    if n > MOST or other or (free and not (space.metric == "euclidean" and space.points.shape[1] <= 2)):
        return None
    radius = _radii(space, free)
    weight = np.array(
        [space.weights[[place for place in range(n) if part >> place & 1]].sum() for part in range(1 << n)]
    )
    cost = np.where(weight >= g.k, radius * (weight if counted == "cellular" else 1), math.inf)
    best = [0.0] + [math.inf] * ((1 << n) - 1)
    for whole in range(1, 1 << n):
        first = whole & -whole
        rest = part = whole ^ first
        while True:
            own = float(cost[part | first])
            before = best[whole ^ (part | first)]
            best[whole] = min(best[whole], own + before if counted == "cellular" else max(own, before))
            if part == 0:
                break
            part = (part - 1) & rest
    return best[-1] < g.lower_bound * (NEARLY if counted == "cellular" else 1)


def _radii(space: MetricSpace, free: bool) -> np.ndarray:
    """(2^n,) of the best center of each set of points; 0 of the empty one."""
    n = len(space)
    members = [[place for place in range(n) if part >> place & 1] for part in range(1 << n)]
    if not free:
        apart = space.between(np.arange(n))
        return np.array([0.0] + [float(apart[:, own].max(axis=1).min()) for own in members[1:]])
    points = [(*row, 0.0)[:2] for row in space.points.tolist()]
    few = {own: _circle([points[place] for place in own]) for size in (1, 2, 3) for own in combinations(range(n), size)}
    # the smallest circle around a set is that around some three of its points (Helly)
    widest = [
        max((few[three] for size in (1, 2, 3) for three in combinations(own, size)), default=0.0) for own in members
    ]
    return np.array([free_radius(space, value) for value in widest])


def _circle(spots: list[tuple[float, float]]) -> float:
    """Radius of the smallest circle around at most three points of the plane."""
    sides = sorted(math.dist(one, other) for one, other in combinations(spots, 2))
    if len(spots) < 3 or sides[2] ** 2 >= sides[0] ** 2 + sides[1] ** 2:
        return max(sides, default=0.0) / 2
    (ax, ay), (bx, by), (cx, cy) = spots
    area = abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay))
    return sides[0] * sides[1] * sides[2] / (2 * area)
