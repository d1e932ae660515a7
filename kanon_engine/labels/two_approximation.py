"""Ratio 2 for min-max bin covering, the best that is possible unless P = NP."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import Candidate, best_outcome, candidate, sorted_fold, sorted_packing
from kanon_engine.labels.packing_kernels import next_fit
from kanon_engine.labels.two_approximation_kernels import fill_singles, place_below
from kanon_engine.model.run import Outcome, Run

ENOUGH = 64  # once the ratio is proven, this many candidates are tried


def two_approximation(labels: Labels, k: int, run: Run) -> Outcome:
    """The cheapest of Fold, one bin, and large labels alone or in pairs, for every number j of those alone.

    Guarantee: cost <= 2 times the optimum, and never above Fold on the sorted labels. Proof:
    docs/proofs/labels/two_approximation.md, whose names the code uses.

    Complexity
    ----------
    O(n log n) for each candidate; 64 of them, or up to n / 2 if none costs at most 2 k.

    References
    ----------
    The ratio is that of Berman and Raskhodnikova, "Approximation algorithms for min-max generalization problems"
    (2014); algorithm and proof are derived here. Du, Eppstein, Goodrich, Lueker (2009), Theorem 6: no better ratio.

    Three labels of k - 1 show that the ratio cannot hold against k: the optimum is one bin of 27.

    >>> two_approximation(Labels("abc", [9, 9, 9]), 10, Run()).assignment.tolist()
    [0, 0, 0]

    Fold has 9 left over and costs 23; two large labels alone, each with a small one, cost 14.

    >>> result = two_approximation(Labels("abcdef", [9, 9, 7, 7, 5, 4]), 10, Run())
    >>> import numpy as np
    >>> int(np.bincount(result.assignment, [9, 9, 7, 7, 5, 4]).max())
    14
    """
    packings = list(candidates(labels, k))
    return best_outcome(packings, k, packings[0].cost)


def candidates(labels: Labels, k: int) -> Iterator[Candidate]:
    """The competing packings, as they are made; Fold on the sorted labels is the first, and often the only one."""
    packing = sorted_packing(labels, k)
    folded = sorted_fold(labels, packing)
    yield folded
    if packing.alone or folded.cost <= k:
        return
    all_in_one = np.zeros(len(labels), dtype=np.int64)
    whole = Candidate(labels.descending, all_in_one, labels.total, "all labels in one group")
    yield whole
    best = min(folded.cost, whole.cost)
    for tried, contender in enumerate(_by_number_alone(LargeSmall(labels, k)), start=3):
        yield contender
        best = min(best, contender.cost)
        if best <= 2 * k and tried >= ENOUGH:
            return


def _by_number_alone(parts: LargeSmall) -> Iterator[Candidate]:
    """The candidates, from the largest number of large labels alone down."""
    if 1 <= parts.fillable < parts.large:
        yield parts.ran_out()
    most = parts.fillable - (parts.large - parts.fillable) % 2
    for alone in range(most, -1, -2):
        yield parts.filled(alone)


class LargeSmall:
    """The packings among which the proof of `two_approximation` finds one of cost at most 2 Opt.

    `labels`: all below k.
    """

    def __init__(self, labels: Labels, k: int) -> None:
        self.labels, self.k = labels, k
        self.weights = labels.counts[labels.descending]
        self.large = int(np.count_nonzero(2 * self.weights > k))  # labels that weigh more than k / 2
        self.prefix = np.concatenate([[0], np.cumsum(self.weights[self.large :])])
        ends = np.empty(self.large, dtype=np.int64)
        # how many of them, largest first, the small ones fill up to k in turn
        self.fillable = int(fill_singles(self.weights[: self.large], self.prefix, k, ends))
        self.ends = ends[: self.fillable]

    def filled(self, alone: int) -> Candidate:
        """The `alone` largest filled, the others in pairs, small bins by next fit, leftovers where they fit.

        `alone` is at most `fillable` and has the parity of `large`.
        """
        large, pairs = self.large, (self.large - alone) // 2
        start = int(self.ends[alone - 1]) if alone else 0
        rest = self.prefix[start:]
        ends = np.empty(int(rest[-1] - rest[0]) // self.k, dtype=np.int64)
        ends = ends[: next_fit(rest, self.k, ends)]
        in_bins = int(ends[-1]) if len(ends) else 0
        small_bins = np.repeat(alone + pairs + np.arange(len(ends)), np.diff(ends, prepend=0))
        bins = np.concatenate([self._large_bins(alone), self._singles(alone), small_bins])
        levels = np.bincount(bins, self.weights[: len(bins)]).astype(np.int64)
        leftover = self.weights[large + start + in_bins :]
        targets = np.empty(len(leftover), dtype=np.int64)
        place_below(levels, leftover, 2 * self.k, targets)
        if (targets < 0).any():
            with_small = np.concatenate([np.arange(alone), alone + pairs + np.arange(len(ends))])
            choice = with_small if len(with_small) else np.arange(pairs)
            targets[targets < 0] = choice[np.argmin(levels[choice])]
        words = f"{self._packed(alone)}, then the small labels were added"
        return self._candidate(bins, targets, words)

    def ran_out(self) -> Candidate:
        """The small labels run out after at least one large label is filled and before the next is."""
        alone, large = self.fillable, self.large
        singles, rest = self._singles(alone), len(self.weights) - large - int(self.ends[-1])
        if (large - alone) % 2 == 0:
            small = self.weights[large : large + len(singles)]
            lightest = int(np.argmin(self.weights[:alone] + np.bincount(singles, small, alone)))
            words = (
                f"{self._packed(alone)}; small labels went only to groups with one large label, and the last small "
                "labels all went to the lightest of these groups"
            )
            bins = np.concatenate([self._large_bins(alone), singles])
            return self._candidate(bins, np.full(rest, lightest), words)
        if alone == 1 and self._two_alone():
            bins = np.concatenate([self._large_bins(2), [1]])
            return self._candidate(bins, np.zeros(rest, np.int64), f"two of {large:,} large labels were packed alone")
        # the last filled label and the next share a bin with all their small ones except the first one's last
        large_bins = np.concatenate([np.arange(alone), [alone - 1], alone + np.arange(large - alone - 1) // 2])
        bins = np.concatenate([large_bins, singles[:-1], np.full(1 + rest, alone - 1)])
        others = np.arange(alone - 1) if alone >= 2 else np.arange(1, int(bins.max()) + 1)
        moved = large + len(singles) - 1
        levels = np.bincount(np.delete(bins, moved), np.delete(self.weights, moved))
        if len(others):
            bins[moved] = others[np.argmin(levels[others])]
        words = f"{self._packed(alone - 1)}; small labels went to some of these groups"
        return candidate(self.labels, self.labels.descending, bins, words)

    def _packed(self, alone: int) -> str:
        return f"of {self.large:,} large labels, kanon packed {alone:,} alone and the others in pairs"

    def _large_bins(self, alone: int) -> np.ndarray:
        """The bin of each large label: the first `alone` have their own, the others share one two by two."""
        return np.concatenate([np.arange(alone), alone + np.arange(self.large - alone) // 2])

    def _singles(self, alone: int) -> np.ndarray:
        return np.repeat(np.arange(alone), np.diff(self.ends[:alone], prepend=0))

    def _two_alone(self) -> bool:
        """Whether the first small label fills the second large one and all others fill the first."""
        first, second = self.weights[:2].tolist()
        small = int(self.prefix[1])
        others = int(self.prefix[-1]) - small
        return int(self.ends[0]) == 1 and first + others >= self.k and second + small >= self.k

    def _candidate(self, bins: np.ndarray, targets: np.ndarray, words: str) -> Candidate:
        """Bins of the first labels, most common first, one bin after another; then the others in order."""
        turn = np.concatenate([np.argsort(bins, kind="stable"), np.arange(len(bins), len(self.weights))])
        order = self.labels.descending[turn]
        return candidate(self.labels, order, np.concatenate([bins, targets])[turn], words)
