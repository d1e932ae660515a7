"""r-gather (Aggarwal et al., section 2): clusters of at least k records, the largest radius as small as can be."""

from __future__ import annotations

from kanon_engine.clusters.ceilings import ceiling, half, metric_holds
from kanon_engine.clusters.gather.packed import packed
from kanon_engine.clusters.gather.solution import Solution, around_points
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import Nearest, nearest, need_of, radius_of
from kanon_engine.model.bound import Bound
from kanon_engine.model.run import Outcome, Run


def gather(space: MetricSpace, k: int, run: Run, *, centers: str) -> Outcome:
    """Clusters of at least k records with a small largest radius."""
    found = nearest(space, k)
    fixed = centers == "input" or not space.free
    bound = need_bound(found) if fixed else apart_bound(found)
    best = around_points(space, packed(found))
    run.goes_on(1.0, best.cost, bound.value, "packing balls")
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


def apart_bound(found: Nearest) -> Bound:
    """Half the largest ball's radius, wherever centers are: docs/proofs/clusters/gather.md, bound D."""
    place = int(found.rho.argmax())
    return Bound(half(found.space, radius_of(found.space, place, found.k)), "centers apart", witness=(place,))
