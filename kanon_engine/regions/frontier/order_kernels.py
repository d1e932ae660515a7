"""Hot loops on vertex orders: how many vertices wait for neighbours at any time."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit

BRANCHES = 3.0  # how much a vertex more in the frontier multiplies the states by, about


@njit(cache=True, nogil=True)
def greedy(graph, first, noise, order):
    """Write an order in which the vertex comes next that leaves the smallest frontier; of equals the longest waiting.

    `noise` (n,) moves the choice. Parts of the graph come one after another, each but the first from its first vertex.
    Returns the price, the sum of `BRANCHES`^size, and the largest size.
    """
    start, neighbours = graph.start, graph.neighbours
    n = len(start) - 1
    left = start[1:] - start[:-1]  # neighbours still to come
    met = np.full(n, -1, np.int64)  # when the first neighbour came; n once the vertex itself has come
    waiting = np.empty(n, np.int64)
    many, size, widest, lowest = 0, 0, 0, 0
    price = 0.0
    v = first
    for t in range(n):
        if t > 0:
            best = np.inf
            for slot in range(many):
                u = waiting[slot]
                cost = noise[u] + 1e-3 * met[u] + (1.0 if left[u] > 0 else 0.0)
                for place in range(start[u], start[u + 1]):
                    other = neighbours[place]
                    if met[other] == n and left[other] == 1:
                        cost -= 1.0
                if cost < best:
                    best, v = cost, u
            if many == 0:
                while met[lowest] == n:
                    lowest += 1
                v = lowest
        for slot in range(many):
            if waiting[slot] == v:
                many -= 1
                waiting[slot] = waiting[many]
                break
        met[v] = n
        order[t] = v
        size += left[v] > 0
        for place in range(start[v], start[v + 1]):
            u = neighbours[place]
            left[u] -= 1
            if met[u] == -1:
                met[u] = t
                waiting[many] = u
                many += 1
            elif met[u] == n and left[u] == 0:
                size -= 1
        widest = max(widest, size)
        price += BRANCHES**size
    return price, widest


@njit(cache=True, nogil=True)
def walk(graph, order, widest):
    """What happens to the frontier along an order, as long as it has at most `widest` vertices.

    Returns of each step how many vertices wait before it, which of their places are next to the one that comes
    (`around`, those of step t before `ends[t]`), and which stay (row t of `kept`, the new one behind the others); no
    steps where the frontier grows too wide.
    """
    start, neighbours = graph.start, graph.neighbours
    n = len(order)
    last = np.zeros(n, np.int64)  # when the last neighbour of a vertex comes
    for t in range(n):
        v = order[t]
        last[v] = max(last[v], t)
        for place in range(start[v], start[v + 1]):
            u = neighbours[place]
            last[u] = max(last[u], t)
    sizes = np.zeros(n, np.int64)
    ends = np.zeros(n, np.int64)
    around = np.empty(len(neighbours), np.int64)
    kept = np.zeros((n, widest + 1), np.bool_)
    slots = np.empty(widest + 1, np.int64)
    next_to = np.zeros(n, np.bool_)
    size, listed = 0, 0
    for t in range(n):
        v = order[t]
        for place in range(start[v], start[v + 1]):
            next_to[neighbours[place]] = True
        sizes[t] = size
        slots[size] = v
        stay = 0
        for slot in range(size + 1):
            u = slots[slot]
            if next_to[u]:
                around[listed] = slot
                listed += 1
            if last[u] > t:
                kept[t, slot] = True
                slots[stay] = u
                stay += 1
        for place in range(start[v], start[v + 1]):
            next_to[neighbours[place]] = False
        ends[t] = listed
        size = stay
        if size > widest:
            return sizes[:0], around[:0], ends[:0], kept[:0]
    return sizes, around[:listed], ends, kept
