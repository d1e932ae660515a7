"""Classes numbered by their content: their numbers are released, and would reveal the order of the file otherwise."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.run import Outcome, Progress, Run


def numbered(algorithm: Algorithm) -> Algorithm:
    """The same algorithm, with classes numbered by their centers."""
    function = algorithm.function

    @wraps(function)
    def run_it(space: MetricSpace, k: int, run: Run, **options: Any) -> Outcome:
        listener = run.progress

        def told(report: Progress) -> object:
            made = report.solution
            by_center = None if made is None else lambda: by_content(space, made())
            return listener(replace(report, solution=by_center))  # type: ignore[misc]  # there is one

        run.progress = None if listener is None else told
        return by_content(space, function(space, k, run, **options))

    return replace(algorithm, function=run_it)


def by_content(space: MetricSpace, outcome: Outcome) -> Outcome:
    """The same outcome with its classes in the order of their centers, then of their radii, sizes and points.

    Example
    -------
    >>> space = MetricSpace([[9.0], [8.0], [1.0], [2.0]])
    >>> nothing = np.zeros((0, 0))
    >>> centers, radii = np.array([[8.5], [1.5]]), np.array([0.5, 0.5])
    >>> details = ClusterDetails(np.array([-1, -1]), centers, radii, nothing, nothing)
    >>> by_content(space, Outcome(np.array([0, 0, 1, 1]), details, None)).assignment.tolist()
    [1, 1, 0, 0]
    """
    details: ClusterDetails = outcome.details  # type: ignore[assignment]  # of this family
    inside = outcome.assignment >= 0
    own = outcome.assignment[inside]
    weights = np.bincount(own, weights=space.weights[inside], minlength=len(details.radii))
    keys = [details.radii, weights]
    if space.metric != "precomputed":
        rows = np.nan_to_num(space.points, nan=-1.0)
        centers = details.centers if space.free else rows[details.places]
        least = np.full((len(details.radii), rows.shape[1]), np.inf)
        np.minimum.at(least, own, rows[inside])
        keys = [*centers.T, *keys, *least.T]
    order = np.lexsort(keys[::-1])
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order], place[-1] = np.arange(len(order)), -1
    moved = replace(details, places=details.places[order], centers=details.centers[order], radii=details.radii[order])
    return replace(outcome, assignment=place[outcome.assignment], details=moved)
