"""Which records to leave out of a cellular clustering: those that cost the most."""

from __future__ import annotations

import numpy as np

from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.resplit.kernels import cheapest_center
from kanon_engine.model.generalization import members_of


def without_dearest(
    distances: Distances, labels: np.ndarray, facility_cost: float, spare: int
) -> tuple[np.ndarray, np.ndarray]:
    """Leave out up to so many records, again and again those that save the most for each.

    They are the farthest of a cluster, where k are left, or a whole cluster. Points with label -1 are out already.

    Returns
    -------
    labels : (n,) int64 array
        Numbered anew; -1 for those left out.
    centers : (m,) int64 array
        The best of each cluster's own points.
    """
    weights = distances.space.weights
    spare -= int(weights[labels < 0].sum())
    clusters = members_of(labels)
    offers = [_offer(distances, own, facility_cost, spare, len(clusters) > 1) for own in clusters]
    while max(rate for rate, _ in offers) > 0:
        place = max(range(len(offers)), key=lambda number: offers[number][0])
        out = offers[place][1]
        spare -= int(weights[out].sum())
        clusters[place] = np.setdiff1d(clusters[place], out)
        offers[place] = _offer(distances, clusters[place], facility_cost, spare, len(clusters) > 1)
        if len(clusters[place]) == 0:
            del clusters[place], offers[place]
        for number, own in enumerate(clusters):
            if int(weights[offers[number][1]].sum()) > spare or len(clusters) == 1:
                offers[number] = _offer(distances, own, facility_cost, spare, len(clusters) > 1)
    kept = np.full(len(labels), -1, dtype=np.int64)
    for number, own in enumerate(clusters):
        kept[own] = number
    return kept, np.array([cheapest_center(distances.matrix, own, own)[0] for own in clusters], dtype=np.int64)


def _offer(
    distances: Distances, own: np.ndarray, facility_cost: float, spare: int, whole: bool
) -> tuple[float, np.ndarray]:
    """What a cluster saves for each record that is left out, at best, and which points those are."""
    if len(own) == 0:
        return 0.0, own
    center, radius = cheapest_center(distances.matrix, own, own)
    order = own[np.argsort(-distances.matrix[center, own], kind="stable")]
    gone = np.cumsum(distances.space.weights[order])
    total = int(gone[-1])
    best, points = 0.0, order[:0]
    for size in range(1, len(order)):
        if gone[size - 1] > spare or total - gone[size - 1] < distances.k:
            break
        saved = total * radius - (total - int(gone[size - 1])) * distances.matrix[center, order[size]]
        if saved / gone[size - 1] > best:
            best, points = float(saved / gone[size - 1]), order[:size]
    if whole and total <= spare and (total * radius + facility_cost) / total > best:
        best, points = float(total * radius + facility_cost) / total, order
    return best, points
