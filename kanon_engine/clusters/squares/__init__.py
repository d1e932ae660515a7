"""Microaggregation: clusters of k to 2k - 1 records whose squared distances to their means are small in sum."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.clusters.instance import MetricSpace
from kanon_engine.clusters.means import means_of
from kanon_engine.clusters.radii import details_of
from kanon_engine.errors import InvalidInput
from kanon_engine.model.generalization import members_of
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

NO_PRICES = np.zeros((0, 4))


def require_means(space: MetricSpace) -> None:
    """Raise `InvalidInput` unless points are single records whose mean is a point too."""
    if space.metric != "euclidean":
        raise InvalidInput(
            f"Microaggregation takes means of columns, and the metric {space.metric} has none; choose euclidean, or "
            f"another algorithm."
        )
    if (space.weights > 1).any():
        raise InvalidInput(
            "Microaggregation takes a row for each record, and some points stand for several; repeat their rows, or "
            "choose another algorithm."
        )


def squared_distances(points: np.ndarray, spot: np.ndarray) -> np.ndarray:
    """(n,) float64, added up column by column."""
    found = np.zeros(len(points))
    for column, value in zip(points.T, spot.tolist(), strict=True):
        found += (column - value) * (column - value)
    return found


def squares_of(points: np.ndarray, assignment: np.ndarray, means: np.ndarray) -> float:
    """The sum of squared differences from the means, rounded once."""
    apart = points - means[assignment]
    return math.fsum((apart * apart).ravel().tolist())


def squares(points: np.ndarray, assignment: np.ndarray) -> float:
    """The cost of classes 0 … m - 1."""
    return squares_of(points, assignment, means_of(points, members_of(assignment)))


def information_loss(space: MetricSpace, g: Generalization) -> float:
    """100 times the squares within classes over those around the mean of all, as microaggregation is reported.

    Parameters
    ----------
    space : MetricSpace
        Customarily with columns divided by their standard deviations, as `read_records` does with scale="standard".
    g : Generalization
        Of any algorithm; the squares are taken from the means of its classes. Nobody may be left out.

    Returns
    -------
    float
        Percent; 0 where all points are equal.

    Example
    -------
    >>> import kanon_engine as kanon
    >>> space = MetricSpace([(0,), (2,), (10,), (12,)])
    >>> information_loss(space, kanon.generalize(space, 2, "mdav"))
    3.8461538461538463
    """
    require_means(space)
    if (g.assignment < 0).any():
        raise InvalidInput("Records are left out, and their loss has no number; choose an algorithm that keeps all.")
    total = squares(space.points, np.zeros(len(space), dtype=np.int64))
    return 100 * (squares(space.points, g.assignment) / total) if total > 0 else 0.0


def outcome_of(
    space: MetricSpace,
    assignment: np.ndarray,
    bound: Bound,
    prices: np.ndarray = NO_PRICES,
    curve: Sequence[tuple[float, float, float]] = (),
) -> Outcome:
    """The result with its means and cost; `curve` gets its last row."""
    means = means_of(space.points, members_of(assignment))
    cost = squares_of(space.points, assignment, means)
    rows = [*curve, (curve[-1][0] if curve else 0.0, cost, bound.value)]
    details = details_of(space, assignment, centers=means, prices=prices, curve=rows)
    return Outcome(assignment, details, None, bound, cost)
