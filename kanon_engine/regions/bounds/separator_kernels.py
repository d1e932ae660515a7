"""Hot loops of the search for separators."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.regions.trees.kernels import top


@njit(cache=True, nogil=True)
def sweep(graph, part, order, k):
    """Take areas out, one by one: of all ends of `order` within a part, the set Y with the best quotient.

    `order` lists part after part. Returns the best of w(Y and light components) / |Y| and w(part) / (|Y| + sum of
    floor(w'(C) / k)), w' being weights cut to k, and the slice of `order` that is Y.
    """
    start, neighbours, weights = graph
    n = len(order)
    above = np.arange(n)
    sums = weights.copy()
    cut = np.minimum(weights, k)
    inserted = np.zeros(n, np.bool_)
    best = 0.0
    best_from = best_to = 0
    first = 0
    while first < n:
        last = first
        while last < n and part[order[last]] == part[order[first]]:
            last += 1
        total = np.int64(0)
        for place in range(first, last):
            total += weights[order[place]]
        heavy = np.int64(0)  # weight of the heavy components
        capacity = np.int64(0)
        for place in range(first, last):
            size = last - place
            quotient = max((total - heavy) / size, total / (size + capacity))
            if quotient > best:
                best, best_from, best_to = quotient, place, last
            v = order[place]
            inserted[v] = True
            if sums[v] >= k:
                heavy += sums[v]
            capacity += cut[v] // k
            for slot in range(start[v], start[v + 1]):
                u = neighbours[slot]
                if not inserted[u]:
                    continue
                a, b = top(above, v), top(above, u)
                if a == b:
                    continue
                if sums[a] >= k:
                    heavy -= sums[a]
                if sums[b] >= k:
                    heavy -= sums[b]
                capacity -= cut[a] // k + cut[b] // k
                above[b] = a
                sums[a] += sums[b]
                cut[a] += cut[b]
                if sums[a] >= k:
                    heavy += sums[a]
                capacity += cut[a] // k
        if total / capacity > best:
            best, best_from, best_to = total / capacity, last, last
        first = last
    return best_from, best_to


@njit(cache=True, nogil=True)
def quotient_of(graph, inside, separator, k):
    """The quotient of `sweep` for one set Y = `separator` in the part of the graph that `inside` marks."""
    start, neighbours, weights = graph
    n = len(weights)
    seen = np.zeros(n, np.bool_)
    stack = np.empty(n, np.int64)
    total = heavy = capacity = np.int64(0)
    count = 0
    for root in range(n):
        if not inside[root]:
            continue
        total += weights[root]
        if separator[root]:
            count += 1
            continue
        if seen[root]:
            continue
        seen[root] = True
        stack[0] = root
        height = 1
        weight = cut = np.int64(0)
        while height > 0:
            height -= 1
            v = stack[height]
            weight += weights[v]
            cut += min(weights[v], k)
            for slot in range(start[v], start[v + 1]):
                u = neighbours[slot]
                if not seen[u] and not separator[u]:
                    seen[u] = True
                    stack[height] = u
                    height += 1
        if weight >= k:
            heavy += weight
            capacity += cut // k
    if count == 0:
        return total / capacity
    return max((total - heavy) / count, total / (count + capacity))


@njit(cache=True, nogil=True)
def improve(graph, inside, separator, k, steps):
    """Hill climbing: put areas into Y or take them out while the quotient grows; `separator` is changed in place."""
    n = len(graph.weights)
    best = quotient_of(graph, inside, separator, k)
    since = 0
    v = 0
    while steps > 0 and since < n:
        if inside[v]:
            separator[v] = not separator[v]
            value = quotient_of(graph, inside, separator, k)
            steps -= n + len(graph.neighbours)
            if value > best:
                best = value
                since = 0
            else:
                separator[v] = not separator[v]
        v = (v + 1) % n
        since += 1
    return best
