"""Section 2.2 of the paper: which width succeeds, and the largest that is proven to fail."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.clusters.ceilings import half
from kanon_engine.clusters.gather.attempt import MOST_RECORDS, Attempt, attempt, least_diameter
from kanon_engine.clusters.gather.solution import Solution, around_balls, around_points
from kanon_engine.clusters.nearest import Nearest
from kanon_engine.clusters.radii import rounded_up
from kanon_engine.model.bound import Bound

MOST_POINTS = 200_000  # with more the ratio is that of `packed`


def by_width(
    found: Nearest, best: Solution, bound: Bound, fixed: bool, goes_on: Callable[[], bool]
) -> tuple[Solution, Bound]:
    """The better of a clustering and those of the paper, the better of a bound and those of its failures.

    If it is not stopped and each point is one record, the cost is at most 2 times the bound, up to rounding, where the
    triangle inequality holds. Success is not monotone in the width: a width that fails proves what it proves whether or
    not a smaller one succeeds, so the search halves between the largest that failed and one that succeeded.

    Parameters
    ----------
    found : Nearest
    best : Solution
    bound : Bound
    fixed : bool
        Whether centers are points.
    goes_on : callable
    """
    space, k = found.space, found.k
    if len(space) > MOST_POINTS or space.total >= MOST_RECORDS:
        return best, bound
    bound = better_bound(found, bound, np.array([found.rho.argmax()]), fixed)
    low, high, step = max(float(found.rho.max()), 2 * bound.value), np.inf, 0
    width = low
    while goes_on():
        made = attempt(found, width)
        if made.succeeded:
            best, reached = _better(found, best, made, fixed)
            high = min(high, width, reached)
        else:
            low = least_diameter(space, k, made.witness, width)
            bound = better_bound(found, bound, made.witness, fixed)
        if low >= high:
            break
        step += 1
        middle = low + (high - low) / 2 if high < np.inf else 2 * low
        width = middle if step % 2 and middle < high else low
    return best, bound


def better_bound(found: Nearest, bound: Bound, witness: np.ndarray, fixed: bool) -> Bound:
    """The bound, or that of a witness of failure: docs/proofs/clusters/gather.md, bound D."""
    space = found.space
    value = half(space, least_diameter(space, found.k, witness, max(2 * bound.value, float(found.rho.max()))))
    value = value if fixed else rounded_up(value)
    return Bound(value, "centers apart", witness=tuple(witness.tolist())) if value > bound.value else bound


def _better(found: Nearest, best: Solution, made: Attempt, fixed: bool) -> tuple[Solution, float]:
    """The better clustering, and how wide the attempt's clusters are around its centers.

    Points with counts go where most of their records went; where that leaves a cluster short, the attempt gives none.
    """
    space = found.space
    sums = np.bincount(made.assignment, weights=space.weights, minlength=len(made.centers))
    if sums.min() < found.k:
        return best, made.width
    owner = made.centers[made.assignment]
    reached = float(space.paired(np.arange(len(space)), owner).max())
    solution = around_points(space, owner) if fixed else around_balls(space, made.assignment)
    return min(best, solution, key=lambda one: one.cost), reached
