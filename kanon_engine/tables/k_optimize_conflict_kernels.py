"""Pairs of tail values that no better descendant has both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.cuts_kernels import TAIL, commonest, emptied, find, holds, intervals, put
from kanon_engine.tables.metrics_kernels import AVERAGE, CLASSIFICATION, DISCERNIBILITY, LOSS, retained_bound, spare


class Lines(NamedTuple):
    """The tail values that divide a class, as lines through its rows; scratch, except the worth of the rows."""

    worth: np.ndarray  # int64, of each row, see `Effects`; empty where every record in a part below k is worth the same
    cuts: np.ndarray  # (t,) int32: number of each line among the tail values, column by column
    first: np.ndarray  # (q + 1,) int32: the lines of a column are first[j] … first[j + 1] - 1
    ranks: np.ndarray  # (q, m) int32: how many lines of the column each row is beyond
    records: np.ndarray  # (w, w) int64: records not beyond a line of one and a line of another column
    extras: np.ndarray  # (w, w) int64: what suppressing these records costs more than their bounds


class Losses(NamedTuple):
    """What falls only to both of two tail values."""

    suppressed: np.ndarray  # (t, t) int64: records
    cost: np.ndarray  # (t, t) int64: what suppressing them costs more than their bounds


@njit(cache=True, nogil=True)
def conflicts(problem, node, kinds, alone, slack, conflict):
    """Find the pairs of tail values that together raise the bound by `slack` or more, or suppress more than may be.

    Why a pair stays: docs/proofs/tables/k_optimize.md, pairs that conflict. In the proof, what falls only to both is
    `Losses` here.

    `alone`: what each value does alone. `slack`: the best cost minus the bound of the node.
    `conflict`: (a, a) bool. Is set for these pairs, both ways.
    Complexity: a pass over the rows for each pair of columns, and for each class the product of the lines of the two.
        Memory grows with the square of the tail: `cuts.problem.MOST_PAIRED`.
    """
    tail = np.flatnonzero(kinds == TAIL)
    count, classes = len(tail), len(node.starts) - 1
    more = Losses(np.zeros((count, count), np.int64), np.zeros((count, count), np.int64))
    most, width = 0, 1
    for number in range(classes):
        most = max(most, node.starts[number + 1] - node.starts[number])
    for size in problem.sizes:
        width = max(width, size)
    lines = Lines(
        alone.worth[: 0 if problem.metric == DISCERNIBILITY else len(alone.worth)],
        np.empty(count, np.int32),
        np.zeros(len(problem.sizes) + 1, np.int32),
        np.empty((len(problem.sizes), most), np.int32),
        np.empty((width, width), np.int64),
        np.empty((width, width), np.int64),
    )
    for number in range(classes):
        _draw(problem, node, tail, number, lines)
        if lines.first[-1] > 1:
            _losses(problem, node, number, lines, more)
    for a in range(count):
        for b in range(a):
            v, w = tail[a], tail[b]
            if problem.metric == DISCERNIBILITY:
                more.cost[a, b] = more.suppressed[a, b] * (problem.penalty - problem.k)
            suppressed = node.suppressed + alone.suppresses[v] + alone.suppresses[w] + more.suppressed[a, b]
            cost = alone.inclusion_cost[v] + alone.inclusion_cost[w] + more.cost[a, b]
            if suppressed > problem.limit or cost >= slack:
                conflict[v, w] = conflict[w, v] = True


@njit(cache=True, nogil=True)
def _draw(problem, node, tail, number, lines):
    """Record the lines through a class, and how many of them each row is beyond."""
    low, high = node.starts[number], node.starts[number + 1]
    count, at = 0, 0
    places = np.empty(lines.records.shape[0], np.int32)
    for column in range(len(problem.sizes)):
        lines.first[column] = count
        codes = node.codes[column]
        least, greatest = codes[low], codes[low]
        for i in range(low, high):
            least, greatest = min(least, codes[i]), max(greatest, codes[i])
        place, before = least, count
        while at < len(tail) and problem.columns[tail[at]] == column:
            position = problem.positions[tail[at]]
            if least < position <= greatest:
                while place < position:
                    places[place] = count - before
                    place += 1
                lines.cuts[count] = at
                count += 1
            at += 1
        if count > before:
            while place <= greatest:
                places[place] = count - before
                place += 1
            for i in range(low, high):
                lines.ranks[column, i - low] = places[codes[i]]
    lines.first[-1] = count


@njit(cache=True, nogil=True)
def _losses(problem, node, number, lines, more):
    """Add what each pair of lines through a class loses beyond what each loses alone."""
    k, first = problem.k, lines.first
    alone, alone_extra = np.zeros(first[-1], np.int64), np.zeros(first[-1], np.int64)
    for one in range(len(problem.sizes)):
        if first[one + 1] == first[one]:
            continue
        _count(node, number, lines, one, -1)
        records, extras = lines.records[:, 0], lines.extras[:, 0]
        ends = first[one + 1] - first[one]
        for a in range(ends):
            for part, value in (
                (records[a], extras[a]),
                (records[ends] - records[a], extras[ends] - extras[a]),
            ):
                if part < k:
                    alone[first[one] + a] += part
                    alone_extra[first[one] + a] += value
            for b in range(a):
                x, y = first[one] + a, first[one] + b
                less, less_extra = -alone[x] - alone[y], -alone_extra[x] - alone_extra[y]
                for part, value in (
                    (records[b], extras[b]),
                    (records[a] - records[b], extras[a] - extras[b]),
                    (records[ends] - records[a], extras[ends] - extras[a]),
                ):
                    if part < k:
                        less += part
                        less_extra += value
                more.suppressed[lines.cuts[x], lines.cuts[y]] += less
                more.cost[lines.cuts[x], lines.cuts[y]] += less_extra
        for two in range(one):
            others = first[two + 1] - first[two]
            if others == 0:
                continue
            _count(node, number, lines, one, two)
            records, extras = lines.records, lines.extras
            for a in range(ends):
                x = first[one] + a
                for b in range(others):
                    y = first[two] + b
                    less, less_extra = -alone[x] - alone[y], -alone_extra[x] - alone_extra[y]
                    for part, value in (
                        (records[a, b], extras[a, b]),
                        (records[a, others] - records[a, b], extras[a, others] - extras[a, b]),
                        (records[ends, b] - records[a, b], extras[ends, b] - extras[a, b]),
                        (
                            records[ends, others] - records[a, others] - records[ends, b] + records[a, b],
                            extras[ends, others] - extras[a, others] - extras[ends, b] + extras[a, b],
                        ),
                    ):
                        if part < k:
                            less += part
                            less_extra += value
                    more.suppressed[lines.cuts[x], lines.cuts[y]] += less
                    more.cost[lines.cuts[x], lines.cuts[y]] += less_extra


@njit(cache=True, nogil=True)
def _count(node, number, lines, one, two):
    """Records and their worth up to each line of a column and each of another; `two` = -1: of one column alone."""
    low, high = node.starts[number], node.starts[number + 1]
    ends = lines.first[one + 1] - lines.first[one]
    others = lines.first[two + 1] - lines.first[two] if two >= 0 else 0
    records, extras = lines.records, lines.extras
    records[: ends + 1, : others + 1] = 0
    extras[: ends + 1, : others + 1] = 0
    with_extra = len(lines.worth) > 0
    ranks, crossed = lines.ranks[one], lines.ranks[max(two, 0)]
    for i in range(low, high):
        a, b = ranks[i - low], crossed[i - low] if two >= 0 else 0
        records[a, b] += node.counts[i]
        if with_extra:
            extras[a, b] += lines.worth[i]
    for a in range(ends + 1):
        for b in range(others + 1):
            if a:
                records[a, b] += records[a - 1, b]
                extras[a, b] += extras[a - 1, b]
            if b:
                records[a, b] += records[a, b - 1]
                extras[a, b] += extras[a, b - 1]
            if a and b:
                records[a, b] -= records[a - 1, b - 1]
                extras[a, b] -= extras[a - 1, b - 1]


# ---------------------------------------------------------------------------------------------------------------------
# What conflicts between tail values add to the bound of a node.
# ---------------------------------------------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def pack(share, conflict, inclusion_share):
    """A bound on what leaving values out and suppressing records cost beyond the bound of the node.

    `share`: (t,) int64. What leaving out each tail value costs.
    `conflict`: (t, t) bool. Pairs that no better descendant includes both.
    `inclusion_share`: (t,) int64. What including each value costs because it suppresses records. The shares of the
        values that a descendant leaves out and the inclusion shares of those that it includes, all added up, are no
        more than it costs beyond the bound of the node: see `inclusion_shares`.
    Returns `gain`: no better descendant costs less than the bound of the node plus `gain`; `included`, `excluded`: (t,)
        int64. What including or excluding each value costs beyond that, one value at a time.
    Proof: docs/proofs/tables/k_optimize.md, packing conflicts into the bound.
    Complexity: O(t^2) for each clique, at most t cliques.
    """
    count = len(share)
    left = np.maximum(share - inclusion_share, 0)
    gain = (share - left).sum()
    included, common = np.zeros(count, np.int64), np.empty(count, np.bool_)
    clique = np.empty(count, np.int64)
    order = np.argsort(-left)
    for start in order:
        while left[start] > 0:
            size, least = 1, left[start]
            clique[0] = start
            common[:] = conflict[start]
            for value in order:
                if common[value] and left[value] > 0:
                    clique[size] = value
                    size += 1
                    least = min(least, left[value])
                    common &= conflict[value]
            if size == 1:
                break
            gain += (size - 1) * least
            for value in clique[:size]:
                left[value] -= least
            for value in range(count):
                if common[value]:
                    included[value] += least
    for value in range(count):
        for other in range(count):
            if conflict[value, other]:
                included[value] += left[other]
    return gain, included, left


@njit(cache=True, nogil=True)
def inclusion_shares(problem, node, kinds, alone):
    """What including each tail value costs because it suppresses records, divided so that the costs add up.

    A row's `spare` is divided evenly, rounded down, among the values that each suppress it alone. `alone` is
    what `bound_kernels.effects` returns. Where more than k is required, a suppressed box may hold k records and more,
    and the shares of DM count on what its records cost together: never more than in the class of the head.

    Proof: docs/proofs/tables/k_optimize.md, what including values costs.

    Returns (t,) int64: for the tail values in their order.
    Complexity: two passes over the rows for each column.
    """
    tail = np.flatnonzero(kinds == TAIL)
    shares, parts = np.zeros(len(tail), np.int64), np.zeros(len(node.counts), np.int64)
    shared = problem.metric == DISCERNIBILITY and len(problem.required.kinds) > 0
    for dividing in range(2):
        at = 0
        for column in range(len(problem.sizes)):
            begin = at
            while at < len(tail) and problem.columns[tail[at]] == column:
                at += 1
            if at > begin:
                _suppress(problem, node, tail[begin:at], alone.hit[column], parts, shares[begin:at], dividing == 1)
        if not dividing:
            for number in range(len(node.starts) - 1):
                low, high = node.starts[number], node.starts[number + 1]
                room = node.counts[low:high].sum() if shared else 0
                for i in range(low, high):
                    if parts[i]:
                        most, over = commonest(node.labels[i]), excess(node.labels[i])
                        worth = alone.worth[i]
                        if shared:
                            worth = min(worth, node.counts[i] * (problem.penalty - max(room, problem.k)))
                        parts[i] = spare(problem.metric, worth, most, over) // parts[i]
    return shares


@njit(cache=True, nogil=True)
def _suppress(problem, node, values, hit, parts, shares, dividing):
    """For the tail values of one column: count by how many each row is suppressed, or add up the rows' parts."""
    column = problem.columns[values[0]]
    codes, width = node.codes[column], problem.sizes[column]
    records, sums = np.zeros(width, np.int64), np.zeros(width, np.int64)
    below, above = np.zeros(width + 1, np.int64), np.zeros(width + 1, np.int64)
    for number in range(len(node.starts) - 1):
        low, high = node.starts[number], node.starts[number + 1]
        if not hit[number]:
            continue
        size, total = 0, 0
        records[:] = 0
        sums[:] = 0
        for i in range(low, high):
            size += node.counts[i]
            records[codes[i]] += node.counts[i]
            if dividing:
                total += parts[i]
                sums[codes[i]] += parts[i]
        position, left, left_sum = 0, 0, 0
        for place in range(len(values)):
            value = values[place]
            while position < problem.positions[value]:
                left += records[position]
                left_sum += sums[position]
                position += 1
            if left == 0 or left == size:
                continue
            if left < problem.k:
                shares[place] += left_sum
                below[position] += 1
            if size - left < problem.k:
                shares[place] += total - left_sum
                above[position] += 1
        if not dividing:
            for position in range(width - 1, -1, -1):
                below[position] += below[position + 1]
            for position in range(1, width):
                above[position] += above[position - 1]
            for i in range(low, high):
                parts[i] += below[codes[i] + 1] + above[codes[i]]
        below[:] = 0
        above[:] = 0


# ---------------------------------------------------------------------------------------------------------------------
# What excluding each tail value costs, alone and so that the costs of several add up.
# ---------------------------------------------------------------------------------------------------------------------


class Pairs(NamedTuple):
    """Rows that cost more together than apart, each array with room for all such pairs."""

    one: np.ndarray  # (p,) int32
    other: np.ndarray  # (p,) int32
    value: np.ndarray  # (p,) int32: the tail value between them


@njit(cache=True, nogil=True)
def exclusion_costs(problem, node, kinds, bounds):
    """By how much the bound rises when each tail value is excluded: its interval merges with the one before.

    Only pairs of rows that cost more together than apart count. One of the two rows must be among those that
    `_marked` names, so the partners of all others need not be looked up. Proof for the shares:
    docs/proofs/tables/k_optimize.md, what excluding values costs.

    Returns `exclusion_cost`: (a,) int64; `share`: (a,) int64. At most the cost; the shares of any values that are
        excluded together add up to no more than the bound rises by.
    """
    begins, ends = intervals(problem, kinds)
    tail_at = np.full(begins.shape, -1, np.int64)
    for value in range(len(kinds)):
        if kinds[value] == TAIL:
            tail_at[problem.columns[value], problem.positions[value]] = value
    exclusion_cost = np.zeros(len(kinds), np.int64)
    if problem.metric == LOSS:
        for column in range(len(node.codes)):
            _widen(problem, node, column, (begins, ends, tail_at), exclusion_cost)
        return exclusion_cost, exclusion_cost
    capacity = len(node.counts) * len(node.codes) if problem.metric == CLASSIFICATION else 0
    pairs, met = Pairs(np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity, np.int32)), 0
    for number in range(len(node.starts) - 1):
        low, high = node.starts[number], node.starts[number + 1]
        marked = _marked(problem, node, low, high)
        if not marked.any():
            continue
        hashed = emptied(problem, high - low)
        for i in range(low, high):
            put(hashed, find(hashed, node, i, -1, 0), i)
        for column in range(len(node.codes)):
            if not (tail_at[column] >= 0).any():
                continue
            for i in range(low, high):
                if not marked[i - low]:
                    continue
                position = node.codes[column, i]
                for side in range(2):
                    cut = position if side == 0 else ends[column, position]
                    if cut == problem.sizes[column] or tail_at[column, cut] < 0:
                        continue
                    neighbor = begins[column, position - 1] if side == 0 else cut
                    slot = find(hashed, node, i, column, neighbor)
                    if not holds(hashed, slot):
                        continue
                    other = hashed.slots[slot]
                    if side == 1 and marked[other - low]:
                        continue  # met from the other row
                    more = _together(problem, node, i, other) - bounds[i] - bounds[other]
                    exclusion_cost[tail_at[column, cut]] += more
                    if capacity and more > 0:
                        pairs.one[met], pairs.other[met], pairs.value[met] = i, other, tail_at[column, cut]
                        met += 1
    if problem.metric == CLASSIFICATION:
        return exclusion_cost, _divided(node, pairs, met, len(kinds))
    return exclusion_cost, exclusion_cost * (problem.metric != AVERAGE)


@njit(cache=True, nogil=True)
def _marked(problem, node, low, high):
    """(m,) bool: rows of a class, at least one of each pair that costs more together than apart."""
    marked = np.zeros(high - low, np.bool_)
    if problem.metric == CLASSIFICATION:
        total = np.zeros(node.labels.shape[1], np.int64)
        for i in range(low, high):
            for label in range(len(total)):
                total[label] += node.labels[i, label]
        usual = np.argmax(total)
        for i in range(low, high):
            marked[i - low] = node.labels[i, usual] < commonest(node.labels[i])
        return marked
    for i in range(low, high):
        marked[i - low] = 2 * node.counts[i] > problem.k
    return marked


@njit(cache=True, nogil=True)
def _together(problem, node, i, other):
    """The least cost of two rows when they are kept in one class."""
    most = 0
    for label in range(node.labels.shape[1]):
        most = max(most, node.labels[i, label] + node.labels[other, label])
    return retained_bound(problem.metric, node.counts[i] + node.counts[other], most, 0, problem.k)


@njit(cache=True, nogil=True)
def excess(labels):
    """Records with the most common label minus those with the next."""
    first, second = 0, 0
    for label in range(len(labels)):
        if labels[label] > first:
            first, second = labels[label], first
        else:
            second = max(second, labels[label])
    return first - second


@njit(cache=True, nogil=True)
def _divided(node, pairs, met, count):
    """(a,) int64: the shares of the classification metric, by the first `met` pairs."""
    parts = np.zeros(len(node.counts), np.int64)
    for pair in range(met):
        parts[pairs.one[pair]] += 1
        parts[pairs.other[pair]] += 1
    for i in range(len(parts)):
        if parts[i]:
            parts[i] = excess(node.labels[i]) // parts[i]
    share = np.zeros(count, np.int64)
    for pair in range(met):
        share[pairs.value[pair]] += min(parts[pairs.one[pair]], parts[pairs.other[pair]])
    return share


@njit(cache=True, nogil=True)
def _widen(problem, node, column, spans, exclusion_cost):
    """With the loss metric records on both sides of an excluded value lose, each by the width of the other side.

    spans: where the interval of each position begins, where the one that begins there ends, and the tail value there.
    """
    (begins, ends, tail_at), places = spans, problem.places[column]
    for i in range(len(node.counts)):
        position = node.codes[column, i]
        value, end = tail_at[column, position], ends[column, position]
        if value >= 0:
            exclusion_cost[value] += node.counts[i] * (places[position] - places[begins[column, position - 1]])
        if end < problem.sizes[column] and tail_at[column, end] >= 0:
            last = ends[column, end] - 1
            exclusion_cost[tail_at[column, end]] += node.counts[i] * (places[last] - places[end - 1])
