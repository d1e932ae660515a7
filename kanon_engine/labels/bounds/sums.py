"""What a class can weigh at all: a sum of some of the labels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_engine.labels.bounds.kernels import least_pair
from kanon_engine.labels.instance import Labels

EFFORT = 1 << 31  # bits written; about a hundredth of a second for each 2^31
MOST_BITS = 1 << 25  # of a table of sums, 4 MB
LISTED = 40  # labels of whose halves the sums are listed when their total is too large for a table of bits
SMALL = 16  # labels of which halves are listed in any case
OWN_LISTED = 32  # where that is done for several labels
HEAVIEST = 8  # labels whose own classes are looked at


class SubsetSums:
    """The sums that subsets of the labels can have, worked out once for many k.

    Example
    -------
    Three labels of 4 and k = 10: a class weighs 12.

    >>> SubsetSums(Labels("abc", [4, 4, 4])).least(10)
    12

    With 9, 4 and 4, some class weighs 13: that of the 9.

    >>> sums = SubsetSums(Labels("abcde", [9, 4, 4, 4, 4]))
    >>> sums.least(10), sums.of_a_label(10)
    (12, (13, 0))
    """

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._sorted = labels.counts[labels.descending]

    @cached_property
    def _every(self) -> Sums | None:
        return achievable(self._sorted)

    @cached_property
    def _own(self) -> list[tuple[int, int, Sums]]:
        """(position, weight, sums of the others) for some of the heaviest labels, where those are not all numbers."""
        places = np.unique(-self._sorted, return_index=True)[1][:HEAVIEST]
        found = []
        for place in places.tolist() if len(self._sorted) > 1 else []:
            sums = achievable(np.delete(self._sorted, place), HEAVIEST, OWN_LISTED)
            if sums is not None:
                found.append((int(self._labels.descending[place]), int(self._sorted[place]), sums))
        return found

    def least(self, value: int) -> int:
        """The least sum of labels that is at least `value` (at most the total); `value` where that is not known."""
        least = None if self._every is None else self._every.least(value)
        return value if least is None else least

    def of_a_label(self, k: int) -> tuple[int, int]:
        """The most that the class of one label must weigh, and the position of that label; (0, 0) if not known.

        Proof: docs/proofs/labels/bounds.md, class of a label.
        """
        best = (0, 0)
        for position, weight, sums in self._own:
            least = sums.least(max(k - weight, 0))
            if least is not None:
                best = max(best, (weight + least, position), key=lambda pair: pair[0])
        return best


@dataclass(frozen=True)
class Sums:
    """All sums of subsets, in units of a common divisor.

    Attributes
    ----------
    unit : int
    bits : int or None
        Bit s says whether s is a sum.
    one, other : int64 array
        Where there are no bits: the sums of either half of the labels in ascending order.

    Example
    -------
    >>> sums = achievable(np.array([6, 4]))
    >>> [sums.least(value) for value in (0, 5, 7, 11)]
    [0, 6, 10, None]
    """

    unit: int
    bits: int | None
    one: np.ndarray
    other: np.ndarray

    def least(self, value: int) -> int | None:
        """The least sum that is at least `value`; None if there is none."""
        aim = -(-value // self.unit)
        if self.bits is None:
            least = int(least_pair(self.one, self.other, aim))
            return least * self.unit if least >= 0 else None
        above = self.bits >> aim
        return (aim + (above & -above).bit_length() - 1) * self.unit if above else None


def achievable(descending: np.ndarray, share: int = 1, listed: int = LISTED) -> Sums | None:
    """All sums of subsets; None where all numbers up to the total are sums, or where they would take too much.

    Complexity
    ----------
    O(n W / 64) for the total W in units of the greatest common divisor, and 4 MB at most; where that is too much,
    O(2^(n / 2)) for a few labels.

    References
    ----------
    E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", J. ACM 21 (1974): the sums
    of two halves.

    Example
    -------
    >>> achievable(np.array([6, 4])).least(7), achievable(np.array([3, 2, 1]))
    (10, None)
    """
    ascending = descending[::-1]
    unit = int(np.gcd.reduce(ascending))
    ascending = ascending // unit
    total = int(ascending.sum())
    before = np.cumsum(ascending) - ascending
    if unit == 1 and (ascending <= before + 1).all():
        return None
    if len(ascending) <= SMALL or (total > MOST_BITS and len(ascending) <= listed):
        return Sums(unit, None, every_sum(ascending[::2]), every_sum(ascending[1::2]))
    if total > MOST_BITS or total * len(ascending) * share > EFFORT:
        return None
    bits = 1
    for value in ascending.tolist():
        bits |= bits << value
    nothing = np.empty(0, dtype=np.int64)
    return Sums(unit, bits, nothing, nothing)


def every_sum(values: np.ndarray) -> np.ndarray:
    """All sums of subsets of a few values, in ascending order.

    Example
    -------
    >>> every_sum(np.array([4, 4, 6])).tolist()
    [0, 4, 6, 8, 10, 14]
    """
    sums = np.zeros(1, dtype=np.int64)
    for value in values:
        sums = np.unique(np.concatenate([sums, sums + value]))
    return sums
