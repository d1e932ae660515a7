"""Random trees over a few classes, and where to cut them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit
from kanon_engine.regions.recombine.partition_kernels import kinds, lacking, price
from kanon_engine.search.random_kernels import bits


class Tree(NamedTuple):
    """A tree over a few classes, by position in order of growth; scratch."""

    order: np.ndarray  # (n,) int64: the vertex
    parent: np.ndarray  # (n,) int64: its parent's position
    sums: np.ndarray  # (n,) int64: the weight of its subtree
    below: np.ndarray  # (r, n) int64: what that has of the second counts
    part: np.ndarray  # (n,) int64: the part that it lies in
    where: np.ndarray  # (n,) int64: of each vertex its position, or -1
    frontier: np.ndarray  # (2 e + 1,) int64: the places that growth may go on from
    weights: np.ndarray  # (4,) int64: of the parts
    counts: np.ndarray  # (r, 4) int64: what the parts have of the second counts


@uncounted_njit(cache=True, nogil=True)
def grow(graph, state, tree, first, depth):
    """Grow a random spanning tree from a vertex over state.classes; returns its number of vertices.

    The next edge is one of the newest with probability depth / 8, else any: from bushy trees to paths.
    """
    random, label, (a, b, c) = state.random, state.label, (state.classes[0], state.classes[1], state.classes[2])
    tree.order[0] = first
    tree.parent[0] = -1
    tree.where[first] = 0
    size, height = 1, 0
    newest = first
    while True:
        for place in range(graph.start[newest], graph.start[newest + 1]):
            v = graph.neighbours[place]
            own = label[v]
            tree.frontier[height] = place  # overwritten if it does not count: a branch here is hard to foresee
            height += ((own == a) | (own == b) | (own == c)) & (tree.where[v] < 0)
        newest = -1
        while height > 0:
            chance = bits(random)
            if chance & 7 < depth:
                pick = height - 1 - (((chance >> 32) * min(height, 3)) >> 31)
            else:
                pick = ((chance >> 32) * height) >> 31
            place = tree.frontier[pick]
            height -= 1
            tree.frontier[pick] = tree.frontier[height]
            v = graph.neighbours[place]
            if tree.where[v] < 0:
                newest = v
                break
        if newest < 0:
            break
        tree.order[size] = newest
        tree.parent[size] = tree.where[graph.tails[place]]
        tree.where[newest] = size
        size += 1
    for position in range(size):
        tree.where[tree.order[position]] = -1
        tree.part[position] = 0
    return size


@uncounted_njit(cache=True, nogil=True)
def weigh(graph, tree, size, part):
    """Fill in the subtree sums within one part of a cut tree, and its counts; returns the weight of the part."""
    rows = len(graph.columns)
    for position in range(size):
        if tree.part[position] == part:
            tree.sums[position] = graph.weights[tree.order[position]]
            for row in range(rows):
                tree.below[row, position] = graph.columns[row, tree.order[position]]
    top = -1
    for position in range(size - 1, -1, -1):
        if tree.part[position] == part:
            above = tree.parent[position]
            if above >= 0 and tree.part[above] == part:
                tree.sums[above] += tree.sums[position]
                for row in range(rows):
                    tree.below[row, above] += tree.below[row, position]
            else:
                top = position
    for row in range(rows):
        tree.counts[row, part] = tree.below[row, top]
    return tree.sums[top]


@uncounted_njit(cache=True, nogil=True)
def lacking_beside(minima, tree, part, position):
    """As `lacking`, of what a part holds besides the subtree at a position."""
    share = 0.0
    for row in range(len(minima)):
        left = tree.counts[row, part] - tree.below[row, position]
        share += max(minima[row] - left, 0) / minima[row]
    return share


@uncounted_njit(cache=True, nogil=True)
def best_cut(state, tree, size, part):
    """Where to cut a part that shall become state.fresh[part] classes: position of the subtree, and its share of them.

    Each side is priced as if it fell into equal classes, and its second counts as if it were one. Position -1: nothing
    to cut.
    """
    numbers, minima, total, count = state.numbers, state.minima, tree.weights[part], state.fresh[part]
    best, best_position, best_count = np.inf, -1, 0
    for position in range(1, size):
        if tree.part[position] != part or tree.part[tree.parent[position]] != part:
            continue
        side = tree.sums[position]
        share = 1
        if count == 2:
            cost = price(side, numbers) + price(total - side, numbers)
        else:
            if total > 0:
                share = min(max(np.int64(side * count / total + 0.5), 1), count - 1)
            cost = share * price(side / share, numbers)
            cost += (count - share) * price((total - side) / (count - share), numbers)
        if len(minima) > 0:
            cost += numbers.short_price * (
                lacking(minima, tree.below, position) + lacking_beside(minima, tree, part, position)
            )
        if cost < best:
            best, best_position, best_count = cost, position, share
    return best_position, best_count


@uncounted_njit(cache=True, nogil=True)
def cut(tree, size, position, part, fresh):
    """Give the subtree at a position, as far as it lies in a part, the number of a fresh part."""
    tree.part[position] = fresh
    for below in range(position + 1, size):
        if tree.part[below] == part and tree.part[tree.parent[below]] == fresh:
            tree.part[below] = fresh


@uncounted_njit(cache=True, nogil=True)
def breach_change(graph, state, tree, size):
    """What a cut tree adds to `breaches`: by its parts, less by the classes that it spans."""
    change = 0
    for position in range(size):
        tree.where[tree.order[position]] = position
    for position in range(size):
        u = tree.order[position]
        for place in range(graph.conflict_start[u], graph.conflict_start[u + 1]):
            other = tree.where[graph.conflicts[place]]
            if other > position:
                after = tree.part[position] == tree.part[other]
                before = state.label[u] == state.label[tree.order[other]]
                change += np.int64(after) - np.int64(before)
    for s in range(len(graph.set_start) - 1):
        change -= kinds(graph, s, state.label)
        for place in range(graph.set_start[s], graph.set_start[s + 1]):
            own = part_or_class(state, tree, graph.set_members[place])
            first = graph.set_start[s]
            while part_or_class(state, tree, graph.set_members[first]) != own:
                first += 1
            change += first == place
    for position in range(size):
        tree.where[tree.order[position]] = -1
    return change


@uncounted_njit(cache=True, nogil=True)
def part_or_class(state, tree, v):
    """A number for the part of a cut tree that holds a vertex, or for its class."""
    return state.label[v] if tree.where[v] < 0 else -1 - tree.part[tree.where[v]]


@uncounted_njit(cache=True, nogil=True)
def border_change(graph, state, tree, size):
    """Length of the borders between the parts of a cut tree, less that between the classes that it spans."""
    for position in range(size):
        tree.where[tree.order[position]] = position
    change = 0.0
    for position in range(size):
        u = tree.order[position]
        for place in range(graph.start[u], graph.start[u + 1]):
            other = tree.where[graph.neighbours[place]]
            if other > position:
                apart = tree.part[position] != tree.part[other]
                before = state.label[u] != state.label[tree.order[other]]
                change += graph.lengths[place] * (np.int64(apart) - np.int64(before))
    for position in range(size):
        tree.where[tree.order[position]] = -1
    return change
