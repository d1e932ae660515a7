"""What taking away or adding each cut value changes, for all of them in one pass over the classes."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.cuts.node_kernels import HEAD, commonest, emptied, find, holds, intervals, loss_of, put
from kanon_engine.tables.metrics.kernels import LOSS, class_cost


@njit(cache=True, nogil=True)
def part_cost(problem, size, most, loss):
    """Cost of records that share their intervals, be they enough or not."""
    if size >= problem.k:
        return class_cost(problem.metric, size, most, loss, problem.k)
    return problem.penalty * size


@njit(cache=True, nogil=True)
def weigh_cells(problem, cells, kinds):
    """Cost and suppressed records of the heads; each row of `cells` is what shares its intervals, k of them or not."""
    begins, ends = intervals(problem, kinds)
    cost, suppressed = 0, 0
    for i in range(len(cells.counts)):
        loss = loss_of(problem, cells.codes, i, begins, ends)
        cost += part_cost(problem, cells.counts[i], commonest(cells.labels[i]), loss)
        suppressed += cells.counts[i] if cells.counts[i] < problem.k else 0
    return cost, suppressed


@njit(cache=True, nogil=True)
def merge_effects(problem, cells, kinds):
    """Changes of cost and of suppressed records when each HEAD value is taken away; other kinds must be OUT."""
    begins, ends = intervals(problem, kinds)
    cost_change, suppression_change = np.zeros(len(kinds), np.int64), np.zeros(len(kinds), np.int64)
    rows = len(cells.counts)
    hashed = emptied(problem, rows)
    losses, costs = np.empty(rows, np.int64), np.empty(rows, np.int64)
    for i in range(rows):
        put(hashed, find(hashed, cells, i, -1, 0), i)
        losses[i] = loss_of(problem, cells.codes, i, begins, ends)
        costs[i] = part_cost(problem, cells.counts[i], commonest(cells.labels[i]), losses[i])
    together = np.empty(cells.labels.shape[1], np.int64)
    for value in range(len(kinds)):
        if kinds[value] != HEAD:
            continue
        column, position = problem.columns[value], problem.positions[value]
        before = begins[column, position - 1]
        places = problem.places[column]
        wider = places[position] - places[before]
        for i in range(rows):
            code, size = cells.codes[column, i], cells.counts[i]
            if code == position:
                slot = find(hashed, cells, i, column, before)
                paired = holds(hashed, slot)
                old = costs[i]
                under = size if size < problem.k else 0
                together[:] = cells.labels[i]
                if paired:
                    other = hashed.slots[slot]
                    old += costs[other]
                    under += cells.counts[other] if cells.counts[other] < problem.k else 0
                    size += cells.counts[other]
                    together += cells.labels[other]
                cost_change[value] += part_cost(problem, size, commonest(together), losses[i] + wider) - old
                suppression_change[value] += (size if size < problem.k else 0) - under
            elif code == before and problem.metric == LOSS:
                slot = find(hashed, cells, i, column, position)
                if not holds(hashed, slot):
                    loss = losses[i] + places[ends[column, position] - 1] - places[position - 1]
                    cost_change[value] += part_cost(problem, size, commonest(cells.labels[i]), loss) - costs[i]
    return cost_change, suppression_change


@njit(cache=True, nogil=True)
def split_effects(problem, node, kinds):
    """Changes of cost and of suppressed records when each OUT value is added; the classes are those of the heads."""
    begins, ends = intervals(problem, kinds)
    width = begins.shape[1]
    cost_change, suppression_change = np.zeros(len(kinds), np.int64), np.zeros(len(kinds), np.int64)
    labels = node.labels.shape[1]
    records, named = np.zeros(width, np.int64), np.zeros((width, labels), np.int64)
    total, left_named = np.empty(labels, np.int64), np.empty(labels, np.int64)
    for number in range(len(node.starts) - 1):
        low, high = node.starts[number], node.starts[number + 1]
        if high == low + 1 and problem.metric != LOSS:
            continue
        size = 0
        total[:] = 0
        for i in range(low, high):
            size += node.counts[i]
            total += node.labels[i]
        loss = loss_of(problem, node.codes, low, begins, ends)
        cost = part_cost(problem, size, commonest(total), loss)
        for column in range(len(problem.sizes)):
            codes, places = node.codes[column], problem.places[column]
            begin = begins[column, codes[low]]
            end = ends[column, begin]
            records[begin:end] = 0
            named[begin:end] = 0
            for i in range(low, high):
                records[codes[i]] += node.counts[i]
                named[codes[i]] += node.labels[i]
            left, position = 0, begin
            left_named[:] = 0
            for value in range(problem.first[column], problem.first[column + 1]):
                if problem.positions[value] <= begin:
                    continue
                if problem.positions[value] >= end:
                    break
                while position < problem.positions[value]:
                    left += records[position]
                    left_named += named[position]
                    position += 1
                right = size - left
                if problem.metric != LOSS and (left == 0 or right == 0):
                    continue
                parts = part_cost(problem, left, commonest(left_named), loss - places[end - 1] + places[position - 1])
                parts += part_cost(
                    problem, right, commonest(total - left_named), loss - places[position] + places[begin]
                )
                cost_change[value] += parts - cost
                suppression_change[value] += (left if left < problem.k else 0) + (right if right < problem.k else 0)
    return cost_change, suppression_change
