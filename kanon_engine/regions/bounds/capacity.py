"""How many classes a part can hold, and what its largest class weighs therefore."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.bounds import kernels
from kanon_engine.regions.instance import Regions
from kanon_engine.search.parts import parts_of


def capacity_bound(regions: Regions, k: int, anchor: int, separator: np.ndarray) -> int:
    """A lower bound on the largest class from a separator Y, all in the part of the area `anchor`.

    Proof, with q the capacity of a component (`most_classes`) and H the components that are counted:
    docs/proofs/regions/bounds.md, capacity bound.

    Parameters
    ----------
    regions : Regions
    k : int
    anchor : int
        Any area of the part.
    separator : int array
        Y, as positions; may be empty.

    Returns
    -------
    int

    Example
    -------
    A star: three leaves of 4 and a centre of 1, k = 5. No leaf is a class, so all go with the centre.

    >>> star = Regions(range(4), [1, 4, 4, 4], [(0, 1), (0, 2), (0, 3)])
    >>> capacity_bound(star, 5, 0, np.array([0]))
    13
    """
    inside = regions.components == regions.components[anchor]
    left = inside.copy()
    left[separator] = False
    n = len(regions)
    label = parts_of(regions.edges[left[regions.edges].all(axis=1)], n)
    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, label[left], regions.weights[left])
    weight = int(regions.weights[separator].sum() + sums[sums < k].sum())
    count = len(separator)
    members = np.flatnonzero(left)
    members = members[sums[label[members]] >= k]
    members = members[np.lexsort((-regions.weights[members], label[members]))]
    ends = np.append(np.flatnonzero(np.diff(label[members])) + 1, len(members)) if len(members) else members
    heavy = []
    for first, last in zip([0, *ends[:-1]], ends, strict=False):
        own = regions.weights[members[first:last]]
        heavy.append((int(own.sum()), int(kernels.most_classes(own, k))))
    for total, most in sorted(heavy, key=lambda one: one[0] / one[1], reverse=True):
        if count == 0 or total * count > weight * most:
            weight, count = weight + total, count + most
    return -(-weight // count)


def most_classes(weights: np.ndarray, k: int) -> int:
    """An upper bound on the number of classes of weight >= k among areas of these weights, whoever borders whom.

    Proof: docs/proofs/regions/bounds.md, capacity of a set.

    Example
    -------
    >>> most_classes(np.array([6, 6, 6, 6]), 10), most_classes(np.array([100, 7, 7, 7, 1]), 10)
    (2, 3)
    """
    return int(kernels.most_classes(np.sort(weights.astype(np.int64))[::-1].copy(), k))
