"""The paper's relaxed scheme (Theorem 11): classes of at least (1 - epsilon) k. Its results are not k-anonymous."""

from __future__ import annotations

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.scheme import Plan, best_by_types, exact
from kanon_engine.model.run import Outcome, Run


def relaxed_scheme(labels: Labels, k: int, run: Run, *, epsilon: float) -> Outcome:
    """As `scheme`, but without the last step that merges bins below k.

    Guarantee: every class weighs at least (1 - epsilon) k, and cost <= (1 + epsilon) Opt, where Opt is the optimum
    for classes of at least k; never above Fold on the sorted labels; after a stop, only the first and the last. Proof:
    docs/proofs/labels/relaxed_scheme.md.

    Returns
    -------
    Outcome
        `details` is a `BinDetails`; its `threshold` is (1 - epsilon) k, rounded up. `guarantee` is the cost of Fold on
        the sorted labels.

    Complexity
    ----------
    As `scheme` with epsilon / 2.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 4, Theorem 11.

    With k = 10, all must be in one class of 20; classes of 12 and 8 are smaller, and the one of 8 is not 10-anonymous.

    >>> result = relaxed_scheme(Labels("abcd", [7, 5, 4, 4]), 10, Run(), epsilon=0.5)
    >>> result.details.threshold, np.bincount(result.assignment, [7, 5, 4, 4]).tolist()
    (5, [12.0, 8.0])
    """
    return best_by_types(labels, k, run, plan_of(k, epsilon))


def plan_of(k: int, epsilon: float) -> Plan:
    """That of Theorem 11: bins may be lighter than k, and none is merged."""
    threshold = least_weight(k, epsilon)

    def accepted(bins: np.ndarray, levels: np.ndarray) -> np.ndarray | None:
        return bins if levels.min() >= threshold else None

    ratio = 1 + exact(epsilon)
    words = "the large labels were packed by their rounded sizes, then each small label went into the lightest group"
    return Plan(exact(epsilon) / 2, accepted, lambda least: ratio * least, words, threshold)


def least_weight(k: int, epsilon: float) -> int:
    """The minimum weight of every class: (1 - epsilon) k, rounded up, and at least 1.

    >>> least_weight(10, 0.1), least_weight(13, 0.5)
    (9, 7)
    """
    return max(1, int(-(-(1 - exact(epsilon)) * k // 1)))
