"""Lower bounds on the cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    Cost = Any  # who asks knows which of both it is
else:
    Cost = int | float  # whole, or real where the family's objective says so


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on the cost.

    Attributes
    ----------
    value : int or float
        No feasible solution costs less.
    name : str
        Which argument proves it.
    kind : str
        "checked": the certificate recomputes it from `witness`; "solver": a search proved it, on the solver's word.
    witness : tuple of int
        What the argument needs, as positions in the instance; its meaning depends on `name`.
    """

    value: Cost
    name: str
    kind: str = "checked"
    witness: tuple[int, ...] = ()


def counting_bound(total: int, k: int) -> int:
    """ceil(W / floor(W / k)): the average weight of a class when there are as many as can be.

    Every class weighs at least k, so at most floor(W / k) classes exist, and the largest is at least the average.

    Parameters
    ----------
    total : int
        Total weight W, at least k.
    k : int
        Least weight of a class.

    Returns
    -------
    int

    Example
    -------
    >>> counting_bound(29, 10)
    15
    """
    most = total // k
    return -(-total // most)
