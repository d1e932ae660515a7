"""Fold, the paper's first algorithm for min-max bin covering (Theorem 7)."""

from __future__ import annotations

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import outcome, pack, packing_order
from kanon_engine.model.run import Outcome, Run


def fold(labels: Labels, k: int, run: Run, *, order: str) -> Outcome:
    """Next fit for bin covering; the leftover labels are all merged into the lightest bin.

    Guarantee: cost <= max(k - 1 + h, 3 k - 3) with h the heaviest label, which is below 3 times the optimum; sharper if
    the run allows it (`kanon_engine.labels.packing.ceiling`). Proof: docs/proofs/labels/fold.md.

    The leftover bin goes to the lightest bin, the first of equally light ones; the bins of labels >= k come first, in
    packing order.

    Complexity
    ----------
    O(n) to write the classes; the bins alone take O(m log n) on prefix sums, m being their number.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 4, Theorem 7.

    Two tight instances of Theorem 7: three labels of k - 1, and one heavy label with k - 1 left over.

    >>> result = fold(Labels("abc", [9, 9, 9]), 10, Run(), order="given")
    >>> result.assignment.tolist(), result.guarantee == 3 * 10 - 3 == 9 + 9 + 9
    ([0, 0, 0], True)
    >>> result = fold(Labels("ab", [30, 9]), 10, Run(), order="given")
    >>> result.assignment.tolist(), result.guarantee == 10 - 1 + 30 == 30 + 9
    ([0, 0], True)
    """
    packing = pack(labels, k, packing_order(labels, order, run.generator()))
    lightest = int(np.argmin(packing.levels))
    return outcome(packing, np.full(len(labels) - packing.placed, lightest), labels, k)
