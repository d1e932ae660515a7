"""Spread, the paper's simplification of its 5/2-approximation (section 5)."""

from __future__ import annotations

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import outcome, pack, packing_order
from kanon_engine.labels.packing_kernels import spread_leftovers
from kanon_engine.model.run import Outcome, Run


def spread(labels: Labels, k: int, run: Run, *, order: str) -> Outcome:
    """Next fit for bin covering; the leftover labels are spread over the bins one by one.

    Guarantee: never above Fold on the same order, so cost <= max(k - 1 + h, 3 k - 3) with h the heaviest label, below
    3 times the optimum. Proof, and the choices made where the paper is silent: docs/proofs/labels/spread.md.

    Complexity
    ----------
    O(n) to write the classes; the m bins alone take O(m log n) on prefix sums, and r leftover labels O(r log m).

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 5, after Theorem 9.

    Bins of 11 and 10, and 3 + 1 + 1 left over: Fold costs 15, Spread 14.

    >>> labels = Labels("abcdefg", [6, 5, 5, 5, 3, 1, 1])
    >>> spread(labels, 10, Run(), order="given").assignment.tolist()
    [0, 0, 1, 1, 1, 0, 1]
    """
    packing = pack(labels, k, packing_order(labels, order, run.generator()))
    targets = np.empty(len(labels) - packing.placed, dtype=np.int64)
    spread_leftovers(packing.levels.copy(), packing.prefix, packing.placed - packing.alone, targets)
    return outcome(packing, targets, labels, k)
