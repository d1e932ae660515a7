"""Hot loops on trees and graphs; the neighbors of v are neighbors[start[v]:start[v + 1]]."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit


class Graph(NamedTuple):
    """A graph with weights at its vertices."""

    start: np.ndarray  # (n + 1,) int64
    neighbors: np.ndarray  # (2 e,) int64: those of v are neighbors[start[v]] … neighbors[start[v + 1] - 1]
    weights: np.ndarray  # (n,) int64


@njit(cache=True, nogil=True)
def peel_tree(graph, k):
    """Cut a forest greedily: always the edge whose lighter side is the lightest of those with both sides >= k.

    Returns the root of each vertex (one vertex for its whole class) and the cut edges in order: (cut off, neighbor).
    """
    start, neighbors, weights = graph
    n = len(weights)
    degree = np.empty(n, np.int64)
    others = np.zeros(n, np.int64)  # exclusive or of the remaining neighbors: the only one left once the degree is 1
    heavy = weights.copy()
    for v in range(n):
        degree[v] = start[v + 1] - start[v]
        for place in range(start[v], start[v + 1]):
            others[v] ^= neighbors[place]
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
def depth_first_forest(start, neighbors, roots):
    """Parents of a depth-first forest that tries vertices as roots in the given order; -1 for a root.

    It continues to the neighbor with the fewest unvisited neighbors (Warnsdorff's rule), which leaves few branches; if
    there are more than 64 neighbors, to the first.
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
            free[neighbors[place]] -= 1
        stack[0] = root
        height = 1
        while height > 0:
            v = stack[height - 1]
            many = start[v + 1] - start[v] > 64
            chosen = np.int64(-1)
            place = position[v]
            while place < start[v + 1] and not (many and chosen >= 0):
                u = neighbors[place]
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
                free[neighbors[place]] -= 1
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
    """The root that names the set of v in a union-find forest; shortens the path to it."""
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


# ---------------------------------------------------------------------------------------------------------------------
# Hamiltonian paths by rotations
# ---------------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def rotate(start, neighbors, path, steps, generator):
    """Lengthen a path by Pósa's rotations and by insertions, for a number of steps; returns the path and its length.

    `path` holds all vertices; at first the path is only its first one. A step appends a neighbor of the last vertex
    that is not yet on the path, the one with the fewest such neighbors. Otherwise it inserts a vertex between two
    consecutive neighbors of it. Otherwise it reverses the path's tail after a random neighbor of the last vertex, so
    that another vertex is last. Of two random reversals it takes the one whose new end has more free neighbors.
    """
    n = len(path)
    place = np.empty(n, np.int64)
    for i in range(n):
        place[path[i]] = i
    length = 1
    for step in range(steps):
        if length == n:
            break
        v = path[length - 1]
        best = -1
        fewest = n
        for at in range(start[v], start[v + 1]):
            u = neighbors[at]
            if place[u] >= length:
                free = _free(start, neighbors, place, length, u)
                if free < fewest:
                    best, fewest = u, free
        if best >= 0:
            _swap(path, place, place[best], length)
            length += 1
            continue
        if step % 8 == 0:
            added = _insert(start, neighbors, path, place, length)
            if added > length:
                length = added
                continue
        if step % 64 == 63:
            _turn(path, place, 0, length - 1)
            continue
        cut = -1
        most = -1
        for _ in range(2):
            u = neighbors[start[v] + int(generator.random() * (start[v + 1] - start[v]))]
            if place[u] < length - 2:
                free = _free(start, neighbors, place, length, path[place[u] + 1])
                if free > most:
                    cut, most = place[u], free
        if cut >= 0:
            _turn(path, place, cut + 1, length - 1)
    return path, length


@njit(cache=True, nogil=True)
def _free(start, neighbors, place, length, v):
    count = 0
    for at in range(start[v], start[v + 1]):
        if place[neighbors[at]] >= length:
            count += 1
    return count


@njit(cache=True, nogil=True)
def _swap(path, place, i, j):
    path[i], path[j] = path[j], path[i]
    place[path[i]] = i
    place[path[j]] = j


@njit(cache=True, nogil=True)
def _turn(path, place, i, j):
    while i < j:
        _swap(path, place, i, j)
        i += 1
        j -= 1


@njit(cache=True, nogil=True)
def _insert(start, neighbors, path, place, length):
    """Insert a free vertex between two of its neighbors that are consecutive, if there is one; returns the new
    length."""
    for i in range(length, len(path)):
        v = path[i]
        for at in range(start[v], start[v + 1]):
            left = place[neighbors[at]]
            if left >= length - 1:
                continue
            right = path[left + 1]
            for other in range(start[v], start[v + 1]):
                if neighbors[other] == right:
                    _swap(path, place, i, length)
                    for j in range(length, left + 1, -1):
                        _swap(path, place, j, j - 1)
                    return length + 1
    return length


# ---------------------------------------------------------------------------------------------------------------------
# Plane graphs
# The darts (directed edges) out of v are start[v] … start[v + 1] - 1, in their order around v; `head[d]` is where dart
# d leads, `face[d]` the face next to it; the corners of face f are corners[face_start[f]:face_start[f + 1]].
# ---------------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def orbits(following):
    """Cycles of a permutation: number of each element's cycle, elements cycle by cycle, where each cycle starts."""
    count = len(following)
    number = np.full(count, -1, np.int64)
    order = np.empty(count, np.int64)
    start = np.empty(count + 1, np.int64)
    cycles = 0
    filled = 0
    for first in range(count):
        if number[first] >= 0:
            continue
        start[cycles] = filled
        d = first
        while number[d] < 0:
            number[d] = cycles
            order[filled] = d
            filled += 1
            d = following[d]
        cycles += 1
    start[cycles] = filled
    return number, order, start[: cycles + 1]


@njit(cache=True, nogil=True)
def separating_pair(start, head, face, face_start, corners):
    """Two vertices that cut a 2-connected plane graph of at least four vertices, or (-1, -1)."""
    n = len(start) - 1
    common = np.zeros(n, np.int64)  # faces shared with a in excess of the allowed number: one, and two for a neighbor
    for a in range(n):
        for d in range(start[a], start[a + 1]):
            common[head[d]] = -1
        for d in range(start[a], start[a + 1]):
            for place in range(face_start[face[d]], face_start[face[d] + 1]):
                b = corners[place]
                common[b] += 1
                if b != a and common[b] == 2:
                    return a, b
        for d in range(start[a], start[a + 1]):
            for place in range(face_start[face[d]], face_start[face[d] + 1]):
                common[corners[place]] = 0
    return -1, -1


@njit(cache=True, nogil=True)
def _touches(start, face, v, f):
    for d in range(start[v], start[v + 1]):  # noqa: SIM110 - a generator does not compile
        if face[d] == f:
            return True
    return False


@njit(cache=True, nogil=True)
def separating_triple(start, head, face, face_start, corners):
    """Three vertices that cut a 3-connected plane graph of at least five vertices, or (-1, -1, -1)."""
    n = len(start) - 1
    around = np.full(len(face_start) - 1, -1, np.int64)  # the last vertex a found to touch this face
    first = np.full(len(face_start) - 1, -1, np.int64)  # latest record of each face for the current a
    record = [(np.int64(0), np.int64(0), np.int64(0)) for _ in range(0)]  # b, f and the record before
    reached = [np.int64(0) for _ in range(0)]
    for a in range(n):
        record.clear()
        for g in reached:
            first[g] = -1
        reached.clear()
        for d in range(start[a], start[a + 1]):
            around[face[d]] = a
        for d in range(start[a], start[a + 1]):
            f = face[d]
            for place in range(face_start[f], face_start[f + 1]):
                b = corners[place]
                if b == a:
                    continue
                for leaving in range(start[b], start[b + 1]):
                    g = face[leaving]
                    if around[g] == a:
                        continue
                    older = first[g]
                    while older >= 0:
                        c, h, older = record[older]
                        if c == b or h == f or _touches(start, face, b, h) or _touches(start, face, c, f):
                            continue
                        triangle = False
                        for side in range(start[a], start[a + 1]):
                            t = face[side]
                            if face_start[t + 1] - face_start[t] == 3 and _touches(start, face, b, t):
                                triangle |= _touches(start, face, c, t)
                        if not triangle:
                            return a, b, c
                    record.append((np.int64(b), np.int64(f), first[g]))
                    reached.append(np.int64(g))
                    first[g] = len(record) - 1
    return -1, -1, -1
