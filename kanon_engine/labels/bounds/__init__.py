"""Lower bounds on the largest class of any partition of labels into classes of weight >= k."""

from __future__ import annotations

import numpy as np

from kanon_engine.labels.bounds import kernels as bounds_kernels
from kanon_engine.labels.bounds.sums import SubsetSums
from kanon_engine.labels.instance import Labels
from kanon_engine.labels.packing import kernels as packing_kernels
from kanon_engine.labels.packing.even_packings import Packings
from kanon_engine.model.objective import Bound


def lower_bound(labels: Labels, k: int, sums: SubsetSums | None = None) -> Bound:
    """The best of the family's bounds.

    Parameters
    ----------
    labels : Labels
        Total weight at least k.
    k : int
    sums : SubsetSums, optional
        Of `labels.items`, to work them out once for many k.

    Returns
    -------
    Bound
        `name` and what the witness holds: "k"; "heaviest label" (its position); "average class" (how many of the
        heaviest labels a are excluded, and up to which one i labels are counted, as in `most_classes`); "crowded
        class" (how many labels are counted in `crowded_class`, then a and i); "class of a label" (its position);
        "sum of labels" (a and i). Definitions and proofs: docs/proofs/labels/bounds.md.

    Example
    -------
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
    own, position = sums.of_a_label(k)
    average = -(-labels.total // most)
    fewer = min(most, labels.total // sums.least(k))
    candidates = [
        Bound(k, "k"),
        Bound(int(labels.counts[heaviest]), "heaviest label", witness=(heaviest,)),
        Bound(average, "average class", witness=(excluded, middle)),
        Bound(crowded, "crowded class", witness=(dealt, excluded, middle)),
        Bound(own, "class of a label", witness=(position,)),
    ]
    floor = max(k, int(labels.counts[heaviest]), -(-labels.total // fewer))
    candidates.append(Bound(sums.least(floor), "sum of labels", witness=(excluded, middle)))
    return max(candidates, key=lambda bound: bound.value)


def most_classes(labels: Labels, k: int) -> tuple[int, int, int]:
    """An upper bound on the number of classes; how many heaviest labels it excludes, and up to which it counts.

    The bound is the least a + min(floor(R / k), floor((i - a) / c)) over a <= i, with R, c and the proof in
    docs/proofs/labels/bounds.md. At most about 2^16 pairs (a, c) are looked at, any of which gives a proven bound.

    Example
    -------
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
    """What one class weighs at least when there are at most `most` classes, and how many labels are dealt out for that.

    The bound is the greatest over i of the weight of the lightest ceil(i / most) of the i heaviest labels. Proof:
    docs/proofs/labels/bounds.md.

    Example
    -------
    >>> crowded_class(Labels("abcde", [8, 8, 8, 2, 1]), 2)
    (16, 3)
    """
    value, dealt = bounds_kernels.crowded_class(labels.descending_sums, most)
    return int(value), int(dealt)


def lower_bounds(labels: Labels, ks: np.ndarray, packings: Packings | None = None) -> np.ndarray:
    """The value of `lower_bound` for every k of an int64 array.

    Most k need only the average class: where a quick packing has no larger one, no bound can say more.

    Parameters
    ----------
    labels : Labels
    ks : (r,) int64 array
        Each at most the total.
    packings : Packings, optional
        Of `labels.items`, to make them once.

    Example
    -------
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
