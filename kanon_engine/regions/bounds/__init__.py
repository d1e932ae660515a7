"""Lower bounds on the largest class of any partition into connected classes of weight >= k."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.model.bound import Bound
from kanon_engine.model.requirement import Minimum
from kanon_engine.regions.bounds.average import average_classes
from kanon_engine.regions.bounds.capacity import capacity_bound
from kanon_engine.regions.bounds.few_choices import few_choices_bound
from kanon_engine.regions.bounds.light_set import best_light_set, light_set_bound
from kanon_engine.regions.bounds.separator import separators
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.wishes.items import Items


def lower_bound(regions: Regions, k: int, minima: Sequence[Minimum] = ()) -> Bound:
    """The best of the family's bounds.

    Parameters
    ----------
    regions : Regions
        Every connected part weighs at least k. Of `Items` that stay together the bound is one of `Items.quotient`, to
        which the witness refers.
    k : int
    minima : sequence of Minimum
        Every connected part reaches them. A bound without them holds with them.

    Returns
    -------
    Bound
        `name` and what the witness holds: "k"; "heaviest area" (its position); "average class" and "average class with
        minima" (the parts, numbered as in `Regions.components`); "light set" (the positions of its areas); "room for
        classes" (the position of an area of the part, then those of the separator); "few choices" (a cap, one below the
        value, then the positions of areas), only where it is better than all the others. Of equal bounds the one named
        first is given. Definitions and proofs: docs/proofs/regions/bounds.md.

    Complexity
    ----------
    O(n log n + e α(e)), and the limited work of `few_choices_bound`.

    Example
    -------
    >>> lower_bound(Regions(["a", "b", "c"], [4, 2, 5], [(0, 1), (1, 2)]), 4)
    Bound(value=6, name='average class', kind='checked', witness=(0,))
    >>> lower_bound(Regions(range(4), [1, 4, 4, 4], [(0, 1), (0, 2), (0, 3)]), 5)
    Bound(value=13, name='room for classes', kind='checked', witness=(0, 0))
    """
    if isinstance(regions, Items):
        regions = regions.quotient
    averages, with_minima = average_classes(regions, k), average_classes(regions, k, minima)
    part, other = int(np.argmax(averages)), int(np.argmax(with_minima))
    heaviest = int(np.argmax(regions.weights))
    candidates = [
        Bound(k, "k"),
        Bound(int(regions.weights[heaviest]), "heaviest area", witness=(heaviest,)),
        Bound(int(averages[part]), "average class", witness=(part,)),
        Bound(int(with_minima[other]), "average class with minima", witness=(other,)),
    ]
    light = best_light_set(regions, k)
    if len(light):
        candidates.append(Bound(light_set_bound(regions, light), "light set", witness=tuple(light.tolist())))
    for anchor, separator in separators(regions, k):
        value = capacity_bound(regions, k, anchor, separator)
        candidates.append(Bound(value, "room for classes", witness=(anchor, *separator.tolist())))
    best = max(candidates, key=lambda bound: bound.value)
    return few_choices_bound(regions, k, best.value) or best
