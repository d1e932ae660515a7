"""The cost of a class, and the least cost of its records in every finer generalization; one branch per metric.

A metric is added by a number here, a branch in each function and an entry in `metrics.METRICS`. The search needs, for
records that are together in a class of the generalization or of the allset:

1. Suppressing a record costs `penalty`, at least as much as keeping it in any class.
2. `retained_bound` of disjoint sets of records that no descendant divides, added up, is at most the cost of the classes
   that they end in, where they are kept.
3. `is_useful` is True wherever a cut could pay; a wrong False loses the optimum, a wrong True only time.
"""

from __future__ import annotations

from kanon_engine.kernel_cache import njit

DISCERNIBILITY, CLASSIFICATION, AVERAGE, LOSS = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def class_cost(metric, size, commonest, loss, k):
    """Cost of a class of size >= k; `commonest` records have its most common label, `loss` is that of one record."""
    if metric == DISCERNIBILITY:
        return size * size
    if metric == CLASSIFICATION:
        return size - commonest
    if metric == AVERAGE:
        return size - k
    return size * loss


@njit(cache=True, nogil=True)
def retained_bound(metric, size, commonest, loss, k):
    """The least cost of records that share a class of the allset, when they are kept."""
    if metric == DISCERNIBILITY:
        return size * max(size, k)
    if metric == CLASSIFICATION:
        return size - commonest
    if metric == AVERAGE:
        return max(size - k, 0)
    return size * loss


@njit(cache=True, nogil=True)
def spare(metric, worth, commonest, excess):
    """What suppressing a row costs beyond its bound and what the shares of `exclusion_costs` may count on it for.

    `worth` is what suppressing it costs beyond its bound alone.

    Proof: docs/proofs/tables/k_optimize.md, what including values costs.
    """
    if metric in (DISCERNIBILITY, AVERAGE):
        return worth
    if metric == CLASSIFICATION:
        return commonest - (excess + 1) // 2
    return 0


@njit(cache=True, nogil=True)
def is_useful(metric, left, right, k, total):
    """Whether a cut value that splits a class of the head into these parts could pay.

    Where this is False in every class of the head, the tail value can be pruned: docs/proofs/tables/k_optimize.md,
    useless values. The paper's "liberal" rule asks for |E1| < k alone, which is not safe for DM. The condition is
    sufficient, not necessary.
    """
    if metric == LOSS:
        return left >= k or right >= k
    if left == 0 or right == 0:
        return False
    if left >= k and right >= k:
        return True
    return metric == DISCERNIBILITY and (left >= k or right >= k) and left + right + max(left, right) > total
