"""Hot loops that move several vertices over the border of two halves at once, so that the weight fits exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit
from kanon_engine.regions.recombine.partition_kernels import still_connected
from kanon_engine.search.random_kernels import draw

FIRST, SECOND, NEITHER = 1, 2, 3  # labels: the two halves of a part, and in neither yet
TOGETHER = 18  # vertices of which all subsets are looked at, at most
HITS = 6  # subsets of the right weight that are tried, as some of them would cut a half in two


class Subsets(NamedTuple):
    """Vertices that may change their halves, and what subsets of them weigh; scratch.

    Subsets are those of the first half of the vertices, those of the second, and room for merging.
    """

    found: np.ndarray  # (TOGETHER,) int64
    chosen: np.ndarray  # (TOGETHER,) int64
    sums: np.ndarray  # (3, 2^(TOGETHER / 2)) int64: what the subsets weigh, ascending
    bits: np.ndarray  # (3, 2^(TOGETHER / 2)) int64: which subset each sum is of


def scratch() -> Subsets:
    """Room for subsets."""
    found, chosen = np.zeros((2, TOGETHER), dtype=np.int64)
    sums, bits = np.zeros((2, 3, 1 << TOGETHER // 2), dtype=np.int64)
    return Subsets(found, chosen, sums, bits)


@uncounted_njit(cache=True, nogil=True)
def loose_vertices(graph, halves, members, found):
    """Some vertices each of which may change its half alone, in random order; returns how many."""
    label = halves.label
    size, count = len(members), 0
    first = draw(halves.random, size)
    for place in range(size):
        u = members[(first + place) % size]
        if beside_other(graph, label, u) and still_connected(graph, halves, halves.waiting, u):
            found[count] = u
            count += 1
            if count == len(found):
                break
    for place in range(count - 1, 0, -1):
        other = draw(halves.random, place + 1)
        found[place], found[other] = found[other], found[place]
    return count


@uncounted_njit(cache=True, nogil=True)
def beside_other(graph, label, u):
    """Whether the vertex has a neighbour in the other half."""
    for place in range(graph.start[u], graph.start[u + 1]):
        if label[graph.neighbours[place]] == FIRST + SECOND - label[u]:
            return True
    return False


@uncounted_njit(cache=True, nogil=True)
def subset_sums(graph, label, found, first, end, sums, bits, spare, spare_bits):
    """By how much each subset of some vertices changes the first half, ascending; returns how many subsets."""
    sums[0] = bits[0] = 0
    size = 1
    for place in range(first, end):
        weight = graph.weights[found[place]]
        change = -weight if label[found[place]] == FIRST else weight
        for subset in range(size):
            spare[subset], spare_bits[subset] = sums[subset], bits[subset]
        without, joined = 0, 0
        for subset in range(2 * size):
            if joined == size or (without < size and spare[without] <= spare[joined] + change):
                sums[subset], bits[subset] = spare[without], spare_bits[without]
                without += 1
            else:
                sums[subset], bits[subset] = spare[joined] + change, spare_bits[joined] | 1 << place
                joined += 1
        size *= 2
    return size


@uncounted_njit(cache=True, nogil=True)
def moved(graph, halves, chosen, size):
    """Move these vertices one after the other; whether both halves stayed connected, else nothing has changed."""
    label = halves.label
    for place in range(size):
        u = chosen[place]
        if not (beside_other(graph, label, u) and still_connected(graph, halves, halves.waiting, u)):
            for back in range(place):
                label[chosen[back]] = FIRST + SECOND - label[chosen[back]]
            return False
        label[u] = FIRST + SECOND - label[u]
    return True


@uncounted_njit(cache=True, nogil=True)
def fitted(graph, halves, subsets, members, least, most):
    """Move a set of vertices over the border that changes the weight of the first half by least to most.

    Returns by how much, or most + 1 where none was found. The subsets of up to `TOGETHER` vertices are looked at from
    two sides: for each subset of the second half of them those of the first half that fit are looked up.
    """
    found, chosen, sums, bits = subsets
    label = halves.label
    count = loose_vertices(graph, halves, members, found)
    left = subset_sums(graph, label, found, 0, count // 2, sums[0], bits[0], sums[2], bits[2])
    right = subset_sums(graph, label, found, count // 2, count, sums[1], bits[1], sums[2], bits[2])
    begin, tries = draw(halves.random, right), 0
    for step in range(right):
        other = (begin + step) % right
        low, high = 0, left
        while low < high:
            middle = (low + high) // 2
            if sums[0, middle] < least - sums[1, other]:
                low = middle + 1
            else:
                high = middle
        if low == left or sums[0, low] + sums[1, other] > most:
            continue
        which, size = bits[0, low] | bits[1, other], 0
        for place in range(count):
            if which >> place & 1:
                chosen[size] = found[place]
                size += 1
        if moved(graph, halves, chosen, size):
            return sums[0, low] + sums[1, other]
        tries += 1
        if tries == HITS:
            break
    return most + 1
