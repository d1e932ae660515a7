"""How the paper comes to an r-cellular clustering, step by step: paid balls, shared clusters, trees, the result."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.dual.opening import opened
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.r_cellular.shared import shared_of, unshared
from kanon_engine.model.classes import members_of
from kanon_engine.model.generalization import Generalization


@dataclass(frozen=True)
class Step:
    """Clusters as they are after a step.

    Attributes
    ----------
    centers : (m,) int64 array
        Positions of points; -1 for a free center.
    members : tuple of (s,) int64 arrays
        Of each cluster; before the trees a point may be in several.
    cost : float
        Of these clusters, facility costs included.
    sentence : str
        What was done and why, in words.
    """

    centers: np.ndarray
    members: tuple[np.ndarray, ...]
    cost: float
    sentence: str


def cellular_steps(space: MetricSpace, g: Generalization) -> tuple[Step, ...]:
    """The three steps of section 3.1 for this instance and k, and the result, which the search has made of them.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> people = MetricSpace([(20, 0), (22, 0), (60, 13), (60, 10), (60, 7)])
    >>> for step in cellular_steps(people, kanon.generalize(people, 2, "r-cellular", centers="input")):
    ...     print([own.tolist() for own in step.members], step.cost, step.sentence)
    [[2, 3, 4], [0, 1]] 13.0 2 balls were paid for and opened: each cost 2 of its radii besides.
    [[0, 1], [2, 3, 4]] 13.0 Every cluster also took the 2 records nearest to its center: 0 places are in several.
    [[0, 1], [2, 3, 4]] 13.0 The smallest first, each of 2 clusters kept 2 records or more that were left.
    [[0, 1], [2, 3, 4]] 13.0 The result: clusters divided anew, each with its best center.
    """
    price = float(g.options["facility_cost"])
    distances = Distances(space, g.k, price)
    rise = distances.rise(slope=g.k, least=g.k)
    labels, centers = opened(distances, rise)
    shared = shared_of(distances, rise.prices, labels, centers)
    given = unshared(distances, shared)

    def step(around: np.ndarray, members: tuple[np.ndarray, ...], sentence: str) -> Step:
        radii = [float(distances.matrix[v, own].max()) for v, own in zip(around.tolist(), members, strict=True)]
        records = [int(space.weights[own].sum()) for own in members]
        cost = sum(w * r for w, r in zip(records, radii, strict=True)) + price * len(members)
        return Step(around, members, cost, sentence)

    several = int((np.bincount(np.concatenate(shared.members)) > 1).sum())
    left = len(shared.members) - len(given.opened)
    apart = (
        f"The smallest first, each of {len(given.opened):,} clusters kept {g.k:,} {space.unit} or more that were left."
    )
    if left:
        apart += (
            f" The other {left:,} joined with clusters that they share {space.unit} with, so there are "
            f"{len(given.centers):,}."
        )
    return (
        step(
            centers,
            tuple(members_of(labels)),
            f"{len(centers):,} balls were paid for and opened: each cost {g.k:,} of its radii besides.",
        ),
        step(
            shared.centers,
            shared.members,
            f"Every cluster also took the {g.k:,} {space.unit} nearest to its center: {several:,} places are in "
            f"several.",
        ),
        step(
            given.centers,
            tuple(members_of(given.labels)),
            apart,
        ),
        Step(
            g.details.places,  # type: ignore[attr-defined]
            tuple(members_of(g.assignment)),
            float(g.cost),
            "The result: clusters divided anew, each with its best center.",
        ),
    )
