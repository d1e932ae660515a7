"""Packings of labels into a given number of bins, kept for every k that they can serve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.even_kernels import MODULUS, quick, search

ARCHIVED = 16  # packings in the archive of one number of bins
QUICK = 8_000_000  # steps of work, some nanoseconds each
THOROUGH = 8_000_000
THOROUGH_FOR_ONE = 100_000  # for each label, where there are few


@dataclass(frozen=True)
class Archive:
    """Packings of which each is the best for some k.

    Attributes
    ----------
    bins : (r, n) int32 array
        The bin of each label, from the heaviest to the lightest.
    keys : (r, 3) float64 array
        Lightest bin (-1 where the row is not used), heaviest bin, sum of squares.
    """

    bins: np.ndarray
    keys: np.ndarray

    def best(self, k: int) -> int | None:
        """The row of the least largest bin, of several the least sum of squares, when every bin must reach k."""
        rows = np.flatnonzero(self.keys[:, 0] >= k)
        return min(rows.tolist(), key=lambda row: (self.keys[row, 1], self.keys[row, 2]), default=None)


class Packings:
    """The packings of some labels, each made when it is first asked for; none depends on k.

    Parameters
    ----------
    labels : Labels
    seed : int
        Of what is random in `thorough`.

    Example
    -------
    >>> packings = Packings(Labels("abcde", [5, 4, 3, 2, 2]))
    >>> archive = packings.quick(2)
    >>> archive.best(8), archive.keys[archive.best(8)].tolist()
    (0, [8.0, 8.0, 128.0])
    """

    def __init__(self, labels: Labels, seed: int = 0) -> None:
        self._seed = seed
        self._weights = np.ascontiguousarray(labels.counts[labels.descending])
        self._quick: dict[int, Archive] = {}
        self._thorough: dict[int, Archive] = {}
        self._last: dict[int, np.ndarray] = {}

    def quick(self, bins: int) -> Archive:
        """Lowest level first, then moves, swaps and differencing between two bins until no two become more equal."""
        if bins not in self._quick:
            n = len(self._weights)
            archive = Archive(np.empty((ARCHIVED, n), dtype=np.int32), np.full((ARCHIVED, 3), -1.0))
            bin_of, levels = np.empty(n, dtype=np.int64), np.zeros(bins, dtype=np.int64)
            work = np.array([0, QUICK, 1], dtype=np.int64)
            quick(self._weights, bin_of, levels, work, archive.bins, archive.keys)
            used = archive.keys[:, 0] >= 0
            self._quick[bins] = Archive(archive.bins[used], archive.keys[used])
            self._last[bins] = bin_of.astype(np.int32)
        return self._quick[bins]

    def thorough(self, bins: int) -> Archive:
        """What `quick` found, perturbed at random and evened out again, many times."""
        if bins not in self._thorough:
            before = self.quick(bins)
            n = len(self._weights)
            archive = Archive(np.empty((ARCHIVED, n), dtype=np.int32), np.full((ARCHIVED, 3), -1.0))
            archive.bins[: len(before.bins)], archive.keys[: len(before.keys)] = before.bins, before.keys
            bin_of = self._last[bins].astype(np.int64)
            levels = np.zeros(bins, dtype=np.int64)
            np.add.at(levels, bin_of, self._weights)
            state = 1 + (self._seed * 7919 + bins) % (MODULUS - 1)
            work = np.array([0, min(THOROUGH, THOROUGH_FOR_ONE * n), state], dtype=np.int64)
            if bins > 1:
                search(self._weights, bin_of, levels, work, archive.bins, archive.keys)
            self._thorough[bins] = archive
        return self._thorough[bins]

    def quick_costs(self, ks: np.ndarray, bins: np.ndarray) -> np.ndarray:
        """The largest bin of the best quick packing for each k with its number of bins; 2^62 where there is none."""
        costs = np.full(len(ks), 1 << 62, dtype=np.int64)
        for number in np.unique(bins).tolist():
            rows = bins == number
            for low, high, _ in self.quick(number).keys.tolist():
                served = rows & (ks <= low)
                costs[served] = np.minimum(costs[served], int(high))
        return costs
