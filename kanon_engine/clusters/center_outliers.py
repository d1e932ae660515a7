"""(k, r, epsilon)-center (Aggarwal et al., section 2.4): few clusters of at least k; a share of all may be left out."""

from __future__ import annotations

from kanon_engine.clusters.centers import NO_PRICES, details_of
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.left_out import leaving_by_need, leaving_by_peeling, most_left_out
from kanon_engine.clusters.nearest import nearest
from kanon_engine.clusters.outliers import (
    MOST_PLACES,
    assigned,
    by_disks,
    coverage,
    coverage_bound,
    disks_bound,
    least_width,
    net_of,
    of_places,
)
from kanon_engine.model.run import Outcome, Run


def center_outliers(
    space: MetricSpace, k: int, run: Run, *, centers: str, epsilon: float, max_clusters: int | None, improve: bool
) -> Outcome:
    """A limited number of clusters of at least k records, from which a share of the records may be left out.

    Guarantee: 4 times the best possible for up to 2,000 points, with counts too. Beyond that, 2,000 places represent
    all, and the possible error is subtracted from the bound: no ratio is proven in advance. None around means, or where
    a matrix may break the triangle inequality. docs/proofs/clusters/center_outliers.md

    Complexity: O(p² log p) time and O(p²) memory for p = min(n, 2,000) places, O(n p) distances.
    References: G. Aggarwal et al., "Achieving anonymity via clustering", ACM Transactions on Algorithms 6 (2010),
        section 2.4, Theorem 2.8, with Lemma 2.5 corrected.

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
    goes_on = run.goes_on(0.1, None, None, "trying cluster widths")
    width = least_width(net, k, clusters, least)
    best = of_places(net, assigned(net, coverage(net, width, k, clusters)), centers)
    alone = (leaving_by_need if fixed else leaving_by_peeling)(nearest(space, k), most).bound
    bounds = [(alone, NO_PRICES), coverage_bound(net, width, not fixed)]
    if fixed and goes_on:
        bounds.append(disks_bound(net, k, clusters, least))
    bound, prices = max(bounds, key=lambda one: one[0].value)
    if improve and goes_on and best.cost > bound.value:
        step = lambda cost: run.goes_on(0.7, cost, bound.value, "trying circles with more records")  # noqa: E731
        best = by_disks(net, best, k, most, clusters, centers, step)
    proven = space.definitions.is_metric and len(space) <= MOST_PLACES and (fixed or centers == "any")
    promised = space.definitions.ceiling(4, bound.value) if proven else None
    details = best.details
    details = details_of(space, best.assignment, places=details.places, centers=details.centers, prices=prices)
    return Outcome(best.assignment, details, promised, bound, best.cost)
