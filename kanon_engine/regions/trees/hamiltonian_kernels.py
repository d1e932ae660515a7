"""The hot loop of the search for a Hamiltonian path; the neighbours of v are neighbours[start[v]:start[v + 1]]."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit


@njit(cache=True, nogil=True)
def rotate(start, neighbours, path, steps, generator):
    """Lengthen a path by Pósa's rotations and by insertions, for so many steps; returns the path and its length.

    `path` holds all vertices; only its first counts in the beginning. A step appends a neighbour of the last vertex
    that is not on the path yet, the one with fewest such neighbours; or else puts a vertex between two neighbours of
    its own that follow each other; or else turns the path's tail round, from a random neighbour of the last vertex on,
    so that another vertex is last. Of two random turns the one is taken whose new end sees more free vertices.
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
            u = neighbours[at]
            if place[u] >= length:
                free = _free(start, neighbours, place, length, u)
                if free < fewest:
                    best, fewest = u, free
        if best >= 0:
            _swap(path, place, place[best], length)
            length += 1
            continue
        if step % 8 == 0:
            added = _insert(start, neighbours, path, place, length)
            if added > length:
                length = added
                continue
        if step % 64 == 63:
            _turn(path, place, 0, length - 1)
            continue
        cut = -1
        most = -1
        for _ in range(2):
            u = neighbours[start[v] + int(generator.random() * (start[v + 1] - start[v]))]
            if place[u] < length - 2:
                free = _free(start, neighbours, place, length, path[place[u] + 1])
                if free > most:
                    cut, most = place[u], free
        if cut >= 0:
            _turn(path, place, cut + 1, length - 1)
    return path, length


@njit(cache=True, nogil=True)
def _free(start, neighbours, place, length, v):
    count = 0
    for at in range(start[v], start[v + 1]):
        if place[neighbours[at]] >= length:
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
def _insert(start, neighbours, path, place, length):
    """Put a free vertex between two of its neighbours that follow each other, if there is one; the new length."""
    for i in range(length, len(path)):
        v = path[i]
        for at in range(start[v], start[v + 1]):
            left = place[neighbours[at]]
            if left >= length - 1:
                continue
            right = path[left + 1]
            for other in range(start[v], start[v + 1]):
                if neighbours[other] == right:
                    _swap(path, place, i, length)
                    for j in range(length, left + 1, -1):
                        _swap(path, place, j, j - 1)
                    return length + 1
    return length
