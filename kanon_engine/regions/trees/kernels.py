"""Hot loops on trees and graphs; the neighbours of v are neighbours[start[v]:start[v + 1]]."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit


class Graph(NamedTuple):
    """A graph with weights at its vertices."""

    start: np.ndarray  # (n + 1,) int64
    neighbours: np.ndarray  # (2 e,) int64: those of v are neighbours[start[v]] … neighbours[start[v + 1] - 1]
    weights: np.ndarray  # (n,) int64


@njit(cache=True, nogil=True)
def peel_tree(graph, k):
    """Cut a forest greedily: always the edge whose lighter side is the lightest of those with both sides >= k.

    Returns the root of each vertex (one vertex for its whole class) and the cut edges in order: (cut off, neighbour).
    """
    start, neighbours, weights = graph
    n = len(weights)
    degree = np.empty(n, np.int64)
    others = np.zeros(n, np.int64)  # exclusive or of the living neighbours: the only one left, once degree is 1
    heavy = weights.copy()
    for v in range(n):
        degree[v] = start[v + 1] - start[v]
        for place in range(start[v], start[v + 1]):
            others[v] ^= neighbours[place]
    root = np.arange(n)
    cuts = np.empty((n, 2), np.int64)
    cut_count = 0
    merged = np.empty(n, np.int64)
    merged_count = 0
    light = np.empty(n, np.int64)
    light_count = 0
    leaves = [(np.int64(0), np.int64(0)) for _ in range(0)]
    for v in range(n):
        if degree[v] == 1:
            if heavy[v] < k:
                light[light_count] = v
                light_count += 1
            else:
                leaves.append((heavy[v], np.int64(v)))
    heapq.heapify(leaves)
    while light_count > 0 or len(leaves) > 0:
        if light_count > 0:
            light_count -= 1
            v = light[light_count]
            if degree[v] != 1:
                continue
            u = others[v]
            root[v] = u
            merged[merged_count] = v
            merged_count += 1
            heavy[u] += heavy[v]
        else:
            _, v = heapq.heappop(leaves)
            if degree[v] != 1:
                continue
            u = others[v]
            cuts[cut_count, 0] = v
            cuts[cut_count, 1] = u
            cut_count += 1
        degree[v] = 0
        degree[u] -= 1
        others[u] ^= v
        if degree[u] == 1:
            if heavy[u] < k:
                light[light_count] = u
                light_count += 1
            else:
                heapq.heappush(leaves, (heavy[u], np.int64(u)))
    for place in range(merged_count - 1, -1, -1):
        v = merged[place]
        root[v] = root[root[v]]
    return root, cuts[:cut_count]


@njit(cache=True, nogil=True)
def depth_first_forest(start, neighbours, roots):
    """Parents of a depth-first forest that tries vertices as roots in the given order; -1 for a root.

    It goes on to the neighbour that has the fewest unvisited neighbours itself (Warnsdorff's rule), which leaves few
    branches; where there are more than 64 neighbours, to the first.
    """
    n = len(start) - 1
    parent = np.full(n, -2, np.int64)
    position = start[:-1].copy()
    free = start[1:] - start[:-1]
    stack = np.empty(n, np.int64)
    for root in roots:
        if parent[root] != -2:
            continue
        parent[root] = -1
        for place in range(start[root], start[root + 1]):
            free[neighbours[place]] -= 1
        stack[0] = root
        height = 1
        while height > 0:
            v = stack[height - 1]
            many = start[v + 1] - start[v] > 64
            chosen = np.int64(-1)
            place = position[v]
            while place < start[v + 1] and not (many and chosen >= 0):
                u = neighbours[place]
                if parent[u] == -2 and (chosen < 0 or free[u] < free[chosen]):
                    chosen = u
                place += 1
            if chosen < 0:
                height -= 1
                continue
            if many:
                position[v] = place
            parent[chosen] = v
            for place in range(start[chosen], start[chosen + 1]):
                free[neighbours[place]] -= 1
            stack[height] = chosen
            height += 1
    return parent


@njit(cache=True, nogil=True)
def depths(parent):
    """Depth of each vertex of a rooted forest."""
    n = len(parent)
    depth = np.full(n, -1, np.int64)
    path = np.empty(n, np.int64)
    for first in range(n):
        length = 0
        v = first
        while v >= 0 and depth[v] < 0:
            path[length] = v
            length += 1
            v = parent[v]
        level = depth[v] if v >= 0 else -1
        for place in range(length - 1, -1, -1):
            level += 1
            depth[path[place]] = level
    return depth


@njit(cache=True, nogil=True)
def top(above, v):
    """Who names the set of v, of sets of which everyone points to one above; shortens the way there."""
    while above[v] != v:
        above[v] = above[above[v]]
        v = above[v]
    return v


@njit(cache=True, nogil=True)
def improving_edge(edges, parent, depth, degree, improver):
    """One phase of Fürer and Raghavachari: an edge whose cycle passes a vertex of the largest degree and no bad end.

    `improver[v]` receives the edge that can lower v from the largest degree - 1 (-1: none known). Returns the edge and
    the vertex of largest degree that it lowers, or (-1, -1) when the tree cannot be improved.
    """
    n = len(parent)
    largest = degree.max()
    bad = degree >= largest - 1
    above = np.arange(n)  # the sets of good vertices, each named by its highest vertex
    for v in range(n):
        if not bad[v] and parent[v] >= 0 and not bad[parent[v]]:
            above[v] = parent[v]
    changed = True
    while changed:
        changed = False
        for e in range(len(edges)):
            u, v = edges[e, 0], edges[e, 1]
            if bad[u] or bad[v] or parent[u] == v or parent[v] == u:
                continue
            a, b = top(above, u), top(above, v)
            while a != b:
                if depth[a] < depth[b]:
                    a, b = b, a
                p = parent[a]
                if degree[p] == largest:
                    return e, p
                a = top(above, p)
            a, b = top(above, u), top(above, v)
            while a != b:
                if depth[a] < depth[b]:
                    a, b = b, a
                p = parent[a]
                if bad[p]:
                    bad[p] = False
                    improver[p] = e
                    changed = True
                above[a] = p
                a = top(above, p)
    return -1, -1
