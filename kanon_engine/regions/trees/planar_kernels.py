"""Hot loops on plane graphs.

The darts (directed edges) out of v are start[v] … start[v + 1] - 1, in their order around v; `head[d]` is where dart d
leads, `face[d]` the face beside it; the corners of face f are corners[face_start[f]:face_start[f + 1]].
"""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit


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
    common = np.zeros(n, np.int64)  # faces shared with a beyond what is allowed: one, and two for a neighbour
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
    around = np.full(len(face_start) - 1, -1, np.int64)  # the last vertex a that this face was seen to touch
    first = np.full(len(face_start) - 1, -1, np.int64)  # newest record of each face for the present a
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
