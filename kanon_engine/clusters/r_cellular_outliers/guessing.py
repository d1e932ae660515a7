"""The paper's solution where records may be left out: the largest radius is guessed (Charikar et al. 2001)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.clusters.dual import Distances, kept_sum
from kanon_engine.clusters.dual.kernels import NEVER
from kanon_engine.clusters.dual.opening import opened
from kanon_engine.clusters.r_cellular.shared import Unshared, shared_of, unshared


def solutions(distances: Distances, facility_cost: float, spare: int) -> Iterator[tuple[float, Unshared]]:
    """A solution for each guess of the largest radius, with its cost: every radius is guessed within a factor of 2.

    Prices rise until no more than `spare` records are without a ball; of those that stopped last, so many are left out
    as may be. A guess between the largest radius that was paid for and the one before would change nothing.
    """
    weights = distances.space.weights
    reach, cheapest = NEVER, np.inf
    while True:
        rise = distances.rise(slope=distances.k, least=distances.k, reach=reach, spare=spare)
        short = int(weights[rise.event < 0].sum()) > spare
        proven = kept_sum(distances.as_numbers(rise.prices // 2), weights, spare)
        if short or proven >= cheapest:
            return  # no solution has radii as small, or none of them is cheaper
        labels, centers = opened(distances, rise)
        last = np.flatnonzero(rise.event == len(rise.centers) - 1)
        last = last[np.argsort(-distances.matrix[rise.centers[-1], last], kind="stable")]
        free = spare - int(weights[labels < 0].sum())
        labels[last[np.cumsum(weights[last]) <= free]] = -1
        given = unshared(distances, shared_of(distances, rise.prices, labels, centers))
        cost = _cost(distances, given, facility_cost)
        cheapest = min(cheapest, cost)
        yield cost, given
        largest = int(rise.radii.max())
        if largest == 0:
            return
        reach = largest // 2


def _cost(distances: Distances, given: Unshared, facility_cost: float) -> float:
    own = np.flatnonzero(given.labels >= 0)
    radii, records = np.zeros(len(given.centers)), np.zeros(len(given.centers), dtype=np.int64)
    np.maximum.at(radii, given.labels[own], distances.matrix[own, given.centers[given.labels[own]]])
    np.add.at(records, given.labels[own], distances.space.weights[own])
    return float(records @ radii) + facility_cost * len(radii)
