"""Prices of pairs and triangles that raise the lower bound on squares; see docs/proofs/clusters/squares.md."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit


class PairGraph(NamedTuple):
    """Near pairs of points; arc a of row i, from start[i] on, is the end of pair pairs[a] at i."""

    start: np.ndarray  # (n + 1,) int64
    others: np.ndarray  # (2 e,) int64: the point at the other end, ascending in each row
    pairs: np.ndarray  # (2 e,) int64
    signs: np.ndarray  # (2 e,) float64: 1.0 at the end of the smaller number, -1.0 at the other
    halves: np.ndarray  # (e,) float64: half the squared distance
    floor: np.ndarray  # (n,) float64: what no other pair of this point is below


class Triangles(NamedTuple):
    """Two pairs with a point in common, the apex, and the third pair; places from `used` on are free."""

    apex: np.ndarray  # (t,) int64
    first: np.ndarray  # (t,) int64: pairs at the apex
    second: np.ndarray  # (t,) int64
    third: np.ndarray  # (t,) int64: the pair between their ends
    price: np.ndarray  # (t,) float64, not negative
    best: np.ndarray  # (t,) float64: in the best bound so far
    move: np.ndarray  # (t,) float64: direction of the ascent


class Ascent(NamedTuple):
    """Prices that change step by step."""

    shift: np.ndarray  # (e,) float64: what a pair costs its end of the smaller number more, and the other less
    best: np.ndarray  # (e,) float64
    move: np.ndarray  # (e,) float64
    share: np.ndarray  # (e,) float64: half of what the pair costs, with the triangles' prices
    toll: np.ndarray  # (n,) float64: prices of the triangles of an apex
    chosen: np.ndarray  # (2 e,) bool: arcs that the rows choose
    size: np.ndarray  # (n,) int64: how large a cluster a row chooses
    usual: np.ndarray  # (2 e,) float64: how often arcs are chosen, over the size; a running mean
    lone: np.ndarray  # (n,) float64: one over the size; a running mean
    arcs: np.ndarray  # (2 k - 2,) int64; scratch
    costs: np.ndarray  # (2 k - 2,) float64; scratch


@uncounted_njit(cache=True, nogil=True)
def copy(values, count, target):
    """The first so many values."""
    for place in range(count):
        target[place] = values[place]


@uncounted_njit(cache=True, nogil=True)
def charge(graph, ascent, triangles, used):
    """What pairs and apexes cost with the triangles' prices."""
    copy(graph.halves, len(graph.halves), ascent.share)
    ascent.toll[:] = 0.0
    for t in range(used):
        price = triangles.price[t]
        if price > 0:
            ascent.share[triangles.first[t]] += price / 2
            ascent.share[triangles.second[t]] += price / 2
            ascent.share[triangles.third[t]] -= price / 2
            ascent.toll[triangles.apex[t]] += price


@uncounted_njit(cache=True, nogil=True)
def row(graph, i, k, ascent):
    """What point i costs at least: the best size, with the cheapest arcs; they are marked as chosen."""
    costs, arcs = ascent.costs, ascent.arcs
    filled = 0
    for arc in range(graph.start[i], graph.start[i + 1]):
        ascent.chosen[arc] = False
        cost = ascent.share[graph.pairs[arc]] + graph.signs[arc] * ascent.shift[graph.pairs[arc]]
        if cost >= graph.floor[i] or (filled == len(costs) and cost >= costs[filled - 1]):
            continue
        place = filled if filled < len(costs) else filled - 1
        filled = min(filled + 1, len(costs))
        while place > 0 and costs[place - 1] > cost:
            costs[place] = costs[place - 1]
            arcs[place] = arcs[place - 1]
            place -= 1
        costs[place] = cost
        arcs[place] = arc
    best, total = math.inf, -ascent.toll[i]
    for size in range(1, 2 * k):
        if size > 1:
            total += costs[size - 2] if size - 2 < filled else graph.floor[i]
        if size >= k and total / size < best:
            best = total / size
            ascent.size[i] = size
    for place in range(min(filled, ascent.size[i] - 1)):
        ascent.chosen[arcs[place]] = True
    return best


@uncounted_njit(cache=True, nogil=True)
def bound(graph, k, ascent, triangles, used):
    """The bound that the prices prove, but for rounding."""
    charge(graph, ascent, triangles, used)
    total = 0.0
    for i in range(len(graph.floor)):
        total += row(graph, i, k, ascent)
    return total


@uncounted_njit(cache=True, nogil=True)
def directions(graph, ascent, triangles, used, inertia):
    """Where the bound grows, mixed with where it grew before; returns the square of the direction's length."""
    ascent.share[:] = 0.0
    for pair in range(len(ascent.move)):
        ascent.move[pair] *= inertia
    for i in range(len(graph.floor)):
        lone = 1.0 / ascent.size[i]
        ascent.lone[i] += 0.05 * (lone - ascent.lone[i])
        for arc in range(graph.start[i], graph.start[i + 1]):
            if ascent.chosen[arc]:
                ascent.share[graph.pairs[arc]] += lone / 2
                ascent.move[graph.pairs[arc]] += graph.signs[arc] * lone
                ascent.usual[arc] += 0.05 * (lone - ascent.usual[arc])
            else:
                ascent.usual[arc] *= 0.95
    square = 0.0
    for t in range(used):
        slope = ascent.share[triangles.first[t]] + ascent.share[triangles.second[t]] - ascent.share[triangles.third[t]]
        slope -= 1.0 / ascent.size[triangles.apex[t]]
        move = inertia * triangles.move[t] + slope
        triangles.move[t] = 0.0 if triangles.price[t] == 0 and move < 0 else move
        square += triangles.move[t] * triangles.move[t]
    for pair in range(len(ascent.move)):
        square += ascent.move[pair] * ascent.move[pair]
    return square


@uncounted_njit(cache=True, nogil=True)
def ascend(graph, k, ascent, triangles, used, target, numbers, rounds):
    """So many rounds of subgradient ascent towards a target; numbers: best bound, factor, rounds without a gain."""
    value = bound(graph, k, ascent, triangles, used)
    for _ in range(rounds):
        square = directions(graph, ascent, triangles, used, numbers[3])
        if square < 1e-18:
            break
        step = numbers[1] * max(target - value, 0.0) / square
        for pair in range(len(ascent.move)):
            ascent.shift[pair] += step * ascent.move[pair]
        for t in range(used):
            triangles.price[t] = max(0.0, triangles.price[t] + step * triangles.move[t])
        value = bound(graph, k, ascent, triangles, used)
        numbers[2] += 1
        if value > numbers[0]:
            if value > numbers[0] + 1e-4 * (target - numbers[0]):
                numbers[2] = 0
            numbers[0] = value
            copy(ascent.shift, len(ascent.shift), ascent.best)
            copy(triangles.price, used, triangles.best)
        elif numbers[2] >= 20:
            numbers[1] *= 0.7
            numbers[2] = 0


@uncounted_njit(cache=True, nogil=True)
def arc_between(graph, i, j):
    """The arc of row i whose other end is j, or -1."""
    low, high = graph.start[i], graph.start[i + 1]
    while low < high:
        middle = (low + high) // 2
        if graph.others[middle] < j:
            low = middle + 1
        else:
            high = middle
    return low if low < graph.start[i + 1] and graph.others[low] == j else -1


@uncounted_njit(cache=True, nogil=True)
def separate(graph, ascent, triangles, used, most, least):
    """Add triangles that the rows' usual choices violate by more than `least` of a lone point, up to `most` an apex.

    Returns how many triangles there are now. Those whose price is 0 give their place.
    """
    kept = 0
    for t in range(used):
        if triangles.best[t] > 0 or triangles.price[t] > 0:
            triangles.apex[kept] = triangles.apex[t]
            triangles.first[kept] = triangles.first[t]
            triangles.second[kept] = triangles.second[t]
            triangles.third[kept] = triangles.third[t]
            triangles.price[kept] = triangles.price[t]
            triangles.best[kept] = triangles.best[t]
            triangles.move[kept] = triangles.move[t]
            kept += 1
    ascent.share[:] = 0.0
    for arc in range(len(graph.pairs)):
        ascent.share[graph.pairs[arc]] += ascent.usual[arc] / 2
    for j in range(len(graph.floor)):
        added = 0
        for one in range(graph.start[j], graph.start[j + 1]):
            first = graph.pairs[one]
            if ascent.share[first] < 0.1 * ascent.lone[j]:
                continue
            for two in range(one + 1, graph.start[j + 1]):
                second = graph.pairs[two]
                if ascent.share[first] + ascent.share[second] < (1 + least) * ascent.lone[j]:
                    continue
                arc = arc_between(graph, graph.others[one], graph.others[two])
                if arc < 0:
                    continue
                third = graph.pairs[arc]
                over = ascent.share[first] + ascent.share[second] - ascent.share[third]
                if over > (1 + least) * ascent.lone[j] and added < most and kept < len(triangles.apex):
                    triangles.apex[kept] = j
                    triangles.first[kept] = first
                    triangles.second[kept] = second
                    triangles.third[kept] = third
                    triangles.price[kept] = triangles.best[kept] = triangles.move[kept] = 0.0
                    kept += 1
                    added += 1
    return kept
