"""Packings as exact covers: list what a bin may hold, and choose contents that hold every label once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.bounds import most_classes
from kanon_engine.labels.cover.weakening import refutable, weakened
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.integer_program import sizes_of
from kanon_engine.model.objective import Bound

COVERED = "the best choice among all groups that labels can make"
LISTING = "choosing among all groups that labels can make"
CHECKED_STEPS = 6_000_000  # up to which the verifier does a refutation again
CHECKED_SUMS = 1 << 18  # sums of halves, and contents, for that


@dataclass(frozen=True)
class Covered:
    """What a search for exact covers has come to.

    Attributes
    ----------
    bins : (n,) int64 array or None
        The bin of each label, by position, of a packing that costs less than the one that was known.
    cost : int
        Its largest bin; that of the known one where there is no better.
    bound : Bound or None
        Where it is above the known one.
    """

    bins: np.ndarray | None
    cost: int
    bound: Bound | None


def covered(
    labels: Labels, k: int, low: int, cost: int, steps: int, goes_on: Callable[[float, int, int], bool]
) -> Covered:
    """A packing that costs less than a known one, and how low none costs; both by iterative weakening.

    Caps grow from the lower bound on. For each, all contents of a bin that leave the others within the cap are listed
    and searched for a choice that holds every label once. The first cap with a packing has the optimum below it. Proof:
    docs/proofs/labels/exact_cover.md. Labels with conflicts are no case for it.

    Parameters
    ----------
    labels : Labels
        Without conflicts.
    k : int
    low, cost : int
        A proven lower bound, and what the known packing costs.
    steps : int
        Contents that are tried at most, some nanoseconds each.
    goes_on : callable
        ``goes_on(share, cost, low)``: whether to go on.

    Returns
    -------
    Covered

    Complexity
    ----------
    Exponential; bounded by the steps and by `MOST_HALF` sums of half of the labels.

    References
    ----------
    E. L. Schreiber, R. E. Korf, M. D. Moffitt, "Optimal multi-way number partitioning", J. ACM 65 (2018): cached
    iterative weakening. E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", J. ACM
    21 (1974): two halves.

    Example
    -------
    Two bins of 18: 36 cannot be divided into three, as each would weigh 12 and no other label makes 12 with the 9.

    >>> labels = Labels("abcdef", [9, 7, 6, 5, 5, 4])
    >>> found = covered(labels, 12, 12, 36, 1_000, lambda share, cost, low: True)
    >>> found.bins.tolist(), found.cost, found.bound.name, found.bound.witness
    ([0, 1, 1, 0, 1, 0], 18, 'exact cover', (17, 0, 6))
    """
    most, *witness = most_classes(labels, k)
    order, sizes = sizes_of(labels, k, most)
    found = weakened(sizes, low, cost, steps, goes_on)
    bins = None
    if found.best is not None:
        bins = np.empty(len(labels), dtype=np.int64)
        bins[order] = sizes.unfolded(found.best)
    if found.low == low:
        return Covered(bins, found.cost, None)
    if refutable(sizes, found.low - 1, CHECKED_STEPS, CHECKED_SUMS):
        return Covered(bins, found.cost, Bound(found.low, "exact cover", witness=(found.low - 1, *witness)))
    return Covered(bins, found.cost, Bound(found.low, "exact search", "solver"))
