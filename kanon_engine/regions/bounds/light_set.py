"""A light set of areas is no class: whoever lies in it takes a neighbour of it along."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.bounds import kernels
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.trees.kernels import Graph
from kanon_engine.regions.trees.spanning_tree import neighbour_lists


def light_set_bound(regions: Regions, members: np.ndarray) -> int:
    """The heaviest area of a set S with w(S) < k plus the lightest area that borders S.

    Proof: docs/proofs/regions/bounds.md, light set.

    Parameters
    ----------
    regions : Regions
    members : int array
        S, as positions: lighter than k together, with a neighbour.

    Returns
    -------
    int

    Example
    -------
    A village among cities, k = 5:

    >>> light_set_bound(Regions(range(3), [9, 2, 8], [(0, 1), (1, 2)]), np.array([1]))
    10
    """
    inside = np.zeros(len(regions), dtype=bool)
    inside[members] = True
    ends = inside[regions.edges]
    around = regions.edges[ends[:, 0] != ends[:, 1]].ravel()
    return int(regions.weights[members].max() + regions.weights[around[~inside[around]]].min())


def best_light_set(regions: Regions, k: int) -> np.ndarray:
    """A light set with a large bound: around each light area the lightest neighbour is taken in while it stays light.

    Returns
    -------
    (s,) int array
        Positions; empty when no light area has a neighbour.

    Complexity
    ----------
    O(e log n) while light sets are small; sets above `kernels.SMALL_SET` areas are not followed.
    """
    start, neighbours = neighbour_lists(regions.edges, len(regions))
    value, first = kernels.light_set(Graph(start, neighbours, regions.weights), k)
    if first < 0:
        return np.empty(0, dtype=np.int64)
    members = [first]
    while light_set_bound(regions, np.array(members)) < value:
        around = {int(u) for v in members for u in neighbours[start[v] : start[v + 1]]} - set(members)
        members.append(min(around, key=lambda u: (regions.weights[u], u)))
    return np.sort(np.array(members, dtype=np.int64))
