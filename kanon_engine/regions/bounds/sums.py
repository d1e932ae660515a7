"""Lower bounds on the paper's other cost functions; see `kanon_engine.model.costs`."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.costs import class_cost, combined
from kanon_engine.regions.bounds import lower_bound
from kanon_engine.regions.bounds.capacity import most_classes
from kanon_engine.regions.bounds.separator import sets_aside
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.parts import parts_of


def partition_cost_bound(regions: Regions, k: int, combine: str = "sum", difference: str = "size - k") -> int:
    """A lower bound on `partition_cost` of every partition into connected classes of weight >= k.

    Proof. For max: w, w² and w (w - k) grow with w >= k, so the bound on the largest class is put into them. For +:
    the sum of w is W; the sum of w² is at least `least_squares`; that of w (w - k) is that of w² less k W.

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

    Proof. A class lies in one part. For any areas Y of a part, at most |Y| classes hold an area of Y, as classes are
    disjoint; any other lies inside one component C of the part without Y, and at most `most_classes` fit there. The
    least over the sets Y of `sets_aside`, and Y empty, is taken for each part.

    Example
    -------
    >>> class_limit(Regions(range(4), [1, 4, 4, 4], [(0, 1), (0, 2), (0, 3)]), 5)
    1
    """
    limits = [
        most_classes(regions.weights[regions.components == part], k) for part in range(len(regions.component_weights))
    ]
    for anchor, aside in sets_aside(regions, k):
        part = int(regions.components[anchor])
        limits[part] = min(limits[part], len(aside) + _classes_beside(regions, k, part, aside))
    return sum(limits)


def _classes_beside(regions: Regions, k: int, part: int, aside: np.ndarray) -> int:
    """How many classes the components of a part without some areas hold at most."""
    left = regions.components == part
    left[aside] = False
    label = parts_of(regions.edges[left[regions.edges].all(axis=1)], len(regions))
    members = np.flatnonzero(left)
    members = members[np.argsort(label[members], kind="stable")]
    groups = np.split(regions.weights[members], np.flatnonzero(np.diff(label[members])) + 1)
    return sum(most_classes(own, k) for own in groups if own.sum() >= k)


def least_squares(weights: np.ndarray, most: int) -> int:
    """A lower bound on the sum of squared class weights of any partition into at most `most` classes.

    For any whole q >= 0, let H be the areas heavier than q, and R the weight of the others. The bound is
    sum of a² over H + (2q + 1) R - q (q + 1) (most - |H|). With H empty and q = floor(W / most) this is the sum of
    squares of `most` classes as equal as whole numbers allow, which is what convexity says; heavy areas take classes
    of their own away from that.

    Proof. w² >= (2q + 1) w - q (q + 1) for whole w, as (w - q)(w - q - 1) >= 0. A class without areas of H gives so
    much. A class with s >= 1 areas a of H and x besides weighs a + … + x, and its square is at least the sum of a²,
    plus 2 a x >= (2q + 1) x, plus 2 a a' >= q (q + 1) for each of at least s - 1 pairs a, a'. With h classes of the
    second kind and at most most - h of the first, the sum is at least sum of a² + (2q + 1) R - q (q + 1) (most - h)
    + q (q + 1) (|H| - h).

    H may as well be some of the areas heavier than q only. The q that are tried are the averages floor(R / (most - i))
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
