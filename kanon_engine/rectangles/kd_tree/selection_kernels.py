"""Selection and partition of points in place, on index arrays: what every cut is made of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit

NOTHING = 2**62  # heavier than all points together


class Arranged(NamedTuple):
    """Points and the order that they are brought into; key and load are read in a row where points are not."""

    xy: np.ndarray  # (n, 2) float64
    weights: np.ndarray  # (n,) int64
    order: np.ndarray  # (n,) int32
    key: np.ndarray  # (n,) float64: by place in the order, the coordinate that is looked at; scratch
    load: np.ndarray  # (n,) int64: by place in the order, the weight; scratch


@njit(cache=True, nogil=True)
def between(a, b):
    """A number c with a < c <= b for a < b: their middle, or b where rounding leaves none between them."""
    middle = 0.5 * a + 0.5 * b  # the sum a + b could overflow
    return middle if a < middle < b else b


@njit(cache=True, nogil=True)
def class_weight(weight, k):
    """The least possible largest class of points of this weight: the average of the most classes there can be."""
    most = weight // k
    return NOTHING if most == 0 else -(-weight // most)


@njit(cache=True, nogil=True)
def gather(points, start, stop, axis):
    """Put coordinates and weights of order[start:stop] side by side, for all that follows to read in a row."""
    xy, weights, order, key, load = points
    for place in range(start, stop):
        point = order[place]
        key[place] = xy[point, axis]
        load[place] = weights[point]


@njit(cache=True, nogil=True)
def divide(points, start, stop, bound):
    """Move the keys below `bound` to the front; returns where the others begin, and the weight of those in front."""
    order, key, load = points.order, points.key, points.load
    low, high, weight = start, stop - 1, 0
    while True:
        while low <= high and key[low] < bound:
            weight += load[low]
            low += 1
        while low < high and key[high] >= bound:
            high -= 1
        if low >= high:
            return low, weight
        key[low], key[high] = key[high], key[low]
        load[low], load[high] = load[high], load[low]
        order[low], order[high] = order[high], order[low]


@njit(cache=True, nogil=True)
def select(points, start, stop, target):
    """Arrange the keys around the value v that holds the weight `target`: those below, v itself, those above.

    0 <= target < total weight. Returns where v begins and ends, the weight below it, and its own. Pivots are medians
    of three at pseudo-random places, so that no common order of the points is a bad one.
    """
    key, low, high, below = points.key, start, stop, 0
    state = stop - start
    while True:
        a, b, c = key[low], key[low], key[low]
        if high - low > 3:
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            third = (high - low) // 3
            shift = (state >> 8) % third
            a, b, c = key[low + shift], key[low + shift + third], key[low + shift + 2 * third]
        pivot = max(min(a, b), min(max(a, b), c))
        left, lighter = divide(points, low, high, pivot)
        if target < below + lighter:
            high = left
            continue
        below += lighter
        right, same = divide(points, left, high, np.nextafter(pivot, np.inf))
        if target < below + same:
            return left, right, below, same
        below += same
        low = right


@njit(cache=True, nogil=True)
def arrange(points, start, stop):
    """Sort by key."""
    order, key, load = points.order, points.key, points.load
    places = np.argsort(key[start:stop])
    keys, loads, before = key[start:stop].copy(), load[start:stop].copy(), order[start:stop].copy()
    for place in range(stop - start):
        key[start + place] = keys[places[place]]
        load[start + place] = loads[places[place]]
        order[start + place] = before[places[place]]
