"""Hot loops on a part of a graph in two connected halves, of which one shall weigh as much as is wanted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit
from kanon_engine.regions.recombine.partition_kernels import still_connected
from kanon_engine.regions.recombine.subset_kernels import FIRST, NEITHER, SECOND, fitted
from kanon_engine.search.random_kernels import draw

STAMP = np.dtype([("stamp", np.int64)])
PERIOD = 4  # steps for each vertex between two looks at sets of moves
LOOK = 5  # what a look costs, in steps for each vertex


class Halves(NamedTuple):
    """Two halves of a part of the graph; scratch."""

    label: np.ndarray  # (n,) int64: `FIRST`, `SECOND`, `NEITHER` yet, or 0 outside the part
    best: np.ndarray  # (n,) int64: the labels of the members with the weight nearest to what is wanted
    mark: np.ndarray  # (n,) int64
    waiting: np.ndarray  # (n,) int64
    numbers: np.record  # the marks used
    random: np.ndarray  # (1,) uint64: state of the generator


class Wish(NamedTuple):
    """What the first half shall weigh."""

    low: int
    high: int
    target: int  # what is best
    fine: int  # how near to it is near enough
    heat: float  # a step away from the target is made with a probability that falls with its length over this
    stiffness: float  # and with the length of the border between the halves times this
    steps: int  # at most


@uncounted_njit(cache=True, nogil=True)
def _reach(graph, halves, first):
    """Label a vertex, and all in no half yet that hang together with it, the second half; returns how many.

    They are the first of `waiting`, the nearest ones first.
    """
    start, neighbours, _ = graph
    label, waiting = halves.label, halves.waiting
    waiting[0] = first
    label[first] = SECOND
    size, done = 1, 0
    while done < size:
        v = waiting[done]
        done += 1
        for place in range(start[v], start[v + 1]):
            u = neighbours[place]
            if label[u] == NEITHER:
                label[u] = SECOND
                waiting[size] = u
                size += 1
    return size


@uncounted_njit(cache=True, nogil=True)
def halve(graph, halves, members, aim):
    """Label the members, at least two and connected: those nearest to a random one, up to a weight, and the others.

    What is cut off from the one farthest from it joins the first half.
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
    """Mark a vertex and what hangs together with it in its half but for what is marked; returns its end, its weight.

    It is put into `waiting`, behind the first `size`.
    """
    start, neighbours, weights = graph
    label, mark, waiting, stamp = halves.label, halves.mark, halves.waiting, halves.numbers.stamp
    waiting[size] = first
    mark[first] = stamp
    done, size, load = size, size + 1, np.int64(0)
    while done < size:
        v = waiting[done]
        load += weights[v]
        done += 1
        for place in range(start[v], start[v + 1]):
            u = neighbours[place]
            if label[u] == label[first] and mark[u] != stamp:
                mark[u] = stamp
                waiting[size] = u
                size += 1
    return size, load


@uncounted_njit(cache=True, nogil=True)
def cut_off(graph, halves, u):
    """What a half loses besides u if the heaviest part stays: how many vertices, and their weight.

    They are the first of `waiting`.
    """
    start, neighbours, _ = graph
    label, mark, numbers = halves.label, halves.mark, halves.numbers
    numbers.stamp += 2
    mark[u] = numbers.stamp
    heaviest, root = np.int64(-1), u
    for place in range(start[u], start[u + 1]):
        v = neighbours[place]
        if label[v] == label[u] and mark[v] != numbers.stamp:
            _, load = flood(graph, halves, v, 0)
            if load > heaviest:
                heaviest, root = load, v
    numbers.stamp += 2
    mark[u] = numbers.stamp
    flood(graph, halves, root, 0)
    size, along = 0, np.int64(0)
    for place in range(start[u], start[u + 1]):
        v = neighbours[place]
        if label[v] == label[u] and mark[v] != numbers.stamp:
            size, load = flood(graph, halves, v, size)
            along += load
    return size, along


@uncounted_njit(cache=True, nogil=True)
def weigh_out(graph, halves, subsets, members, wish):
    """Move vertices over the border until the first half weighs about the target; returns how far off, and the steps.

    The labels are then those with the weight nearest to the target that was met between low and high; -1 where none
    was.
    """
    start, neighbours, weights = graph
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
        own = label[u]
        other = FIRST + SECOND - own
        if label[neighbours[start[u] + draw(random, start[u + 1] - start[u])]] != other:
            continue
        if count == (1 if own == FIRST else size - 1):
            continue
        after = load - weights[u] if own == FIRST else load + weights[u]
        longer = np.int64(0)
        for place in range(start[u], start[u + 1]):
            beside = label[neighbours[place]]
            longer += np.int64(beside == own) - np.int64(beside == other)
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
