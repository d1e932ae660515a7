"""The options of a run, the cost that follows from them, and the order in which its classes are numbered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from kanon_engine.clusters.distances import LARGEST
from kanon_engine.clusters.instance import ClusterDetails, MetricSpace
from kanon_engine.model.algorithm import Algorithm
from kanon_engine.model.objective import OwnCost
from kanon_engine.model.run import Outcome, Progress, Run
from kanon_engine.model.setting import Setting
from kanon_engine.verification.clusters import cost_of

MOST_ON_A_LINE = 20_000_000  # points of one column times k up to which all its clusterings are searched
COSTS = {
    "radius": OwnCost("largest radius", "clustering", "makes the largest radius smaller", whole=False),
    "cellular": OwnCost("sum of radii and setup costs", "clustering", whole=False),
    "squares": OwnCost("squared distances", "clustering", whole=False),
}
COST = Setting(
    "cost",
    "What to minimize. “radius”: the largest distance of a record from its center. “cellular”: the sum of cluster "
    "radii, each counted once per record in the cluster.",
    "choice",
    ("radius", "cellular"),
    default="radius",
)
CENTERS = Setting(
    "centers",
    "Where centers may be. “any”: wherever circles are smallest, but only at points if the metric gives distances "
    "only between points; “input”: only at points; “means”: at the mean of each cluster, with no guarantee.",
    "choice",
    ("any", "input", "means"),
    default="any",
)
PLAIN_CENTERS = Setting(
    "centers", CENTERS.help.rpartition("; “means”")[0] + ".", "choice", ("any", "input"), default="any"
)
EPSILON = Setting(
    "epsilon", "The share of records that may be left out.", "number", default=0.05, minimum=0.0, maximum=0.99
)
MAX_CLUSTERS = Setting("max_clusters", "The largest number of clusters.", "integer", minimum=1)
FACILITY_COST = Setting(
    "facility_cost",
    "The setup cost of each cluster, in the unit of the cost.",
    "number",
    default=0.0,
    minimum=0.0,
    maximum=LARGEST,
)
GAMMA = Setting(
    "gamma",
    "A record joins a group if its distance to the group is less than this factor times its distance to the nearest "
    "record without a group.",
    "number",
    default=0.2,
    minimum=0.0,
)
IMPROVE = Setting("improve", "Improve the first result step by step.", "flag", default=True)


def objective(algorithm: str, options: Mapping[str, Any]) -> OwnCost:
    """What a run with these options minimizes.

    >>> objective("gather", {}).noun, objective("exact", {"cost": "cellular"}).noun
    ('largest radius', 'sum of radii and setup costs')
    """
    return COSTS[cost_of(algorithm, options)]


def numbered(algorithm: Algorithm) -> Algorithm:
    """The same algorithm, with classes numbered by their centers.

    Their numbers are released, and would reveal the order of the file otherwise.
    """
    function = algorithm.function

    @wraps(function)
    def run_it(space: MetricSpace, k: int, run: Run, **options: Any) -> Outcome:
        listener = run.progress

        def told(report: Progress) -> object:
            solution = report.solution
            by_center = None if solution is None else lambda: by_content(space, solution())
            return listener(replace(report, solution=by_center))  # type: ignore[misc]  # there is one

        run.progress = None if listener is None else told
        return by_content(space, function(space, k, run, **options))

    return replace(algorithm, function=run_it)


def by_content(space: MetricSpace, outcome: Outcome) -> Outcome:
    """The same outcome with its classes in the order of their centers, then of their radii, sizes and points.

    >>> space = MetricSpace([[9.0], [8.0], [1.0], [2.0]])
    >>> nothing = np.zeros((0, 0))
    >>> centers, radii = np.array([[8.5], [1.5]]), np.array([0.5, 0.5])
    >>> details = ClusterDetails(np.array([-1, -1]), centers, radii, nothing, nothing)
    >>> by_content(space, Outcome(np.array([0, 0, 1, 1]), details, None)).assignment.tolist()
    [1, 1, 0, 0]
    """
    details: ClusterDetails = outcome.details  # type: ignore[assignment]  # of this family
    inside = outcome.assignment >= 0
    labels = outcome.assignment[inside]
    weights = np.bincount(labels, weights=space.weights[inside], minlength=len(details.radii))
    keys = [details.radii, weights]
    if space.metric != "precomputed":
        rows = np.nan_to_num(space.points, nan=-1.0)
        centers = details.centers if space.free else rows[details.places]
        least = np.full((len(details.radii), rows.shape[1]), np.inf)
        np.minimum.at(least, labels, rows[inside])
        keys = [*centers.T, *keys, *least.T]
    order = np.lexsort(keys[::-1])
    place = np.empty(len(order) + 1, dtype=np.int64)
    place[order], place[-1] = np.arange(len(order)), -1
    moved = replace(details, places=details.places[order], centers=details.centers[order], radii=details.radii[order])
    return replace(outcome, assignment=place[outcome.assignment], details=moved)
