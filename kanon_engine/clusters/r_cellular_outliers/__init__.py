"""(r, epsilon)-cellular clustering (Aggarwal et al., end of section 3.1): a share of the records may be left out."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.dual import Distances, price_bound
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.outliers.leaving import most_left_out
from kanon_engine.clusters.r_cellular.packing import packed
from kanon_engine.clusters.r_cellular_outliers.guessing import solutions
from kanon_engine.clusters.r_cellular_outliers.leaving import without_dearest
from kanon_engine.clusters.resplit.search import STEPS, Search
from kanon_engine.model.run import Outcome, Run

ROUNDS = 3  # of taking those left out back in, dividing anew, and leaving the dearest out


def r_cellular_outliers(
    space: MetricSpace,
    k: int,
    run: Run,
    *,
    epsilon: float,
    centers: str,
    facility_cost: float,
    improve: bool,
) -> Outcome:
    """Clusters of at least k records with small radii, each counted for all of its records; some are left out.

    Guarantee: 72 times the best possible where each point is one record and centers are points; 144 times that of free
    centers. Proof: docs/proofs/clusters/r_cellular_outliers.md. As `r_cellular`, but prices rise until few enough
    records are without a ball, and the largest radius is guessed, each within a factor of 2 (Charikar et al. 2001).
    From the cheapest of these solutions, and from balls packed greedily, those records are left out that cost the
    most, clusters are divided anew, and the cheapest result counts.

    Parameters
    ----------
    space : MetricSpace
        At most `dual.MOST_POINTS` points.
    k : int
    run : Run
    epsilon : float
        The share of records that may be left out; all records of a point are, or none.
    centers : str
        "any" or "input".
    facility_cost : float
        What each cluster costs besides.
    improve : bool
        Whether clusters are divided anew.

    Returns
    -------
    Outcome
        `details.prices` are (n, 1): the bound is their sum without the dearest, so many as may be left out.

    Complexity
    ----------
    O(n² log n) time and O(n²) memory for the distances; prices for each guess; then a fixed number of steps.

    References
    ----------
    Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu (2010), section 3.1. Charikar, Khuller, Mount,
    Narasimhan (2001), "Algorithms for facility location problems with outliers".

    Example
    -------
    >>> line = MetricSpace([(0.0,), (1.0,), (2.0,), (50.0,), (90.0,), (91.0,), (92.0,)])
    >>> options = {"centers": "input", "facility_cost": 0.0, "improve": True}
    >>> found = r_cellular_outliers(line, 3, Run(), epsilon=0.2, **options)
    >>> found.assignment.tolist(), found.cost, found.bound.value
    ([0, 0, 0, -1, 1, 1, 1], 6.0, 6.0)
    """
    free = space.free and centers == "any"
    distances = Distances(space, k, facility_cost)
    spare = most_left_out(space, epsilon)
    bound, prices = price_bound(distances, free, spare=spare)
    search = Search(distances, run, free, facility_cost, bound, prices, None)
    given = min(solutions(distances, facility_cost, spare), key=lambda found: found[0])[1]
    steps = STEPS // (4 * ROUNDS) if improve else 0
    begun = []
    for labels in (given.labels, packed(distances)[0]):
        for _ in range(ROUNDS if improve else 1):
            kept, own = without_dearest(distances, labels, facility_cost, spare)
            begun.append(search.begin(kept, own, steps))
            labels = search.divided(*taken_in(distances, *begun[-1][1:]), steps)[0]
    if improve:
        search.shaken(*min(begun, key=lambda found: found[0])[1:], STEPS)
    return search.outcome()


def taken_in(distances: Distances, labels: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Everyone who is left out joins the cluster whose center is nearest."""
    labels = labels.copy()
    for i in np.flatnonzero(labels < 0).tolist():
        labels[i] = np.argmin(distances.matrix[i, centers])
    return labels, centers
