"""Lower bounds on the paper's other cost functions; see `kanon_engine.model.costs`."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.costs import class_cost, combined
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.bounds.capacity import most_classes
from kanon_engine.regions.bounds.separator import separators
from kanon_engine.regions.instance import Regions
from kanon_engine.search.parts import parts_of


def partition_cost_bound(regions: Regions, k: int, combine: str = "sum", difference: str = "size - k") -> int:
    """A lower bound on `partition_cost` of every partition into connected classes of weight >= k.

    Proof: docs/proofs/regions/bounds.md, sums.

    Parameters
    ----------
    regions : Regions
        Every connected part weighs at least k.
    k : int
    combine, difference : str
        As in `partition_cost`.

    Returns
    -------
    int

    Complexity
    ----------
    That of `lower_bound`.

    Example
    -------
    A path of five areas of weight 1 and k = 2 holds two classes, of 2 and 3 at best.

    >>> path = Regions(range(5), [1] * 5, [(i, i + 1) for i in range(4)])
    >>> partition_cost_bound(path, 2), partition_cost_bound(path, 2, "max")
    (3, 3)
    """
    if combine == "max":
        return class_cost(lower_bound(regions, k).value, k, difference)
    trivial = combined([class_cost(regions.total, k, difference)], combine)  # and a check of the names
    if difference == "1":
        return trivial
    squares = least_squares(regions.weights, class_limit(regions, k))
    return squares if difference == "size" else squares - k * regions.total


def class_limit(regions: Regions, k: int) -> int:
    """An upper bound on the number of connected classes of weight >= k.

    The least over the separators that are tried, and none at all, for each part. Proof: docs/proofs/regions/bounds.md,
    capacity bound.

    Example
    -------
    >>> class_limit(Regions(range(4), [1, 4, 4, 4], [(0, 1), (0, 2), (0, 3)]), 5)
    1
    """
    limits = [
        most_classes(regions.weights[regions.components == part], k) for part in range(len(regions.component_weights))
    ]
    for anchor, separator in separators(regions, k):
        part = int(regions.components[anchor])
        limits[part] = min(limits[part], len(separator) + _classes_beside(regions, k, part, separator))
    return sum(limits)


def _classes_beside(regions: Regions, k: int, part: int, separator: np.ndarray) -> int:
    """How many classes the components of a part without some areas hold at most."""
    left = regions.components == part
    left[separator] = False
    label = parts_of(regions.edges[left[regions.edges].all(axis=1)], len(regions))
    members = np.flatnonzero(left)
    members = members[np.argsort(label[members], kind="stable")]
    groups = np.split(regions.weights[members], np.flatnonzero(np.diff(label[members])) + 1)
    return sum(most_classes(own, k) for own in groups if own.sum() >= k)


def least_squares(weights: np.ndarray, most: int) -> int:
    """A lower bound on the sum of squared class weights of any partition into at most `most` classes.

    Formula and proof: docs/proofs/regions/bounds.md, sums. The q that are tried are the averages floor(R / (most - i))
    after the i heaviest areas are taken away, while each of these is above the average before; averages fall then.

    Example
    -------
    >>> least_squares(np.array([1, 1, 1, 1, 1]), 2), least_squares(np.array([9, 1, 1, 1]), 3)
    (13, 86)
    """
    descending = sorted(weights.tolist(), reverse=True)
    rest = sum(descending)
    best = squares = 0
    for i, heaviest in enumerate(descending[:most]):
        q = rest // (most - i)
        best = max(best, squares + (2 * q + 1) * rest - q * (q + 1) * (most - i))
        if heaviest <= q:
            break
        squares += heaviest**2
        rest -= heaviest
    return best
