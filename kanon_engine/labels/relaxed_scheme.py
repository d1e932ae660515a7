"""The paper's relaxed scheme (Theorem 11): classes of at least (1 - epsilon) k. What it finds is not k-anonymous."""

from __future__ import annotations

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.scheme import best_by_types
from kanon_engine.labels.scheme.rounding import exact
from kanon_engine.model.run import Outcome, Run


def relaxed_scheme(labels: Labels, k: int, run: Run, *, epsilon: float) -> Outcome:
    """As `scheme`, but without the last step that merges bins below k.

    Guarantee: every class weighs at least (1 - epsilon) k, and cost <= (1 + epsilon) Opt, where Opt is the optimum
    for classes of at least k; never above Fold on the sorted labels; after a stop, only the first and the last.

    Proof (the paper gives a sketch). Let e = epsilon / 2, and round with e. As in `scheme`, the type T for the number
    of bins B of an optimal packing leads to a cost of at most (1 + e) Opt + e k <= (1 + epsilon) Opt, since Opt >= k.
    Let the lightest bin end at z < k / (1 + e) - e k. A bin that got small labels was the lightest before its last one,
    so it ended below z + e k < k / (1 + e). Let a_i be the weight of large labels in bin i, and h_i <= (1 + e) a_i as
    in `TypesSearch`. If there are small labels, they weigh less than the sum of k / (1 + e) - a_i over the bins that
    got some, which is at most the sum of max(0, k - h_i) / (1 + e) over all bins; but they weigh at least the sum of
    max(0, k - h_i), by the choice of T: a contradiction. If there are none, h_i >= k and a_i >= k / (1 + e) for every
    bin: a contradiction too. So z >= k / (1 + e) - e k >= (1 - 2 e) k = (1 - epsilon) k.

    Where the paper is made precise: rounding with epsilon itself is only proven to leave classes of at least
    k / (1 + epsilon) - epsilon k, which is less than (1 - epsilon) k.

    Parameters
    ----------
    labels : Labels
        Total weight at least k.
    k : int
    run : Run
    epsilon : float
        From 0.01 to 1.

    Returns
    -------
    Outcome
        `details` is a `BinDetails`; its `threshold` is (1 - epsilon) k, rounded up. `guarantee` is the cost of Fold on
        the sorted labels.

    Raises
    ------
    InvalidInput
        There are too many types; the text tells how many entries and steps it would take.

    Complexity
    ----------
    As `scheme` with epsilon / 2.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 4, Theorem 11.

    Example
    -------
    With k = 10, all must be in one class of 20; classes of 12 and 8 are smaller, and the one of 8 is not 10-anonymous.

    >>> result = relaxed_scheme(Labels("abcd", [7, 5, 4, 4]), 10, Run(), epsilon=0.5)
    >>> result.details.threshold, np.bincount(result.assignment, [7, 5, 4, 4]).tolist()
    (5, [12.0, 8.0])
    """
    threshold = least_weight(k, epsilon)

    def accepted(bins: np.ndarray, levels: np.ndarray) -> np.ndarray | None:
        return bins if levels.min() >= threshold else None

    ratio, rounding = 1 + exact(epsilon), exact(epsilon) / 2
    words = "large labels by rounded sizes, then small ones, each into the lightest group"
    return best_by_types(labels, k, run, rounding, accepted, lambda least: ratio * least, words, threshold=threshold)


def least_weight(k: int, epsilon: float) -> int:
    """What every class must weigh: (1 - epsilon) k, rounded up, and at least 1.

    Example
    -------
    >>> least_weight(10, 0.1), least_weight(13, 0.5)
    (9, 7)
    """
    return max(1, int(-(-(1 - exact(epsilon)) * k // 1)))
