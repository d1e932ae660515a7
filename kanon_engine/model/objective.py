"""What a run is to make small: the cost of its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kanon_engine.errors import CertificateError
from kanon_engine.model.bound import Cost
from kanon_engine.verification.core import COST


class Objective(Protocol):
    """What the cost counts, and how it is told: a number, of which less is better."""

    @property
    def noun(self) -> str:
        """What the cost is, as "largest group"."""

    @property
    def solution(self) -> str:
        """What a solution is called, as "grouping"."""

    @property
    def less(self) -> str:
        """What a solution of a lower cost does, as "costs less"."""

    @property
    def is_largest_class(self) -> bool:
        """Whether the cost is the weight of the largest class.

        Then every item is in a class, for the cost would not count the others; the cost and its bound are sizes of
        classes, and divided by k they are overfull ratios.
        """

    @property
    def alone(self) -> bool:
        """Whether nothing else is weighed against the largest class: of two solutions the one where it is smaller is
        better, and one for a larger k, whose classes all reach a smaller k too, serves that as well.
        """

    @property
    def whole(self) -> bool:
        """Whether costs are whole numbers, as int; float otherwise."""

    def unit(self, unit: str) -> str:
        """What the cost is counted in where weights are in this unit; "" for a number without one."""

    def cost(self, claimed: Cost | None, class_weights: np.ndarray) -> Cost:
        """The cost of a new result, of which the algorithm may claim one."""


@dataclass(frozen=True)
class LargestClass:
    """The weight of the largest class.

    Attributes
    ----------
    solution : str
    alone : bool

    Example
    -------
    >>> LargestClass().noun, LargestClass().unit("people")
    ('largest group', 'people')
    """

    noun = "largest group"
    less = "has a smaller largest group"
    is_largest_class = whole = True

    solution: str = "grouping"
    alone: bool = True

    def unit(self, unit: str) -> str:
        """That of the weights."""
        return unit

    def cost(self, claimed: Cost | None, class_weights: np.ndarray) -> Cost:
        """The largest class, whatever is claimed."""
        return int(class_weights.max())


@dataclass(frozen=True)
class OwnCost:
    """A cost of the family's own: items may be left out, and every algorithm says its cost, which the family's
    verifier works out again.

    Attributes
    ----------
    noun, solution, less : str
    whole : bool
    measure : str
        What it is counted in; "" for a number without a unit.

    Example
    -------
    >>> OwnCost("hidden cells").noun, OwnCost("hidden cells").unit("people")
    ('hidden cells', '')
    """

    is_largest_class = alone = False

    noun: str
    solution: str = "grouping"
    less: str = "costs less"
    whole: bool = True
    measure: str = ""

    def unit(self, unit: str) -> str:
        """Not that of the weights."""
        return self.measure

    def cost(self, claimed: Cost | None, class_weights: np.ndarray) -> Cost:
        """What the algorithm claims."""
        if claimed is None:
            raise CertificateError(COST, f"the algorithm does not say the cost ({self.noun}) of its result.")
        return claimed
