"""The paper's approximation scheme (Theorem 10): cost at most (1 + epsilon) (Opt + k)."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.candidate import Candidate, best_outcome, candidate, sorted_fold, sorted_packing
from kanon_engine.labels.scheme.rounding import exact
from kanon_engine.labels.scheme.types_search import TypesSearch, most_bins
from kanon_engine.model.run import Outcome, Run

ENOUGH = 16  # once the guarantee holds against a lower bound, so many numbers of bins are tried

Finish = Callable[[np.ndarray, np.ndarray], np.ndarray | None]


def scheme(labels: Labels, k: int, run: Run, *, epsilon: float) -> Outcome:
    """Large labels as in the best packing of rounded ones, small ones into the lightest bin, light bins merged.

    Guarantee: cost <= (1 + epsilon) (Opt + k), never above Fold on the sorted labels; after a stop, only the latter.
    Proof: docs/proofs/labels/scheme.md.

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
        `details` is a `BinDetails`; `guarantee` is the cost of Fold on the sorted labels.

    Raises
    ------
    InvalidInput
        There are too many types; the text tells how many entries and steps it would take.

    Complexity
    ----------
    O(P m c log c) for the types, with P the product of (1 + number of labels) over the rounded sizes, m bins and c
    configurations of a bin: polynomial for a fixed epsilon, of a high degree. O(n log n) for each number of bins.

    References
    ----------
    Du, Eppstein, Goodrich, Lueker (2009), section 4, Theorem 10.

    Example
    -------
    Fold puts 9 and 9 together and ends with 23; the types find that both should be alone.

    >>> labels = Labels("abcdef", [9, 9, 7, 7, 5, 4])
    >>> result = scheme(labels, 10, Run(), epsilon=0.5)
    >>> int(np.bincount(result.assignment, labels.counts).max())
    16
    """
    ratio = 1 + exact(epsilon)

    def merged(bins: np.ndarray, levels: np.ndarray) -> np.ndarray:
        return _merged(levels, k)[bins]

    words = "large labels by rounded sizes, then small ones, each into the lightest group; light groups merged"
    return best_by_types(labels, k, run, exact(epsilon), merged, lambda least: ratio * (least + k), words, threshold=k)


def best_by_types(
    labels: Labels,
    k: int,
    run: Run,
    epsilon: Fraction,
    finish: Finish,
    promise: Callable[[int], Fraction],
    words: str,
    *,
    threshold: int,
) -> Outcome:
    """The cheapest of Fold and the completed types of all numbers of bins, from the most on.

    Parameters
    ----------
    labels, k, run
    epsilon : Fraction
        Of the rounding.
    finish : callable
        Bins and levels of a completed type to the bins of a packing that may be returned, or None.
    promise : callable
        The cost that is promised when the optimum is the given number.
    words : str
        How a packing is made, for a person.
    threshold : int
        What every bin of a finished packing weighs.
    """
    folded = sorted_fold(labels, sorted_packing(labels, k))
    heaviest, most = int(labels.counts.max()), most_bins(labels, k)
    candidates, best = [folded], folded.cost
    if best > max(k, heaviest):
        search = TypesSearch(labels, k, epsilon, folded.cost)
        least = max(k, heaviest, -(-labels.total // most))
        for tried, bins in enumerate(range(most, 0, -1)):
            if -(-labels.total // bins) >= best or (tried >= ENOUGH and best <= promise(least)):
                break
            if not run.goes_on(tried / most, best, least, f"types with {bins:,} groups, {search.steps:,} steps each"):
                break
            found = search.type_for(bins)
            packed = None if found is None else finish(*search.completed(found, bins))
            if packed is not None:
                candidates.append(_candidate(labels, search.large, packed, words))
                best = min(best, candidates[-1].cost)
    return best_outcome(candidates, threshold, folded.cost)


def _candidate(labels: Labels, large: int, bins: np.ndarray, words: str) -> Candidate:
    """Large labels bin after bin, then the small ones from the most common on."""
    turn = np.concatenate([np.argsort(bins[:large], kind="stable"), np.arange(large, len(bins))])
    return candidate(labels, labels.descending[turn], np.unique(bins, return_inverse=True)[1][turn], words)


def _merged(levels: np.ndarray, k: int) -> np.ndarray:
    """The bin that each bin ends in when the two lightest are merged as long as one is below k."""
    merges = []
    heap = [(level, number) for number, level in enumerate(levels.tolist())]
    heapq.heapify(heap)
    while heap[0][0] < k:
        level, number = heapq.heappop(heap)
        other, into = heap[0]
        heapq.heapreplace(heap, (level + other, into))
        merges.append((number, into))
    target = np.arange(len(levels))
    for number, into in reversed(merges):  # whatever `into` was merged with later is known by then
        target[number] = target[into]
    return target
