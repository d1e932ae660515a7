"""Packing into a given number of bins as evenly as can be: lowest level first, then moves, swaps and differencing.

Items are 0 … n-1, heaviest first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.labels.packing_kernels import sink

POOL = 96  # lightest items of two bins that are differenced; the others stay where they are
MODULUS = 2147483647


class EvenPacking(NamedTuple):
    """Items in bins."""

    x: np.ndarray  # (n,) int64: weights, descending
    bin_of: np.ndarray  # (n,) int64
    levels: np.ndarray  # (m,) int64: weight of each bin, including what was in it beforehand


class Rings(NamedTuple):
    """The items of each bin b as a ring that begins and ends at the place n + b."""

    nxt: np.ndarray  # (n + m,) int64
    prv: np.ndarray  # (n + m,) int64


class Archive(NamedTuple):
    """Packings none of which dominates another: none has both a lightest bin as heavy and a heaviest bin as light."""

    bins: np.ndarray  # (r, n) int32: the bin of each item, row by row
    lightest: np.ndarray  # (r,) int64: -1 where the row is free
    heaviest: np.ndarray  # (r,) int64
    squares: np.ndarray  # (r,) float64: distinguishes packings with the same heaviest bin

    @classmethod
    def blank(cls, rows: int, items: int) -> Archive:
        """An archive without packings."""
        bins = np.empty((rows, items), dtype=np.int32)
        return cls(bins, np.full(rows, -1), np.zeros(rows, dtype=np.int64), np.zeros(rows))

    def best(self, k: int) -> int | None:
        """The row with the smallest largest bin (ties: the least sum of squares) when every bin must reach k."""
        rows = np.flatnonzero(self.lightest >= k)
        return min(rows.tolist(), key=lambda row: (self.heaviest[row], self.squares[row]), default=None)


class Work(NamedTuple):
    """The work spent, and the random numbers."""

    spent: np.ndarray  # (1,) int64: steps
    most: int  # that may be spent
    random: np.ndarray  # (1,) int64: state of the generator


@njit(cache=True, nogil=True)
def lowest_level_first(packing):
    """Put each item, heaviest first, into the lightest bin (the first of equally light ones).

    What is already in the bins stays there.
    """
    x, bin_of, levels = packing
    heap = np.argsort(levels, kind="mergesort")
    for item in range(len(x)):
        lightest = heap[0]
        bin_of[item] = lightest
        levels[lightest] += x[item]
        sink(heap, len(heap), levels)


@njit(cache=True, nogil=True)
def link(bin_of, rings):
    """Make the ring of each bin."""
    nxt, prv = rings
    n = len(bin_of)
    for place in range(n, len(nxt)):
        nxt[place] = place
        prv[place] = place
    for item in range(n):
        end = n + bin_of[item]
        last = prv[end]
        nxt[last] = item
        prv[item] = last
        nxt[item] = end
        prv[end] = item


@njit(cache=True, nogil=True)
def shift(packing, rings, item, to):
    """Move one item into bin `to`."""
    x, bin_of, levels = packing
    nxt, prv = rings
    levels[bin_of[item]] -= x[item]
    nxt[prv[item]] = nxt[item]
    prv[nxt[item]] = prv[item]
    end = len(x) + to
    last = prv[end]
    nxt[last] = item
    prv[item] = last
    nxt[item] = end
    prv[end] = item
    bin_of[item] = to
    levels[to] += x[item]


@njit(cache=True, nogil=True)
def members(nxt, n, number):
    """The items of a bin, heaviest first."""
    count = 0
    item = nxt[n + number]
    while item < n:
        count += 1
        item = nxt[item]
    items = np.empty(count, np.int64)
    item = nxt[n + number]
    for place in range(count):
        items[place] = item
        item = nxt[item]
    items.sort()
    return items


@njit(cache=True, nogil=True)
def best_swap(x, a, b, difference):
    """The item of `a`, and that of `b` or -1, whose exchange leaves the least difference; and that difference."""
    best = difference
    one = np.int64(-1)
    other = np.int64(-1)
    j = 0
    for i in range(len(a)):
        weight = x[a[i]]
        if abs(difference - 2 * weight) < best:
            best = abs(difference - 2 * weight)
            one = a[i]
            other = -1
        while j < len(b) and 2 * (weight - x[b[j]]) < difference:
            j += 1
        for near in range(max(j - 1, 0), min(j + 1, len(b))):
            left = abs(difference - 2 * (weight - x[b[near]]))
            if left < best:
                best = left
                one = a[i]
                other = b[near]
    return best, one, other


@njit(cache=True, nogil=True)
def differencing(values, side):
    """Split numbers in descending order into two heaps of sums as equal as Karmarkar and Karp's method makes them.

    Writes 1 or -1 into `side` and returns the difference; the heap of 1 is not the lighter one.
    """
    count = len(values)
    queue = np.empty(count, np.int64)  # nodes by value, the least first
    value = np.empty(2 * count, np.int64)
    larger = np.empty(2 * count, np.int64)
    smaller = np.empty(2 * count, np.int64)
    sign = np.empty(2 * count, np.int64)
    for place in range(count):
        value[place] = values[place]
        queue[count - 1 - place] = place
    node = count
    for size in range(count, 1, -1):
        first = queue[size - 1]
        second = queue[size - 2]
        value[node] = value[first] - value[second]
        larger[node] = first
        smaller[node] = second
        place = size - 2
        while place > 0 and value[queue[place - 1]] > value[node]:
            queue[place] = queue[place - 1]
            place -= 1
        queue[place] = node
        node += 1
    sign[node - 1] = 1
    for parent in range(node - 1, count - 1, -1):
        sign[larger[parent]] = sign[parent]
        sign[smaller[parent]] = -sign[parent]
    for item in range(count):
        side[item] = sign[item]
    return value[node - 1]


@njit(cache=True, nogil=True)
def even_out(packing, rings, heavy, light, work):
    """Make the levels of two bins more equal, by one move, one swap or differencing; True if it could be done."""
    x, bin_of, levels = packing
    n = len(x)
    a = members(rings.nxt, n, heavy)
    b = members(rings.nxt, n, light)
    difference = levels[heavy] - levels[light]
    work.spent[0] += 8 + 4 * (len(a) + len(b))
    best, one, other = best_swap(x, a, b, difference)
    if best > 1 and len(a) + len(b) > 3:
        both = np.concatenate((a, b))
        both.sort()
        pool = both[max(0, len(both) - POOL) :]
        work.spent[0] += 4 * len(pool) + len(pool) * len(pool) // 4
        fixed = difference
        for item in pool:
            fixed += -x[item] if bin_of[item] == heavy else x[item]
        values = np.empty(len(pool) + 1, np.int64)
        place = 0
        while place < len(pool) and x[pool[place]] > abs(fixed):
            values[place] = x[pool[place]]
            place += 1
        values[place] = abs(fixed)
        for i in range(place, len(pool)):
            values[i + 1] = x[pool[i]]
        side = np.empty(len(values), np.int64)
        if differencing(values, side) < best:
            stays = side[place] if fixed >= 0 else -side[place]
            for i in range(len(pool)):
                to = heavy if side[i if i < place else i + 1] == stays else light
                if bin_of[pool[i]] != to:
                    shift(packing, rings, pool[i], to)
            return True
    if one < 0:
        return False
    shift(packing, rings, one, light)
    if other >= 0:
        shift(packing, rings, other, heavy)
    return True


@njit(cache=True, nogil=True)
def descend(packing, rings, work):
    """Even out pairs of bins, the heaviest with the lightest first, until no pair can be or the work is used up."""
    x, levels, nxt = packing.x, packing.levels, rings.nxt
    bins = len(levels)
    improved = True
    while improved and work.spent[0] < work.most:
        improved = False
        order = np.argsort(levels, kind="mergesort")
        work.spent[0] += 8 * bins
        for upper in range(bins - 1, 0, -1):
            for lower in range(upper):
                heavy = order[upper]
                light = order[lower]
                if levels[heavy] - levels[light] < 2 or work.spent[0] >= work.most:
                    break
                first = nxt[len(x) + heavy]
                if first >= len(x) or (nxt[first] >= len(x) and levels[heavy] == x[first]):
                    break  # a single item: at best the two bins would swap places
                if even_out(packing, rings, heavy, light, work):
                    improved = True
                    break
            if improved and upper < bins - 1 - bins // 4:
                break  # sort again before the order becomes outdated


@njit(cache=True, nogil=True)
def below(work, limit):
    """A random whole number from 0 to limit - 1; moves the generator on (Park and Miller's)."""
    state = work.random[0] * 48271 % MODULUS
    work.random[0] = state
    return state % limit


@njit(cache=True, nogil=True)
def perturb(packing, rings, work):
    """Redistribute the items of an outermost bin and one or two random bins, nearly lowest level first."""
    x, bin_of, levels = packing
    bins = len(levels)
    chosen = np.empty(3, np.int64)
    chosen[0] = np.argmax(levels) if below(work, 2) == 0 else np.argmin(levels)
    chosen[1] = (chosen[0] + 1 + below(work, bins - 1)) % bins
    chosen[2] = below(work, bins)
    count = 2 if chosen[2] == chosen[0] or chosen[2] == chosen[1] else 3
    items = np.empty(0, np.int64)
    for place in range(count):
        items = np.concatenate((items, members(rings.nxt, len(x), chosen[place])))
    items.sort()
    work.spent[0] += 8 * len(items) + bins
    for item in items:
        levels[bin_of[item]] -= x[item]
    for item in items:
        to = chosen[below(work, count)]
        if below(work, 4) > 0:
            for place in range(count):
                if levels[chosen[place]] < levels[to]:
                    to = chosen[place]
        levels[bin_of[item]] += x[item]  # `shift` removes it again
        shift(packing, rings, item, to)


@njit(cache=True, nogil=True)
def squares(levels):
    """The sum of squared levels as a float."""
    total = 0.0
    for level in levels:
        total += float(level) * float(level)
    return total


@njit(cache=True, nogil=True)
def add_to_archive(packing, archive):
    """Add a packing unless one of the archive is as good: a lightest bin no lighter and a heaviest no heavier.

    If no row is free, the packing is dropped.
    """
    low, high = packing.levels.min(), packing.levels.max()
    total = squares(packing.levels)
    free = -1
    for row in range(len(archive.lightest)):
        top, sums = archive.heaviest[row], archive.squares[row]
        if archive.lightest[row] >= low and (top < high or (top == high and sums <= total)):
            return
        worse = high < top or (high == top and total < sums)
        if archive.lightest[row] < 0 or (low >= archive.lightest[row] and worse):
            archive.lightest[row] = -1
            free = row
    if free >= 0:
        archive.lightest[free] = low
        archive.heaviest[free] = high
        archive.squares[free] = total
        for item in range(len(packing.bin_of)):
            archive.bins[free, item] = packing.bin_of[item]


@njit(cache=True, nogil=True)
def quick(packing, work, archive):
    """Lowest level first, then `descend`; the result is archived."""
    places = len(packing.x) + len(packing.levels)
    rings = Rings(np.empty(places, np.int64), np.empty(places, np.int64))
    lowest_level_first(packing)
    work.spent[0] += 8 * len(packing.x)
    add_to_archive(packing, archive)
    link(packing.bin_of, rings)
    descend(packing, rings, work)
    add_to_archive(packing, archive)


@njit(cache=True, nogil=True)
def search(packing, work, archive):
    """Perturb and descend until the work is used up; every other round aims at the lightest bin, not the heaviest."""
    x, bin_of, levels = packing
    rings = Rings(np.empty(len(x) + len(levels), np.int64), np.empty(len(x) + len(levels), np.int64))
    link(bin_of, rings)
    rounds = 0
    while work.spent[0] < work.most and levels.max() - levels.min() > 1:
        before = bin_of.copy()
        before_levels = levels.copy()
        for _ in range(1 + below(work, 2)):
            perturb(packing, rings, work)
        descend(packing, rings, work)
        add_to_archive(packing, archive)
        work.spent[0] += 2 * len(x)
        new = levels.max()
        old = before_levels.max()
        if rounds % 64 >= 32:
            new = -levels.min()
            old = -before_levels.min()
        if new > old or (new == old and squares(levels) > squares(before_levels)):
            for item in range(len(x)):
                bin_of[item] = before[item]
            for number in range(len(levels)):
                levels[number] = before_levels[number]
            link(bin_of, rings)
        rounds += 1
