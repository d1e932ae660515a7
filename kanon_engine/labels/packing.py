"""What Fold and Spread share: the order, bins for heavy labels, next fit for the rest, and the proven ceiling."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.instance import BinDetails, LabelDetails, Labels
from kanon_engine.labels.packing_kernels import next_fit
from kanon_engine.model.objective import Bound
from kanon_engine.model.run import Outcome


@dataclass(frozen=True)
class Packing:
    """Full bins, and what is left over."""

    order: np.ndarray  # (n,) int64: positions: the labels of weight >= k, then the others, both in packing order
    alone: int  # how many labels weigh at least k
    placed: int  # how many labels are in bins
    prefix: np.ndarray  # (n - alone + 1,) int64: prefix sums of the other labels
    sizes: np.ndarray  # (m,) int64: number of labels in each bin
    levels: np.ndarray  # (m,) int64: weight of each bin

    @property
    def bins(self) -> np.ndarray:
        """(placed,) int64: the bin of each label that is in one."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def packing_order(labels: Labels, order: str, generator: np.random.Generator) -> np.ndarray:
    """Positions of the labels in the order "given", "random" or "sorted" (most common first)."""
    if order == "random":
        return generator.permutation(len(labels))
    return labels.descending if order == "sorted" else np.arange(len(labels))


def pack(labels: Labels, k: int, order: np.ndarray) -> Packing:
    """Labels of weight >= k into bins of their own, then the others by next fit for bin covering."""
    heavy = labels.counts[order] >= k
    alone = int(heavy.sum())
    order = np.concatenate([order[heavy], order[~heavy]])
    weights = labels.counts[order]
    prefix = np.concatenate([[0], np.cumsum(weights[alone:])])
    ends = np.empty(min(len(prefix) - 1, int(prefix[-1]) // k), dtype=np.int64)
    ends = ends[: next_fit(prefix, k, ends)]
    sizes = np.concatenate([np.ones(alone, dtype=np.int64), np.diff(ends, prepend=0)])
    levels = np.concatenate([weights[:alone], np.diff(prefix[ends], prepend=0)])
    return Packing(order, alone, int(sizes.sum()), prefix, sizes, levels)


def outcome(packing: Packing, targets: np.ndarray, labels: Labels, k: int) -> Outcome:
    """The result when each leftover label goes to the bin in `targets`, with the ceiling of `ceiling`."""
    assignment = np.empty(len(labels), dtype=np.int32)
    assignment[packing.order] = np.concatenate([packing.bins, targets])
    details = LabelDetails(
        packing.order.astype(np.int32), packing.alone, packing.placed, targets.astype(np.int32), threshold=k
    )
    return Outcome(assignment, details, guarantee=ceiling(labels.counts, k, packing))


def bin_outcome(
    order: np.ndarray,
    bins: np.ndarray,
    threshold: int,
    method: str,
    guarantee: int | None = None,
    bound: Bound | None = None,
) -> Outcome:
    """The result when the labels of `order`, one after another, go to `bins`, in any numbering.

    >>> result = bin_outcome(np.array([2, 0, 1]), np.array([7, 5, 7]), 10, "a try")
    >>> result.assignment.tolist(), result.details.method
    ([1, 0, 0], 'a try')
    """
    _, first, inverse = np.unique(bins, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int32)
    number[np.argsort(first)] = np.arange(len(first))
    assignment = np.empty(len(order), dtype=np.int32)
    assignment[order] = number[inverse]
    return Outcome(assignment, BinDetails(order.astype(np.int32), threshold, method), guarantee, bound)


def ceiling(counts: np.ndarray, k: int, packing: Packing) -> int:
    """A ceiling on the largest bin when all leftover labels are merged into the lightest bin.

    Proof: docs/proofs/labels/fold.md. With h the heaviest label it is at most max(k - 1 + h, 3 k - 3), Theorem 7.
    """
    alone, full = packing.alone, len(packing.sizes) - packing.alone
    kinds = [int(counts[counts >= k].min())] if alone else []
    largest = int(counts.max()) if alone else 0
    if full:
        kinds.append(k - 1 + int(counts[counts < k].max()))
        largest = max(largest, kinds[-1])
    leftover = k - 1 if packing.placed < len(counts) else 0
    return max(largest, min(kinds) + leftover)


@dataclass(frozen=True)
class Candidate:
    order: np.ndarray  # (n,) int64: all positions, in the order in which they were placed
    bins: np.ndarray  # (n,) int64: the bin of each label of `order`, in any numbering without gaps
    cost: int  # largest bin
    method: str  # how it was made, in words


def candidate(labels: Labels, order: np.ndarray, bins: np.ndarray, method: str) -> Candidate:
    sums = np.bincount(bins, labels.counts[order])  # exact: totals stay below 2^53
    return Candidate(order, bins, int(sums.max()), method)


def sorted_packing(labels: Labels, k: int) -> Packing:
    """Next fit on the labels from the most common on: the packing from which Theorem 9 starts."""
    return pack(labels, k, labels.descending)


def sorted_fold(labels: Labels, packing: Packing) -> Candidate:
    """Fold on the sorted labels: all leftover labels go into the lightest bin.

    With a label of at least k it costs less than Opt + k, without one at most 3 k - 3: docs/proofs/labels/fold.md.
    """
    lightest = int(np.argmin(packing.levels))
    bins = np.concatenate([packing.bins, np.full(len(labels) - packing.placed, lightest)])
    return candidate(labels, packing.order, bins, "Fold, the most common labels first")


def best_outcome(candidates: Iterable[Candidate], threshold: int, ceiling: int) -> Outcome:
    """The result of the cheapest candidate, the first of equally cheap ones; all their bins weigh the threshold."""
    best = min(candidates, key=lambda entry: entry.cost)
    return bin_outcome(best.order, best.bins, threshold, best.method, guarantee=ceiling)
