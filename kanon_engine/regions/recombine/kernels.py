"""Annealing over partitions into connected classes; see `recombine`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit
from kanon_engine.regions.recombine.partition_kernels import (
    accepted,
    draw,
    is_low,
    kinds,
    lacking,
    price,
    record,
    recount,
    room,
    still_connected,
    tally,
    worth,
)
from kanon_engine.regions.recombine.tree_cut_kernels import best_cut, border_change, breach_change, cut, grow, weigh


@uncounted_njit(cache=True, nogil=True)
def shift(graph, state, tree, place):
    """Move a vertex into the class of its neighbour, if the price is right and its own class stays connected."""
    u = graph.tails[place]
    a, b = state.label[u], state.label[graph.neighbours[place]]
    w = graph.weights[u]
    if state.count[a] == 1:
        return False
    numbers = state.numbers
    old_a, old_b = state.load[a], state.load[b]
    change = price(old_a - w, numbers) + price(old_b + w, numbers)
    change -= price(old_a, numbers) + price(old_b, numbers)
    for row in range(len(state.minima)):
        least, own = state.minima[row], graph.columns[row, u]
        in_a, in_b = state.sums[row, a], state.sums[row, b]
        more = max(least - in_a + own, 0) + max(least - in_b - own, 0) - max(least - in_a, 0) - max(least - in_b, 0)
        change += numbers.short_price * more / least
    broken = moved_breaches(graph, state, u, b)
    change += numbers.breach_price * broken
    longer = 0.0
    if numbers.border_price > 0:
        for other in range(graph.start[u], graph.start[u + 1]):
            own = state.label[graph.neighbours[other]]
            if own == a:
                longer += graph.lengths[other]
            elif own == b:
                longer -= graph.lengths[other]
        change += numbers.border_price * longer
    if not accepted(state, change) or not still_connected(graph, state, tree.order, u):
        return False
    numbers.borders += longer
    numbers.broken += broken
    tally(state, a, -1)
    tally(state, b, -1)
    state.load[a] -= w
    state.load[b] += w
    for row in range(len(state.minima)):
        state.sums[row, a] -= graph.columns[row, u]
        state.sums[row, b] += graph.columns[row, u]
    state.count[a] -= 1
    state.count[b] += 1
    state.label[u] = b
    tally(state, a, 1)
    tally(state, b, 1)
    return True


@uncounted_njit(cache=True, nogil=True)
def moved_breaches(graph, state, u, b):
    """What moving a vertex into class b adds to `breaches`."""
    a = state.label[u]
    change = 0
    for place in range(graph.conflict_start[u], graph.conflict_start[u + 1]):
        own = state.label[graph.conflicts[place]]
        change += np.int64(own == b) - np.int64(own == a)
    for s in range(len(graph.set_start) - 1):
        is_member = False
        for place in range(graph.set_start[s], graph.set_start[s + 1]):
            is_member |= graph.set_members[place] == u
        if is_member:
            change -= kinds(graph, s, state.label)
            state.label[u] = b
            change += kinds(graph, s, state.label)
            state.label[u] = a
    return change


class Change(NamedTuple):
    """Which classes are to become how many."""

    first: int  # a vertex of one of them
    old: int  # how many of state.classes they are
    new: int
    aim: int  # how many they are to become in the end


@uncounted_njit(cache=True, nogil=True)
def exchange(graph, state, tree, change):
    """Replace the first `old` classes of state.classes by `new` ones along a random tree, if the price is right.

    The parts are made as if they were to be cut further, into `aim` classes in all.
    """
    first, old, new, aim = change
    numbers = state.numbers
    size = grow(graph, state, tree, first, 2 * draw(state.random, 5))
    if size < new:
        return False
    cost = 0.0
    for place in range(old):
        cost -= worth(state, state.classes[place])
    if new == 1:
        tree.weights[0] = weigh(graph, tree, size, 0)
    state.fresh[:] = 0
    state.fresh[0] = aim
    for part in range(1, new):
        donor = 0
        while state.fresh[donor] < 2:
            donor += 1
        tree.weights[donor] = weigh(graph, tree, size, donor)
        position, share = best_cut(state, tree, size, donor)
        if position < 0:
            return False
        cut(tree, size, position, donor, part)
        tree.weights[part] = tree.sums[position]
        tree.weights[donor] -= tree.sums[position]
        for row in range(len(state.minima)):
            tree.counts[row, part] = tree.below[row, position]
            tree.counts[row, donor] -= tree.below[row, position]
        state.fresh[part] = share
        state.fresh[donor] -= share
    for part in range(new):
        cost += price(tree.weights[part], numbers) + numbers.short_price * lacking(state.minima, tree.counts, part)
    broken = 0
    if len(graph.conflicts) > 0 or len(graph.set_members) > 0:
        broken = breach_change(graph, state, tree, size)
        cost += numbers.breach_price * broken
    longer = border_change(graph, state, tree, size) if numbers.border_price > 0 else 0.0
    if not accepted(state, cost + numbers.border_price * longer):
        return False
    numbers.borders += longer
    numbers.broken += broken
    for place in range(old):
        c = state.classes[place]
        tally(state, c, -1)
        state.load[c] = state.count[c] = 0
        state.sums[:, c] = 0
        state.free[numbers.free] = c
        numbers.free += 1
    for part in range(new):
        numbers.free -= 1
        state.fresh[part] = state.free[numbers.free]
    for position in range(size):
        v = tree.order[position]
        c = state.fresh[tree.part[position]]
        state.label[v] = c
        state.load[c] += graph.weights[v]
        state.count[c] += 1
        for row in range(len(state.minima)):
            state.sums[row, c] += graph.columns[row, v]
    for part in range(new):
        tally(state, state.fresh[part], 1)
    return True


@uncounted_njit(cache=True, nogil=True)
def third_class(graph, state, vertex):
    """A class next to the first two of state.classes, found by a short walk; -1 if none was met."""
    a, b = state.classes[0], state.classes[1]
    for _ in range(6):
        width = graph.start[vertex + 1] - graph.start[vertex]
        vertex = graph.neighbours[graph.start[vertex] + draw(state.random, width)]
        if state.label[vertex] != a and state.label[vertex] != b:
            return state.label[vertex]
    return -1


@uncounted_njit(cache=True, nogil=True)
def step(graph, state, tree):
    """One random change of the partition; True if it was made."""
    places = len(graph.neighbours)
    place = draw(state.random, places)
    first = graph.tails[place]
    state.classes[0] = a = state.label[first]
    state.classes[1] = state.classes[2] = -1
    if room(state, 1) >= 2 and draw(state.random, 8) == 0:
        return exchange(graph, state, tree, Change(first, 1, 2, 2))
    tries = 0
    while state.label[graph.neighbours[place]] == a:
        tries += 1
        if tries > 50:
            return False
        place = draw(state.random, places)
        first = graph.tails[place]
        a = state.label[first]
    if draw(state.random, 2) == 0:
        return shift(graph, state, tree, place)
    state.classes[0] = a
    state.classes[1] = state.label[graph.neighbours[place]]
    old = 2
    if draw(state.random, 4) == 0:
        c = third_class(graph, state, graph.neighbours[place])
        if c >= 0:
            state.classes[2] = c
            old = 3
    new = old
    if draw(state.random, 4) == 0:
        new += 1 if draw(state.random, 2) == 0 else -1
    new = max(1, min(new, room(state, old)))
    if new < old:
        new = min(old, max(new, old - state.numbers.classes + state.numbers.pin))
    return exchange(graph, state, tree, Change(first, old, new, new))


@uncounted_njit(cache=True, nogil=True)
def split_up(graph, state, tree, tries, work):
    """Cut classes with room for two in two, and so on, while a random tree of `tries` allows; at most `work` steps."""
    state.classes[1] = state.classes[2] = -1
    for first in range(len(state.label)):
        failed = 0
        while failed < tries and work > 0:
            state.classes[0] = c = state.label[first]
            aim = room(state, 1)
            if aim < 2:
                break
            work -= state.count[c]
            failed = 0 if exchange(graph, state, tree, Change(first, 1, 2, aim)) else failed + 1


@uncounted_njit(cache=True, nogil=True)
def mend(graph, state, tree):
    """Merge every class below k or a minimum with its lightest neighbour until there is none; returns how often.

    Always possible: such a class is not all of its part of the map, which reaches k and every minimum.
    """
    merged = 0
    heat, state.numbers.heat = state.numbers.heat, np.inf
    for first in range(len(state.label)):
        while is_low(state, state.label[first]):
            state.classes[0] = c = state.label[first]
            state.classes[1] = state.classes[2] = -1
            size = grow(graph, state, tree, first, 0)
            lightest = -1
            for position in range(size):
                v = tree.order[position]
                for place in range(graph.start[v], graph.start[v + 1]):
                    own = state.label[graph.neighbours[place]]
                    if own != c and (lightest < 0 or state.load[own] < state.load[lightest]):
                        lightest = own
            state.classes[1] = lightest
            exchange(graph, state, tree, Change(first, 2, 1, 1))
            merged += 1
    state.numbers.heat = heat
    return merged


@uncounted_njit(cache=True, nogil=True)
def anneal(graph, state, tree, steps):
    """Make a number of steps at one temperature; returns how often the best partition was improved."""
    improved = 0
    pause = len(state.label) // 200  # looking at a partition takes as long as so many steps
    recount(state)
    for _ in range(steps):
        state.numbers.since += 1
        if not step(graph, state, tree) or state.numbers.low > 0 or state.numbers.over_best > 0:
            continue
        if state.numbers.since > pause and record(state):
            improved += 1
            recount(state)
    return improved
