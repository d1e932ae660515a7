"""Hot loops of the lower bounds."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.regions.trees_kernels import top

SMALL_SET = 12  # areas that a light set may have
FEW_NEIGHBORS = (
    1_000  # a set is not extended past an area with more; otherwise stars would cost the square of their size
)


@njit(cache=True, nogil=True)
def most_classes(descending, k):
    """Least i + min(R // k, r // c) over i; see `most_classes` in bounds.py."""
    n = len(descending)
    prefix = np.zeros(n + 1, np.int64)
    for i in range(n):
        prefix[i + 1] = prefix[i] + descending[i]
    best = prefix[n] // k
    for i in range(n + 1):
        if i >= best:
            break
        rest = prefix[n] - prefix[i]
        bound = i
        if rest >= k:
            fewest = np.searchsorted(prefix, prefix[i] + k) - i
            bound += min(rest // k, (n - i) // fewest)
        best = min(best, bound)
    return best


@njit(cache=True, nogil=True)
def cut_vertices(graph, totals, part, k):
    """Depth-first search for cut vertices.

    Returns for each vertex its weight with all light components that it cuts off, for each whether the greedy closing
    of `separators` closes it, and for each part how many classes that closing counts.
    """
    start, neighbors, weights = graph
    n = len(weights)
    number = np.full(n, -1, np.int64)
    low = np.zeros(n, np.int64)
    parent = np.full(n, -1, np.int64)
    position = start[:-1].copy()
    below = weights.copy()  # weight of the subtree
    cut_off = np.zeros(n, np.int64)  # weight of the branches that v cuts off downwards
    alone = weights.copy()  # v with the light ones of its branches
    remainder = np.minimum(weights, k)  # v with what its finished blocks leave over
    passed = np.zeros(n, np.int64)  # what unfinished blocks carry past v
    closed = np.zeros(n, np.bool_)
    capacities = np.zeros(len(totals), np.int64)
    stack = np.empty(n, np.int64)
    clock = 0
    for root in range(n):
        if number[root] >= 0:
            continue
        number[root] = low[root] = clock
        clock += 1
        stack[0] = root
        height = 1
        while height > 0:
            v = stack[height - 1]
            if position[v] < start[v + 1]:
                u = neighbors[position[v]]
                position[v] += 1
                if number[u] < 0:
                    parent[u] = v
                    number[u] = low[u] = clock
                    clock += 1
                    stack[height] = u
                    height += 1
                elif u != parent[v]:
                    low[v] = min(low[v], number[u])
                continue
            height -= 1
            closed[v] = remainder[v] >= k
            capacities[part[v]] += closed[v]
            carried = passed[v] + (0 if closed[v] else remainder[v])
            up = totals[part[v]] - cut_off[v] - weights[v]
            if parent[v] >= 0 and up < k:
                alone[v] += up
            u = parent[v]
            if u < 0:
                continue
            below[u] += below[v]
            low[u] = min(low[u], low[v])
            if low[v] >= number[u]:
                cut_off[u] += below[v]
                if below[v] < k:
                    alone[u] += below[v]
                remainder[u] += carried % k
                capacities[part[v]] += carried // k
            else:
                passed[u] += carried
    return alone, closed, capacities


@njit(cache=True, nogil=True)
def light_set(graph, k):
    """The best light set found: from each light area on, the lightest neighbor is added while the set stays light.

    Returns the value and the area to start from; -1 if no light area has a neighbor.
    """
    start, neighbors, weights = graph
    n = len(weights)
    visited = np.full(n, -1, np.int64)
    best = np.int64(0)
    best_from = -1
    for v in range(n):
        if weights[v] >= k:
            continue
        visited[v] = v
        heap = [(weights[v], np.int64(v))]
        size = 0
        total = np.int64(0)
        while len(heap) > 0 and total < k and size < SMALL_SET:
            weight, inside = heapq.heappop(heap)
            if size > 0 and weights[v] + weight > best:
                best = weights[v] + weight
                best_from = v
            total += weight
            size += 1
            if size > 1 and start[inside + 1] - start[inside] > FEW_NEIGHBORS:
                break
            for slot in range(start[inside], start[inside + 1]):
                u = neighbors[slot]
                if visited[u] != v:
                    visited[u] = v
                    heapq.heappush(heap, (weights[u], u))
    return best, best_from


# ---------------------------------------------------------------------------------------------------------------------
# Separators
# ---------------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def sweep(graph, part, order, k):
    """Take areas out, one by one: of all ends of `order` within a part, the set Y with the best quotient.

    `order` lists part after part. Returns the best of w(Y and light components) / |Y| and w(part) / (|Y| + sum of
    floor(w'(C) / k)), w' being weights cut to k, and the slice of `order` that is Y.
    """
    start, neighbors, weights = graph
    n = len(order)
    above = np.arange(n)
    sums = weights.copy()
    cut = np.minimum(weights, k)
    inserted = np.zeros(n, np.bool_)
    best = 0.0
    best_from = best_to = 0
    first = 0
    while first < n:
        last = first
        while last < n and part[order[last]] == part[order[first]]:
            last += 1
        total = np.int64(0)
        for place in range(first, last):
            total += weights[order[place]]
        heavy = np.int64(0)  # weight of the heavy components
        capacity = np.int64(0)
        for place in range(first, last):
            size = last - place
            quotient = max((total - heavy) / size, total / (size + capacity))
            if quotient > best:
                best, best_from, best_to = quotient, place, last
            v = order[place]
            inserted[v] = True
            if sums[v] >= k:
                heavy += sums[v]
            capacity += cut[v] // k
            for slot in range(start[v], start[v + 1]):
                u = neighbors[slot]
                if not inserted[u]:
                    continue
                a, b = top(above, v), top(above, u)
                if a == b:
                    continue
                if sums[a] >= k:
                    heavy -= sums[a]
                if sums[b] >= k:
                    heavy -= sums[b]
                capacity -= cut[a] // k + cut[b] // k
                above[b] = a
                sums[a] += sums[b]
                cut[a] += cut[b]
                if sums[a] >= k:
                    heavy += sums[a]
                capacity += cut[a] // k
        if total / capacity > best:
            best, best_from, best_to = total / capacity, last, last
        first = last
    return best_from, best_to


@njit(cache=True, nogil=True)
def quotient_of(graph, inside, separator, k):
    """The quotient of `sweep` for one set Y = `separator` in the part of the graph that `inside` marks."""
    start, neighbors, weights = graph
    n = len(weights)
    visited = np.zeros(n, np.bool_)
    stack = np.empty(n, np.int64)
    total = heavy = capacity = np.int64(0)
    count = 0
    for root in range(n):
        if not inside[root]:
            continue
        total += weights[root]
        if separator[root]:
            count += 1
            continue
        if visited[root]:
            continue
        visited[root] = True
        stack[0] = root
        height = 1
        weight = cut = np.int64(0)
        while height > 0:
            height -= 1
            v = stack[height]
            weight += weights[v]
            cut += min(weights[v], k)
            for slot in range(start[v], start[v + 1]):
                u = neighbors[slot]
                if not visited[u] and not separator[u]:
                    visited[u] = True
                    stack[height] = u
                    height += 1
        if weight >= k:
            heavy += weight
            capacity += cut // k
    if count == 0:
        return total / capacity
    return max((total - heavy) / count, total / (count + capacity))


@njit(cache=True, nogil=True)
def improve_separator(graph, inside, separator, k, steps):
    """Hill climbing: put areas into Y or take them out while the quotient grows; `separator` is changed in place."""
    n = len(graph.weights)
    best = quotient_of(graph, inside, separator, k)
    since = 0
    v = 0
    while steps > 0 and since < n:
        if inside[v]:
            separator[v] = not separator[v]
            value = quotient_of(graph, inside, separator, k)
            steps -= n + len(graph.neighbors)
            if value > best:
                best = value
                since = 0
            else:
                separator[v] = not separator[v]
        v = (v + 1) % n
        since += 1
    return best


# ---------------------------------------------------------------------------------------------------------------------
# Few choices
# ---------------------------------------------------------------------------------------------------------------------


REST = 64  # size up to which a piece left next to a class is examined


class ChoiceLimits(NamedTuple):
    """Limits on the weight of a class and on listing sets."""

    k: int
    cap: int
    sets: int  # how many an area may have
    steps: int  # areas and borders that may be visited for it


class Floods(NamedTuple):
    """Scratch of the floods that measure the pieces next to a set."""

    stamps: np.ndarray  # (n,) int64: -1 for members of the set, otherwise the number of the last flood that reached it
    queue: np.ndarray  # (REST + 1,) int64
    count: np.ndarray  # (1,) int64: floods so far
    visited: np.ndarray  # (1,) int64: areas that they visited for the current root


class PossibleSets(NamedTuple):
    """Sets of areas, and for each area the sets that hold it."""

    members: np.ndarray  # those of set s are members[ends[s - 1]] … members[ends[s] - 1]
    ends: np.ndarray  # (s,) int64
    first: np.ndarray  # (n + 1,) int64: the sets that hold v are slots[first[v]] … slots[first[v + 1] - 1]
    slots: np.ndarray


@njit(cache=True, nogil=True)
def rest_can_be_classes(graph, limits, members, floods):
    """Whether every piece of at most `REST` areas left next to the members can be cut into classes."""
    start, neighbors, weights = graph
    stamps, queue = floods.stamps, floods.queue
    before = floods.count[0]
    for inside in members:
        for slot in range(start[inside], start[inside + 1]):
            first = neighbors[slot]
            if stamps[first] < 0 or stamps[first] > before:
                continue
            floods.count[0] += 1
            now = floods.count[0]
            stamps[first] = now
            queue[0] = first
            head, tail = 0, 1
            weight = np.int64(0)
            while head < tail <= REST:
                v = queue[head]
                head += 1
                weight += weights[v]
                for other in range(start[v], start[v + 1]):
                    u = neighbors[other]
                    if stamps[u] < 0 or stamps[u] == now:
                        continue
                    if stamps[u] > before:  # an earlier flood was here and ended early
                        tail = REST
                    stamps[u] = now
                    queue[tail] = u
                    tail += 1
                    if tail > REST:
                        break
            floods.visited[0] += head
            if tail <= REST and (weight < limits.k or -(-weight // limits.cap) > weight // limits.k):
                return False
    return True


@njit(cache=True, nogil=True)
def classes_around(graph, roots, limits):
    """For each root the connected sets that hold it, weigh k to the cap and leave fine pieces; see `few_choices`.

    Returns the members one set after another, where each set ends, the number of sets of each root (-1 where there are
    too many) and how much was visited.
    """
    start, neighbors, weights = graph
    k, most, sets, steps = limits
    n = len(weights)
    vertices = [np.int64(0) for _ in range(0)]
    ends = [np.int64(0) for _ in range(0)]
    set_counts = np.full(len(roots), -1, np.int64)
    spent = np.zeros(len(roots), np.int64)
    members = np.empty(n + 1, np.int64)
    candidates = np.empty(n + 1, np.int64)
    following = np.empty(n + 1, np.int64)  # of each level, the candidate to examine next
    counts = np.empty(n + 1, np.int64)  # and how many there are
    queued = np.zeros(n, np.bool_)
    floods = Floods(np.zeros(n, np.int64), np.empty(REST + 1, np.int64), np.zeros(1, np.int64), np.zeros(1, np.int64))
    stamps, flooded = floods.stamps, floods.visited
    for place in range(len(roots)):
        root = roots[place]
        first_end = len(ends)
        queued[root] = True
        candidates[0] = root
        following[0] = 0
        counts[0] = 1
        weight = np.int64(0)
        level = 0
        flooded[0] = 0
        visited = 0
        complete = True
        while level >= 0:
            if following[level] == counts[level] or not complete:
                level -= 1
                if level >= 0:
                    for slot in range(counts[level], counts[level + 1]):
                        queued[candidates[slot]] = False
                    v = members[level]
                    weight -= weights[v]
                    stamps[v] = 0
                continue
            v = candidates[following[level]]
            following[level] += 1
            visited += 1
            if weight + weights[v] > most:
                continue
            visited += start[v + 1] - start[v]
            if visited + flooded[0] > steps:
                complete = False
                continue
            weight += weights[v]
            members[level] = v
            stamps[v] = -1
            count = counts[level]
            for slot in range(start[v], start[v + 1]):
                u = neighbors[slot]
                if not queued[u]:
                    queued[u] = True
                    candidates[count] = u
                    count += 1
            level += 1
            following[level] = following[level - 1]
            counts[level] = count
            if weight >= k and rest_can_be_classes(graph, limits, members[:level], floods):
                complete = len(ends) - first_end < sets
                for slot in range(level):
                    vertices.append(members[slot])
                ends.append(np.int64(len(vertices)))
        queued[root] = False
        spent[place] = visited + flooded[0]
        if complete:
            set_counts[place] = len(ends) - first_end
            continue
        while len(ends) > first_end:
            ends.pop()
        size = ends[-1] if len(ends) > 0 else 0
        while len(vertices) > size:
            vertices.pop()
    return np.array(vertices), np.array(ends), set_counts, spent


@njit(cache=True, nogil=True)
def exclude(sets, choosers, budget):
    """Eliminate sets: one that misses a chooser but intersects all remaining sets of the chooser cannot be a class.

    The sets of a chooser are all its possible classes. Ends when a chooser has none left, when nothing changes, or when
    `budget` members were compared. Returns that chooser or -1, and for each set which chooser eliminated it and when
    (-1: none).
    """
    members, ends, first, slots = sets
    killer = np.full(len(ends), -1, np.int64)
    time = np.full(len(ends), -1, np.int64)
    chooses = np.zeros(len(first) - 1, np.bool_)
    chooses[choosers] = True
    stale = chooses.copy()  # its sets have changed since it was examined
    mark = np.full(len(first) - 1, -1, np.int64)
    met = np.full(len(ends), -1, np.int64)
    stamp = 0
    clock = 0
    changed = True
    while changed:
        changed = False
        for v in choosers:
            if not stale[v]:
                continue
            stale[v] = False
            count = -1  # no set of v seen yet
            meeting = np.empty(0, np.int64)
            for slot in range(first[v], first[v + 1]):
                candidate = slots[slot]
                if killer[candidate] >= 0:
                    continue
                stamp += 1
                begin = ends[candidate - 1] if candidate > 0 else 0
                for place in range(begin, ends[candidate]):
                    mark[members[place]] = stamp
                if count < 0:
                    several = [np.int64(0) for _ in range(0)]
                    for place in range(begin, ends[candidate]):
                        u = members[place]
                        for at in range(first[u], first[u + 1]):
                            other = slots[at]
                            budget -= 1
                            if met[other] != stamp and killer[other] < 0:
                                met[other] = stamp
                                several.append(other)
                    meeting = np.array(several)
                    count = len(meeting)
                remaining = 0
                for place in range(count):
                    other = meeting[place]
                    meets = False
                    for at in range(ends[other - 1] if other > 0 else 0, ends[other]):
                        budget -= 1
                        if members[at] == v:
                            meets = False
                            break
                        meets = meets or mark[members[at]] == stamp
                    if meets:
                        meeting[remaining] = other
                        remaining += 1
                count = remaining
                if count == 0 or budget < 0:
                    break
            if count < 0:
                return v, killer, time
            if budget < 0:
                return -1, killer, time
            for place in range(count):
                other = meeting[place]
                killer[other] = v
                time[other] = clock
                clock += 1
                changed = True
                for at in range(ends[other - 1] if other > 0 else 0, ends[other]):
                    stale[members[at]] = chooses[members[at]]
    return -1, killer, time
