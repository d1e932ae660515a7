"""What a run is to make small: the cost of its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.errors import CertificateError
from kanon_engine.verification.core import COST


@dataclass(frozen=True)
class LargestClass:
    """The weight of the largest class.

    Then every item is in a class, for the cost would not count the others; the cost and its bound are sizes of classes,
    and divided by k they are overfull ratios.

    >>> LargestClass().noun, LargestClass().unit("people")
    ('largest group', 'people')
    """

    noun = "largest group"
    less = "has a smaller largest group"
    is_largest_class = whole = True

    solution: str = "grouping"
    # whether nothing else is weighed against the largest class: of two solutions the one where it is smaller is better,
    # and one for a larger k, whose classes all reach a smaller k too, serves that as well
    alone: bool = True

    def unit(self, unit: str) -> str:
        """What the cost is counted in where weights are in this unit."""
        return unit

    def cost(self, claimed: Cost | None, class_weights: np.ndarray) -> Cost:
        """The cost of a new result: the largest class, whatever the algorithm claims."""
        return int(class_weights.max())


@dataclass(frozen=True)
class OwnCost:
    """A cost of the family's own: items may be left out, and every algorithm says its cost, which the family's
    verifier works out again.

    >>> OwnCost("hidden cells").noun, OwnCost("hidden cells").unit("people")
    ('hidden cells', '')
    """

    is_largest_class = alone = False

    noun: str  # what the cost is
    solution: str = "grouping"  # what a solution is called
    less: str = "costs less"  # what a solution of a lower cost does
    whole: bool = True  # whether costs are whole numbers, as int; float otherwise
    measure: str = ""  # what it is counted in; "" for a number without a unit

    def unit(self, unit: str) -> str:
        """What the cost is counted in, whatever weights are in."""
        return self.measure

    def cost(self, claimed: Cost | None, class_weights: np.ndarray) -> Cost:
        """The cost of a new result: what the algorithm claims."""
        if claimed is None:
            raise CertificateError(COST, f"the algorithm does not say the cost ({self.noun}) of its result.")
        return claimed


Objective = LargestClass | OwnCost


if TYPE_CHECKING:
    Cost = Any  # who asks knows which of both it is
else:
    Cost = int | float  # whole, or real where the family's objective says so


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on the cost."""

    value: Cost  # no feasible solution costs less
    name: str  # which argument proves it
    # "checked": the certificate recomputes it from `witness`; "solver": a search proved it, on the solver's word
    kind: str = "checked"
    # what the argument needs, as positions in the instance; its meaning depends on `name`
    witness: tuple[int, ...] = ()


def partition_cost(g: Any) -> int:
    """The sum of w (w - k) over the class weights w of a result, which penalizes larger classes quadratically.

    It is the paper's cost with + and d = |E| - k. The discernibility metric DM, the sum of w², is + with d = |E|; of a
    partition that leaves no one out it is the same less k times the weight of all, so both have the same best
    partitions.

    Parameters
    ----------
    g : Generalization. Of any family.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 1. DM: Bayardo, Agrawal (2005).

    >>> import kanon_engine as kanon
    >>> g = kanon.generalize(kanon.Labels(["a", "b", "c", "d"], [3, 2, 2, 4]), 5, "fold")
    >>> g.class_weights.tolist(), partition_cost(g)
    ([5, 6], 6)
    """
    return sum(weight * (weight - g.k) for weight in np.asarray(g.class_weights).tolist())


def times_best(most: int, least: int) -> str:
    """How far a ceiling is from the best possible, which is at least `least`, in words; rounded up.

    >>> times_best(12, 6), times_best(13, 6), times_best(6, 6)
    ('never above 2 times the best possible', 'never above 2.2 times the best possible', 'the best possible')
    """
    tenths = -(-10 * most // least)
    ratio = f"{tenths // 10:,}" if tenths % 10 == 0 else f"{tenths / 10:,.1f}"
    return "the best possible" if most == least else f"never above {ratio} times the best possible"
