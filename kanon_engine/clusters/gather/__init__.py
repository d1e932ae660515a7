"""r-gather (Aggarwal et al., section 2): clusters of at least k records, the largest radius as small as can be."""

from __future__ import annotations

from functools import partial

import numpy as np

from kanon_engine.clusters.ceilings import ceiling, half, metric_holds
from kanon_engine.clusters.gather.discs import disc_need, in_a_plane
from kanon_engine.clusters.gather.packed import packed
from kanon_engine.clusters.gather.repair import Repair
from kanon_engine.clusters.gather.solution import Solution, around_balls, around_means, around_points
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import Nearest, nearest, need_of, radius_of
from kanon_engine.clusters.radii import rounded_up
from kanon_engine.model.bound import Bound
from kanon_engine.model.run import Outcome, Run

BUDGET = 60.0  # CP-SAT's deterministic time


def gather(space: MetricSpace, k: int, run: Run, *, centers: str) -> Outcome:
    """Clusters of at least k records with a small largest radius."""
    found = nearest(space, k)
    fixed = centers == "input" or not space.free
    bound = need_bound(found) if fixed else free_bound(found)
    owner = packed(found)
    best = around_points(space, owner) if fixed else around_balls(space, np.unique(owner, return_inverse=True)[1])
    first = best
    if best.cost > bound.value:
        goes_on = partial(run.goes_on, 0.5, best.cost, bound.value, "mending clusters")
        repair = Repair(space, k, fixed, run.seed, goes_on, BUDGET)
        best = repair.within(best, bound.value)
    if centers == "means" and space.free:
        best = min((around_means(space, made.assignment) for made in (best, first)), key=lambda made: made.cost)
        return Outcome(best.assignment, best.details, None, bound, best.cost)
    return outcome(space, best, bound, fixed)


def outcome(space: MetricSpace, best: Solution, bound: Bound, fixed: bool) -> Outcome:
    """The result, with the ceiling that is proven of it."""
    ratio = 3 if fixed else 6
    proven = ceiling(space, ratio, bound.value) if metric_holds(space) else None
    return Outcome(best.assignment, best.details, proven, bound, best.cost)


def need_bound(found: Nearest) -> Bound:
    """The largest `need`, where centers are points: docs/proofs/clusters/gather.md, bound A."""
    place = int(found.need.argmax())
    return Bound(need_of(found.space, place, found.k), "need", witness=(place,))


def free_bound(found: Nearest) -> Bound:
    """The largest of the least discs around points, or half the largest ball: the same page, bounds B and D."""
    if in_a_plane(found.space):
        value, place = disc_need(found)
        return Bound(value, "least disc", witness=(place,))
    place = int(found.rho.argmax())
    value = rounded_up(half(found.space, radius_of(found.space, place, found.k)))
    return Bound(value, "centers apart", witness=(place,))
