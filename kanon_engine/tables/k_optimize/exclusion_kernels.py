"""What excluding each tail value costs, alone and so that the costs of several add up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.cuts.node_kernels import TAIL, commonest, emptied, find, holds, intervals, put
from kanon_engine.tables.metrics.kernels import AVERAGE, CLASSIFICATION, LOSS, kept_bound


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

    Returns
    -------
    exclusion_cost : (a,) int64
    share : (a,) int64
        At most the cost; the shares of any values that are excluded together add up to no more than the bound
        rises by.
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
                    beside = begins[column, position - 1] if side == 0 else cut
                    slot = find(hashed, node, i, column, beside)
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
    """What two rows cost at least when they are kept in one class."""
    most = 0
    for label in range(node.labels.shape[1]):
        most = max(most, node.labels[i, label] + node.labels[other, label])
    return kept_bound(problem.metric, node.counts[i] + node.counts[other], most, 0, problem.k)


@njit(cache=True, nogil=True)
def excess(labels):
    """Records with the commonest label less those with the next."""
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
