"""Requirements on a sensitive column as questions about the counts of its values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kanon_engine.errors import InvalidInput
from kanon_engine.model.requirement import Closeness, Diversity, exact
from kanon_engine.shown import Shown
from kanon_engine.validate import told
from kanon_engine.verification.table_costs import are_numbers, distance, is_diverse

Counts = Sequence[int]


@dataclass(frozen=True)
class AtMost(Shown):
    """No class has more than a share of its records with one sensitive value ((α, k)-anonymity).

    Parameters
    ----------
    column : str
    value
        The value that is sensitive; others are not.
    share : float
        α, above 0 and below 1.

    References
    ----------
    R. Wong, J. Li, A. Fu, K. Wang, "(α, k)-Anonymity: An Enhanced k-Anonymity Model", KDD 2006.
    """

    column: str
    value: Any
    share: float

    def __post_init__(self) -> None:
        if not isinstance(self.share, int | float) or not 0 < self.share < 1:
            raise InvalidInput(f"The share is {told(self.share)}; give a number above 0 and below 1.")


Demand = Diversity | Closeness | AtMost


def question(demand: Demand, domain: Sequence[Any], whole: Counts) -> Callable[[Counts], bool]:
    """Whether a class with these counts of the values of the domain satisfies a demand.

    Parameters
    ----------
    demand : Diversity, Closeness or AtMost
    domain : sequence
        The values of the column.
    whole : sequence of int
        How often the whole table has each of them.

    Example
    -------
    >>> question(Diversity("ill", 2), ["flu", "gout"], [3, 1])([2, 0])
    False
    >>> question(AtMost("ill", "HIV", 0.5), ["HIV", "none"], [2, 5])([1, 1])
    True
    """
    if isinstance(demand, AtMost):
        place, share = list(domain).index(demand.value), exact(demand.share)
        return lambda own: own[place] <= share * sum(own)
    if isinstance(demand, Closeness):
        most, ordered = exact(demand.t), are_numbers(domain)
        return lambda own: distance(dict(enumerate(own)), whole, ordered) <= most
    return lambda own: is_diverse(demand, sorted(filter(None, own), reverse=True))


def limit(demand: Demand) -> Fraction:
    """The belief in a value above which somebody is exposed: 1 / l, α; of closeness certainty alone."""
    if isinstance(demand, AtMost):
        return exact(demand.share)
    return Fraction(1) if isinstance(demand, Closeness) else 1 / exact(demand.l)
