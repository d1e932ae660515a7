"""Section 2.2 of the paper: which width succeeds, and the largest that is proven to fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from kanon_engine.clusters.gather.attempt import MOST_RECORDS, Attempt, attempt, least_diameter
from kanon_engine.clusters.gather.solution import Solution, around_balls, around_points
from kanon_engine.clusters.nearest import Nearest
from kanon_engine.model.objective import Bound

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
    space = found.space
    if len(space) > MOST_POINTS or space.total >= MOST_RECORDS:
        return best, bound
    bound = better_bound(found, bound, np.array([found.rho.argmax()]), fixed)
    if not goes_on():
        return best, bound
    for made in attempts(found, 2 * bound.value):
        if made.succeeded:
            best = better(found, best, made, fixed)
        else:
            bound = better_bound(found, bound, made.witness, fixed)
        if not goes_on():
            break
    return best, bound


def attempts(found: Nearest, least: float) -> Iterator[Attempt]:
    """The widths that are tried, from `least` on, until the largest that failed meets one that succeeded.

    Example
    -------
    >>> from kanon_engine.clusters.instance import MetricSpace
    >>> from kanon_engine.clusters.nearest import nearest
    >>> line = nearest(MetricSpace([[0], [2], [4], [1], [3]]), 2)
    >>> [(made.width, made.succeeded) for made in attempts(line, 1.0)]
    [(1.0, False), (4.0, True), (2.0, True)]
    """
    space, k = found.space, found.k
    low, high, step = max(float(found.rho.max()), least), np.inf, 0
    width = low
    while True:
        made = attempt(found, width)
        yield made
        if made.succeeded:
            high = min(high, width, _reached(found, made))
        else:
            low = least_diameter(space, k, made.witness, width)
        if low >= high:
            return
        step += 1
        middle = low + (high - low) / 2 if high < np.inf else 2 * low
        width = middle if step % 2 and middle < high else low


def better_bound(found: Nearest, bound: Bound, witness: np.ndarray, fixed: bool) -> Bound:
    """The bound, or that of a witness of failure: docs/proofs/clusters/gather.md, bound D."""
    space = found.space
    diameter = least_diameter(space, found.k, witness, max(2 * bound.value, float(found.rho.max())))
    value = space.definitions.half(diameter)
    value = value if fixed else space.definitions.free_radius(value)
    return Bound(value, "centers apart", witness=tuple(witness.tolist())) if value > bound.value else bound


def better(found: Nearest, best: Solution, made: Attempt, fixed: bool) -> Solution:
    """The better clustering.

    Points with counts go where most of their records went; where that leaves a cluster short, the attempt gives none.
    """
    if leaves_short(found, made):
        return best
    space = found.space
    solution = around_points(space, made.centers[made.assignment]) if fixed else around_balls(space, made.assignment)
    return min(best, solution, key=lambda one: one.cost)


def _reached(found: Nearest, made: Attempt) -> float:
    """How wide the attempt's clusters are around its centers."""
    if leaves_short(found, made):
        return made.width
    space = found.space
    return float(space.paired(np.arange(len(space)), made.centers[made.assignment]).max())


def leaves_short(found: Nearest, made: Attempt) -> bool:
    """Whether a cluster is left with fewer than k records, as points with counts may."""
    sums = np.bincount(made.assignment, weights=found.space.weights, minlength=len(made.centers))
    return bool(sums.min() < found.k)
