"""Hot loops of the exact search on small graphs; sets of vertices are bit masks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit


class SetLimits(NamedTuple):
    """Limits on listing sets."""

    least: int  # least weight of a set
    most: int  # and at most
    steps: int  # sets that may be examined


@njit(cache=True, nogil=True)
def weigh_sets(near, weights, k):
    """Weight of every set of vertices, whether it is connected and weighs k; `near` holds the masks of neighbors."""
    n = len(near)
    size = 1 << n
    sums = np.zeros(size, np.int64)
    usable = np.zeros(size, np.bool_)
    for members in range(1, size):
        lowest = 0
        while not members >> lowest & 1:
            lowest += 1
        sums[members] = sums[members & (members - 1)] + weights[lowest]
        if sums[members] < k:
            continue
        reached = 1 << lowest
        fresh = reached
        while fresh:
            adjacent = 0
            for v in range(n):
                if fresh >> v & 1:
                    adjacent |= near[v]
            fresh = adjacent & members & ~reached
            reached |= fresh
        usable[members] = reached == members
    return sums, usable


@njit(cache=True, nogil=True)
def connected_sets(graph, rank, limits):
    """Every connected set whose weight lies within the limits, or none if there are too many sets to examine.

    Each set is found once: starting from its member of least rank, candidates are added or permanently excluded.
    Returns the members one set after another, where each set ends, and whether all sets were found.
    """
    start, neighbors, weights = graph
    least, most, steps = limits
    n = len(weights)
    vertices = [np.int64(0) for _ in range(0)]
    ends = [np.int64(0) for _ in range(0)]
    members = np.empty(n + 1, np.int64)
    candidates = np.empty(n + 1, np.int64)
    following = np.empty(n + 1, np.int64)  # of each level, the candidate to examine next
    counts = np.empty(n + 1, np.int64)  # and how many there are
    visited = np.zeros(n, np.bool_)
    for root in range(n):
        visited[:] = False
        visited[root] = True
        candidates[0] = root
        following[0] = 0
        counts[0] = 1
        weight = np.int64(0)
        level = 0
        while level >= 0:
            if following[level] == counts[level]:
                level -= 1
                if level >= 0:
                    for place in range(counts[level], counts[level + 1]):
                        visited[candidates[place]] = False
                    weight -= weights[members[level]]
                continue
            v = candidates[following[level]]
            following[level] += 1
            if weight + weights[v] > most:
                continue
            steps -= 1
            if steps < 0:
                return np.empty(0, np.int64), np.empty(0, np.int64), False
            weight += weights[v]
            members[level] = v
            count = counts[level]
            for slot in range(start[v], start[v + 1]):
                u = neighbors[slot]
                if not visited[u] and rank[u] > rank[root]:
                    visited[u] = True
                    candidates[count] = u
                    count += 1
            level += 1
            following[level] = following[level - 1]
            counts[level] = count
            if weight >= least:
                for place in range(level):
                    vertices.append(members[place])
                ends.append(np.int64(len(vertices)))
    return np.array(vertices), np.array(ends), True
