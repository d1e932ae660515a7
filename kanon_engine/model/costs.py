"""The cost functions that the paper names besides the largest class."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_engine.errors import InvalidInput

DIFFERENCES = ("1", "size", "size - k")
COMBINED = ("max", "sum")


def class_cost(weight: int, k: int, difference: str) -> int:
    """What a class E costs: the sum of d(x, E) over the weight in it, d being 1, |E| or |E| - k.

    Example
    -------
    >>> [class_cost(7, 5, difference) for difference in DIFFERENCES]
    [7, 49, 14]
    """
    if difference not in DIFFERENCES:
        raise InvalidInput(f"The difference is {difference!r}; choose one of {', '.join(DIFFERENCES)}.")
    return weight * {"1": 1, "size": weight, "size - k": weight - k}[difference]


def partition_cost(g: Any, combine: str = "sum", difference: str = "size - k") -> int:
    """What a result costs under one of the paper's cost functions.

    With max and d = 1, the cost is the largest class, `g.cost`. With + and d = |E| - k it is the sum of w (w - k) over
    the class weights w, which penalizes larger classes quadratically. The discernibility metric DM, the sum of w², is +
    with d = |E|; of a partition that leaves no one out it is the same less k times the weight of all, so both have the
    same best partitions.

    Parameters
    ----------
    g : Generalization
        Of any family.
    combine : str
        "max" or "sum": how the classes' costs make one.
    difference : str
        "1", "size" or "size - k": d(x, E), the difference between an element and its class.

    Returns
    -------
    int

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 1. DM: Bayardo, Agrawal (2005).

    Example
    -------
    >>> import kanon_engine as kanon
    >>> g = kanon.generalize(kanon.Labels(["a", "b", "c", "d"], [3, 2, 2, 4]), 5, "fold")
    >>> g.class_weights.tolist(), partition_cost(g), partition_cost(g, "max", "1"), partition_cost(g, "sum", "size")
    ([5, 6], 6, 6, 61)
    """
    costs = [class_cost(weight, g.k, difference) for weight in np.asarray(g.class_weights).tolist()]
    return combined(costs, combine)


def combined(costs: list[int], combine: str) -> int:
    """The classes' costs as one.

    Example
    -------
    >>> combined([3, 4], "max"), combined([3, 4], "sum")
    (4, 7)
    """
    if combine not in COMBINED:
        raise InvalidInput(f"Costs cannot be combined by {combine!r}; choose one of {', '.join(COMBINED)}.")
    return max(costs, default=0) if combine == "max" else sum(costs)


def times_best(most: int, least: int) -> str:
    """How far a ceiling is from the best possible, which is at least `least`, in words; rounded up.

    Example
    -------
    >>> times_best(12, 6), times_best(13, 6), times_best(6, 6)
    ('never above 2 times the best possible', 'never above 2.2 times the best possible', 'the best possible')
    """
    tenths = -(-10 * most // least)
    ratio = f"{tenths // 10:,}" if tenths % 10 == 0 else f"{tenths / 10:,.1f}"
    return "the best possible" if most == least else f"never above {ratio} times the best possible"
