"""Ratio 2 for min-max bin covering, the best that is possible unless P = NP."""

from __future__ import annotations

from collections.abc import Iterator

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.candidate import Candidate, best_outcome, sorted_fold, sorted_packing, together
from kanon_engine.labels.two_approximation.large_small import LargeSmall
from kanon_engine.model.run import Outcome, Run

ENOUGH = 64  # once the ratio is proven, so many candidates are tried


def two_approximation(labels: Labels, k: int, run: Run) -> Outcome:
    """The cheapest of Fold, one bin, and large labels alone or in pairs, for every number j of those alone.

    Guarantee: cost <= 2 times the optimum, and never above Fold on the sorted labels. Proof:
    docs/proofs/labels/two_approximation.md, whose names the code uses.

    Parameters
    ----------
    labels : Labels
        Total weight at least k.
    k : int
    run : Run

    Returns
    -------
    Outcome
        `details` is a `BinDetails`; `guarantee` is the cost of Fold on the sorted labels.

    Complexity
    ----------
    O(n log n) for each candidate; 64 of them, or up to n / 2 where none costs at most 2 k.

    References
    ----------
    The ratio is that of Berman and Raskhodnikova, "Approximation algorithms for min-max generalization problems"
    (2014); algorithm and proof are derived here. Du, Eppstein, Goodrich, Lueker (2009), Theorem 6: no better ratio.

    Example
    -------
    Three labels of k - 1 show that the ratio cannot hold against k: the optimum is one bin of 27.

    >>> two_approximation(Labels("abc", [9, 9, 9]), 10, Run()).assignment.tolist()
    [0, 0, 0]

    Fold leaves 9 over and costs 23; two large labels alone, each with a small one, cost 14.

    >>> result = two_approximation(Labels("abcdef", [9, 9, 7, 7, 5, 4]), 10, Run())
    >>> import numpy as np
    >>> int(np.bincount(result.assignment, [9, 9, 7, 7, 5, 4]).max())
    14
    """
    found = list(candidates(labels, k))
    return best_outcome(found, k, found[0].cost)


def candidates(labels: Labels, k: int) -> Iterator[Candidate]:
    """The packings that compete, as they are made; Fold on the sorted labels is the first, and often the only one."""
    packing = sorted_packing(labels, k)
    folded = sorted_fold(labels, packing)
    yield folded
    if packing.alone or folded.cost <= k:
        return
    whole = together(labels)
    yield whole
    best = min(folded.cost, whole.cost)
    for tried, found in enumerate(_by_number_alone(LargeSmall(labels, k)), start=3):
        yield found
        best = min(best, found.cost)
        if best <= 2 * k and tried >= ENOUGH:
            return


def _by_number_alone(parts: LargeSmall) -> Iterator[Candidate]:
    """The candidates, from the largest number of large labels alone down."""
    if 1 <= parts.fillable < parts.large:
        yield parts.ran_out()
    most = parts.fillable - (parts.large - parts.fillable) % 2
    for alone in range(most, -1, -2):
        yield parts.filled(alone)
