"""A lower bound from areas on which everything around them depends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kanon_engine.model.bound import Bound
from kanon_engine.regions.instance import Regions
from kanon_engine.search.parts import parts_of


def separator_bound(regions: Regions, k: int, separator: Sequence[int]) -> Bound:
    """Many light parts that hang together only through few areas make few and heavy classes.

    Proof: docs/proofs/regions/bounds.md, separator bound.

    Parameters
    ----------
    regions : Regions
        Every connected part weighs at least k.
    k : int
    separator : sequence of int
        Positions, at least one, in any parts.

    Returns
    -------
    Bound
        Named "hubs"; the witness is Y in ascending order. Y is the set that proves most of these: the areas of one
        part, or those of one connected group of light components and areas of the separator that touch them.

    Complexity
    ----------
    O(areas + borders) for each set Y that is tried.

    Example
    -------
    A star: three leaves too light to stand alone need the centre.

    >>> star = Regions(range(4), [1, 3, 3, 3], [(0, 1), (0, 2), (0, 3)])
    >>> separator_bound(star, 4, [0])
    Bound(value=10, name='hubs', kind='checked', witness=(0,))
    """
    chosen = np.unique(np.asarray(separator, dtype=np.int64))
    component, light = _components_without(regions, k, chosen)
    a, b = regions.edges.T
    between = (light[component[a]] & np.isin(b, chosen)) | (light[component[b]] & np.isin(a, chosen))
    inside = light[component[a]] & (component[a] == component[b])
    group = parts_of(regions.edges[between | inside], len(regions))[chosen]
    part = regions.components[chosen]
    sets = {tuple(chosen[own == number].tolist()) for own in (group, part) for number in np.unique(own)}
    value, _, witness = max((_value(regions, k, np.array(own)), -len(own), own) for own in sorted(sets))
    return Bound(value, "hubs", "checked", witness)


def _components_without(regions: Regions, k: int, separator: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The component of each area without the separator, whose areas are one each by themselves, and which
    are light and not of it."""
    kept = ~np.isin(np.arange(len(regions)), separator)
    component = parts_of(regions.edges[kept[regions.edges].all(axis=1)], len(regions))
    light = _sums(component, regions.weights) < k
    light[component[separator]] = False
    return component, light


def _value(regions: Regions, k: int, separator: np.ndarray) -> int:
    component, light = _components_without(regions, k, separator)
    own = regions.components == regions.components[separator[0]]
    held = np.where(own, regions.weights, 0)
    held[separator] = 0
    sums = _sums(component, held)
    total = int(regions.weights[separator].sum())
    near = total + int(sums[light].sum())
    most = len(separator) + int((sums // k).sum())
    return max(-(-near // len(separator)), -(-(total + int(sums.sum())) // most))


def _sums(labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    sums = np.zeros(labels.max() + 1, dtype=np.int64)
    np.add.at(sums, labels, weights)
    return sums
