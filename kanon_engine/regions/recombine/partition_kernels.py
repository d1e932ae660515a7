"""A partition into classes that changes step by step, what it costs, and the best one seen."""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from kanon_engine.kernel_cache import njit

Graph = namedtuple(
    "Graph", "start neighbours tails weights lengths columns conflict_start conflicts set_start set_members"
)
"""Neighbour lists: place p holds the pair (tails[p], neighbours[p]) and the length of their common border. Second
counts, a row for each that has a minimum. Conflict lists: who may not share a class with v. The sets that stay in one
class, one after another."""

State = namedtuple("State", "label load count minima sums free whole real best classes fresh mark")
"""The partition: class of each vertex; weight and number of vertices of each class; the minima and what each class has
of those second counts; class numbers that are free; whole and real numbers as below; the best partition; scratch: old
and new class numbers of a step, a mark for each vertex."""

K, TARGET, PIN, CLASSES, LOW, OVER, OVER_BEST, BEST, FREE, STAMP, SINCE, SUMMED, BROKEN = range(13)
"""Whole numbers of a state: k; the largest class and the least number of classes aimed at; how many classes there are,
below k or a minimum, above the target, above the best's largest; that largest class (as large as can be while a sum
counts); how many class numbers are free; the marks used; the steps since the best was last looked at; 1 while a sum
counts; how many conflicts lie in one class and how often a set is parted."""

HEAT, SHORT, LONG, SCALE, BORDER, SQUARES, CUT, BEST_VALUE, BEST_CUT, LARGEST, MEAN, COMPACT, BREACH = range(13)
"""Real numbers of a state: temperature; price of weight missing to k, of weight above the target; a typical class
weighs 1 / SCALE; price of border length; sum of squared weights; length of borders between classes; the best's value,
which is its sum of squares, or, while a sum counts, largest * LARGEST + squares * MEAN + borders * COMPACT; the best's
borders; price of what BROKEN counts."""


@njit(cache=True, nogil=True)
def bits(random):
    """63 random bits; xorshift, whose state is random[0]."""
    state = random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    random[0] = state
    return np.int64(state >> np.uint64(1))


@njit(cache=True, nogil=True)
def draw(random, count):
    """A random whole number below count, which is below 2^31; without a division."""
    return ((bits(random) >> 32) * count) >> 31


@njit(cache=True, nogil=True)
def price(weight, whole, real):
    """What one class costs in the annealing: its squared weight, and what it misses or exceeds."""
    share = weight * real[SCALE]
    missing, excess = max(whole[K] - weight, 0), max(weight - whole[TARGET], 0)
    return share * share + (real[SHORT] * missing + real[LONG] * excess) * real[SCALE]


@njit(cache=True, nogil=True)
def lacking(minima, sums, c):
    """What column c of the sums misses to the minima, each as a share of its minimum."""
    share = 0.0
    for row in range(len(minima)):
        if sums[row, c] < minima[row]:
            share += (minima[row] - sums[row, c]) / minima[row]
    return share


@njit(cache=True, nogil=True)
def worth(state, c):
    """What a class of the partition costs."""
    real = state.real
    return price(state.load[c], state.whole, real) + real[SHORT] * lacking(state.minima, state.sums, c)


@njit(cache=True, nogil=True)
def is_low(state, c):
    """Whether a class is below k or a minimum."""
    low = state.load[c] < state.whole[K]
    for row in range(len(state.minima)):
        low |= state.sums[row, c] < state.minima[row]
    return low


@njit(cache=True, nogil=True)
def room(state, old):
    """How many classes the first `old` of state.classes would be at most, by k and the minima."""
    total = np.int64(0)
    for place in range(old):
        total += state.load[state.classes[place]]
    most = total // state.whole[K]
    for row in range(len(state.minima)):
        total = np.int64(0)
        for place in range(old):
            total += state.sums[row, state.classes[place]]
        most = min(most, total // state.minima[row])
    return most


@njit(cache=True, nogil=True)
def tally(state, c, sign):
    """Add a class to the counts of the state, or take it away."""
    whole, weight = state.whole, state.load[c]
    whole[CLASSES] += sign
    whole[LOW] += sign * is_low(state, c)
    whole[OVER] += sign * (weight > whole[TARGET])
    whole[OVER_BEST] += sign * (weight > whole[BEST])
    state.real[SQUARES] += sign * np.float64(weight) * weight


@njit(cache=True, nogil=True)
def recount(state):
    """Count all classes anew: after the target or the best has changed, and against rounding."""
    state.whole[CLASSES] = state.whole[LOW] = state.whole[OVER] = state.whole[OVER_BEST] = 0
    state.real[SQUARES] = 0.0
    for c in range(len(state.load)):
        if state.count[c] > 0:
            tally(state, c, 1)


@njit(cache=True, nogil=True)
def breaches(graph, label):
    """How many conflicts lie in one class, and, for each set, how many classes it lies in besides one."""
    broken = 0
    for u in range(len(label)):
        for place in range(graph.conflict_start[u], graph.conflict_start[u + 1]):
            v = graph.conflicts[place]
            broken += (u < v) & (label[u] == label[v])
    for s in range(len(graph.set_start) - 1):
        broken += kinds(graph, s, label) - 1
    return broken


@njit(cache=True, nogil=True)
def kinds(graph, s, label):
    """In how many classes a set lies."""
    found = 0
    for place in range(graph.set_start[s], graph.set_start[s + 1]):
        own = label[graph.set_members[place]]
        first = graph.set_start[s]
        while label[graph.set_members[first]] != own:
            first += 1
        found += first == place
    return found


@njit(cache=True, nogil=True)
def cut_length(graph, label):
    """Length of the borders between classes."""
    length = 0.0
    for place in range(len(graph.neighbours)):
        if label[graph.tails[place]] != label[graph.neighbours[place]]:
            length += graph.lengths[place]
    return length / 2


@njit(cache=True, nogil=True)
def accepted(state, change, random):
    """The rule of Metropolis: always a better partition, now and then a worse one."""
    if change <= 0:
        return True
    heat = state.real[HEAT]
    return change < 14 * heat and draw(random, 1 << 20) < np.exp(-change / heat) * (1 << 20)


@njit(cache=True, nogil=True)
def record(state):
    """Keep the partition if it is feasible and the best so far; True if it was kept.

    The best has the smallest largest class, then the smallest sum of squares, then, where borders have a price, the
    shortest borders; while a sum counts, the smallest value of all three together, then the shortest borders.
    """
    whole, real = state.whole, state.real
    whole[SINCE] = 0
    if whole[LOW] > 0 or whole[OVER_BEST] > 0 or whole[BROKEN] > 0:
        return False
    largest = state.load.max()
    value = real[SQUARES]
    if whole[SUMMED]:
        value = largest * real[LARGEST] + value * real[MEAN] + real[CUT] * real[COMPACT]
    if whole[SUMMED] or largest == whole[BEST]:
        shorter = real[BORDER] > 0 and real[CUT] < real[BEST_CUT] - 1e-9
        if value > real[BEST_VALUE] or (value == real[BEST_VALUE] and not shorter):
            return False
    if not whole[SUMMED]:
        whole[BEST] = largest
    real[BEST_VALUE] = value
    real[BEST_CUT] = real[CUT]
    state.best[:] = state.label
    return True


@njit(cache=True, nogil=True)
def still_connected(graph, state, waiting, u):
    """Whether a class stays connected without u: a search from one of u's neighbours that ends once it met all."""
    own = state.label[u]
    wanted, first = 0, -1
    state.whole[STAMP] += 2
    stamp = state.whole[STAMP]
    for place in range(graph.start[u], graph.start[u + 1]):
        v = graph.neighbours[place]
        if state.label[v] == own:
            state.mark[v] = stamp
            wanted += 1
            first = v
    if wanted <= 1:
        return wanted == 1
    waiting[0] = first
    state.mark[first] = state.mark[u] = stamp + 1
    size, done, wanted = 1, 0, wanted - 1
    while done < size:
        v = waiting[done]
        done += 1
        for place in range(graph.start[v], graph.start[v + 1]):
            x = graph.neighbours[place]
            if state.label[x] == own and state.mark[x] <= stamp:
                if state.mark[x] == stamp:
                    wanted -= 1
                    if wanted == 0:
                        return True
                state.mark[x] = stamp + 1
                waiting[size] = x
                size += 1
    return False
