"""Whether a target can be met, by the engine's own exact searches."""

from __future__ import annotations

from typing import Any

import numpy as np

from kanon_engine.errors import Infeasible, KanonError
from kanon_engine.generalize import generalize
from kanon_engine.reductions.model import Carried


def decided(carried: Carried, algorithm: str, **options: Any) -> np.ndarray | None:
    """Certified classes that cost at most the threshold, as (n,) int32; None where a search proves that there are none.

    Parameters
    ----------
    carried : Carried
    algorithm : str
        Of the instance's family; one that finds the least cost.
    **options
        Of that algorithm.

    Raises
    ------
    KanonError
        The search gave up between the two answers.

    Example
    -------
    >>> from kanon_engine.labels.instance import Labels
    >>> decided(Carried(Labels("abcd", [4, 2, 3, 1]), 5, 5, ()), "exact").tolist()
    [0, 1, 1, 0]
    >>> decided(Carried(Labels("abc", [4, 2, 4]), 5, 5, ()), "exact") is None
    True
    """
    try:
        found = generalize(carried.instance, carried.k, algorithm, **options)
    except Infeasible:
        return None
    if found.cost <= carried.threshold:
        return found.assignment
    if found.lower_bound <= carried.threshold:
        raise KanonError(
            f"The search stopped at a cost of {found.cost:g} and a bound of {found.lower_bound:g}; whether "
            f"{carried.threshold:g} is possible stays open. Take a smaller source."
        )
    return None
