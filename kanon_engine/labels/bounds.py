"""Lower bounds on the largest class of any partition of labels into classes of weight >= k."""

from __future__ import annotations

import numpy as np

from kanon_engine.bound import Bound
from kanon_engine.labels import kernels
from kanon_engine.labels.instance import Labels


def lower_bound(labels: Labels, k: int) -> Bound:
    """The best of the family's bounds.

    Parameters
    ----------
    labels : Labels
        Total weight at least k.
    k : int

    Returns
    -------
    Bound
        `name` is "k", "heaviest label" (witness: its position) or "average class" (witness: how many of the heaviest
        labels are set aside in `most_classes`).

    Notes
    -----
    Every class weighs at least k. The heaviest label lies in some class. If there are at most U classes, the largest
    weighs at least the average, ceil(W / U).

    Example
    -------
    Nine labels of 4 and k = 10: a class needs three of them, so there are at most 3 classes and not 36 // 10.

    >>> lower_bound(Labels("abcdefghi", [4] * 9), 10).value
    12
    >>> lower_bound(Labels("abc", [30, 12, 9]), 10)
    Bound(value=30, name='heaviest label', kind='checked', witness=(0,))
    """
    most, aside = most_classes(labels, k)
    heaviest = int(labels.descending[0])
    candidates = [
        Bound(k, "k"),
        Bound(int(labels.counts[heaviest]), "heaviest label", witness=(heaviest,)),
        Bound(-(-labels.total // most), "average class", witness=(aside,)),
    ]
    return max(candidates, key=lambda bound: bound.value)


def most_classes(labels: Labels, k: int) -> tuple[int, int]:
    """An upper bound on the number of classes, and how many of the heaviest labels it sets aside.

    The bound is the least i + min(floor(R / k), floor(r / c)) over i, where R and r are weight and number of the labels
    without the i heaviest, and c is the least number of those that reaches k (no class at all when R < k).

    Proof. The i heaviest labels lie in at most i classes. Every other class consists of the r others alone; each weighs
    at least k, so there are at most R / k, and each holds at least c labels, so there are at most r / c.

    For i = 0 this is at most floor(W / k); for i = the number of labels >= k it is at most floor(sum of min(x, k) / k).
    Only i below the best bound so far can better it, so that O(W / k) values of i are looked at, each by one binary
    search.

    Example
    -------
    >>> most_classes(Labels("abcdef", [100, 100, 7, 7, 7, 1]), 10)
    (4, 2)
    >>> most_classes(Labels("abcd", [6, 6, 6, 6]), 11)
    (2, 0)
    """
    best, aside = kernels.most_classes(labels.descending_sums, k)
    return int(best), int(aside)


def lower_bounds(labels: Labels, ks: np.ndarray) -> np.ndarray:
    """The value of `lower_bound` for every k of an int64 array.

    Example
    -------
    >>> lower_bounds(Labels("abcdefghi", [4] * 9), np.array([4, 10])).tolist()
    [4, 12]
    """
    most = np.empty(len(ks), dtype=np.int64)
    kernels.most_classes_each(labels.descending_sums, ks, most)
    return np.maximum(np.maximum(ks, labels.counts.max()), -(-labels.total // most))
