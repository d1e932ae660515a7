"""Annealing over clusters of k to 2k - 1 points on the sum of squares; see `improved`."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit
from kanon_engine.search.search_kernels import bits, draw

TINY = 1e-12  # of the mean square: a gain that may only be rounding
MOST = 4  # clusters that are rebuilt at once
NONE = np.int64(-1)  # a bare -1 or 0 that is handed on makes numba compile what takes it once more


class Clusters(NamedTuple):
    """A partition that changes step by step."""

    label: np.ndarray  # (n,) int64: cluster of each point
    place: np.ndarray  # (n,) int64: where it stands in its cluster
    members: np.ndarray  # (m, 2k - 1) int64
    sizes: np.ndarray  # (m,) int64, 0 for a number that is free
    sums: np.ndarray  # (m, d) float64: of the coordinates
    random: np.ndarray  # (1,) uint64: state of the generator


class Local(NamedTuple):
    """Some clusters that are rebuilt; scratch."""

    points: np.ndarray  # (MOST (2k - 1),) int64: who is in them
    group: np.ndarray  # their new groups, -1 for none
    sizes: np.ndarray  # (2 MOST,) int64: of the groups
    sums: np.ndarray  # (2 MOST, d) float64
    chosen: np.ndarray  # (2 MOST,) int64: the clusters, and further numbers that are free


@uncounted_njit(cache=True, nogil=True)
def from_mean(points, point, sums, sizes, c):
    """Squared distance of a point from the mean of cluster c."""
    square = 0.0
    for column in range(points.shape[1]):
        difference = points[point, column] - sums[c, column] / sizes[c]
        square += difference * difference
    return square


@uncounted_njit(cache=True, nogil=True)
def swap_change(points, p, q, sums, sizes, a, b):
    """What the sum of squares gains when p of cluster a and q of cluster b change places."""
    in_a = in_b = square = 0.0
    for column in range(points.shape[1]):
        difference = points[q, column] - points[p, column]
        in_a += sums[a, column] * difference
        in_b += sums[b, column] * difference
        square += difference * difference
    return (2 * in_b - square) / sizes[b] - (2 * in_a + square) / sizes[a]


@uncounted_njit(cache=True, nogil=True)
def shift_change(points, p, sums, sizes, a, b):
    """What it gains when p leaves cluster a for b."""
    there = from_mean(points, p, sums, sizes, b) * sizes[b] / (sizes[b] + 1)
    return there - from_mean(points, p, sums, sizes, a) * sizes[a] / (sizes[a] - 1)


@uncounted_njit(cache=True, nogil=True)
def move_sums(points, p, sign, sums, c):
    """Add the point's coordinates to the sums of cluster c, or take them off."""
    for column in range(points.shape[1]):
        sums[c, column] += sign * points[p, column]


@uncounted_njit(cache=True, nogil=True)
def accepted(change, heat, random):
    """The rule of annealing."""
    return change < 0 or (heat > 0 and bits(random) < math.exp(-change / heat) * 2.0**63)


@uncounted_njit(cache=True, nogil=True)
def resum(points, clusters):
    """Recompute the sums, so that rounding does not accumulate; returns the sum of squares."""
    clusters.sums[:] = 0.0
    for p in range(len(points)):
        move_sums(points, p, 1.0, clusters.sums, clusters.label[p])
    total = 0.0
    for p in range(len(points)):
        total += from_mean(points, p, clusters.sums, clusters.sizes, clusters.label[p])
    return total


@uncounted_njit(cache=True, nogil=True)
def seed_of(points, count, g, local, random):
    """Where group g begins: the farthest point from the groups so far, or a random one."""
    best, square = -1, -1.0
    if g > 0 and draw(random, 2) == 0:
        for a in range(count):
            if local.group[a] < 0:
                near = math.inf
                for h in range(g):
                    near = min(near, from_mean(points, local.points[a], local.sums, local.sizes, h))
                if near > square:
                    best, square = a, near
        return best
    best = draw(random, count)
    while local.group[best] >= 0:
        best = (best + 1) % count
    return best


@uncounted_njit(cache=True, nogil=True)
def join(points, a, g, local):
    """Point a of the local ones joins group g."""
    local.group[a] = g
    local.sizes[g] += 1
    move_sums(points, local.points[a], 1.0, local.sums, g)


@uncounted_njit(cache=True, nogil=True)
def regroup(points, k, count, groups, local, random):
    """Random groups of k, each grown by the point nearest to its mean; the others join where they cost least."""
    local.group[:count] = -1
    local.sums[:groups] = 0.0
    local.sizes[:groups] = 0
    for g in range(groups):
        join(points, seed_of(points, count, g, local, random), g, local)
        while local.sizes[g] < k:
            best, square = NONE, math.inf
            for a in range(count):
                if local.group[a] < 0:
                    here = from_mean(points, local.points[a], local.sums, local.sizes, g)
                    if here < square:
                        best, square = a, here
            join(points, best, g, local)
    for a in range(count):
        if local.group[a] < 0:
            best, square = NONE, math.inf
            for g in range(groups):
                if local.sizes[g] < 2 * k - 1:
                    here = from_mean(points, local.points[a], local.sums, local.sizes, g)
                    here *= local.sizes[g] / (local.sizes[g] + 1)
                    if here < square:
                        best, square = g, here
            join(points, a, best, local)


@uncounted_njit(cache=True, nogil=True)
def descend(points, k, count, groups, local, least):
    """Swap and shift points of the groups while that gains more than `least`; one round. Whether something moved."""
    moved = False
    for a in range(count):
        p = local.points[a]
        for b in range(count):
            g, h, q = local.group[a], local.group[b], local.points[b]
            if g != h and swap_change(points, p, q, local.sums, local.sizes, g, h) < -least:
                move_sums(points, p, -1.0, local.sums, g)
                move_sums(points, q, 1.0, local.sums, g)
                move_sums(points, q, -1.0, local.sums, h)
                move_sums(points, p, 1.0, local.sums, h)
                local.group[a], local.group[b] = h, g
                moved = True
        g = local.group[a]
        if local.sizes[g] == k:
            continue
        best, change = NONE, -least
        for h in range(groups):
            if h != g and local.sizes[h] < 2 * k - 1:
                here = shift_change(points, p, local.sums, local.sizes, g, h)
                if here < change:
                    best, change = h, here
        if best >= 0:
            move_sums(points, p, -1.0, local.sums, g)
            local.sizes[g] -= 1
            join(points, a, best, local)
            moved = True
    return moved


@uncounted_njit(cache=True, nogil=True)
def choose(clusters, i, neighbors, local):
    """Choose the cluster of point i and up to MOST - 1 others of its neighbors; returns how many."""
    local.chosen[0] = clusters.label[i]
    chosen, want = 1, 1 + draw(clusters.random, MOST)
    for _ in range(6):
        if chosen == want:
            break
        other = clusters.label[neighbors[i, draw(clusters.random, neighbors.shape[1])]]
        fresh = True
        for c in range(chosen):
            fresh &= local.chosen[c] != other
        if fresh:
            local.chosen[chosen] = other
            chosen += 1
    return chosen


@uncounted_njit(cache=True, nogil=True)
def open_numbers(clusters, chosen, groups, local):
    """Choose as many numbers of clusters that are free as there are to be more groups."""
    number = 0
    for c in range(chosen, groups):
        while clusters.sizes[number] > 0:
            number += 1
        local.chosen[c] = number
        number += 1


@uncounted_njit(cache=True, nogil=True)
def remake(points, k, i, heat, least, neighbors, clusters, local):
    """Rebuild the cluster of point i and some nearby ones, if the change in cost is accepted."""
    chosen = choose(clusters, i, neighbors, local)
    count = NONE + 1
    change = 0.0
    for c in range(chosen):
        cluster = local.chosen[c]
        for place in range(clusters.sizes[cluster]):
            p = clusters.members[cluster, place]
            local.points[count] = p
            count += 1
            change -= from_mean(points, p, clusters.sums, clusters.sizes, cluster)
    fewest = (count + 2 * k - 2) // (2 * k - 1)
    groups = min(count // k, max(fewest, chosen - 1 + draw(clusters.random, 3)))
    regroup(points, k, count, groups, local, clusters.random)
    for _ in range(3):
        if not descend(points, k, count, groups, local, least):
            break
    for a in range(count):
        change += from_mean(points, local.points[a], local.sums, local.sizes, local.group[a])
    if not accepted(change, heat, clusters.random):
        return
    open_numbers(clusters, chosen, groups, local)
    for c in range(chosen):
        clusters.sizes[local.chosen[c]] = 0
    for a in range(count):
        p, cluster = local.points[a], local.chosen[local.group[a]]
        clusters.label[p] = cluster
        clusters.place[p] = clusters.sizes[cluster]
        clusters.members[cluster, clusters.sizes[cluster]] = p
        clusters.sizes[cluster] += 1
    for g in range(groups):
        for column in range(points.shape[1]):
            clusters.sums[local.chosen[g], column] = local.sums[g, column]


@uncounted_njit(cache=True, nogil=True)
def shift(points, i, a, b, clusters):
    """Point i leaves cluster a for b."""
    last = clusters.members[a, clusters.sizes[a] - 1]
    clusters.members[a, clusters.place[i]] = last
    clusters.place[last] = clusters.place[i]
    clusters.sizes[a] -= 1
    clusters.members[b, clusters.sizes[b]] = i
    clusters.place[i] = clusters.sizes[b]
    clusters.sizes[b] += 1
    clusters.label[i] = b
    move_sums(points, i, -1.0, clusters.sums, a)
    move_sums(points, i, 1.0, clusters.sums, b)


@uncounted_njit(cache=True, nogil=True)
def swap(points, i, j, clusters):
    """Points i and j change places."""
    a, b = clusters.label[i], clusters.label[j]
    move_sums(points, i, -1.0, clusters.sums, a)
    move_sums(points, j, 1.0, clusters.sums, a)
    move_sums(points, j, -1.0, clusters.sums, b)
    move_sums(points, i, 1.0, clusters.sums, b)
    here, there = clusters.place[i], clusters.place[j]
    clusters.members[a, here], clusters.members[b, there] = j, i
    clusters.place[i], clusters.place[j] = there, here
    clusters.label[i], clusters.label[j] = b, a


@uncounted_njit(cache=True, nogil=True)
def anneal(points, k, steps, heat, scale, neighbors, clusters, local):
    """Some steps at one temperature, in units of `scale`, the mean square of a point; returns the sum of squares.

    One step in 50 rebuilds clusters. The others move a point toward a near one, alone or against the member that
    fits best.
    """
    heat, least = heat * scale, TINY * scale
    for _ in range(steps):
        i = draw(clusters.random, len(points))
        if draw(clusters.random, 50) == 0:
            remake(points, k, i, heat, least, neighbors, clusters, local)
            continue
        a, b = clusters.label[i], clusters.label[neighbors[i, draw(clusters.random, neighbors.shape[1])]]
        if a == b:
            continue
        if clusters.sizes[a] > k and clusters.sizes[b] < 2 * k - 1 and draw(clusters.random, 2) == 0:
            change = shift_change(points, i, clusters.sums, clusters.sizes, a, b)
            if accepted(change + least, heat, clusters.random):
                shift(points, i, a, b, clusters)
            continue
        best, change = NONE, math.inf
        for place in range(clusters.sizes[b]):
            j = clusters.members[b, place]
            here = swap_change(points, i, j, clusters.sums, clusters.sizes, a, b)
            if here < change:
                best, change = j, here
        if accepted(change + least, heat, clusters.random):
            swap(points, i, best, clusters)
    return resum(points, clusters)


# ---------------------------------------------------------------------------------------------------------------------
# Prices of pairs and triangles that raise the lower bound on squares; see docs/proofs/clusters/squares.md.
# ---------------------------------------------------------------------------------------------------------------------


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
    """The first values, up to a number."""
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
    """A number of rounds of subgradient ascent toward a target; numbers: best bound, factor, rounds without a gain."""
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
    count = 0
    for t in range(used):
        if triangles.best[t] > 0 or triangles.price[t] > 0:
            triangles.apex[count] = triangles.apex[t]
            triangles.first[count] = triangles.first[t]
            triangles.second[count] = triangles.second[t]
            triangles.third[count] = triangles.third[t]
            triangles.price[count] = triangles.price[t]
            triangles.best[count] = triangles.best[t]
            triangles.move[count] = triangles.move[t]
            count += 1
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
                if over > (1 + least) * ascent.lone[j] and added < most and count < len(triangles.apex):
                    triangles.apex[count] = j
                    triangles.first[count] = first
                    triangles.second[count] = second
                    triangles.third[count] = third
                    triangles.price[count] = triangles.best[count] = triangles.move[count] = 0.0
                    count += 1
                    added += 1
    return count
