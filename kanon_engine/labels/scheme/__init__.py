"""The paper's approximation scheme (Theorem 10): cost at most (1 + epsilon) (Opt + k)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.candidate import Candidate, best_outcome, candidate, sorted_fold, sorted_packing
from kanon_engine.labels.scheme.rounding import exact
from kanon_engine.labels.scheme.types_search import TypesSearch, most_bins
from kanon_engine.model.run import Outcome, Run

ENOUGH = 16  # once the guarantee holds against a lower bound, so many numbers of bins are tried

NOWHERE = np.zeros(0, dtype=np.int64)

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
    return best_by_types(labels, k, run, plan_of(k, epsilon))


@dataclass(frozen=True)
class Plan:
    """What Theorems 10 and 11 differ in.

    Attributes
    ----------
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

    epsilon: Fraction
    finish: Finish
    promise: Callable[[int], Fraction]
    words: str
    threshold: int


def plan_of(k: int, epsilon: float) -> Plan:
    """That of Theorem 10: bins below k are merged."""
    ratio = 1 + exact(epsilon)

    def merged(bins: np.ndarray, levels: np.ndarray) -> np.ndarray:
        return _merged(levels, k)[bins]

    words = "large labels by rounded sizes, then small ones, each into the lightest group; light groups merged"
    return Plan(exact(epsilon), merged, lambda least: ratio * (least + k), words, k)


@dataclass(frozen=True)
class Tried:
    """What came of one number of bins.

    Attributes
    ----------
    bins : int
    type : list of arrays, or None
        The configurations of the bins that are not empty; None where no type has the properties that are needed.
    places : (n,) int64 array
        The bin of each label, from the most common on, once the small ones are in; empty where there is no type.
    levels : (m,) int64 array
        The weight of each bin then.
    made : Candidate or None
        The packing that it ends in, where it may be returned.
    """

    bins: int
    type: list[np.ndarray] | None
    places: np.ndarray
    levels: np.ndarray
    made: Candidate | None


def best_by_types(labels: Labels, k: int, run: Run, plan: Plan) -> Outcome:
    """The cheapest of Fold and the completed types of all numbers of bins, from the most on."""
    folded = sorted_fold(labels, sorted_packing(labels, k))
    tried = types_tried(labels, k, run, plan, folded.cost)
    return best_outcome([folded, *(one.made for one in tried if one.made)], plan.threshold, folded.cost)


def types_tried(labels: Labels, k: int, run: Run, plan: Plan, folded: int) -> Iterator[Tried]:
    """Number of bins after number of bins, as long as it may be better than Fold, which costs `folded`, and the others.

    Nothing where Fold is the best possible.
    """
    heaviest, most, best = int(labels.counts.max()), most_bins(labels, k), folded
    if best <= max(k, heaviest):
        return
    search = TypesSearch(labels, k, plan.epsilon, folded)
    least = max(k, heaviest, -(-labels.total // most))
    for tried, bins in enumerate(range(most, 0, -1)):
        if -(-labels.total // bins) >= best or (tried >= ENOUGH and best <= plan.promise(least)):
            return
        if not run.goes_on(tried / most, best, least, f"types with {bins:,} groups, {search.steps:,} steps each"):
            return
        found = search.type_for(bins)
        if found is None:
            yield Tried(bins, None, NOWHERE, NOWHERE, None)
            continue
        places, levels = search.completed(found, bins)
        packed = plan.finish(places, levels)
        made = None if packed is None else _candidate(labels, search.large, packed, plan.words)
        best = best if made is None else min(best, made.cost)
        yield Tried(bins, found, places, levels, made)


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
