"""What a generalization of a table costs: the metrics, all whole numbers to be minimized.

A metric is a cost of each class and of each suppressed record, and a bound for records that no descendant of a node
divides. To add one: a number and a branch in each function of `kernels` (their contract is
there), an entry here, a branch in `kanon_engine.verification.table_costs`, and the twin in the tests' oracle.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.model.objective import OwnCost
from kanon_engine.tables.instance import Table
from kanon_engine.verification.table_costs import LARGEST_COST, LARGEST_LOSS, column_weights, whole_steps


@dataclass(frozen=True)
class Metric:
    """A cost of generalizations."""

    name: str
    noun: str  # what the cost counts, short
    number: int  # the branch in `kernels`, kept here so that they need not be loaded
    labels: bool = False  # whether it counts class labels


METRICS = {
    # discernibility: squared class sizes, and all records for each suppressed one
    "DM": Metric("DM", "discernibility", 0),
    # classification: records without their class's most common label, and suppressed ones
    "CM": Metric("CM", "records that differ from their group's majority", 1, labels=True),
    # average class size: records minus k for each class, so least with the most classes
    "AVG": Metric("AVG", "records beyond k per group", 2),
    # loss: how wide the intervals are between values that occur, summed over records and columns
    "LM": Metric("LM", "loss of detail", 3),
}
NAMES = {metric.number: metric.name for metric in METRICS.values()}


def objective(algorithm: str, options: Mapping[str, Any]) -> OwnCost:
    """What a run minimizes: its metric, among cuts of whole columns or boxes; hidden cells where it has none.

    >>> objective("hill-climb", {"metric": "LM", "suppression_limit": 0}).solution
    'grouping by cuts of whole columns'
    >>> objective("mondrian", {"metric": "LM"}).solution
    'boxes'
    >>> objective("cell-suppression", {}).noun
    'hidden cells'
    """
    if "metric" not in options:
        return OwnCost("hidden cells", "choice of cells", "hides fewer")
    noun = METRICS[options["metric"]].noun
    if "suppression_limit" in options:
        return OwnCost(noun, "grouping by cuts of whole columns")
    return OwnCost(noun) if options.get("relaxed") else OwnCost(noun, "boxes", "cost less")


def steps_of(table: Table, metric: Metric, weights: str | None) -> np.ndarray:
    """The cost to a record of each further domain value in its interval, by column; 0 except for the loss metric.

    The loss of a record in a column is the width of its interval, from the first to the last value in it that occurs in
    the table, counted in steps of the domain, divided by the width of the domain (values - 1), times the weight of
    the column. So a cut at any value costs what the cut at the next value that occurs costs: none is missed by looking
    only at values that occur (docs/proofs/tables/k_optimize.md).

    It is scaled to whole numbers, as in `whole_steps`: a cost divided by that scale is the loss itself, in
    proportion to the weights.

    >>> import pandas as pd
    >>> table = Table(pd.DataFrame({"age": [1, 2, 3], "sex": ["f", "m", "m"]}), ["age", "sex"])
    >>> steps_of(table, METRICS["LM"], None).tolist()
    [1, 2]
    >>> steps_of(table, METRICS["LM"], "age=0.3").tolist()  # of 10 × 2 parts
    [3, 20]
    """
    if metric.labels and table.class_label is None:
        raise InvalidInput(f"The metric {metric.name} needs a class label; give its column or choose another metric.")
    by_column = column_weights(weights)
    for name in by_column:
        if name not in table.quasi_identifiers:
            listing = ", ".join(table.quasi_identifiers)
            raise InvalidInput(
                f"A weight is given for {name!r}, which is not a quasi-identifier; the quasi-identifiers are: "
                f"{listing}."
            )
    if by_column and metric.name != "LM":
        raise InvalidInput(f"Weights of columns do not apply to the metric {metric.name}; choose LM or leave them out.")
    if metric.name != "LM":
        return np.zeros(len(table.quasi_identifiers), dtype=np.int64)
    fractions = [by_column.get(name, Fraction(1)) for name in table.quasi_identifiers]
    widths = [max(len(domain) - 1, 1) for domain in table.domains]
    steps = whole_steps(fractions, widths)
    most = sum(step * width for step, width in zip(steps, widths, strict=True))  # what a record loses
    if most > LARGEST_LOSS or most * table.total > LARGEST_COST:
        why, way = (
            (f"With the weights “{weights}”, the", "round the weights") if weights else ("The", "use part of the table")
        )
        raise InvalidInput(
            f"{why} loss of detail, added up over {table.total:,} {table.unit}, exceeds the largest number allowed for "
            f"a cost; {way}.",
            parameter="weights",
            value=weights,
        )
    return np.array(steps, dtype=np.int64)


def penalty_of(table: Table, metric: Metric, steps: np.ndarray) -> int:
    """Cost of a suppressed record: no class is worse for it."""
    if metric.name == "DM":
        return table.total
    if metric.name == "LM":
        return int(sum(step * (len(domain) - 1) for step, domain in zip(steps.tolist(), table.domains, strict=True)))
    return 1
