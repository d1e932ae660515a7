"""Separators for a bound: areas that cut off much that is too light to be a class."""

from __future__ import annotations

import numpy as np

from kanon_engine.regions.bounds.kernels import cut_vertices
from kanon_engine.regions.bounds.separator_kernels import improve, sweep
from kanon_engine.regions.instance import Regions
from kanon_engine.regions.trees.kernels import Graph
from kanon_engine.regions.trees.spanning_tree import neighbour_lists

STEPS = 10_000_000  # neighbours that the hill climbing may look at


def separators(regions: Regions, k: int) -> list[tuple[int, np.ndarray]]:
    """Sets Y worth trying in `capacity_bound`, each with an area of its part.

    - Nothing, in each of the parts (only the part with the largest average is returned).
    - Each single area that cuts off light components: the one that weighs most with them.
    - The closing vertices: when the blocks of a depth-first search are left from the leaves upwards, every block keeps
      floor(weight / k) classes and hands the rest to its cut vertex; a cut vertex with k closes a class and joins
      the separator. On a tree this is a largest family of disjoint subtrees of weight >= k.
    - The ends of three orders, as long as the quotient grows best: by weight, by number of neighbours, by the weight of
      the light components that an area cuts off.
    - The best of these, improved by hill climbing on maps small enough for it.

    Complexity
    ----------
    O(n log n + e α(e)).
    """
    n = len(regions)
    graph = Graph(*neighbour_lists(regions.edges, n), regions.weights)
    weights, part = regions.weights, regions.components.astype(np.int64)
    totals = regions.component_weights
    alone, closed, capacities = cut_vertices(graph, totals, part, k)
    firsts = np.unique(part, return_index=True)[1][part].tolist()  # the first area of each one's part
    single = int(np.argmax(alone))
    found = [(firsts[single], np.array([single]))]
    degree = np.diff(graph.start)
    for key in (weights, degree * (int(weights.max()) + 1) + weights, alone):
        order = np.lexsort((np.arange(n), key, part))
        first, last = sweep(graph, part, order, k)
        found.append((firsts[order[last - 1]], np.sort(order[first:last])))
    fullest = int(np.argmax(totals / capacities))
    members = np.flatnonzero(closed & (part == fullest))
    found.append((firsts[int(np.argmax(part == fullest))], members))
    averages = totals / (totals // k)
    found.append((int(np.argmax(part == np.argmax(averages))), np.empty(0, dtype=np.int64)))
    if (n + len(graph.neighbours)) * n <= STEPS:
        for anchor, members in found.copy():
            separator = np.zeros(n, dtype=np.bool_)
            separator[members] = True
            improve(graph, part == part[anchor], separator, k, STEPS // 6)
            found.append((anchor, np.flatnonzero(separator)))
    return list({(anchor, separator.tobytes()): (anchor, separator) for anchor, separator in found}.values())
