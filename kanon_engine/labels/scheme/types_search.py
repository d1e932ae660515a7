"""The types of Theorem 10: packings of rounded large labels, one for each number of bins."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from kanon_engine.errors import InvalidInput
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.scheme.kernels import Configurations, best_gains
from kanon_engine.labels.scheme.rounding import configurations, rounded
from kanon_engine.labels.two_approximation.large_small_kernels import place_below

MOST_CONFIGURATIONS = 100_000
MOST_ENTRIES = 10_000_000  # of the table, 80 MB
MOST_STEPS = 20_000_000_000  # of one dynamic program, some seconds


class TypesSearch:
    """For each number of bins the type of least rounded cost.

    A type is a packing of the rounded large labels into so many bins, some of them empty. Only types are looked at
    whose rounded cost is at most `ceiling` and whose bins the small labels suffice to fill. A dynamic program tells the
    largest sum of min(k, heaviest weight) for a cap on a bin; the least cap that will do is found by bisection. Why
    that is enough: docs/proofs/labels/scheme.md.

    Parameters
    ----------
    labels : Labels
    k : int
    epsilon : Fraction
        Labels of at least epsilon k are large.
    ceiling : int
        Cost of some feasible packing.

    Raises
    ------
    InvalidInput
        The table would be too large; the text tells its size.
    """

    def __init__(self, labels: Labels, k: int, epsilon: Fraction, ceiling: int) -> None:
        self.labels, self.k = labels, k
        self.weights = labels.counts[labels.descending]
        self.rounding = rounded(self.weights, k, epsilon)
        self.large = len(self.rounding.group)
        self.small = int(self.weights[self.large :].sum())
        self.bins = min(self.large, most_bins(labels, k))
        rows = configurations(self.rounding, ceiling, MOST_CONFIGURATIONS)
        entries = self.rounding.states * (self.bins + 1)
        self.steps = entries * (MOST_CONFIGURATIONS if rows is None else len(rows))
        if rows is None or entries > MOST_ENTRIES or self.steps > MOST_STEPS:
            many = f"more than {MOST_CONFIGURATIONS:,}" if rows is None else f"{len(rows):,}"
            raise InvalidInput(
                f"{self.large:,} labels are large (at least {float(epsilon):g} × k), of {len(self.rounding.low):,} "
                f"sizes after rounding; to enumerate their types takes a table of {_size(entries)} entries with {many} "
                f"configurations of a bin, {_size(self.steps)} steps, and kanon tries no more than "
                f"{_size(MOST_ENTRIES)} entries and {_size(MOST_STEPS)} steps; choose a larger epsilon or another "
                f"algorithm."
            )
        self.rows = rows
        self.rounded_weights = rows @ self.rounding.low
        self.gains = np.minimum(rows @ self.rounding.high, k)
        self.tops = np.array([np.flatnonzero(row)[-1] for row in rows], dtype=np.int64)
        self.strides = np.concatenate([[1], np.cumprod(self.rounding.numbers + 1)[:-1]]).astype(np.int64)
        self.strides = self.strides[: len(self.rounding.low)]
        self.caps = np.unique(np.concatenate([[0], self.rounded_weights]))
        self._known: dict[int, np.ndarray] = {}

    def type_for(self, bins: int) -> list[np.ndarray] | None:
        """The configurations of the bins that are not empty, or None where no type has the properties above."""
        low, high = 0, len(self.caps)
        while low < high:
            middle = (low + high) // 2
            if self._suffices(middle, bins):
                high = middle
            else:
                low = middle + 1
        return None if low == len(self.caps) else self._traced(low, bins)

    def completed(self, found: list[np.ndarray], bins: int) -> tuple[np.ndarray, np.ndarray]:
        """Steps 1 and 2 of the theorem: large labels for their rounded ones, small ones into the lightest bin.

        Returns
        -------
        bins : (n,) int64 array
            Bin of each label, from the most common on.
        levels : (m,) int64 array
        """
        places = np.empty(len(self.weights), dtype=np.int64)
        for group in range(len(self.rounding.low)):
            members = np.flatnonzero(self.rounding.group == group)
            places[members] = np.repeat(np.arange(len(found)), [int(row[group]) for row in found])
        levels = np.bincount(places[: self.large], self.weights[: self.large], bins).astype(np.int64)
        place_below(levels, self.weights[self.large :], self.labels.total, places[self.large :])
        return places, levels

    def _suffices(self, cap: int, bins: int) -> bool:
        if cap not in self._known:
            self._known[cap] = np.maximum.accumulate(self._table(cap)[0][-1])
        known = self._known[cap]
        gain = int(known[min(bins, self.bins)])
        return gain >= 0 and bins * self.k - gain <= self.small

    def _table(self, cap: int) -> tuple[np.ndarray, Configurations]:
        """The table for a cap, with the configurations that it is made of."""
        inside = self.rounded_weights <= self.caps[cap]
        rows, gains = self.rows[inside], self.gains[inside]
        starts = np.searchsorted(self.tops[inside], np.arange(len(self.rounding.low) + 1))
        table = np.empty((self.rounding.states, self.bins + 1), dtype=np.int64)
        inside_cap = Configurations(rows, rows @ self.strides, gains, starts)
        best_gains(self.rounding.numbers, inside_cap, table)
        return table, inside_cap

    def _traced(self, cap: int, bins: int) -> list[np.ndarray]:
        """One way to the largest gain with at most so many bins."""
        table, (rows, offsets, gains, _) = self._table(cap)
        state = len(table) - 1
        used = int(np.argmax(table[-1, : min(bins, self.bins) + 1]))
        left = self.rounding.numbers.copy()
        found = []
        while state:
            top = int(np.flatnonzero(left)[-1])
            fits = np.flatnonzero((rows <= left).all(axis=1) & (rows[:, top] > 0))
            reached = table[state - offsets[fits], used - 1]
            row = int(fits[np.argmax((reached >= 0) & (reached + gains[fits] == table[state, used]))])
            found.append(rows[row])
            left -= rows[row]
            state -= int(offsets[row])
            used -= 1
        return found


def most_bins(labels: Labels, k: int) -> int:
    """The sum of min(x, k) over k, rounded down: each bin holds at least k also when no label counts for more than k.

    Example
    -------
    >>> most_bins(Labels("abc", [100, 9, 9]), 10)
    2
    """
    return int(np.minimum(labels.counts, k).sum()) // k


def _size(number: int) -> str:
    digits = str(number)
    return f"{number:,}" if number < 10**6 else f"{digits[0]}·10^{len(digits) - 1}"
