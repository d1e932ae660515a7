"""What a class costs, and what its records cost at least in every finer generalization; one branch a metric.

A metric is added by a number here, a branch in each function and an entry in `metrics.METRICS`. The search needs, for
records that are together in a class of the generalization or of the allset:

1. Suppressing a record costs `penalty`, at least as much as keeping it in any class.
2. `kept_bound` of disjoint sets of records that no descendant takes apart, added up, is at most the cost of the classes
   that they end in, where they are kept.
3. `is_useful` is True wherever a cut could pay; a wrong False loses the optimum, a wrong True only time.
"""

from __future__ import annotations

from kanon_engine.kernel_cache import njit

DISCERNIBILITY, CLASSIFICATION, AVERAGE, LOSS = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def class_cost(metric, size, commonest, loss, k):
    """Cost of a class of size >= k; `commonest` records have its commonest label, `loss` is that of one record."""
    if metric == DISCERNIBILITY:
        return size * size
    if metric == CLASSIFICATION:
        return size - commonest
    if metric == AVERAGE:
        return size - k
    return size * loss


@njit(cache=True, nogil=True)
def kept_bound(metric, size, commonest, loss, k):
    """What records that share a class of the allset cost at least, when they are kept."""
    if metric == DISCERNIBILITY:
        return size * max(size, k)
    if metric == CLASSIFICATION:
        return size - commonest
    if metric == AVERAGE:
        return max(size - k, 0)
    return size * loss


@njit(cache=True, nogil=True)
def spare(metric, size, commonest, excess, penalty, bound):
    """What suppressing a row costs beyond its bound and beyond what the shares of `rises` may count on it for.

    PROOF. Let the values of a set X be left out: then rows are merged into boxes, each of which is kept or suppressed
    as a whole, and the proof of `rises` says what the boxes pay for the shares of X. For a suppressed box:

    - DM: its rows have fewer than k records together, so f of the box is the sum of f of its rows, and the sum of f
      over all boxes, which covers the shares, counts no more for it than the bounds. All that is beyond is spare.
    - CM: a row costs its commonest label's records beyond its bound. The shares of the box's pairs are the smaller of
      the two rows' parts each, so at most half of both; a row has its excess divided into parts, and half the excess
      covers what its pairs count on it for. The rest, rounded down, is spare.
    - LM: the shares may count on all of it: the loss of the box, up to the penalty.
    - AVG has no shares.
    """
    if metric in (DISCERNIBILITY, AVERAGE):
        return penalty * size - bound
    if metric == CLASSIFICATION:
        return commonest - (excess + 1) // 2
    return 0


@njit(cache=True, nogil=True)
def is_useful(metric, left, right, k, total):
    """Whether a cut value that splits a class of the head into these parts could pay.

    PROOF that a tail value v for which this is False in every class E of the head can be pruned. Let D be a set of cuts
    of a descendant, v among them; D without v is a descendant too, and suppresses no more. It costs no more either:

    - Both parts of E are below k: D suppresses all of E, and no metric prices a kept record above a suppressed one.
    - One part E1 is below k, the other E2 is not: D suppresses all of E1. Taking v away merges each class F of D within
      E2 with some records G of E1, and no two F with each other, for they differ in another cut than v.
      DM, F kept: (|F| + |G|)^2 - |F|^2 - |D| |G| = |G| (2 |F| + |G| - |D|) <= |G| (|E2| + |E| - |D|), because
      |F| <= |E2| and |F| + |G| <= |E|; so it is at most 0 where |E| + |E2| <= |D|.
      CM: the commonest label of F leaves at most |F| - commonest(F) + |G| others, as many as were counted before.
      Average: no class is lost. F below k: all of F and G were suppressed before.

    The condition does not mention the tail, so all such values go at once. The paper's "liberal" rule asks for |E1| < k
    alone: not safe for DM. Eight records, one apart, k = 4: split 49 + 8 = 57, not split 64. The condition is
    sufficient, not necessary.

    With the loss metric a cut narrows the interval of classes that it does not split, too; there only values that leave
    nothing of any class whose interval they cut are useless.
    """
    if metric == LOSS:
        return left >= k or right >= k
    if left == 0 or right == 0:
        return False
    if left >= k and right >= k:
        return True
    return metric == DISCERNIBILITY and (left >= k or right >= k) and left + right + max(left, right) > total
