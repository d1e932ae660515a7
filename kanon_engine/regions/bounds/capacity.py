"""How many classes a part has room for, and what its largest class weighs therefore."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.bounds import kernels
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.parts import parts_of


def room_for_classes(regions: Regions, k: int, anchor: int, aside: np.ndarray) -> int:
    """A lower bound on the largest class from areas Y that are set aside, all in the part of the area `anchor`.

    Let C run over the connected components of the part without Y, and let q(C) >= 0 be an upper bound on the number of
    classes inside C (`most_classes`; 0 when C is lighter than k). For any set H of components with q(C) > 0, the bound
    is (w(Y) + w(all components with q = 0) + w(H)) / (|Y| + sum of q over H), rounded up; the best H is taken.

    Proof. A class is connected, so it holds an area of Y or lies inside one component. Every area of Y, of a component
    with q = 0, and of H lies in a class that holds an area of Y or lies inside a component of H. There are at most |Y|
    classes of the first kind, as classes are disjoint, and at most q(C) inside each C of H. These classes cover the
    weight in the numerator; the heaviest of them weighs at least their average.

    The best H takes components by w(C) / q(C) from the largest on while the quotient grows: adding a component raises
    a quotient exactly when its own is larger.

    Y empty gives w(part) / q(part); H empty says that light branches go with the hubs Y that cut them off.

    Parameters
    ----------
    regions : Regions
    k : int
    anchor : int
        Any area of the part.
    aside : int array
        Y, as positions; may be empty.

    Returns
    -------
    int

    Example
    -------
    A star: three leaves of 4 and a centre of 1, k = 5. No leaf is a class, so all go with the centre.

    >>> star = Regions(range(4), [1, 4, 4, 4], [(0, 1), (0, 2), (0, 3)])
    >>> room_for_classes(star, 5, 0, np.array([0]))
    13
    """
    inside = regions.components == regions.components[anchor]
    left = inside.copy()
    left[aside] = False
    n = len(regions)
    label = parts_of(regions.edges[left[regions.edges].all(axis=1)], n)
    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, label[left], regions.weights[left])
    weight = int(regions.weights[aside].sum() + sums[sums < k].sum())
    count = len(aside)
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

    The bound is the least i + min(floor(R / k), floor(r / c)) over i, where R and r are weight and number of the areas
    without the i heaviest, and c is the least number of those that reaches k (no class at all when R < k).

    Proof. The i heaviest areas lie in at most i classes. Every other class consists of the r others alone; each weighs
    at least k, so there are at most R / k, and each holds at least c areas, so there are at most r / c.

    Example
    -------
    >>> most_classes(np.array([6, 6, 6, 6]), 10), most_classes(np.array([100, 7, 7, 7, 1]), 10)
    (2, 3)
    """
    return int(kernels.most_classes(np.sort(weights.astype(np.int64))[::-1].copy(), k))
