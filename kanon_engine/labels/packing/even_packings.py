"""Packings of labels into a given number of bins, kept for every k that they can serve."""

from __future__ import annotations

import numpy as np

from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing.even_kernels import MODULUS, Archive, Packing, Work, quick, search

ARCHIVED = 16  # packings in the archive of one number of bins
QUICK = 8_000_000  # steps of work, some nanoseconds each
THOROUGH = 8_000_000
THOROUGH_FOR_ONE = 100_000  # for each label, where there are few


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
    >>> archive.best(8), archive.heaviest[archive.best(8)].tolist()
    (0, 8)
    """

    def __init__(self, labels: Labels, seed: int = 0) -> None:
        self.seed = seed
        self._weights = np.ascontiguousarray(labels.counts[labels.descending])
        self._quick: dict[int, Archive] = {}
        self._thorough: dict[int, Archive] = {}
        self._last: dict[int, np.ndarray] = {}

    def quick(self, bins: int) -> Archive:
        """Lowest level first, then moves, swaps and differencing between two bins until no two become more equal."""
        if bins not in self._quick:
            n = len(self._weights)
            archive = Archive.blank(ARCHIVED, n)
            bin_of, levels = np.empty(n, dtype=np.int64), np.zeros(bins, dtype=np.int64)
            quick(
                Packing(self._weights, bin_of, levels),
                Work(np.zeros(1, np.int64), QUICK, np.ones(1, np.int64)),
                archive,
            )
            used = archive.lightest >= 0
            self._quick[bins] = Archive(*(rows[used] for rows in archive))
            self._last[bins] = bin_of.astype(np.int32)
        return self._quick[bins]

    def thorough(self, bins: int) -> Archive:
        """What `quick` found, perturbed at random and evened out again, many times."""
        if bins not in self._thorough:
            before = self.quick(bins)
            n = len(self._weights)
            archive = Archive.blank(ARCHIVED, n)
            for rows, known in zip(archive, before, strict=True):
                rows[: len(known)] = known
            bin_of = self._last[bins].astype(np.int64)
            levels = np.zeros(bins, dtype=np.int64)
            np.add.at(levels, bin_of, self._weights)
            state = np.array([1 + (self.seed * 7919 + bins) % (MODULUS - 1)])
            work = Work(np.zeros(1, np.int64), min(THOROUGH, THOROUGH_FOR_ONE * n), state)
            if bins > 1:
                search(Packing(self._weights, bin_of, levels), work, archive)
            self._thorough[bins] = archive
        return self._thorough[bins]

    def quick_costs(self, ks: np.ndarray, bins: np.ndarray) -> np.ndarray:
        """The largest bin of the best quick packing for each k with its number of bins; 2^62 where there is none."""
        costs = np.full(len(ks), 1 << 62, dtype=np.int64)
        for number in np.unique(bins).tolist():
            rows = bins == number
            archive = self.quick(number)
            for low, high in zip(archive.lightest.tolist(), archive.heaviest.tolist(), strict=True):
                served = rows & (ks <= low)
                costs[served] = np.minimum(costs[served], high)
        return costs
