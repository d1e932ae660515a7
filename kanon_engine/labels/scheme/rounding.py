"""Large labels rounded down to few sizes, and the configurations of a bin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np


@dataclass(frozen=True)
class Rounding:
    """The large labels, those of at least epsilon k, in groups of nearly equal weight.

    A group begins with the lightest label that is in none yet, of weight low, and takes all up to (1 + epsilon) low; x
    is rounded down to low, so that round(x) <= x <= (1 + epsilon) round(x).

    Attributes
    ----------
    group : (l,) int64 array
        Group of each large label, from the most common label on; groups are numbered from the lightest on.
    low, high : (g,) int64 array
        Lightest and heaviest label of each group.
    numbers : (g,) int64 array
        How many labels each group has.
    """

    group: np.ndarray
    low: np.ndarray
    high: np.ndarray
    numbers: np.ndarray

    @property
    def states(self) -> int:
        """How many sub-multisets the rounded large labels have."""
        product = 1
        for number in self.numbers.tolist():
            product *= number + 1
        return product


def exact(epsilon: float) -> Fraction:
    """The number that a person wrote: 0.1 is 1/10."""
    return Fraction(str(epsilon))


def rounded(weights: np.ndarray, k: int, epsilon: Fraction) -> Rounding:
    """Round the large ones among weights in descending order.

    Example
    -------
    >>> rounding = rounded(np.array([16, 12, 11, 7, 6, 5, 2]), 10, Fraction(1, 2))
    >>> rounding.group.tolist(), rounding.low.tolist(), rounding.high.tolist(), rounding.states
    ([1, 1, 1, 0, 0, 0], [5, 11], [7, 16], 16)
    """
    low: list[int] = []
    group, limit = [], 0
    for weight in reversed(weights[: int(np.count_nonzero(weights >= -(-epsilon * k // 1)))].tolist()):
        if weight > limit:
            low.append(weight)
            limit = int((1 + epsilon) * weight // 1)
        group.append(len(low) - 1)
    numbers = np.bincount(np.array(group, dtype=np.int64), minlength=len(low)).astype(np.int64)
    ends = len(group) - np.cumsum(numbers)  # where each group begins, seen from the most common label on
    return Rounding(np.array(group[::-1], dtype=np.int64), np.array(low, dtype=np.int64), weights[ends], numbers)


def configurations(rounding: Rounding, limit: int, most: int) -> np.ndarray | None:
    """All ways to put large labels into one bin of rounded weight at most `limit`; None if there are more than `most`.

    Returns
    -------
    (c, g) int64 array
        How many labels of each group; by the heaviest group that they have, ascending.

    Example
    -------
    >>> rounding = rounded(np.array([16, 12, 11, 7, 6, 5, 2]), 10, Fraction(1, 2))
    >>> configurations(rounding, 16, 100).tolist()
    [[1, 0], [2, 0], [3, 0], [0, 1], [1, 1]]
    """
    found: list[tuple[int, tuple[int, ...]]] = [(0, ())]  # rounded weight, how many labels of the groups so far
    for low, number in zip(rounding.low.tolist(), rounding.numbers.tolist(), strict=True):
        longer = []
        for many in range(min(number, limit // low) + 1):
            longer += [(level + many * low, (*row, many)) for level, row in found if level + many * low <= limit]
            if len(longer) > most:
                return None
        found = longer
    filled = [row for _, row in found[1:]]  # the first is the empty one
    rows = np.array(filled, dtype=np.int64).reshape(len(filled), len(rounding.low))
    tops = np.array([np.flatnonzero(row)[-1] for row in rows], dtype=np.int64)
    return rows[np.argsort(tops, kind="stable")]
