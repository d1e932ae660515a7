"""Hot loops on a part of a graph in two connected halves, one of which is to have a given weight."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit
from kanon_engine.regions.annealing_kernels import still_connected
from kanon_engine.search.search_kernels import draw

STAMP = np.dtype([("stamp", np.int64)])
PERIOD = 4  # steps per vertex between two searches for sets of moves
LOOK = 5  # cost of such a search, in steps per vertex


class Halves(NamedTuple):
    """Two halves of a part of the graph; scratch."""

    label: np.ndarray  # (n,) int64: `FIRST`, `SECOND`, `NEITHER` (not yet in a half), or 0 outside the part
    best: np.ndarray  # (n,) int64: the labels of the members with the weight closest to the target
    mark: np.ndarray  # (n,) int64
    waiting: np.ndarray  # (n,) int64
    numbers: np.record  # the marks used
    random: np.ndarray  # (1,) uint64: state of the generator


class WeightGoal(NamedTuple):
    """Target weight of the first half."""

    low: int
    high: int
    target: int  # the best weight
    fine: int  # how close to it is close enough
    heat: float  # a step away from the target is made with a probability that falls with its length over this
    stiffness: float  # and with the length of the border between the halves times this
    steps: int  # at most


@uncounted_njit(cache=True, nogil=True)
def _reach(graph, halves, first):
    """Put a vertex, and all vertices in no half yet that are connected to it, into the second half; returns how many.

    They are the first of `waiting`, the nearest ones first.
    """
    start, neighbors, _ = graph
    label, waiting = halves.label, halves.waiting
    waiting[0] = first
    label[first] = SECOND
    size, done = 1, 0
    while done < size:
        v = waiting[done]
        done += 1
        for place in range(start[v], start[v + 1]):
            u = neighbors[place]
            if label[u] == NEITHER:
                label[u] = SECOND
                waiting[size] = u
                size += 1
    return size


@uncounted_njit(cache=True, nogil=True)
def halve(graph, halves, members, aim):
    """Label the members, at least two and connected: those nearest to a random one, up to a weight, and the others.

    Members cut off from the one farthest from it join the first half.
    """
    label, waiting = halves.label, halves.waiting
    for v in members:
        label[v] = NEITHER
    size = _reach(graph, halves, members[draw(halves.random, len(members))])
    load = np.int64(0)
    for place in range(size):
        label[waiting[place]] = FIRST if place == 0 or (load < aim and place < size - 1) else NEITHER
        load += graph.weights[waiting[place]]
    _reach(graph, halves, waiting[size - 1])
    for v in members:
        if label[v] == NEITHER:
            label[v] = FIRST


@uncounted_njit(cache=True, nogil=True)
def flood(graph, halves, first, size):
    """Mark a vertex and the unmarked vertices connected to it in its half; returns their end and their weight.

    They are put into `waiting`, after the first `size`.
    """
    start, neighbors, weights = graph
    label, mark, waiting, stamp = halves.label, halves.mark, halves.waiting, halves.numbers.stamp
    waiting[size] = first
    mark[first] = stamp
    done, size, load = size, size + 1, np.int64(0)
    while done < size:
        v = waiting[done]
        load += weights[v]
        done += 1
        for place in range(start[v], start[v + 1]):
            u = neighbors[place]
            if label[u] == label[first] and mark[u] != stamp:
                mark[u] = stamp
                waiting[size] = u
                size += 1
    return size, load


@uncounted_njit(cache=True, nogil=True)
def cut_off(graph, halves, u):
    """What a half loses in addition to u if the heaviest part stays: how many vertices, and their weight.

    They are the first of `waiting`.
    """
    start, neighbors, _ = graph
    label, mark, numbers = halves.label, halves.mark, halves.numbers
    numbers.stamp += 2
    mark[u] = numbers.stamp
    heaviest, root = np.int64(-1), u
    for place in range(start[u], start[u + 1]):
        v = neighbors[place]
        if label[v] == label[u] and mark[v] != numbers.stamp:
            _, load = flood(graph, halves, v, 0)
            if load > heaviest:
                heaviest, root = load, v
    numbers.stamp += 2
    mark[u] = numbers.stamp
    flood(graph, halves, root, 0)
    size, along = 0, np.int64(0)
    for place in range(start[u], start[u + 1]):
        v = neighbors[place]
        if label[v] == label[u] and mark[v] != numbers.stamp:
            size, load = flood(graph, halves, v, size)
            along += load
    return size, along


@uncounted_njit(cache=True, nogil=True)
def weigh_out(graph, halves, subsets, members, wish):
    """Move vertices over the border until the first half weighs about the target; returns how far off, and the steps.

    The labels are then those whose weight, among those found between low and high, is closest to the target; -1 if
    there were none.
    """
    start, neighbors, weights = graph
    label, best, random = halves.label, halves.best, halves.random
    size, load, count, nearest, done = len(members), np.int64(0), 0, np.int64(-1), 0
    for v in members:
        if label[v] == FIRST:
            load += weights[v]
            count += 1
    moved = True
    while True:
        away = abs(load - wish.target)
        if moved and wish.low <= load <= wish.high and (nearest < 0 or away < nearest):
            nearest = away
            for place in range(size):
                best[place] = label[members[place]]
        if 0 <= nearest <= wish.fine or done == wish.steps:
            break
        done += 1
        moved = False
        if done % (PERIOD * size) == 0:
            done += min(LOOK * size, wish.steps - done)
            fine = min(wish.fine, nearest - 1) if nearest >= 0 else wish.fine
            most = min(wish.target + fine, wish.high) - load
            change = fitted(graph, halves, subsets, members, max(wish.target - fine, wish.low) - load, most)
            if change <= most:
                load += change
                moved, count = True, 0
                for v in members:
                    count += label[v] == FIRST
                continue
        u = members[draw(random, size)]
        half = label[u]
        other = FIRST + SECOND - half
        if label[neighbors[start[u] + draw(random, start[u + 1] - start[u])]] != other:
            continue
        if count == (1 if half == FIRST else size - 1):
            continue
        after = load - weights[u] if half == FIRST else load + weights[u]
        longer = np.int64(0)
        for place in range(start[u], start[u + 1]):
            neighbor_half = label[neighbors[place]]
            longer += np.int64(neighbor_half == half) - np.int64(neighbor_half == other)
        price = (abs(after - wish.target) - away) / wish.heat + wish.stiffness * longer
        if price > 0 and draw(random, 1 << 20) >= np.exp(-price) * (1 << 20):
            continue
        carried = 0
        if not still_connected(graph, halves, halves.waiting, u):
            carried, along = cut_off(graph, halves, u)
            after += along if other == FIRST else -along
            price = (abs(after - wish.target) - away) / wish.heat + wish.stiffness * longer
            if price > 0 and draw(random, 1 << 20) >= np.exp(-price) * (1 << 20):
                continue
        label[u] = other
        for place in range(carried):
            label[halves.waiting[place]] = other
        load = after
        count += 1 + carried if other == FIRST else -1 - carried
        moved = True
    if nearest >= 0:
        for place in range(size):
            label[members[place]] = best[place]
    return nearest, done


# ---------------------------------------------------------------------------------------------------------------------
# Several vertices that cross the border of the halves at once, so that the weight fits exactly
# ---------------------------------------------------------------------------------------------------------------------


FIRST, SECOND, NEITHER = 1, 2, 3  # labels: the two halves of a part, and in neither yet
TOGETHER = 18  # most vertices whose subsets are all examined
HITS = 6  # subsets of the right weight to try, because some of them would cut a half in two


class Subsets(NamedTuple):
    """Vertices that may change halves, and the weights of their subsets; scratch.

    Subsets are those of the first half of the vertices, those of the second, and room for merging.
    """

    found: np.ndarray  # (TOGETHER,) int64
    chosen: np.ndarray  # (TOGETHER,) int64
    sums: np.ndarray  # (3, 2^(TOGETHER / 2)) int64: what the subsets weigh, ascending
    bits: np.ndarray  # (3, 2^(TOGETHER / 2)) int64: which subset each sum is of


def room_for_subsets() -> Subsets:
    """Room for subsets."""
    vertices, chosen = np.zeros((2, TOGETHER), dtype=np.int64)
    sums, bits = np.zeros((2, 3, 1 << TOGETHER // 2), dtype=np.int64)
    return Subsets(vertices, chosen, sums, bits)


@uncounted_njit(cache=True, nogil=True)
def loose_vertices(graph, halves, members, vertices):
    """Some vertices, each of which may change halves by itself, in random order; returns how many."""
    label = halves.label
    size, count = len(members), 0
    first = draw(halves.random, size)
    for place in range(size):
        u = members[(first + place) % size]
        if borders_other_half(graph, label, u) and still_connected(graph, halves, halves.waiting, u):
            vertices[count] = u
            count += 1
            if count == len(vertices):
                break
    for place in range(count - 1, 0, -1):
        other = draw(halves.random, place + 1)
        vertices[place], vertices[other] = vertices[other], vertices[place]
    return count


@uncounted_njit(cache=True, nogil=True)
def borders_other_half(graph, label, u):
    """Whether the vertex has a neighbor in the other half."""
    for place in range(graph.start[u], graph.start[u + 1]):
        if label[graph.neighbors[place]] == FIRST + SECOND - label[u]:
            return True
    return False


@uncounted_njit(cache=True, nogil=True)
def subset_sums(graph, label, vertices, first, end, sums, bits, spare, spare_bits):
    """By how much each subset of some vertices changes the first half, ascending; returns how many subsets."""
    sums[0] = bits[0] = 0
    size = 1
    for place in range(first, end):
        weight = graph.weights[vertices[place]]
        change = -weight if label[vertices[place]] == FIRST else weight
        for subset in range(size):
            spare[subset], spare_bits[subset] = sums[subset], bits[subset]
        without, included = 0, 0
        for subset in range(2 * size):
            if included == size or (without < size and spare[without] <= spare[included] + change):
                sums[subset], bits[subset] = spare[without], spare_bits[without]
                without += 1
            else:
                sums[subset], bits[subset] = spare[included] + change, spare_bits[included] | 1 << place
                included += 1
        size *= 2
    return size


@uncounted_njit(cache=True, nogil=True)
def moved(graph, halves, chosen, size):
    """Move these vertices one after another; returns whether both halves stayed connected, otherwise nothing
    changes."""
    label = halves.label
    for place in range(size):
        u = chosen[place]
        if not (borders_other_half(graph, label, u) and still_connected(graph, halves, halves.waiting, u)):
            for back in range(place):
                label[chosen[back]] = FIRST + SECOND - label[chosen[back]]
            return False
        label[u] = FIRST + SECOND - label[u]
    return True


@uncounted_njit(cache=True, nogil=True)
def fitted(graph, halves, subsets, members, least, most):
    """Move a set of vertices over the border that changes the weight of the first half by least to most.

    Returns by how much, or most + 1 if none was found. The subsets of up to `TOGETHER` vertices are searched by meeting
    in the middle: for each subset of the second half, the fitting subsets of the first half are looked up.
    """
    vertices, chosen, sums, bits = subsets
    label = halves.label
    count = loose_vertices(graph, halves, members, vertices)
    left = subset_sums(graph, label, vertices, 0, count // 2, sums[0], bits[0], sums[2], bits[2])
    right = subset_sums(graph, label, vertices, count // 2, count, sums[1], bits[1], sums[2], bits[2])
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
                chosen[size] = vertices[place]
                size += 1
        if moved(graph, halves, chosen, size):
            return sums[0, low] + sums[1, other]
        tries += 1
        if tries == HITS:
            break
    return most + 1
