"""Hot loops of the lower bounds."""

from __future__ import annotations

import heapq

import numpy as np

from kanon_engine.kernel_cache import njit

SMALL_SET = 12  # areas that a light set may have
FEW_NEIGHBOURS = 1_000  # a set is not followed past an area with more, or stars would cost the square of their size


@njit(cache=True, nogil=True)
def most_classes(descending, k):
    """Least i + min(R // k, r // c) over i; see `capacity.most_classes`."""
    n = len(descending)
    prefix = np.zeros(n + 1, np.int64)
    for i in range(n):
        prefix[i + 1] = prefix[i] + descending[i]
    best = prefix[n] // k
    for i in range(n + 1):
        if i >= best:
            break
        rest = prefix[n] - prefix[i]
        bound = i
        if rest >= k:
            fewest = np.searchsorted(prefix, prefix[i] + k) - i
            bound += min(rest // k, (n - i) // fewest)
        best = min(best, bound)
    return best


@njit(cache=True, nogil=True)
def cut_vertices(graph, totals, part, k):
    """Depth-first search for cut vertices.

    Returns for each vertex its weight with all light components that it cuts off, for each whether the greedy closing
    of `separator.separators` closes it, and for each part how many classes that closing counts.
    """
    start, neighbours, weights = graph
    n = len(weights)
    number = np.full(n, -1, np.int64)
    low = np.zeros(n, np.int64)
    parent = np.full(n, -1, np.int64)
    position = start[:-1].copy()
    below = weights.copy()  # weight of the subtree
    cut_off = np.zeros(n, np.int64)  # weight of the branches that v cuts off downwards
    alone = weights.copy()  # v with the light ones of its branches
    own = np.minimum(weights, k)  # v with what its finished blocks leave over
    passed = np.zeros(n, np.int64)  # what unfinished blocks carry past v
    closed = np.zeros(n, np.bool_)
    capacities = np.zeros(len(totals), np.int64)
    stack = np.empty(n, np.int64)
    clock = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        number[root] = low[root] = clock
        clock += 1
        stack[0] = root
        height = 1
        while height > 0:
            v = stack[height - 1]
            if position[v] < start[v + 1]:
                u = neighbours[position[v]]
                position[v] += 1
                if number[u] < 0:
                    parent[u] = v
                    number[u] = low[u] = clock
                    clock += 1
                    stack[height] = u
                    height += 1
                elif u != parent[v]:
                    low[v] = min(low[v], number[u])
                continue
            height -= 1
            closed[v] = own[v] >= k
            capacities[part[v]] += closed[v]
            carried = passed[v] + (0 if closed[v] else own[v])
            up = totals[part[v]] - cut_off[v] - weights[v]
            if parent[v] >= 0 and up < k:
                alone[v] += up
            u = parent[v]
            if u < 0:
                continue
            below[u] += below[v]
            low[u] = min(low[u], low[v])
            if low[v] >= number[u]:
                cut_off[u] += below[v]
                if below[v] < k:
                    alone[u] += below[v]
                own[u] += carried % k
                capacities[part[v]] += carried // k
            else:
                passed[u] += carried
    return alone, closed, capacities


@njit(cache=True, nogil=True)
def light_set(graph, k):
    """The best light set found: from each light area on, the lightest neighbour is added while the set stays light.

    Returns the value and the area to start from; -1 where there is no light area with a neighbour.
    """
    start, neighbours, weights = graph
    n = len(weights)
    seen = np.full(n, -1, np.int64)
    best = np.int64(0)
    best_from = -1
    for v in range(n):
        if weights[v] >= k:
            continue
        seen[v] = v
        heap = [(weights[v], np.int64(v))]
        size = 0
        total = np.int64(0)
        while len(heap) > 0 and total < k and size < SMALL_SET:
            weight, inside = heapq.heappop(heap)
            if size > 0 and weights[v] + weight > best:
                best = weights[v] + weight
                best_from = v
            total += weight
            size += 1
            if size > 1 and start[inside + 1] - start[inside] > FEW_NEIGHBOURS:
                break
            for slot in range(start[inside], start[inside + 1]):
                u = neighbours[slot]
                if seen[u] != v:
                    seen[u] = v
                    heapq.heappush(heap, (weights[u], u))
    return best, best_from
