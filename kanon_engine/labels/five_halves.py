"""The paper's 5/2-approximation of min-max bin covering (Theorem 9), with the cases that it omits."""

from __future__ import annotations

from itertools import product

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import Candidate, Packing, best_outcome, candidate, sorted_fold, sorted_packing
from kanon_engine.model.run import Outcome, Run


def five_halves(labels: Labels, k: int, run: Run) -> Outcome:
    """Next fit on sorted labels; the leftover labels are cut into three parts or swapped with the largest label.

    Guarantee: cost <= 5/2 times the optimum, and never above Fold on the sorted labels. Proof:
    docs/proofs/labels/five_halves.md, with the cases that the paper omits.

    Complexity
    ----------
    O(n log n)

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 4, Lemma 8 and Theorem 9.

    The ratio is attained in the limit: each of 50 labels of 100 needs one more record and can have two of the 100
    single ones, so 102 is the best possible; kanon makes 25 bins of 200 and then adds 50 ones. 250 / 102 = 2.45.

    >>> labels = Labels(range(150), [100] * 50 + [1] * 100)
    >>> result = five_halves(labels, 101, Run())
    >>> int(np.bincount(result.assignment, labels.counts).max())
    250
    """
    packing = sorted_packing(labels, k)
    folded = sorted_fold(labels, packing)
    case = case_of(labels, k, packing)
    candidates = [folded]
    if case == "1":
        candidates.append(in_three_parts(labels, k, packing))
    elif case == "2.1":
        candidates.append(with_places_changed(labels, packing))
    return best_outcome(candidates, k, folded.cost)


def case_of(labels: Labels, k: int, packing: Packing) -> str:
    """The case of Theorem 9: "1", "2.1" or "2.2"; "oversize" where f is large and only labels of at least k are in
    bins, "none" where nothing is left over.

    >>> labels = Labels("abcd", [9, 9, 7, 1])
    >>> case_of(labels, 10, sorted_packing(labels, 10)), case_of(labels, 11, sorted_packing(labels, 11))
    ('2.1', '2.2')
    """
    leftover = labels.counts[packing.order[packing.placed :]]
    if len(leftover) == 0:
        return "none"
    if 2 * int(leftover[0]) <= k:
        return "1"
    # no bin has a label below k, so there is no x to trade places with f
    if packing.placed == packing.alone:
        return "oversize"
    largest = int(labels.counts[packing.order[packing.alone]])
    return "2.1" if largest + int(leftover[1:].sum()) >= k else "2.2"


def in_three_parts(labels: Labels, k: int, packing: Packing) -> Candidate:
    """Case 1: the cheapest way to add the parts of Lemma 8 to the lightest bins."""
    leftover = labels.counts[packing.order[packing.placed :]]
    cuts = three_parts(leftover, k)
    parts = [int(part.sum()) for part in np.split(leftover, cuts)]
    lightest = np.argsort(packing.levels, kind="stable")[:3]
    largest, levels = int(packing.levels.max()), packing.levels[lightest].tolist()

    def cost(targets: tuple[int, ...]) -> int:
        after = list(levels)
        for target, part in zip(targets, parts, strict=True):
            after[target] += part
        return max(largest, *after)

    # at most 27 ways, so all are tried
    targets = min(product(range(len(lightest)), repeat=3), key=cost)
    sizes = np.diff([0, *cuts, len(leftover)])
    bins = np.concatenate([packing.bins, np.repeat(lightest[list(targets)], sizes)])
    words = (
        "one bin after another was filled from the most common label down, then the leftover labels were added in "
        "three parts"
    )
    return candidate(labels, packing.order, bins, words)


def with_places_changed(labels: Labels, packing: Packing) -> Candidate:
    """Case 2.1: the leftover labels exchange their largest label for the largest one below k."""
    full = len(packing.sizes)
    bins = np.concatenate([packing.bins, np.full(len(labels) - packing.placed, full)])
    bins[packing.alone], bins[packing.placed] = full, packing.alone
    words = (
        "one bin after another was filled from the most common label down; two large labels were swapped to fill the "
        "last bin"
    )
    return candidate(labels, packing.order, bins, words)


def three_parts(sizes: np.ndarray, whole: int) -> tuple[int, int]:
    """Where to cut a list so that each of the three parts sums to at most whole / 2.

    Proof: docs/proofs/labels/five_halves.md, Lemma 8.

    `sizes`: (r,) int. Each at most whole / 2, at most `whole` in sum.
    Returns i, j: the parts are ``sizes[:i]``, ``sizes[i:j]`` and ``sizes[j:]``; some may be empty.
    Raises `InvalidInput`: a number above whole / 2, or a sum above `whole`.

    Complexity
    ----------
    O(r)

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 4, Lemma 8.

    >>> three_parts(np.array([3, 3, 3]), 10)
    (1, 2)
    >>> three_parts(np.array([5, 5]), 10)
    (1, 2)
    """
    sums = np.cumsum(sizes)
    if len(sizes) and (2 * int(np.max(sizes)) > whole or int(sums[-1]) > whole):
        raise InvalidInput(
            f"The largest size is {int(np.max(sizes)):,}; it must be at most half of {whole:,}. The sum of all sizes "
            f"is {int(sums[-1]):,}; it must be at most {whole:,}."
        )
    # the first i + 1 numbers are above half, so what follows them is below half
    i = int(np.searchsorted(2 * sums, whole, side="right"))
    return i, min(i + 1, len(sizes))
