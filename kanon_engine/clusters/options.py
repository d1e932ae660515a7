"""What can be chosen of a run, and what its cost then is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_engine.clusters.distances import LARGEST
from kanon_engine.model.algorithm import Option
from kanon_engine.model.objective import OwnCost
from kanon_engine.verification.clusters import cost_of

MOST_ON_A_LINE = 20_000_000  # points of one column times k, up to which all clusterings of it are searched
COSTS = {
    "radius": OwnCost("largest radius", "clustering", "has a smaller largest radius", whole=False),
    "cellular": OwnCost("cellular cost", "clustering", whole=False),
    "squares": OwnCost("squared distances", "clustering", whole=False),
}
COST = Option(
    "cost",
    "choice",
    "radius",
    ("radius", "cellular"),
    "What is to be small. radius: the largest distance of a record from its center. cellular: that of each cluster, "
    "for each of its records.",
)
CENTERS = Option(
    "centers",
    "choice",
    "any",
    ("any", "input", "means"),
    "Where centers may be. any: where circles are smallest, and at points where there is nothing between them; input: "
    "at points; means: at the mean of each cluster, for which no ratio is proven.",
)
PLAIN_CENTERS = Option("centers", "choice", "any", ("any", "input"), CENTERS.help.rpartition("; means")[0] + ".")
EPSILON = Option("epsilon", "number", 0.05, (), "The share of records that may be left out.", minimum=0.0, maximum=0.99)
MAX_CLUSTERS = Option("max_clusters", "integer", None, (), "The most clusters that there may be.", minimum=1)
FACILITY_COST = Option(
    "facility_cost",
    "number",
    0.0,
    (),
    "What each cluster costs besides its records, in the unit of the cost.",
    minimum=0.0,
    maximum=LARGEST,
)
GAMMA = Option(
    "gamma",
    "number",
    0.2,
    (),
    "A group grows by a record that is nearer to it than this times to the nearest record outside.",
    minimum=0.0,
)
IMPROVE = Option("improve", "flag", True, (), "Make the result of the first method better, step by step.")


def objective(algorithm: str, options: Mapping[str, Any]) -> OwnCost:
    """What a run with these options makes small.

    Example
    -------
    >>> objective("gather", {}).noun, objective("exact", {"cost": "cellular"}).noun
    ('largest radius', 'cellular cost')
    """
    return COSTS[cost_of(algorithm, options)]
