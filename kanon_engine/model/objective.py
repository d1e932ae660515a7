"""What a run minimizes: the cost of its result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kanon_engine.errors import CertificateError, InvalidInput
from kanon_engine.verification.core import COST


@dataclass(frozen=True)
class LargestClass:
    """The weight of the largest class.

    Then every item is in a class, because the cost would not count the others; the cost and its bound are sizes of
    classes, and divided by k they are overfull ratios.

    >>> LargestClass().noun, LargestClass().unit("people")
    ('largest group', 'people')
    """

    noun = "largest group"
    less = "makes the largest group smaller"
    is_largest_class = whole = True

    solution: str = "grouping"
    # whether nothing else is weighed against the largest class: of two solutions the one with the smaller is better,
    # and one for a larger k, whose classes all reach a smaller k, too, also serves the smaller k
    alone: bool = True

    def unit(self, unit: str) -> str:
        """The unit of the cost if weights are in this unit."""
        return unit

    def cost(self, claimed: Cost | None, class_weights: np.ndarray) -> Cost:
        """The cost of a new result: the largest class, whatever the algorithm claims."""
        return int(class_weights.max())


@dataclass(frozen=True)
class OwnCost:
    """A family's own cost: items may be left out, and every algorithm reports its cost, which the family's verifier
    recomputes.

    >>> OwnCost("hidden cells").noun, OwnCost("hidden cells").unit("people")
    ('hidden cells', '')
    """

    is_largest_class = alone = False

    noun: str  # the name of the cost
    solution: str = "grouping"  # the name of a solution
    less: str = "costs less"  # what a solution with a lower cost does
    whole: bool = True  # whether costs are whole numbers, as int; else float
    measure: str = ""  # its unit; "" for a number without a unit

    def unit(self, unit: str) -> str:
        """The unit of the cost, whatever the unit of weights."""
        return self.measure

    def cost(self, claimed: Cost | None, class_weights: np.ndarray) -> Cost:
        """The cost of a new result, as the algorithm claims it."""
        if claimed is None:
            raise CertificateError(COST, f"the algorithm does not report the cost ({self.noun}) of its result.")
        return claimed


Objective = LargestClass | OwnCost


if TYPE_CHECKING:
    Cost = Any  # callers know which of both it is
else:
    Cost = int | float  # whole, or real if the family's objective says so


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on the cost."""

    value: Cost  # no feasible solution costs less
    name: str  # the argument that proves it
    # "checked": the certificate recomputes it from `witness`; "solver": a search proved it, as reported by the solver
    kind: str = "checked"
    # the argument's data, as positions in the instance; its meaning depends on `name`
    witness: tuple[int, ...] = ()


# ---------------------------------------------------------------------------------------------------------------------
# The paper's cost functions besides the largest class.
# ---------------------------------------------------------------------------------------------------------------------


DIFFERENCES = ("1", "size", "size - k")
COMBINED = ("max", "sum")


def class_cost(weight: int, k: int, difference: str) -> int:
    """The cost of a class E: the sum of d(x, E) over the weight in it, where d is 1, |E| or |E| - k.

    >>> [class_cost(7, 5, difference) for difference in DIFFERENCES]
    [7, 49, 14]
    """
    if difference not in DIFFERENCES:
        raise InvalidInput(f"The parameter “difference” is {difference!r}; choose one of {', '.join(DIFFERENCES)}.")
    return weight * {"1": 1, "size": weight, "size - k": weight - k}[difference]


def partition_cost(g: Any, combine: str = "sum", difference: str = "size - k") -> int:
    """The cost of a result under one of the paper's cost functions.

    With max and d = 1, the cost is the largest class, `g.cost`. With + and d = |E| - k it is the sum of w (w - k) over
    the class weights w, which penalizes larger classes quadratically. The discernibility metric DM, the sum of w², is +
    with d = |E|; for a partition that leaves no one out, it differs only by k times the total weight, so both have the
    same best partitions.

    Parameters
    ----------
    g : Generalization of any family.
    combine : "max" or "sum": how the classes' costs are combined.
    difference : "1", "size" or "size - k": d(x, E), the difference between an element and its class.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 1. DM: Bayardo, Agrawal (2005).

    >>> import kanon_engine as kanon
    >>> g = kanon.generalize(kanon.Labels(["a", "b", "c", "d"], [3, 2, 2, 4]), 5, "fold")
    >>> g.class_weights.tolist(), partition_cost(g), partition_cost(g, "max", "1"), partition_cost(g, "sum", "size")
    ([5, 6], 6, 6, 61)
    """
    costs = [class_cost(weight, g.k, difference) for weight in np.asarray(g.class_weights).tolist()]
    return combined(costs, combine)


def combined(costs: list[int], combine: str) -> int:
    """The combined cost of the classes.

    >>> combined([3, 4], "max"), combined([3, 4], "sum")
    (4, 7)
    """
    if combine not in COMBINED:
        raise InvalidInput(f"{combine!r} is not a way to combine costs; choose one of {', '.join(COMBINED)}.")
    return max(costs, default=0) if combine == "max" else sum(costs)


def times_best(most: int, least: int) -> str:
    """How far a ceiling is from the best possible, which is at least `least`, in words; rounded up.

    >>> times_best(12, 6), times_best(13, 6), times_best(6, 6)
    ('never above 2 times the best possible', 'never above 2.2 times the best possible', 'the best possible')
    """
    tenths = -(-10 * most // least)
    ratio = f"{tenths // 10:,}" if tenths % 10 == 0 else f"{tenths / 10:,.1f}"
    return "the best possible" if most == least else f"never above {ratio} times the best possible"
