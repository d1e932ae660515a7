"""A partition into classes that changes step by step, what it costs, and the best one seen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit
from kanon_engine.search.random_kernels import draw


class BorderGraph(NamedTuple):
    """Neighbour lists, where place p holds the pair (tails[p], neighbours[p]), and what areas want of each other."""

    start: np.ndarray  # (n + 1,) int64
    neighbours: np.ndarray  # (2 e,) int64
    tails: np.ndarray  # (2 e,) int64
    weights: np.ndarray  # (n,) int64
    lengths: np.ndarray  # (2 e,) float64: of the common border
    columns: np.ndarray  # (r, n) int64: second counts, a row for each that has a minimum
    conflict_start: np.ndarray  # (n + 1,) int64
    conflicts: np.ndarray  # int64: who may not share a class with v, from conflict_start[v] on
    set_start: np.ndarray  # (s + 1,) int64
    set_members: np.ndarray  # int64: the sets that stay in one class, one after another


NUMBERS = np.dtype(
    [
        ("k", np.int64),
        ("target", np.int64),  # the largest class aimed at
        ("pin", np.int64),  # the least number of classes aimed at
        ("classes", np.int64),  # how many there are
        ("low", np.int64),  # how many of them are below k or a minimum
        ("over", np.int64),  # above the target
        ("over_best", np.int64),  # above the best's largest
        ("best_largest", np.int64),  # the best's largest class; as large as can be while a sum counts
        ("free", np.int64),  # class numbers that are free
        ("stamp", np.int64),  # marks used
        ("since", np.int64),  # steps since the best was last looked at
        ("summed", np.int64),  # 1 while a sum counts
        ("broken", np.int64),  # conflicts within a class, and how often a set is parted
        ("heat", np.float64),  # temperature
        ("short_price", np.float64),  # of weight missing to k
        ("long_price", np.float64),  # of weight above the target
        ("scale", np.float64),  # a typical class weighs 1 / scale
        ("breach_price", np.float64),  # of what `broken` counts
        ("border_price", np.float64),  # of border length
        ("squares", np.float64),  # sum of squared class weights
        ("borders", np.float64),  # length of the borders between classes
        ("best_value", np.float64),  # the best's sum of squares, or the sum that counts
        ("best_borders", np.float64),
        ("largest_share", np.float64),  # that sum is largest * largest_share
        ("squares_share", np.float64),  # + squares * squares_share
        ("borders_share", np.float64),  # + borders * borders_share
    ]
)


class State(NamedTuple):
    """The partition and what is known of it."""

    label: np.ndarray  # (n,) int64: class of each vertex
    load: np.ndarray  # (n,) int64: weight of each class
    count: np.ndarray  # (n,) int64: vertices of each class
    minima: np.ndarray  # (r,) int64: of the second counts
    sums: np.ndarray  # (r, n) int64: what each class has of them
    free: np.ndarray  # (n,) int64: class numbers that are free
    numbers: np.record  # as in `NUMBERS`
    best: np.ndarray  # (n,) int64: the best partition
    classes: np.ndarray  # (3,) int64: the old classes of a step; scratch
    fresh: np.ndarray  # (4,) int64: its new classes; scratch
    mark: np.ndarray  # (n,) int64; scratch
    random: np.ndarray  # (1,) uint64: state of the generator


@uncounted_njit(cache=True, nogil=True)
def price(weight, numbers):
    """What one class costs in the annealing: its squared weight, and what it misses or exceeds."""
    share = weight * numbers.scale
    missing, excess = max(numbers.k - weight, 0), max(weight - numbers.target, 0)
    return share * share + (numbers.short_price * missing + numbers.long_price * excess) * numbers.scale


@uncounted_njit(cache=True, nogil=True)
def lacking(minima, sums, c):
    """What column c of the sums misses to the minima, each as a share of its minimum."""
    share = 0.0
    for row in range(len(minima)):
        if sums[row, c] < minima[row]:
            share += (minima[row] - sums[row, c]) / minima[row]
    return share


@uncounted_njit(cache=True, nogil=True)
def worth(state, c):
    """What a class of the partition costs."""
    numbers = state.numbers
    return price(state.load[c], numbers) + numbers.short_price * lacking(state.minima, state.sums, c)


@uncounted_njit(cache=True, nogil=True)
def is_low(state, c):
    """Whether a class is below k or a minimum."""
    low = state.load[c] < state.numbers.k
    for row in range(len(state.minima)):
        low |= state.sums[row, c] < state.minima[row]
    return low


@uncounted_njit(cache=True, nogil=True)
def room(state, old):
    """How many classes the first `old` of state.classes would be at most, by k and the minima."""
    total = np.int64(0)
    for place in range(old):
        total += state.load[state.classes[place]]
    most = total // state.numbers.k
    for row in range(len(state.minima)):
        total = np.int64(0)
        for place in range(old):
            total += state.sums[row, state.classes[place]]
        most = min(most, total // state.minima[row])
    return most


@uncounted_njit(cache=True, nogil=True)
def tally(state, c, sign):
    """Add a class to the counts of the state, or take it away."""
    numbers, weight = state.numbers, state.load[c]
    numbers.classes += sign
    numbers.low += sign * is_low(state, c)
    numbers.over += sign * (weight > numbers.target)
    numbers.over_best += sign * (weight > numbers.best_largest)
    numbers.squares += sign * np.float64(weight) * weight


@uncounted_njit(cache=True, nogil=True)
def recount(state):
    """Count all classes anew: after the target or the best has changed, and against rounding."""
    numbers = state.numbers
    numbers.classes = numbers.low = numbers.over = numbers.over_best = 0
    numbers.squares = 0.0
    for c in range(len(state.load)):
        if state.count[c] > 0:
            tally(state, c, 1)


@uncounted_njit(cache=True, nogil=True)
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


@uncounted_njit(cache=True, nogil=True)
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


@uncounted_njit(cache=True, nogil=True)
def cut_length(graph, label):
    """Length of the borders between classes."""
    length = 0.0
    for place in range(len(graph.neighbours)):
        if label[graph.tails[place]] != label[graph.neighbours[place]]:
            length += graph.lengths[place]
    return length / 2


@uncounted_njit(cache=True, nogil=True)
def accepted(state, change):
    """The rule of Metropolis: always a better partition, now and then a worse one."""
    if change <= 0:
        return True
    heat = state.numbers.heat
    return change < 14 * heat and draw(state.random, 1 << 20) < np.exp(-change / heat) * (1 << 20)


@uncounted_njit(cache=True, nogil=True)
def record(state):
    """Keep the partition if it is feasible and the best so far; True if it was kept.

    The best has the smallest largest class, then the smallest sum of squares, then, where borders have a price, the
    shortest borders; while a sum counts, the smallest value of all three together, then the shortest borders.
    """
    numbers = state.numbers
    numbers.since = 0
    if numbers.low > 0 or numbers.over_best > 0 or numbers.broken > 0:
        return False
    largest = np.int64(0)
    for c in range(len(state.load)):
        largest = max(largest, state.load[c])
    value = numbers.squares
    if numbers.summed:
        value = (
            largest * numbers.largest_share + value * numbers.squares_share + numbers.borders * numbers.borders_share
        )
    if numbers.summed or largest == numbers.best_largest:
        shorter = numbers.border_price > 0 and numbers.borders < numbers.best_borders - 1e-9
        if value > numbers.best_value or (value == numbers.best_value and not shorter):
            return False
    if not numbers.summed:
        numbers.best_largest = largest
    numbers.best_value = value
    numbers.best_borders = numbers.borders
    for v in range(len(state.label)):
        state.best[v] = state.label[v]
    return True


@uncounted_njit(cache=True, nogil=True)
def still_connected(graph, state, waiting, u):
    """Whether a class stays connected without u: a search from one of u's neighbours that ends once it met all."""
    own = state.label[u]
    wanted, first = 0, -1
    state.numbers.stamp += 2
    stamp = state.numbers.stamp
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
