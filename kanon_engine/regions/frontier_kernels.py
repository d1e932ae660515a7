"""Hot loops of the frontier: all states after one more vertex, and orders of vertices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit

BITS = 4
WIDEST = 15  # vertices of a frontier, so that their numbers fit into 64 bits
PARTS, EXCESS, MOST = 0, 1, 2  # columns; `least` follows after as many columns as there can be parts


class FrontierStep(NamedTuple):
    """A vertex comes to the frontier."""

    weight: int
    open: bool  # whether it has neighbors outside the graph: its class may continue there
    around: np.ndarray  # (a,) int64: places of the frontier that are next to it
    kept: np.ndarray  # (places + 1,) bool: which stay in the frontier, the vertex itself last


class ClassRule(NamedTuple):
    """Limits on the weight of a class."""

    k: int
    cap: int
    spare: int  # the most that classes weigh above k together; negative: not limited
    capped: bool  # whether a class can exceed the cap at all


class Layer(NamedTuple):
    """Room for the states after a step."""

    states: np.ndarray  # (room, columns) int64
    origin: np.ndarray  # (room,) int64: the state that each was made from, -1 for one replaced by a better one
    choice: np.ndarray  # (room,) int64: which of the parts around the vertex were joined, a bit for each
    follow: np.ndarray  # (room,) int64: the next state of the same bucket
    heads: np.ndarray  # (a power of two,) int64: the first state of each bucket


@njit(cache=True, nogil=True)
def spread(digest, value):
    """Mix a number into a digest; xorshift."""
    digest ^= np.uint64(value) + (digest >> np.uint64(32))
    digest ^= digest << np.uint64(13)
    digest ^= digest >> np.uint64(7)
    return digest ^ (digest << np.uint64(17))


@njit(cache=True, nogil=True)
def enter(layer, row, count, chain):
    """Add the state in row `made` to the others, unless one is as good; those that it dominates are removed.

    Among states with equal parts and equal `most`, one is as good as another if its `least` and its excess are nowhere
    larger. Returns 1 if it was entered, 0 if not, -1 if it was left out as `chain` others were no worse.
    """
    states, follow = layer.states, layer.follow
    columns = states.shape[1] // 2 - 1
    digest = spread(np.uint64(0x9E3779B97F4A7C15), states[row, PARTS])
    for place in range(MOST, MOST + count):
        digest = spread(digest, states[row, place])
    bucket = np.int64(digest & np.uint64(len(layer.heads) - 1))
    other, before, length, gave_way = layer.heads[bucket], np.int64(-1), 0, False
    while other >= 0:
        alike = states[other, PARTS] == states[row, PARTS]
        for place in range(MOST, MOST + count):
            if not alike or states[other, place] != states[row, place]:
                alike = False
                break
        after = follow[other]
        if alike:
            worse = states[row, EXCESS] >= states[other, EXCESS]
            better = states[row, EXCESS] <= states[other, EXCESS]
            for place in range(MOST + columns, MOST + columns + count):
                worse &= states[row, place] >= states[other, place]
                better &= states[row, place] <= states[other, place]
                if not worse and not better:
                    break
            if worse:
                return 0
            if better:
                gave_way = True
                layer.origin[other] = -1
                if before >= 0:
                    follow[before] = after
                else:
                    layer.heads[bucket] = after
                other = before
            else:
                length += 1
                if length >= chain and not gave_way:
                    return -1
        before, other = other, after
    follow[row] = layer.heads[bucket]
    layer.heads[bucket] = row
    return 1


@njit(cache=True, nogil=True)
def extend_states(states, step, rule, chain, layer):
    """Add a vertex to every state in every way: alone, or joined to any of the parts next to it.

    Returns how many states there are then (-1 if there is no room for them), and whether none was left out.
    """
    columns = states.shape[1] // 2 - 1
    remains, out, k = step.kept, layer.states, rule.k
    places = len(remains) - 1
    label = np.empty(places, np.int64)  # the part of each place
    touched = np.empty(places, np.int64)  # the parts next to the vertex
    merged = np.zeros(places + 1, np.bool_)
    number = np.empty(places + 1, np.int64)  # the new number of each part
    layer.heads[:] = -1
    row, whole = 0, True
    for i in range(len(states)):
        parts = 0
        for place in range(places):
            label[place] = states[i, PARTS] >> (BITS * place) & 15
            parts = max(parts, label[place] + 1)
        next_to = 0
        merged[: parts + 1] = False
        for place in step.around:
            if not merged[label[place]]:
                merged[label[place]] = True
                touched[next_to] = label[place]
                next_to += 1
        for which in range(1 << next_to):
            least, most = step.weight, k if step.open else min(step.weight, k)
            excess = states[i, EXCESS]
            for a in range(next_to):
                merged[touched[a]] = which >> a & 1
                if which >> a & 1:
                    load = states[i, MOST + columns + touched[a]]
                    least += load
                    excess -= max(load - k, 0)
                    most = min(most + states[i, MOST + touched[a]], k)
            if least > rule.cap:
                continue
            excess += max(least - k, 0)
            if excess > rule.spare >= 0:
                continue
            if row == len(out):
                return -1, whole
            number[: parts + 1] = -1
            packed, count, position = np.int64(0), 0, 0
            for place in range(places + 1):
                if remains[place]:
                    c = parts
                    if place < places and not merged[label[place]]:
                        c = label[place]
                    if number[c] < 0:
                        number[c] = count
                        count += 1
                    packed |= number[c] << (BITS * position)
                    position += 1
            out[row] = 0
            possible = True
            for c in range(parts + 1):
                if c == parts:
                    high, low = most, least
                elif merged[c]:
                    continue
                else:
                    high, low = states[i, MOST + c], states[i, MOST + columns + c]
                if number[c] >= 0:
                    out[row, MOST + number[c]] = high
                    out[row, MOST + columns + number[c]] = low if rule.capped else min(low, k)
                elif high < k:  # the part is a whole class
                    possible = False
                    break
            if not possible:
                continue
            out[row, PARTS] = packed
            out[row, EXCESS] = excess if rule.spare >= 0 else 0
            entered = enter(layer, row, count, chain)
            whole &= entered >= 0
            if entered > 0:
                layer.origin[row] = i
                layer.choice[row] = which
                row += 1
    return close_up(layer, row), whole


@njit(cache=True, nogil=True)
def close_up(layer, rows):
    """Move states up into the rows of removed ones; returns how many there are."""
    count = 0
    for s in range(rows):
        if layer.origin[s] >= 0:
            if count < s:
                layer.states[count] = layer.states[s]
                layer.origin[count] = layer.origin[s]
                layer.choice[count] = layer.choice[s]
            count += 1
    return count


@njit(cache=True, nogil=True)
def merge_states(states, grain, cells, layer):
    """Merge states with equal parts whose loads lie in the same cells, of width `grain`.

    The cell of a part is that of the middle between its `least` and its `most`. `cells` (most, columns) is scratch.
    Returns how many states are left, or -1 if there would be more than `cells` has rows.
    """
    columns = states.shape[1] // 2 - 1
    out, follow = layer.states, layer.follow
    cell = np.empty(columns, np.int64)
    layer.heads[:] = -1
    count = 0
    for i in range(len(states)):
        digest = spread(np.uint64(0x9E3779B97F4A7C15), states[i, PARTS])
        for c in range(columns):
            cell[c] = (states[i, MOST + c] + states[i, MOST + columns + c]) // (2 * grain)
            digest = spread(digest, cell[c])
        bucket = np.int64(digest & np.uint64(len(layer.heads) - 1))
        other = layer.heads[bucket]
        while other >= 0 and not (out[other, PARTS] == states[i, PARTS] and (cells[other] == cell).all()):
            other = follow[other]
        if other >= 0:
            out[other, EXCESS] = min(out[other, EXCESS], states[i, EXCESS])
            for place in range(MOST, MOST + columns):
                out[other, place] = max(out[other, place], states[i, place])
                out[other, place + columns] = min(out[other, place + columns], states[i, place + columns])
            continue
        if count == len(cells):
            return -1
        out[count] = states[i]
        cells[count] = cell
        follow[count] = layer.heads[bucket]
        layer.heads[bucket] = count
        count += 1
    return count


# ---------------------------------------------------------------------------------------------------------------------
# Vertex orders: how many vertices wait for neighbors at any time
# ---------------------------------------------------------------------------------------------------------------------


BRANCHES = 3.0  # approximate factor on the number of states for one more vertex in the frontier


@njit(cache=True, nogil=True)
def greedy_order(graph, first, noise, order):
    """Write an order that always takes the vertex leaving the smallest frontier; among equals, the longest waiting.

    `noise` (n,) moves the choice. Parts of the graph come one after another, each except the first from its first
    vertex.
    Returns the price, the sum of `BRANCHES`^size, and the largest size.
    """
    start, neighbors = graph.start, graph.neighbors
    n = len(start) - 1
    left = start[1:] - start[:-1]  # neighbors still to come
    met = np.full(n, -1, np.int64)  # when the first neighbor came; n once the vertex itself has come
    waiting = np.empty(n, np.int64)
    many, size, widest, lowest = 0, 0, 0, 0
    price = 0.0
    v = first
    for t in range(n):
        if t > 0:
            best = np.inf
            for slot in range(many):
                u = waiting[slot]
                cost = noise[u] + 1e-3 * met[u] + (1.0 if left[u] > 0 else 0.0)
                for place in range(start[u], start[u + 1]):
                    other = neighbors[place]
                    if met[other] == n and left[other] == 1:
                        cost -= 1.0
                if cost < best:
                    best, v = cost, u
            if many == 0:
                while met[lowest] == n:
                    lowest += 1
                v = lowest
        for slot in range(many):
            if waiting[slot] == v:
                many -= 1
                waiting[slot] = waiting[many]
                break
        met[v] = n
        order[t] = v
        size += left[v] > 0
        for place in range(start[v], start[v + 1]):
            u = neighbors[place]
            left[u] -= 1
            if met[u] == -1:
                met[u] = t
                waiting[many] = u
                many += 1
            elif met[u] == n and left[u] == 0:
                size -= 1
        widest = max(widest, size)
        price += BRANCHES**size
    return price, widest


@njit(cache=True, nogil=True)
def walk_order(graph, order, widest):
    """What happens to the frontier along an order, as long as it has at most `widest` vertices.

    Returns of each step how many vertices wait before it, which of their places are next to the one that comes
    (`around`, those of step t before `ends[t]`), and which stay (row t of `kept`, the new one last); no steps if the
    frontier grows too wide.
    """
    start, neighbors = graph.start, graph.neighbors
    n = len(order)
    last = np.zeros(n, np.int64)  # when the last neighbor of a vertex comes
    for t in range(n):
        v = order[t]
        last[v] = max(last[v], t)
        for place in range(start[v], start[v + 1]):
            u = neighbors[place]
            last[u] = max(last[u], t)
    sizes = np.zeros(n, np.int64)
    ends = np.zeros(n, np.int64)
    around = np.empty(len(neighbors), np.int64)
    remains = np.zeros((n, widest + 1), np.bool_)
    slots = np.empty(widest + 1, np.int64)
    next_to = np.zeros(n, np.bool_)
    size, listed = 0, 0
    for t in range(n):
        v = order[t]
        for place in range(start[v], start[v + 1]):
            next_to[neighbors[place]] = True
        sizes[t] = size
        slots[size] = v
        stay = 0
        for slot in range(size + 1):
            u = slots[slot]
            if next_to[u]:
                around[listed] = slot
                listed += 1
            if last[u] > t:
                remains[t, slot] = True
                slots[stay] = u
                stay += 1
        for place in range(start[v], start[v + 1]):
            next_to[neighbors[place]] = False
        ends[t] = listed
        size = stay
        if size > widest:
            return sizes[:0], around[:0], ends[:0], remains[:0]
    return sizes, around[:listed], ends, remains
