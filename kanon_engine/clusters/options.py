"""What can be chosen of a run, and what its cost then is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kanon_engine.model.algorithm import Option
from kanon_engine.model.objective import OwnCost

COSTS = {
    "radius": OwnCost("largest radius", "clustering", "has a smaller largest radius", whole=False),
    "cellular": OwnCost("records times radius, summed over clusters", "clustering", whole=False),
    "squares": OwnCost("squared distances to the means, summed over records", "clustering", whole=False),
}
COST_HELP = (
    "What is to be small. radius: the largest distance of a record from its center. cellular: that of each cluster, "
    "for each of its records. squares: squared distances of records from the mean of their cluster."
)


def _cost(*choices: str) -> Option:
    return Option("cost", "choice", choices[0], choices, COST_HELP)


COST_RADIUS, COST_CELLULAR, COST_SQUARES = _cost("radius"), _cost("cellular"), _cost("squares")
COST_EXACT = _cost("radius", "cellular")
CENTERS = Option(
    "centers",
    "choice",
    "any",
    ("any", "input", "means"),
    "Where centers may be. any: where circles are smallest, and at points where there is nothing between them; input: "
    "at points; means: at the mean of each cluster, for which no ratio is proven.",
)
EPSILON = Option("epsilon", "number", 0.05, (), "The share of records that may be left out.", minimum=0.0, maximum=0.99)
MAX_CLUSTERS = Option("max_clusters", "integer", None, (), "The most clusters that there may be.", minimum=1)
FACILITY_COST = Option(
    "facility_cost",
    "number",
    0.0,
    (),
    "What each cluster costs besides its records, in the unit of the cost.",
    minimum=0.0,
)
IMPROVE = Option("improve", "flag", True, (), "Make the result of the first method better, step by step.")


def objective(options: Mapping[str, Any]) -> OwnCost:
    """What a run with these options makes small.

    Example
    -------
    >>> objective({"cost": "radius"}).noun, objective({"cost": "radius"}).whole
    ('largest radius', False)
    """
    return COSTS[options["cost"]]
