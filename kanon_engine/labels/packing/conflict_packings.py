"""Packings of labels of which some must not share a bin, into a given number of bins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.even_kernels import MODULUS, Archive, Packing, Work, quick, search
from kanon_engine.model.run import Run

STARTS = 6  # ways to deal out the labels kept apart, for each number of bins
SEARCH = 1_000_000  # steps of the kernels for each way
SEARCH_FOR_ONE = 10_000  # for each label, where there are few
EXCHANGES = 20_000_000  # looks at a label to move or exchange, for a whole run
ARCHIVED = 8
METHOD = "labels kept apart first, then the others into the lightest group, then moves, swaps and differencing"


@dataclass
class Packed:
    """Bins of the labels in descending order, and the largest bin."""

    cost: int
    bins: np.ndarray
    method: str = METHOD


def pairs_in_order(labels: Labels, order: np.ndarray) -> list[tuple[int, int]]:
    """The conflicts as places in an order."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [(int(place[one]), int(place[other])) for one, other in labels.conflicts]


class ConflictPackings:
    """Labels in descending order, of which some exclude each other."""

    def __init__(self, labels: Labels, weights: np.ndarray, run: Run) -> None:
        self._x = weights
        self._random = run.generator()
        self._seed = run.seed
        self._left = EXCHANGES
        pairs = pairs_in_order(labels, labels.descending)
        self._bound = np.unique(np.array(pairs))  # labels with conflicts
        self._free = np.setdiff1d(np.arange(len(weights)), self._bound)
        number = {place: at for at, place in enumerate(self._bound.tolist())}
        self._excludes = np.zeros((len(self._bound), len(self._bound)), dtype=bool)
        for one, other in pairs:
            self._excludes[number[one], number[other]] = self._excludes[number[other], number[one]] = True

    def packings(self, bins: int, k: int) -> Iterator[Packed]:
        """Packings into so many bins that all reach k."""
        for start in range(STARTS):
            dealt = self._dealt(bins, start > 0)
            if dealt is None:
                continue
            for repeat in range(2):
                whole = self._filled(dealt, bins, k, start * 2 + repeat)
                levels = np.bincount(whole, self._x, bins).astype(np.int64)
                self._exchanged(whole, levels)
                if levels.min() >= k:
                    yield Packed(int(levels.max()), whole)
                dealt = whole[self._bound]

    def _dealt(self, bins: int, at_random: bool) -> np.ndarray | None:
        """The bin of each label with conflicts; None where some label had no bin left."""
        weights = self._x[self._bound]
        turn = weights * self._random.uniform(0.5, 1.5, len(weights)) if at_random else weights.astype(float)
        barred = np.zeros((len(weights), bins), dtype=bool)
        levels = np.zeros(bins, dtype=np.int64)
        dealt = np.full(len(weights), -1)
        for _ in range(len(weights)):
            left = np.where(dealt < 0, barred.sum(axis=1), -1)
            item = max(np.flatnonzero(left == left.max()).tolist(), key=turn.__getitem__)
            if barred[item].all():
                return None
            to = int(np.argmin(np.where(barred[item], np.iinfo(np.int64).max, levels)))
            dealt[item] = to
            levels[to] += weights[item]
            barred[self._excludes[item], to] = True
        return dealt

    def _filled(self, dealt: np.ndarray, bins: int, k: int, number: int) -> np.ndarray:
        """The bin of every label, those without conflicts packed around the others."""
        whole = np.empty(len(self._x), dtype=np.int64)
        whole[self._bound] = dealt
        if not len(self._free):
            return whole
        x = np.ascontiguousarray(self._x[self._free])
        levels = np.bincount(dealt, self._x[self._bound], bins).astype(np.int64)
        archive = Archive.blank(ARCHIVED, len(x))
        packing = Packing(x, np.empty(len(x), dtype=np.int64), levels)
        state = np.array([1 + (self._seed * 7919 + number) % (MODULUS - 1)])
        work = Work(np.zeros(1, dtype=np.int64), min(SEARCH, SEARCH_FOR_ONE * len(x)), state)
        quick(packing, work, archive)
        if bins > 1:
            work.spent[0] = 0
            search(packing, work, archive)
        row = max(range(ARCHIVED), key=lambda row: (min(archive.lightest[row], k), -archive.heaviest[row]))
        whole[self._free] = archive.bins[row]
        return whole

    def _exchanged(self, whole: np.ndarray, levels: np.ndarray) -> None:
        """Move labels with conflicts, or exchange them with any label, where that makes two bins more equal."""
        at = np.full(len(self._x), -1)
        at[self._bound] = np.arange(len(self._bound))
        met = np.zeros((len(self._bound), len(levels)), dtype=np.int64)  # how many it excludes in each bin
        for item, place in enumerate(self._bound.tolist()):
            met[self._excludes[item], whole[place]] += 1
        changed = True
        while changed and self._left > 0:
            changed = False
            for item, place in enumerate(self._bound.tolist()):
                self._left -= len(self._x)
                own, weight = int(whole[place]), int(self._x[place])
                gain = np.where(met[item] == 0, 2 * weight * (levels - levels[own] + weight), 0)
                gain[own] = 0
                to = int(np.argmin(gain))
                difference = weight - self._x
                exchange = 2 * difference * (levels[whole] - levels[own] + difference)
                excluded = met[item][whole]
                others = self._excludes[item]
                excluded[self._bound] -= others
                barred = (excluded > 0) | (whole == own)
                barred[self._bound] |= met[:, own] - others > 0
                exchange[barred] = 0
                partner = int(np.argmin(exchange))
                if min(gain[to], exchange[partner]) >= 0:
                    continue
                changed = True
                if gain[to] <= exchange[partner]:
                    self._shift(whole, levels, met, place, to, at)
                else:
                    to = int(whole[partner])
                    self._shift(whole, levels, met, place, to, at)
                    self._shift(whole, levels, met, partner, own, at)

    def _shift(
        self, whole: np.ndarray, levels: np.ndarray, met: np.ndarray, place: int, to: int, at: np.ndarray
    ) -> None:
        own = int(whole[place])
        whole[place] = to
        levels[own] -= self._x[place]
        levels[to] += self._x[place]
        if at[place] >= 0:
            met[self._excludes[at[place]], own] -= 1
            met[self._excludes[at[place]], to] += 1
