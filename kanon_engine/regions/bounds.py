"""Lower bounds on the largest class of any partition into connected classes of weight >= k."""

from __future__ import annotations

import numpy as np

from kanon_engine.bound import Bound, counting_bound
from kanon_engine.regions.instance import Regions


def lower_bound(regions: Regions, k: int) -> Bound:
    """The best of the family's bounds.

    Parameters
    ----------
    regions : Regions
        Every connected part weighs at least k.
    k : int

    Returns
    -------
    Bound
        `name` is "k", "heaviest area" (witness: its position) or "average class" (witness: the parts, numbered as in
        `Regions.components`, over which the average is taken).

    Notes
    -----
    Every class weighs at least k. The heaviest area lies in some class. A class lies in one connected part, so a set P
    of parts holds at most m = sum of floor(w(C) / k) over C in P classes, and the heaviest of them weighs at least
    w(P) / m, rounded up. The single part with the largest average is the best such set; for one part this is
    W / floor(W / k).

    Example
    -------
    >>> lower_bound(Regions(["a", "b", "c"], [4, 2, 5], [(0, 1), (1, 2)]), 4)
    Bound(value=6, name='average class', kind='checked', witness=(0,))
    """
    averages = [counting_bound(int(weight), k) for weight in regions.component_weights]
    part = int(np.argmax(averages))
    heaviest = int(np.argmax(regions.weights))
    candidates = [
        Bound(k, "k"),
        Bound(int(regions.weights[heaviest]), "heaviest area", witness=(heaviest,)),
        Bound(averages[part], "average class", witness=(part,)),
    ]
    return max(candidates, key=lambda bound: bound.value)
