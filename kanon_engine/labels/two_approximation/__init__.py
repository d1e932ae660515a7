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

    Guarantee: cost <= 2 times the optimum, and never above Fold on the sorted labels.

    Proof, with k = 1. With an item of at least 1, Fold costs less than 2 Opt (see `sorted_fold`). Without one, Fold
    costs less than 3: enough if Opt >= 3/2. So let Opt < 3/2 and all items be large (above 1/2, p of them,
    L1 >= L2 >= …) or small (x1 >= x2 >= …, S in sum). No bin of the optimum holds three large items. Let j, q0 and q2
    be how many hold one, none and two: p = j + 2 q2. All j with the parity of p are tried; consider the right one.

    L1, L2, … are filled in turn: each gets the next small items until it holds 1. Before the last of them it held
    less than 1, so it ends below 3/2. Let c of them be filled before the small items run out.

    A. j > c (`LargeSmall.ran_out`). L(c+1) got P and still holds less than 1; in particular P < 1/2. A bin of the
    optimum with one large item shows that S >= 1 - L1, so c >= 1.
      j - c even: the large items after the c-th are paired, each pair below 2; P goes onto a filled one: below 2.
      j - c odd, c >= 2: Lc and L(c+1) share a bin with P and the small items of Lc but the last, s. It is below
        (1) + (1) = 2, for Lc was below 1 before s. The others are paired; s goes onto another filled one: below 2.
      j - c odd, c = 1: p and j are even, and j >= 2. Let S1 be the small items of L1.
        If S1 is x1 alone, L1 + P >= 1 and L2 + x1 >= 1: those are two bins, below 3/2 each; the others are paired.
        If not, the bin of L1, L2, P and S1 but s is made as before, and s goes onto another pair, the lightest.
        p >= 4, S1 has several items: s is the least of them, so that s <= S1 - s < 1 - L1, and a pair with s is
          below 2 L1 + 1 - L1 < 2.
        p >= 4, S1 is x1: if the lightest other pair with x1 is at most 2, all is well. If not, x1 > 2 - 2 L2 > 1 - L2,
          so L2 + x1 >= 1. Of the j >= 2 bins of the optimum with one large item, one does not hold x1; it holds small
          items of P alone, so that P >= 1 - L1: the first case applied.
        p = 2: then q2 = 0 and j = 2. The optimum has just two bins, so that one bin with all costs W <= 2 Opt: with a
          third, S >= (1 - L1) + (1 - L2) + 1. But S = S1 + P, P < 1 - L2 and S1 < 2 (1 - L1) <= 1 - L1 + 1/2 if S1 has
          several items, S1 <= 1/2 if not: in both cases S1 < 1 + 1 - L1.
    B. j <= c (`LargeSmall.filled`). L1 … Lj are filled, the other large items are q2 pairs, below 2. Next fit
      makes s bins (below 3/2) of the other small items and leaves items of total t < 1. They go, the largest first,
      each into the lightest bin if it stays at most 2. If all fit, the cost is at most 2. If not, let d be the smallest
      that did not; from then on all bins exceed 2 - d >= 3/2.
      If s >= q0, there are at least as many bins as in the optimum: Opt > 3/2, a contradiction. So h = q0 - s >= 1.
      Let a = j + s be the bins with small items other than those of t. The optimum needs
      S >= (1 - L1) + … + (1 - Lj) + q0, for the j largest lack least; ours shows
      S < (1 - L1) + … + (1 - Lj) + j/2 + 3 s/2 + 1. Hence h < a/2 + 1. So a >= 1.
      When d did not fit, each of the a bins, once below 3/2, had got more than 1/2 - d of the leftover items, none of
      them smaller than d: e >= max(d, 1/2 - d) >= 1/4 each. With r items that did not fit, t >= a e + r d.
      a >= 3: if d >= 1/4, then t >= 4 d >= 1; if not, t > 3 (1/2 - d) + d = 3/2 - 2 d > 1 (and more for more bins, as
        1/2 - d > 1/4 each): a contradiction.
      a = 2: h < 2, so h = 1. If r >= 2: t >= 4 d >= 1, or t > 2 (1/2 - d) + 2 d = 1: a contradiction. So d alone did
        not fit, and 3 d <= t < 1. It goes onto one of the a bins: cost <= 2 + d. There are M = 2 + q2 bins and one more
        in the optimum: 2 Opt >= 2 W / (M + 1) > 2 ((2 - d) M + d) / (M + 1), which grows with M and is
        2 (4 - d) / 3 >= 2 + d for M = 2, as d <= 2/5.
      a = 1: h = 1. All that did not fit goes onto the one bin, which ends at C < 3/2 + 1. The optimum has 2 + q2 bins:
        2 Opt >= 2 (C + q2 (2 - d)) / (2 + q2), which is at least C since 2 (2 - d) >= 3 > C.
    Tried is every j <= c; beyond, A yields the same for all j. Once a candidate costs at most 2 k, which is at most
    2 Opt, the ratio is proven and only 64 candidates in all are tried.

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
    packing = sorted_packing(labels, k)
    folded = sorted_fold(labels, packing)
    candidates = [folded]
    if not packing.alone and folded.cost > k:
        candidates.append(together(labels))
        best = min(entry.cost for entry in candidates)
        for found in _by_number_alone(LargeSmall(labels, k)):
            candidates.append(found)
            best = min(best, found.cost)
            if best <= 2 * k and len(candidates) >= ENOUGH:
                break
    return best_outcome(candidates, k, folded.cost)


def _by_number_alone(parts: LargeSmall) -> Iterator[Candidate]:
    """The candidates, from the largest number of large labels alone down."""
    if 1 <= parts.fillable < parts.large:
        yield parts.ran_out()
    most = parts.fillable - (parts.large - parts.fillable) % 2
    for alone in range(most, -1, -2):
        yield parts.filled(alone)
