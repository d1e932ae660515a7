"""What a lower bound on a radius proves in spite of rounding, and the ceiling that follows from a ratio."""

from __future__ import annotations

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.radii import rounded_up

ROUNDING = 1e-12  # share of a distance
GROUND = 1e-4  # km by which sums of distances on the globe may be wrong, far from its other side
FAR = 19_000.0  # km; from here on an error of millimetres in a chord is one of hundreds of metres in an arc
AROUND = 1.0  # km


def metric_holds(space: MetricSpace) -> bool:
    """Whether no way round is shorter: without that no ratio is proven, and no bound by half a distance."""
    return space.metric != "precomputed" or space.triangle


def half(space: MetricSpace, distance: float) -> float:
    """What the radius of a cluster is at least that holds two points so far from each other.

    Half the distance, less what rounding may have done to the triangle inequality.
    """
    if not metric_holds(space):
        return 0.0
    if space.metric == "hamming" and (space.column_weights % 1 == 0).all():
        return distance / 2
    less = ROUNDING * distance
    if space.metric == "haversine":
        less += GROUND if distance < FAR else AROUND
    if space.metric == "precomputed":
        less += ROUNDING * float(space.points.max())
    return max(0.0, distance / 2 - less)


def ceiling(space: MetricSpace, ratio: float, bound: float) -> float:
    """The largest cost that a ratio to a lower bound allows, six digits, in spite of rounding."""
    more = 2 * ratio * ROUNDING * bound
    if space.metric == "haversine":
        more += ratio * (GROUND if ratio * bound < FAR - 10 * AROUND else AROUND)
    if space.metric == "precomputed":
        more += 2 * ratio * ROUNDING * float(space.points.max())
    return rounded_up(ratio * bound + more)
