"""The paper's 5/2-approximation of min-max bin covering (Theorem 9), with the cases that it omits."""

from __future__ import annotations

from itertools import product

import numpy as np

from kanon_engine.labels.five_halves.lemma8 import three_parts
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import Packing
from kanon_engine.labels.packing.candidate import Candidate, best_outcome, candidate, sorted_fold, sorted_packing
from kanon_engine.model.run import Outcome, Run


def five_halves(labels: Labels, k: int, run: Run) -> Outcome:
    """Next fit on sorted labels; what is left over is cut into three parts or changes places with the largest label.

    Guarantee: cost <= 5/2 times the optimum, and never above Fold on the sorted labels.

    Proof, with k = 1. Let items be oversize (at least 1), large (above 1/2) or small. Next fit in descending order
    makes m >= 1 full bins, those of oversize items alone and others below 2, and leaves items of total R < 1 over, the
    largest of them f. If R = 0, the cost is below 2 or that of the heaviest item: at most 2 Opt. Otherwise Fold is
    among the candidates, and where there is an oversize item, Fold costs less than 2 Opt (see `sorted_fold`). So let
    there be none: then Fold costs less than 3.

    Case 1, f is small. Lemma 8 cuts the leftover items into three parts of at most 1/2. All placements of the three
    parts onto the three lightest bins (or fewer, if there are fewer) are tried; the paper adds one to each of three.
    m >= 3: with one part in each of three bins, no bin exceeds 2 + 1/2.
    m = 1: all is in one bin of weight W < 3. The optimum has at most two bins: W <= 2 Opt.
    m = 2, bins a <= b < 2. Let p be the largest part and g <= 2 R / 3 the sum of the two others. Put the lesser of p
    and g onto b: at most R / 2 < 1/2, so that b stays below 5/2; and the greater onto a. If that is p <= 1/2, a stays
    below 5/2 too. If it is g, then the cost is at most the greater of 5/2 and a + g; W = a + b + R < 5, so the optimum
    has at most four bins, and 5/2 Opt >= 5/8 W >= 5/8 (2 a + 3/2 g) >= a + g, the last since a >= 1 > g / 4.

    Case 2, f is large. Then all small items are left over; let r < 1/2 be their sum. All full bins hold two large
    items, so that the number of large items is odd. The largest one, x, is in a full bin.
    Case 2.1, x + r >= 1. Let x and f change places: both bins weigh between 1 and 2.
    Case 2.2, x + r < 1. No bin of the optimum holds exactly one large item, so that one holds three: Opt > 3/2, and
    Fold costs less than 3 < 2 Opt.

    Where the paper is corrected: "Opt >= 6/5 without loss of generality" must read <= and is not needed, for case 2.2
    does without; bins of oversize items may exceed level 2; "at most 3 bins", which it omits, is m <= 2 above.

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
    O(n log n)

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 4, Lemma 8 and Theorem 9.

    Example
    -------
    The ratio is attained in the limit: of 50 labels of 100 each needs one record more and can have two of the 100
    single ones, so that 102 is best possible; kanon makes 25 bins of 200 and then adds 50 ones. 250 / 102 = 2.45.

    >>> labels = Labels(range(150), [100] * 50 + [1] * 100)
    >>> result = five_halves(labels, 101, Run())
    >>> int(np.bincount(result.assignment, labels.counts).max())
    250
    """
    packing = sorted_packing(labels, k)
    folded = sorted_fold(labels, packing)
    candidates = [folded]
    leftover = labels.counts[packing.order[packing.placed :]]
    if len(leftover):
        if 2 * int(leftover[0]) <= k:
            candidates.append(_in_three_parts(labels, k, packing, leftover))
        elif packing.placed > packing.alone:
            largest = int(labels.counts[packing.order[packing.alone]])
            if largest + int(leftover[1:].sum()) >= k:
                candidates.append(_with_places_changed(labels, packing))
    return best_outcome(candidates, k, folded.cost)


def _in_three_parts(labels: Labels, k: int, packing: Packing, leftover: np.ndarray) -> Candidate:
    """Case 1: the cheapest way to put the parts of Lemma 8 onto the lightest bins."""
    cuts = three_parts(leftover, k)
    parts = [int(part.sum()) for part in np.split(leftover, cuts)]
    lightest = np.argsort(packing.levels, kind="stable")[:3]
    largest = int(packing.levels.max())
    levels = packing.levels[lightest].tolist()

    def cost(targets: tuple[int, ...]) -> int:
        after = list(levels)
        for target, part in zip(targets, parts, strict=True):
            after[target] += part
        return max(largest, *after)

    targets = min(product(range(len(lightest)), repeat=3), key=cost)
    sizes = np.diff([0, *cuts, len(leftover)])
    bins = [np.repeat(np.arange(len(packing.sizes)), packing.sizes), np.repeat(lightest[list(targets)], sizes)]
    words = "bin after bin from the most common label on, what is left over in three parts"
    return candidate(labels, packing.order, np.concatenate(bins), words)


def _with_places_changed(labels: Labels, packing: Packing) -> Candidate:
    """Case 2.1: what is left over gets the largest label below k for its own largest one."""
    full = len(packing.sizes)
    left = len(labels) - packing.placed
    bins = np.concatenate([np.repeat(np.arange(full), packing.sizes), np.full(left, full)])
    bins[packing.alone], bins[packing.placed] = full, packing.alone
    words = "bin after bin from the most common label on; two large labels changed places to fill the last"
    return candidate(labels, packing.order, bins, words)
