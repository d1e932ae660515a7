"""Cellular clustering (Aggarwal et al., section 3): records pay their cluster's radius, clusters their setup cost."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.dual import Distances, opened, price_bound
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.resplit import STEPS, CellularSearch
from kanon_engine.model.run import Outcome, Run

RATIO = 3


def cellular(space: MetricSpace, k: int, run: Run, *, centers: str, facility_cost: float, improve: bool) -> Outcome:
    """Clusters with a small sum of radii, each counted for every record of its cluster, and of setup costs.

    Guarantee: with k = 1, 3 times the best possible around points, 6 times that of free centers. Proof:
    docs/proofs/clusters/cellular.md. Prices of all records rise together until balls are paid for; balls are opened,
    the largest first, where nobody pays for two (Theorem 3.5). The paper has no k here: clusters of fewer than k
    records are merged with the one whose center is nearest, and then no ratio is proven. The result is improved by
    redividing neighboring clusters.

    Returns: `details.prices` are (n, 1): the price of each point, whose sum the bound is.

    Complexity: O(n² log n) time and O(n²) memory for the distances; prices take O(n³) at worst; then a fixed number of
        steps.
    References: Aggarwal, Feder, Kenthapadi, Khuller, Panigrahy, Thomas, Zhu (2010), section 3, Theorem 3.5.

    Two villages: a setup cost of 5 pays for two clusters, one of 200 does not.

    >>> space = MetricSpace([(0.0,), (1.0,), (2.0,), (20.0,), (21.0,), (22.0,)])
    >>> for price in (5.0, 200.0):
    ...     found = cellular(space, 1, Run(), centers="input", facility_cost=price, improve=True)
    ...     print(found.assignment.tolist(), found.cost, round(found.bound.value, 9))
    [0, 0, 0, 1, 1, 1] 16.0 16.0
    [0, 0, 0, 0, 0, 0] 320.0 320.0
    """
    free = space.free and centers == "any"
    distances = Distances(space, k, facility_cost)
    rise = distances.rise()
    labels, around = merged(distances, *opened(distances, rise))
    bound, prices = price_bound(distances, free, rise.prices)
    ratio = (2 * RATIO if free else RATIO) if k == 1 else None
    search = CellularSearch(distances, run, free, bound, prices, ratio)
    starts = [search.begin(labels, around, STEPS if improve else 0)]
    if improve:
        search.shaken(starts, STEPS)
    return search.outcome()


def merged(distances: Distances, labels: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge the lightest cluster with the one whose center is nearest, while it has fewer than k records."""
    labels, weights = labels.copy(), distances.space.weights
    records = np.zeros(len(centers), dtype=np.int64)
    np.add.at(records, labels, weights)
    left = np.arange(len(centers))
    while records[left].min() < distances.k:
        light = left[np.argmin(records[left])]
        left = left[left != light]
        target = left[np.argmin(distances.matrix[centers[light], centers[left]])]
        labels[labels == light] = target
        records[target] += records[light]
    return np.searchsorted(left, labels), centers[left]
