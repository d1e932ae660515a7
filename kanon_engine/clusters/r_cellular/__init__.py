"""r-cellular clustering (Aggarwal et al., section 3.1): at least k records around each center, with small radii."""

from __future__ import annotations

from kanon_engine.clusters.dual import Distances, price_bound
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.r_cellular.packing import packed
from kanon_engine.clusters.r_cellular.shared import shared_solution, unshared
from kanon_engine.clusters.resplit.search import STEPS, Search
from kanon_engine.model.run import Outcome, Run

RATIO = 36


def r_cellular(space: MetricSpace, k: int, run: Run, *, centers: str, facility_cost: float, improve: bool) -> Outcome:
    """Clusters of at least k records with a small sum of radii, each radius counted for every record of its cluster.

    Guarantee: 36 times the best possible where each point is one record and centers are points; 72 times that of free
    centers. Proof: docs/proofs/clusters/r_cellular.md. Prices of balls that cost k radii more each give a solution in
    which clusters share records, and trees of clusters that share give each record one (Theorem 3.8). Balls packed
    greedily are a second solution. Both are improved by dividing neighbouring clusters anew, and the cheaper one by
    packing neighbours anew at random as well.

    Parameters
    ----------
    space : MetricSpace
        At most `dual.MOST_POINTS` points.
    k : int
    run : Run
    centers : str
        "any" or "input".
    facility_cost : float
        What each cluster costs besides.
    improve : bool
        Whether clusters are divided anew.

    Returns
    -------
    Outcome
        `details.prices` are (n, 1): the price of each point, whose sum the bound is.

    Complexity
    ----------
    O(n² log n) time and O(n²) memory for the distances; then a fixed number of steps.

    References
    ----------
    Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu (2010), section 3.1, Theorem 3.8.

    Example
    -------
    Figure 1.1 with α = 20, β = 0, γ = 10 and δ = 60 costs 2 × 1 + 3 × 3, and 13 with centers among the records.

    >>> people = MetricSpace([(20, 0), (22, 0), (60, 13), (60, 10), (60, 7)])
    >>> for centers in ("any", "input"):
    ...     found = r_cellular(people, 2, Run(), centers=centers, facility_cost=0.0, improve=True)
    ...     print(found.assignment.tolist(), found.details.radii.tolist(), found.cost)
    [0, 0, 1, 1, 1] [1.0, 3.0] 11.0
    [0, 0, 1, 1, 1] [2.0, 3.0] 13.0
    """
    free = space.free and centers == "any"
    distances = Distances(space, k, facility_cost)
    shared = shared_solution(distances)
    given = unshared(distances, shared)
    bound, prices = price_bound(distances, free, shared.prices // 2)
    ratio = (2 * RATIO if free else RATIO) if int(space.weights.max()) == 1 else None
    search = Search(distances, run, free, facility_cost, bound, prices, ratio)
    begun = [
        search.begin(labels, around, STEPS if improve else 0)
        for labels, around in ((given.labels, given.centers), packed(distances))
    ]
    if improve:
        search.shaken(*min(begun, key=lambda found: found[0])[1:], STEPS)
    return search.outcome()
