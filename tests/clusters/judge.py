"""What is true of a clustering, by brute force: the least cost, and every claim of a result that is false."""

from __future__ import annotations

import math

import numpy as np

from kanon_engine.verification.clusters import COST_OF
from tests.oracles.clusters_cellular import ball_radius, cheapest
from tests.oracles.clusters_outliers import best_radius
from tests.oracles.clusters_squares import best_partition

KINDS = ("grid", "plane", "line", "equal", "hamming", "gower", "matrix")  # where the oracles know the best centers
NEARLY = 1e-9  # what the oracles' own rounding may make of a number
SIX_DIGITS = 1.00001  # radii around free centers are rounded up so far at most


def free(space, g):
    """Whether centers may be anywhere."""
    return space.free and g.options.get("centers", "any") != "input"


def kind_of(g):
    """What the cost counts."""
    return g.options.get("cost") or COST_OF.get(g.algorithm, "radius")


def optimum(space, g):
    """The least cost of what the result says it solves; up to rounding."""
    matrix = space.between(range(len(space))).tolist()
    weights, spots = space.weights.tolist(), [tuple(row) for row in space.points.tolist()]
    most = math.floor(g.options.get("epsilon", 0.0) * space.total + NEARLY)
    if kind_of(g) == "squares":
        return best_partition(spots, g.k)
    if kind_of(g) == "radius":
        clusters = g.options.get("max_clusters")
        return best_radius(matrix, weights, g.k, most, clusters, spots if free(space, g) else None)

    def radius(members):
        if free(space, g):
            return ball_radius([spots[place] for place in members])
        return min(max(matrix[center][place] for place in members) for center in range(len(space)))

    return cheapest(len(space), weights, g.k, radius, g.options.get("facility_cost", 0.0), most)


def falsehoods(space, g, best):
    """Every claim of the result that is not true."""
    if g.lower_bound > best * (SIX_DIGITS if free(space, g) else 1) + NEARLY * max(best, 1):
        yield f"the bound is {g.lower_bound}, but {best} is possible"
    if g.status == "optimal" and g.cost > best * SIX_DIGITS + NEARLY * max(best, 1):
        yield f"{g.cost} is called optimal, but {best} is possible"
    if g.guarantee is not None and g.cost > g.guarantee:
        yield "the cost is above the ceiling"
    inside = g.assignment >= 0
    sums = np.bincount(g.assignment[inside], space.weights[inside], g.classes)
    if sums.min() < g.k:
        yield "a class is lighter than k"
    out = space.total - int(sums.sum())
    if out > g.options.get("epsilon", 0.0) * space.total + NEARLY:
        yield "too many are left out"
    if g.options.get("max_clusters") is not None and g.classes > g.options["max_clusters"]:
        yield "there are too many clusters"
    for number, (place, center, radius) in enumerate(
        zip(g.details.places.tolist(), g.details.centers, g.details.radii.tolist(), strict=True)
    ):
        own = np.flatnonzero(g.assignment == number)
        far = space.distances(place, own) if place >= 0 else space.from_center(center, own)
        if far.max() > radius * (1 + NEARLY * (place < 0)):  # what rounding a center adds is forgiven
            yield f"a record of class {number} is farther from the center than the radius says"
        if place < 0 and not free(space, g):
            yield f"the center of class {number} is no point"
