"""What each tail value would do at a node, and the pruning of values and nodes that follows."""

from __future__ import annotations

import numpy as np
from numba import njit

from kanon_engine.tables.k_optimize_kernels import (
    HEAD,
    OUT,
    TAIL,
    collapse,
    commonest,
    find,
    intervals,
    mask_for,
    row_bounds,
    split,
)
from kanon_engine.tables.metrics_kernels import LOSS, is_useful, kept_bound

DEAD, OPEN, FORCED = 0, 1, 2


@njit(cache=True, nogil=True)
def effects(problem, node, kinds, bounds):
    """What including each tail value does.

    Returns
    -------
    dearer : (a,) int64
        By how much the bound rises, because records are suppressed.
    lost : (a,) int64
        Records that are suppressed.
    useful : (a,) bool
    parted : (a,) int64
        Classes that are split.
    pairs : (a,) int64
        Pairs of records that are separated.
    """
    count, width = len(kinds), 0
    for size in problem.sizes:
        width = max(width, size)
    dearer, lost = np.zeros(count, np.int64), np.zeros(count, np.int64)
    parted, pairs = np.zeros(count, np.int64), np.zeros(count, np.int64)
    useful = np.zeros(count, np.bool_)
    records, saving = np.zeros(width, np.int64), np.zeros(width, np.int64)
    heads, _ = intervals(problem, np.where(kinds == HEAD, HEAD, OUT))
    for column in range(len(problem.sizes)):
        some = False
        for value in range(problem.first[column], problem.first[column + 1]):
            some |= kinds[value] == TAIL
        if not some:
            continue
        codes, head = node.codes[column], heads[column]
        for number in range(len(node.starts) - 1):
            low, high = node.starts[number], node.starts[number + 1]
            if high == low + 1 and problem.metric != LOSS:
                continue
            begin = head[codes[low]]
            size, worth = 0, 0
            for i in range(low, high):
                worthwhile = problem.penalty * node.counts[i] - bounds[i]
                size += node.counts[i]
                worth += worthwhile
                records[codes[i]] += node.counts[i]
                saving[codes[i]] += worthwhile
            left, left_worth = records[begin], saving[begin]
            records[begin] = saving[begin] = 0
            for value in range(problem.first[column], problem.first[column + 1]):
                position = problem.positions[value]
                if kinds[value] == OUT or position <= begin:
                    continue
                if kinds[value] == HEAD:
                    break
                right, right_worth = size - left, worth - left_worth
                useful[value] |= is_useful(problem.metric, left, right, problem.k, problem.total)
                if left > 0 and right > 0:
                    parted[value] += 1
                    pairs[value] += left * right
                    if left < problem.k:
                        dearer[value] += left_worth
                        lost[value] += left
                    if right < problem.k:
                        dearer[value] += right_worth
                        lost[value] += right
                left += records[position]
                left_worth += saving[position]
                records[position] = saving[position] = 0
    return dearer, lost, useful, parted, pairs


@njit(cache=True, nogil=True)
def rises(problem, node, kinds, bounds):
    """By how much the bound rises when each tail value is excluded: its interval merges with the one before."""
    begins, ends = intervals(problem, kinds)
    width = begins.shape[1]
    tail_at = np.full((len(problem.sizes), width), -1, np.int64)
    for value in range(len(kinds)):
        if kinds[value] == TAIL:
            tail_at[problem.columns[value], problem.positions[value]] = value
    rise = np.zeros(len(kinds), np.int64)
    together = np.empty(node.labels.shape[1], np.int64)
    for number in range(len(node.starts) - 1):
        low, high = node.starts[number], node.starts[number + 1]
        problem.stamps[-1] += 1
        now, mask = problem.stamps[-1], mask_for(high - low)
        if problem.metric != LOSS:
            for i in range(low, high):
                slot = find(problem, node, now, mask, node.keys[i], i, -1, 0)
                problem.stamps[slot] = now
                problem.slots[slot] = i
        for column in range(len(node.codes)):
            if not (tail_at[column] >= 0).any():
                continue
            for i in range(low, high):
                position = node.codes[column, i]
                if problem.metric == LOSS:
                    _widen(problem, node.counts[i], column, position, begins, ends, tail_at, rise)
                    continue
                value = tail_at[column, position]
                if value < 0:
                    continue
                before = begins[column, position - 1]
                key = node.keys[i] - (position - before) * problem.radix[column]
                slot = find(problem, node, now, mask, key, i, column, before)
                if problem.stamps[slot] == now:
                    other = problem.slots[slot]
                    for label in range(len(together)):
                        together[label] = node.labels[i, label] + node.labels[other, label]
                    size = node.counts[i] + node.counts[other]
                    merged = kept_bound(problem.metric, size, commonest(together), 0, problem.k)
                    rise[value] += merged - bounds[i] - bounds[other]
    return rise


@njit(cache=True, nogil=True)
def _widen(problem, count, column, position, begins, ends, tail_at, rise):
    """With the loss metric records on both sides of an excluded value lose, each by the width of the other side."""
    value = tail_at[column, position]
    end = ends[column, position]
    if value >= 0:
        rise[value] += count * problem.steps[column] * (position - begins[column, position - 1])
    if end < problem.sizes[column] and tail_at[column, end] >= 0:
        rise[tail_at[column, end]] += count * problem.steps[column] * (ends[column, end] - end)


@njit(cache=True, nogil=True)
def prune(problem, node, kinds, best, with_rises, forcing):
    """Prune the tail until nothing changes; writes into `kinds`.

    Returns
    -------
    verdict : int
        DEAD: no descendant is better than `best`, or none is left; FORCED: values became part of the head, because no
        descendant without them is better, so the head must be weighed and the rest pruned again; else OPEN.
    node : Node
        Merged under the allset; split at the forced values.
    bound : int
        No descendant, the node included, costs less.
    parted, pairs, rise : (a,) int64
        What the order of the tail rests on; `rise` is 0 unless asked for.
    """
    nothing = np.zeros(len(kinds), np.int64)
    while True:
        begins, ends = intervals(problem, kinds)
        node = collapse(problem, node, begins)
        bounds = row_bounds(problem, node, begins, ends)
        bound = problem.penalty * node.suppressed + bounds.sum()
        if bound >= best or node.suppressed > problem.limit:
            return DEAD, node, bound, nothing, nothing, nothing
        dearer, lost, useful, parted, pairs = effects(problem, node, kinds, bounds)
        left, gone = 0, 0
        for value in range(len(kinds)):
            if kinds[value] != TAIL:
                continue
            hopeless = bound + dearer[value] >= best or node.suppressed + lost[value] > problem.limit
            if (problem.useless and not useful[value]) or (problem.tails and hopeless):
                kinds[value] = OUT
                gone += 1
            else:
                left += 1
        if left == 0:
            return DEAD, node, bound, nothing, nothing, nothing
        if gone:
            continue
        if not with_rises:
            return OPEN, node, bound, parted, pairs, nothing
        rise = rises(problem, node, kinds, bounds)
        verdict = OPEN
        if forcing:
            for value in range(len(kinds)):
                if kinds[value] == TAIL and bound + rise[value] >= best:
                    kinds[value] = HEAD
                    node = split(problem, node, value)
                    verdict = FORCED
        return verdict, node, bound, parted, pairs, rise


@njit(cache=True, nogil=True)
def choose(problem, kinds, parted, rise, leftmost):
    """The tail value that splits most classes; of these one with none left of it undecided in its interval, if asked;
    of these the one with the greatest rise."""
    best, best_left = -1, False
    undecided, column = False, -1
    for value in range(len(kinds)):
        if problem.columns[value] != column or kinds[value] == HEAD:
            column = problem.columns[value]
            undecided = False
        if kinds[value] != TAIL:
            continue
        left = leftmost and not undecided
        undecided = True
        better = best < 0 or parted[value] > parted[best]
        if not better and parted[value] == parted[best]:
            better = (left and not best_left) or (left == best_left and rise[value] > rise[best])
        if better:
            best, best_left = value, left
    return best
