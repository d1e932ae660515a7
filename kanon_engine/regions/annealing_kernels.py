"""Hot loops of the annealing over partitions into connected classes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import uncounted_njit
from kanon_engine.search.search_kernels import bits, draw

# ---------------------------------------------------------------------------------------------------------------------
# Steps of the annealing
# ---------------------------------------------------------------------------------------------------------------------


@uncounted_njit(cache=True, nogil=True)
def shift(graph, state, tree, place):
    """Move a vertex into the class of its neighbor, if the price is right and its own class stays connected."""
    u = graph.tails[place]
    a, b = state.label[u], state.label[graph.neighbors[place]]
    w = graph.weights[u]
    if state.count[a] == 1:
        return False
    numbers = state.numbers
    old_a, old_b = state.load[a], state.load[b]
    change = price(old_a - w, numbers) + price(old_b + w, numbers)
    change -= price(old_a, numbers) + price(old_b, numbers)
    for row in range(len(state.minima)):
        least, value = state.minima[row], graph.columns[row, u]
        in_a, in_b = state.sums[row, a], state.sums[row, b]
        more = max(least - in_a + value, 0) + max(least - in_b - value, 0) - max(least - in_a, 0) - max(least - in_b, 0)
        change += numbers.short_price * more / least
    broken = moved_breaches(graph, state, u, b)
    change += numbers.breach_price * broken
    longer = 0.0
    if numbers.border_price > 0:
        for other in range(graph.start[u], graph.start[u + 1]):
            value = state.label[graph.neighbors[other]]
            if value == a:
                longer += graph.lengths[other]
            elif value == b:
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
    """How much moving a vertex into class b adds to `breaches`."""
    a = state.label[u]
    change = 0
    for place in range(graph.conflict_start[u], graph.conflict_start[u + 1]):
        rival_class = state.label[graph.conflicts[place]]
        change += np.int64(rival_class == b) - np.int64(rival_class == a)
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


class ClassChange(NamedTuple):
    """Which classes are replaced, and by how many."""

    first: int  # a vertex of one of them
    old: int  # how many of state.classes are replaced
    new: int
    aim: int  # how many replace them in the end


@uncounted_njit(cache=True, nogil=True)
def exchange(graph, state, tree, change):
    """Replace the first `old` classes of state.classes by `new` ones along a random tree, if the price is right.

    The parts are made as if they were to be cut further, into `aim` classes in all.
    """
    first, old, new, aim = change
    numbers = state.numbers
    size = grow_tree(graph, state, tree, first, 2 * draw(state.random, 5))
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
        cut_tree(tree, size, position, donor, part)
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
    """A class next to the first two of state.classes, found by a short walk; -1 if none was found."""
    a, b = state.classes[0], state.classes[1]
    for _ in range(6):
        width = graph.start[vertex + 1] - graph.start[vertex]
        vertex = graph.neighbors[graph.start[vertex] + draw(state.random, width)]
        if state.label[vertex] != a and state.label[vertex] != b:
            return state.label[vertex]
    return -1


@uncounted_njit(cache=True, nogil=True)
def anneal_step(graph, state, tree):
    """One random change of the partition; True if it was made."""
    places = len(graph.neighbors)
    place = draw(state.random, places)
    first = graph.tails[place]
    state.classes[0] = a = state.label[first]
    state.classes[1] = state.classes[2] = -1
    if room(state, 1) >= 2 and draw(state.random, 8) == 0:
        return exchange(graph, state, tree, ClassChange(first, 1, 2, 2))
    tries = 0
    while state.label[graph.neighbors[place]] == a:
        tries += 1
        if tries > 50:
            return False
        place = draw(state.random, places)
        first = graph.tails[place]
        a = state.label[first]
    if draw(state.random, 2) == 0:
        return shift(graph, state, tree, place)
    state.classes[0] = a
    state.classes[1] = state.label[graph.neighbors[place]]
    old = 2
    if draw(state.random, 4) == 0:
        c = third_class(graph, state, graph.neighbors[place])
        if c >= 0:
            state.classes[2] = c
            old = 3
    new = old
    if draw(state.random, 4) == 0:
        new += 1 if draw(state.random, 2) == 0 else -1
    new = max(1, min(new, room(state, old)))
    if new < old:
        new = min(old, max(new, old - state.numbers.classes + state.numbers.pin))
    return exchange(graph, state, tree, ClassChange(first, old, new, new))


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
            failed = 0 if exchange(graph, state, tree, ClassChange(first, 1, 2, aim)) else failed + 1


@uncounted_njit(cache=True, nogil=True)
def mend(graph, state, tree):
    """Merge every class below k or a minimum with its lightest neighbor until there is none; returns how often.

    Always possible: such a class is not all of its part of the map, which reaches k and every minimum.
    """
    merged = 0
    heat, state.numbers.heat = state.numbers.heat, np.inf
    for first in range(len(state.label)):
        while is_low(state, state.label[first]):
            state.classes[0] = c = state.label[first]
            state.classes[1] = state.classes[2] = -1
            size = grow_tree(graph, state, tree, first, 0)
            lightest = -1
            for position in range(size):
                v = tree.order[position]
                for place in range(graph.start[v], graph.start[v + 1]):
                    other = state.label[graph.neighbors[place]]
                    if other != c and (lightest < 0 or state.load[other] < state.load[lightest]):
                        lightest = other
            state.classes[1] = lightest
            exchange(graph, state, tree, ClassChange(first, 2, 1, 1))
            merged += 1
    state.numbers.heat = heat
    return merged


@uncounted_njit(cache=True, nogil=True)
def anneal(graph, state, tree, steps):
    """Make a number of steps at one temperature; returns how often the best partition was improved."""
    improved = 0
    pause = len(state.label) // 200  # evaluating a partition takes as long as this many steps
    recount(state)
    for _ in range(steps):
        state.numbers.since += 1
        if not anneal_step(graph, state, tree) or state.numbers.low > 0 or state.numbers.over_best > 0:
            continue
        if state.numbers.since > pause and record(state):
            improved += 1
            recount(state)
    return improved


# ---------------------------------------------------------------------------------------------------------------------
# Random trees over a few classes, and where they are cut
# ---------------------------------------------------------------------------------------------------------------------


class ClassTree(NamedTuple):
    """A tree over a few classes, by position in order of growth; scratch."""

    order: np.ndarray  # (n,) int64: the vertex
    parent: np.ndarray  # (n,) int64: its parent's position
    sums: np.ndarray  # (n,) int64: the weight of its subtree
    below: np.ndarray  # (r, n) int64: its second counts
    part: np.ndarray  # (n,) int64: the part that it lies in
    where: np.ndarray  # (n,) int64: position of each vertex, or -1
    frontier: np.ndarray  # (2 e + 1,) int64: the places from which growth may continue
    weights: np.ndarray  # (4,) int64: of the parts
    counts: np.ndarray  # (r, 4) int64: the second counts of the parts


@uncounted_njit(cache=True, nogil=True)
def grow_tree(graph, state, tree, first, depth):
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
            v = graph.neighbors[place]
            label_v = label[v]
            tree.frontier[height] = place  # overwritten if it does not count: a branch here would be hard to predict
            height += ((label_v == a) | (label_v == b) | (label_v == c)) & (tree.where[v] < 0)
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
            v = graph.neighbors[place]
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
def lacking_outside(minima, tree, part, position):
    """Like `lacking`, for the rest of a part outside the subtree at a position."""
    share = 0.0
    for row in range(len(minima)):
        left = tree.counts[row, part] - tree.below[row, position]
        share += max(minima[row] - left, 0) / minima[row]
    return share


@uncounted_njit(cache=True, nogil=True)
def best_cut(state, tree, size, part):
    """Where to cut a part that is to become state.fresh[part] classes: position of the subtree, and its share of them.

    Each side is priced as if it were divided into equal classes, and its second counts as if it were one class.
    Position -1: nothing to cut.
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
                lacking(minima, tree.below, position) + lacking_outside(minima, tree, part, position)
            )
        if cost < best:
            best, best_position, best_count = cost, position, share
    return best_position, best_count


@uncounted_njit(cache=True, nogil=True)
def cut_tree(tree, size, position, part, fresh):
    """Give the subtree at a position, restricted to a part, the number of a fresh part."""
    tree.part[position] = fresh
    for below in range(position + 1, size):
        if tree.part[below] == part and tree.part[tree.parent[below]] == fresh:
            tree.part[below] = fresh


@uncounted_njit(cache=True, nogil=True)
def breach_change(graph, state, tree, size):
    """How much a cut tree adds to `breaches`: that of its parts, minus that of the classes it spans."""
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
            part = part_or_class(state, tree, graph.set_members[place])
            first = graph.set_start[s]
            while part_or_class(state, tree, graph.set_members[first]) != part:
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
    """Length of the borders between the parts of a cut tree, minus that between the classes it spans."""
    for position in range(size):
        tree.where[tree.order[position]] = position
    change = 0.0
    for position in range(size):
        u = tree.order[position]
        for place in range(graph.start[u], graph.start[u + 1]):
            other = tree.where[graph.neighbors[place]]
            if other > position:
                after = tree.part[position] != tree.part[other]
                before = state.label[u] != state.label[tree.order[other]]
                change += graph.lengths[place] * (np.int64(after) - np.int64(before))
    for position in range(size):
        tree.where[tree.order[position]] = -1
    return change


# ---------------------------------------------------------------------------------------------------------------------
# The partition, what it costs, and the best one seen
# ---------------------------------------------------------------------------------------------------------------------


class BorderGraph(NamedTuple):
    """Neighbor lists, where place p holds the pair (tails[p], neighbors[p]), and the wishes between areas."""

    start: np.ndarray  # (n + 1,) int64
    neighbors: np.ndarray  # (2 e,) int64
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
        ("best_largest", np.int64),  # the best's largest class; the maximum integer while a sum counts
        ("free", np.int64),  # class numbers that are free
        ("stamp", np.int64),  # marks used
        ("since", np.int64),  # steps since the best was last checked
        ("summed", np.int64),  # 1 while a sum counts
        ("broken", np.int64),  # conflicts within a class, and how often a set is split
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


class PartitionState(NamedTuple):
    """The partition and its current figures."""

    label: np.ndarray  # (n,) int64: class of each vertex
    load: np.ndarray  # (n,) int64: weight of each class
    count: np.ndarray  # (n,) int64: vertices of each class
    minima: np.ndarray  # (r,) int64: of the second counts
    sums: np.ndarray  # (r, n) int64: second counts of each class
    free: np.ndarray  # (n,) int64: class numbers that are free
    numbers: np.record  # as in `NUMBERS`
    best: np.ndarray  # (n,) int64: the best partition
    classes: np.ndarray  # (3,) int64: the old classes of a step; scratch
    fresh: np.ndarray  # (4,) int64: its new classes; scratch
    mark: np.ndarray  # (n,) int64; scratch
    random: np.ndarray  # (1,) uint64: state of the generator


@uncounted_njit(cache=True, nogil=True)
def price(weight, numbers):
    """Price of one class in the annealing: its squared weight, and its shortfalls and excess."""
    share = weight * numbers.scale
    missing, excess = max(numbers.k - weight, 0), max(weight - numbers.target, 0)
    return share * share + (numbers.short_price * missing + numbers.long_price * excess) * numbers.scale


@uncounted_njit(cache=True, nogil=True)
def lacking(minima, sums, c):
    """Shortfall of column c of the sums to the minima, each as a share of its minimum."""
    share = 0.0
    for row in range(len(minima)):
        if sums[row, c] < minima[row]:
            share += (minima[row] - sums[row, c]) / minima[row]
    return share


@uncounted_njit(cache=True, nogil=True)
def worth(state, c):
    """Price of a class of the partition."""
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
    """Recount all classes: after the target or the best has changed, and to remove rounding errors."""
    numbers = state.numbers
    numbers.classes = numbers.low = numbers.over = numbers.over_best = 0
    numbers.squares = 0.0
    for c in range(len(state.load)):
        if state.count[c] > 0:
            tally(state, c, 1)


@uncounted_njit(cache=True, nogil=True)
def breaches(graph, label):
    """How many conflicts are within one class, plus, for each set, the number of classes it spans minus one."""
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
    """How many classes a set spans."""
    count = 0
    for place in range(graph.set_start[s], graph.set_start[s + 1]):
        current = label[graph.set_members[place]]
        first = graph.set_start[s]
        while label[graph.set_members[first]] != current:
            first += 1
        count += first == place
    return count


@uncounted_njit(cache=True, nogil=True)
def cut_length(graph, label):
    """Length of the borders between classes."""
    length = 0.0
    for place in range(len(graph.neighbors)):
        if label[graph.tails[place]] != label[graph.neighbors[place]]:
            length += graph.lengths[place]
    return length / 2


@uncounted_njit(cache=True, nogil=True)
def accepted(state, change):
    """The Metropolis rule: always accept a better partition, sometimes a worse one."""
    if change <= 0:
        return True
    heat = state.numbers.heat
    return change < 14 * heat and draw(state.random, 1 << 20) < np.exp(-change / heat) * (1 << 20)


@uncounted_njit(cache=True, nogil=True)
def record(state):
    """Keep the partition if it is feasible and the best so far; True if it was kept.

    The best has the smallest largest class, then the smallest sum of squares, then, if borders have a price, the
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
    """Whether a class stays connected without u: a search from one of u's neighbors that ends once it has reached
    all."""
    label = state.label[u]
    unreached, first = 0, -1
    state.numbers.stamp += 2
    stamp = state.numbers.stamp
    for place in range(graph.start[u], graph.start[u + 1]):
        v = graph.neighbors[place]
        if state.label[v] == label:
            state.mark[v] = stamp
            unreached += 1
            first = v
    if unreached <= 1:
        return unreached == 1
    waiting[0] = first
    state.mark[first] = state.mark[u] = stamp + 1
    size, done, unreached = 1, 0, unreached - 1
    while done < size:
        v = waiting[done]
        done += 1
        for place in range(graph.start[v], graph.start[v + 1]):
            x = graph.neighbors[place]
            if state.label[x] == label and state.mark[x] <= stamp:
                if state.mark[x] == stamp:
                    unreached -= 1
                    if unreached == 0:
                        return True
                state.mark[x] = stamp + 1
                waiting[size] = x
                size += 1
    return False
