"""The exact search on records step by step: where it begins, each better clustering, and what is proven."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kanon_engine.clusters.dual import Distances
from kanon_engine.clusters.gather.packed import packed
from kanon_engine.clusters.gather.solution import around_points
from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.nearest import nearest
from kanon_engine.clusters.r_cellular.packing import packed as cells_packed
from kanon_engine.clusters.radii import NO_PRICES
from kanon_engine.clusters.resplit.result import clustering
from kanon_engine.clusters.steps import (
    NOTHING,
    begun,
    measured,
    of_details,
    of_solution,
    result,
    steps_of_clusters,
)
from kanon_engine.model.generalization import Generalization
from kanon_engine.model.step import Step
from kanon_engine.model.words import counted
from kanon_engine.stepping import incumbents


@steps_of_clusters
def exact(space: MetricSpace, g: Generalization) -> Iterator[Step]:
    """Balls packed as a beginning, each better clustering that was found, and the proof.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> space = MetricSpace([[0], [3], [5], [8], [9]])
    >>> for step in list(exact(space, kanon.generalize(space, 2, "exact", centers="input")))[1:]:
    ...     print(step.why)
    Balls of k records packed, smaller ones first: 2 clusters, cost 3.
    Proven to be the best possible: 2 clusters, largest radius 3. Nothing better was found.
    """
    yield begun(space, f"{counted(len(space), 'point')} make clusters of k = {g.k:,} {space.unit} or more.")
    first, cost = _packed(space, g)
    yield first
    for step in list(incumbents(space, g))[:-1]:
        made = step.state.result
        if made.cost >= cost:
            continue
        cost = float(made.cost)
        why = f"A better one: {counted(made.classes, 'cluster')}, cost {measured(space, float(made.cost))}."
        yield replace(step, state=of_details(made.assignment, made.details), why=why, question=None)
    how = "Proven to be the best possible" if g.cost == g.lower_bound else "The best that the search found"
    yield result(space, g, cost, how)


def _packed(space: MetricSpace, g: Generalization) -> tuple[Step, float]:
    """Balls of k records packed, the smallest first, and what that costs."""
    if g.options["cost"] == "radius":
        made = around_points(space, packed(nearest(space, g.k)))
        state, cost = of_solution(made), made.cost
    else:
        distances = Distances(space, g.k, 0.0)
        cells = clustering(distances, cells_packed(distances)[0], False, 0.0, NO_PRICES)
        state, cost = of_details(np.asarray(cells.assignment), cells.details), cells.cost
    why = f"Balls of k records packed, smaller ones first: {counted(len(state.places), 'cluster')}, cost "
    return Step(state, NOTHING, f"{why}{measured(space, float(cost))}."), float(cost)
