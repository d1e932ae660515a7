"""(k, r, epsilon)-center (Aggarwal et al., section 2.4): few clusters of at least k; a share of all may be left out."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.clusters.ceilings import ceiling, half, metric_holds
from kanon_engine.clusters.gather.solution import Solution
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import nearest
from kanon_engine.clusters.outliers.centering import centered, cheaper, settled, trimmed
from kanon_engine.clusters.outliers.coverage import (
    MOST_PLACES,
    Net,
    assigned,
    coverage,
    disks,
    disks_fail,
    fails,
    net_of,
)
from kanon_engine.clusters.outliers.leaving import leaving_by_need, leaving_by_peeling, most_left_out
from kanon_engine.clusters.radii import NO_PRICES, details_of, rounded_up
from kanon_engine.model.bound import Bound
from kanon_engine.model.run import Outcome, Run


def center_outliers(
    space: MetricSpace,
    k: int,
    run: Run,
    *,
    centers: str,
    epsilon: float,
    max_clusters: int | None,
    improve: bool,
) -> Outcome:
    """At most so many clusters of at least k records, from which a share of the records may be left out.

    Guarantee: 4 times the best possible for up to 2,000 points, with counts too. Of more, 2,000 places stand for all,
    and what that can cost is taken off the bound: no ratio is proven beforehand. None around means, or where a matrix
    may break the triangle inequality. docs/proofs/clusters/center_outliers.md

    Parameters
    ----------
    space : MetricSpace
    k : int
    run : Run
    centers : "any", "input" or "means"
    epsilon : float
        At most this share of the records, rounded down, is left out.
    max_clusters : int or None
        As many as there may be; any number when None.
    improve : bool
        Give every point the nearest center, leave whoever makes the largest radius out, and center anew. Never costs
        more.

    Complexity
    ----------
    O(p² log p) time and O(p²) memory for p = min(n, 2,000) places, O(n p) distances.

    References
    ----------
    G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010), section 2.4,
    Theorem 2.8, with Lemma 2.5 mended.

    Example
    -------
    >>> line = MetricSpace([[0], [1], [2], [20], [21], [22], [99]])
    >>> found = center_outliers(line, 2, Run(), centers="any", epsilon=0.2, max_clusters=2, improve=True)
    >>> found.assignment.tolist(), found.cost, found.bound.value
    ([0, 0, 0, 1, 1, 1, -1], 1.0, 0.5)
    """
    most = most_left_out(space, epsilon)
    least = space.total - most
    clusters = min(max_clusters or space.total, space.total // k)
    fixed = centers == "input" or not space.free
    net = net_of(space)
    widths = np.unique(net.apart)
    goes_on = run.goes_on(0.1, None, None, "trying widths")
    width = _behind_failures(widths, lambda one: fails(net, one, k, clusters, least))
    owner = assigned(net, coverage(net, width, k, clusters))
    places = np.array([net.places[owner == number][0] for number in range(int(owner.max()) + 1)])
    best = centered(space, owner[net.owner], places, centers)
    bounds = [(leaving_by_need if fixed else leaving_by_peeling)(nearest(space, k), most).bound]
    prices = [NO_PRICES, np.array([[width]])]
    bounds.append(_coverage_bound(net, half(space, max(0.0, width - 2 * net.loss)), "coverage", not fixed))
    if fixed and goes_on:
        radius = _behind_failures(widths, lambda one: disks_fail(net, one, k, clusters, least))
        prices.append(np.array([[radius]]))
        bounds.append(_coverage_bound(net, _less(space, radius, 2 * net.loss), "disks", False))
    chosen = max(range(len(bounds)), key=lambda number: bounds[number].value)
    bound = bounds[chosen]
    if improve and goes_on and best.cost > bound.value:
        best = _improved(net, widths, best, run, bound.value, k, most, clusters, centers)
    proven = metric_holds(space) and len(space) <= MOST_PLACES and (fixed or centers == "any")
    promised = ceiling(space, 4, bound.value) if proven else None
    details = best.details
    details = details_of(space, best.assignment, places=details.places, centers=details.centers, prices=prices[chosen])
    return Outcome(best.assignment, details, promised, bound, best.cost)


def _behind_failures(widths: np.ndarray, failed: Callable[[float], bool]) -> float:
    """A width that does not fail, while the one before it does, if there is one; the last one must not fail."""
    low, high = -1, len(widths) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if failed(float(widths[middle])):
            low = middle
        else:
            high = middle
    return float(widths[high])


def _less(space: MetricSpace, radius: float, loss: float) -> float:
    """A radius less what places that stand for others can make of it."""
    return max(0.0, 2 * half(space, radius) - loss) if loss else radius


def _coverage_bound(net: Net, value: float, name: str, free: bool) -> Bound:
    witness = tuple(net.places.tolist()) if len(net.places) < len(net.owner) else ()
    return Bound(rounded_up(value) if free else value, name, witness=witness)


def _improved(
    net: Net, radii: np.ndarray, best: Solution, run: Run, bound: float, k: int, most: int, clusters: int, centers: str
) -> Solution:
    """The best of the clustering, and those of the fullest disks of radii by halving, each point given the nearest
    center, and whoever makes the largest radius left out."""
    space = net.space

    def better(one: Solution) -> Solution:
        return trimmed(space, settled(space, one, k, most, centers), k, most, centers)

    best = better(best)
    low, high = -1, int(np.searchsorted(radii, best.cost))
    while high - low > 1 and run.goes_on(0.7, best.cost, bound, "trying fuller disks"):
        middle = (low + high) // 2
        owner = disks(net, float(radii[middle]), k, clusters)
        if net.weights[owner < 0].sum() <= most:
            high = middle
            places = np.array([net.places[owner == number][0] for number in range(int(owner.max()) + 1)])
            best = cheaper(best, better(centered(space, owner[net.owner], places, centers)))
        else:
            low = middle
    return best
