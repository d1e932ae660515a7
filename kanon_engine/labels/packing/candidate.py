"""Packings that compete, and two that always do: Fold on the sorted labels, and all labels together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import Packing, bin_outcome, pack
from kanon_engine.model.run import Outcome


@dataclass(frozen=True)
class Candidate:
    """A feasible packing.

    Attributes
    ----------
    order : (n,) int64 array
        All positions, in the order in which they were placed.
    bins : (n,) int64 array
        The bin of each label of `order`, in any numbering without gaps.
    cost : int
        Largest bin.
    method : str
        What made it, in words.
    """

    order: np.ndarray
    bins: np.ndarray
    cost: int
    method: str


def candidate(labels: Labels, order: np.ndarray, bins: np.ndarray, method: str) -> Candidate:
    """A candidate, weighed."""
    sums = np.bincount(bins, labels.counts[order])  # exact: totals stay below 2^53
    return Candidate(order, bins, int(sums.max()), method)


def sorted_packing(labels: Labels, k: int) -> Packing:
    """Next fit on the labels from the most common on: the packing from which Theorem 9 starts."""
    return pack(labels, k, labels.descending)


def sorted_fold(labels: Labels, packing: Packing) -> Candidate:
    """Fold on the sorted labels: what is left over goes whole onto the lightest bin.

    With a label of at least k it costs less than Opt + k, without one at most 3 k - 3: docs/proofs/labels/fold.md.
    """
    lightest = int(np.argmin(packing.levels))
    left = len(labels) - packing.placed
    bins = np.concatenate([np.repeat(np.arange(len(packing.sizes)), packing.sizes), np.full(left, lightest)])
    return candidate(labels, packing.order, bins, "Fold, the most common labels first")


def together(labels: Labels) -> Candidate:
    """All labels in one bin."""
    return Candidate(labels.descending, np.zeros(len(labels), np.int64), labels.total, "all labels in one group")


def best_outcome(candidates: Iterable[Candidate], threshold: int, ceiling: int) -> Outcome:
    """The result of the cheapest candidate, the first of equally cheap ones; all their bins weigh the threshold."""
    best = min(candidates, key=lambda entry: entry.cost)
    return bin_outcome(best.order, best.bins, threshold, best.method, guarantee=ceiling)
