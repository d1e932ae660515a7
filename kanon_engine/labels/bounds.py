"""Lower bounds on the largest class of any partition of labels into classes of weight >= k."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kanon_engine.labels import bounds_kernels, packing_kernels
from kanon_engine.labels.bounds_kernels import least_pair
from kanon_engine.labels.even_packing import Packings
from kanon_engine.labels.instance import Labels
from kanon_engine.model.objective import Bound


def lower_bound(labels: Labels, k: int, sums: SubsetSums | None = None) -> Bound:
    """The best of the family's bounds.

    Parameters
    ----------
    labels : Total weight at least k.
    sums : Of `labels.items`, to compute them once for many k.

    Returns
    -------
    Bound
        `name` and what the witness holds: "k"; "heaviest label" (its position); "average class" (how many of the
        heaviest labels a are excluded, and up to which one i labels are counted, as in `most_classes`); "crowded
        class" (how many labels are counted in `crowded_class`, then a and i); "class of a label" (its position);
        "sum of labels" (a and i). Definitions and proofs: docs/proofs/labels/bounds.md.

    Nine labels of 4 and k = 10: a class needs three of them, so there are at most 3 classes and not 36 // 10.

    >>> lower_bound(Labels("abcdefghi", [4] * 9), 10).value
    12
    >>> lower_bound(Labels("abc", [30, 12, 9]), 10)
    Bound(value=30, name='heaviest label', kind='checked', witness=(0,))

    Case 2.2 of Theorem 9: five labels above k / 2, and the others too light to complete one alone. Every class holds
    two of the five, so one of at most two holds three.

    >>> lower_bound(Labels("abcdefg", [8, 8, 7, 7, 7, 1, 1]), 11)
    Bound(value=21, name='crowded class', kind='checked', witness=(5, 0, 5))
    """
    labels = labels.items
    sums = SubsetSums(labels) if sums is None else sums
    most, excluded, middle = most_classes(labels, k)
    heaviest = int(labels.descending[0])
    crowded, dealt = crowded_class(labels, most)
    label_class, position = sums.of_a_label(k)
    average = -(-labels.total // most)
    fewer = min(most, labels.total // sums.least(k))
    candidates = [
        Bound(k, "k"),
        Bound(int(labels.counts[heaviest]), "heaviest label", witness=(heaviest,)),
        Bound(average, "average class", witness=(excluded, middle)),
        Bound(crowded, "crowded class", witness=(dealt, excluded, middle)),
        Bound(label_class, "class of a label", witness=(position,)),
    ]
    floor = max(k, int(labels.counts[heaviest]), -(-labels.total // fewer))
    candidates.append(Bound(sums.least(floor), "sum of labels", witness=(excluded, middle)))
    return max(candidates, key=lambda bound: bound.value)


def most_classes(labels: Labels, k: int) -> tuple[int, int, int]:
    """An upper bound on the number of classes; how many heaviest labels it excludes, and up to which it counts.

    The bound is the least a + min(floor(R / k), floor((i - a) / c)) over a <= i, with R, c and the proof in
    docs/proofs/labels/bounds.md. At most about 2^16 pairs (a, c) are examined; each gives a proven bound.

    Two labels of 100, and the others could fill two classes by weight; but three of 7 are too few for two classes.

    >>> most_classes(Labels("abcdef", [100, 100, 7, 7, 7, 1]), 10)
    (3, 2, 5)
    >>> most_classes(Labels("abcd", [6, 6, 6, 6]), 11)
    (2, 0, 4)

    Five labels of 7 and two of 1, k = 11: a class needs two of the 7, so there are two and not 37 // 11 classes.

    >>> most_classes(Labels("abcdefg", [7, 7, 7, 7, 7, 1, 1]), 11)
    (2, 0, 5)
    """
    best, excluded, middle = bounds_kernels.fewer_classes(labels.descending_sums, k)
    return int(best), int(excluded), int(middle)


def crowded_class(labels: Labels, most: int) -> tuple[int, int]:
    """The minimum weight of some class when there are at most `most` classes, and how many labels are dealt out for
    that.

    The bound is the greatest over i of the weight of the lightest ceil(i / most) of the i heaviest labels. Proof:
    docs/proofs/labels/bounds.md.

    >>> crowded_class(Labels("abcde", [8, 8, 8, 2, 1]), 2)
    (16, 3)
    """
    value, dealt = bounds_kernels.crowded_class(labels.descending_sums, most)
    return int(value), int(dealt)


def lower_bounds(labels: Labels, ks: np.ndarray, packings: Packings | None = None) -> np.ndarray:
    """The value of `lower_bound` for every k of an int64 array.

    Most k need only the average class: if a quick packing has no larger class, no bound can be better.

    Parameters
    ----------
    ks : (r,) int64. Each at most the total.
    packings : Of `labels.items`, to compute them once.

    >>> lower_bounds(Labels("abcdefghi", [4] * 9), np.array([4, 10])).tolist()
    [4, 12]
    """
    labels = labels.items
    packings = Packings(labels) if packings is None else packings
    most = np.empty(len(ks), dtype=np.int64)
    packing_kernels.most_classes_each(labels.descending_sums, ks, most)
    values = np.maximum(np.maximum(ks, labels.counts.max()), -(-labels.total // most))
    sums = SubsetSums(labels)
    for row in np.flatnonzero(packings.quick_costs(ks, most) > values).tolist():
        values[row] = lower_bound(labels, int(ks[row]), sums).value
    return values


EFFORT = 1 << 31  # bits written; about a hundredth of a second for each 2^31
MOST_BITS = 1 << 25  # of a table of sums, 4 MB
LISTED = 40  # labels whose half sums are listed when their total is too large for a table of bits
SMALL = 16  # labels whose half sums are listed in any case
LISTED_EACH = 32  # where that is done for several labels
HEAVIEST = 8  # labels whose own classes are examined


class SubsetSums:
    """The sums that subsets of the labels can have, computed once for many k.

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
        """(position, weight, sums of the others) for some of the heaviest labels, if the sums are not all numbers."""
        places = np.unique(-self._sorted, return_index=True)[1][:HEAVIEST]
        result = []
        for place in places.tolist() if len(self._sorted) > 1 else []:
            sums = achievable(np.delete(self._sorted, place), HEAVIEST, LISTED_EACH)
            if sums is not None:
                result.append((int(self._labels.descending[place]), int(self._sorted[place]), sums))
        return result

    def least(self, value: int) -> int:
        """The least sum of labels that is at least `value` (at most the total); `value` where that is not known."""
        least = None if self._every is None else self._every.least(value)
        return value if least is None else least

    def of_a_label(self, k: int) -> tuple[int, int]:
        """The greatest weight that the class of a single label must have, and that label's position; (0, 0) if unknown.

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

    >>> sums = achievable(np.array([6, 4]))
    >>> [sums.least(value) for value in (0, 5, 7, 11)]
    [0, 6, 10, None]
    """

    unit: int
    bits: int | None  # bit s says whether s is a sum
    # one, other: int64, if there are no bits: the sums of either half of the labels in ascending order
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
    """All sums of subsets; None if all numbers up to the total are sums, or if computing them would take too much.

    Complexity
    ----------
    O(n W / 64) for the total W in units of the greatest common divisor, and 4 MB at most; where that is too much,
    O(2^(n / 2)) for a few labels.

    References
    ----------
    E. Horowitz, S. Sahni, "Computing partitions with applications to the knapsack problem", J. ACM 21 (1974): the sums
    of two halves.

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

    >>> every_sum(np.array([4, 4, 6])).tolist()
    [0, 4, 6, 8, 10, 14]
    """
    sums = np.zeros(1, dtype=np.int64)
    for value in values:
        sums = np.unique(np.concatenate([sums, sums + value]))
    return sums
