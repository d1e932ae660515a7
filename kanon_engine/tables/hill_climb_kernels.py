"""The effect of removing or adding each cut value, for all of them in one pass over the classes."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.cuts_kernels import HEAD, commonest, emptied, find, holds, intervals, loss_of, put, rows_hold
from kanon_engine.tables.metrics_kernels import LOSS, class_cost
from kanon_engine.tables.requirements_kernels import add_records, all_hold


@njit(cache=True, nogil=True)
def part_cost(problem, retained, size, most, loss):
    """Cost of records that share their intervals, whether kept or not."""
    if retained:
        return class_cost(problem.metric, size, most, loss, problem.k)
    return problem.penalty * size


@njit(cache=True, nogil=True)
def is_kept(problem, cells, row, other, values):
    """Whether the records of a row, with those of another unless that is -1, are enough and satisfy what is required.

    `values` is scratch, one place for each sensitive value.
    """
    size = cells.counts[row] + (cells.counts[other] if other >= 0 else 0)
    return size >= problem.k and rows_hold(problem, cells, row, row + 1, other, values)


@njit(cache=True, nogil=True)
def weigh_cells(problem, cells, kinds):
    """Cost and suppressed records of the heads; each row of `cells` is what shares its intervals, kept or not."""
    begins, ends = intervals(problem, kinds)
    cost, suppressed = 0, 0
    values = np.empty(len(problem.required.whole), np.int64)
    for i in range(len(cells.counts)):
        loss = loss_of(problem, cells.codes, i, begins, ends) if problem.metric == LOSS else 0
        retained = is_kept(problem, cells, i, -1, values)
        cost += part_cost(problem, retained, cells.counts[i], commonest(cells.labels[i]), loss)
        suppressed += 0 if retained else cells.counts[i]
    return cost, suppressed


@njit(cache=True, nogil=True)
def merge_effects(problem, cells, kinds):
    """Changes of cost and of suppressed records when each HEAD value is taken away; other kinds must be OUT."""
    begins, ends = intervals(problem, kinds)
    cost_change, suppression_change = np.zeros(len(kinds), np.int64), np.zeros(len(kinds), np.int64)
    rows = len(cells.counts)
    hashed = emptied(problem, rows)
    losses, costs, lost = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64)
    values = np.empty(len(problem.required.whole), np.int64)
    for i in range(rows):
        put(hashed, find(hashed, cells, i, -1, 0), i)
        losses[i] = loss_of(problem, cells.codes, i, begins, ends) if problem.metric == LOSS else 0
        retained = is_kept(problem, cells, i, -1, values)
        costs[i] = part_cost(problem, retained, cells.counts[i], commonest(cells.labels[i]), losses[i])
        lost[i] = 0 if retained else cells.counts[i]
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
            if code == position:  # each pair of cells that become one is weighed once, at its right cell
                slot = find(hashed, cells, i, column, before)
                other = hashed.slots[slot] if holds(hashed, slot) else -1
                old, under, retained = costs[i], lost[i], lost[i] == 0
                together[:] = cells.labels[i]
                if other >= 0:
                    old += costs[other]
                    under += lost[other]
                    size += cells.counts[other]
                    together += cells.labels[other]
                    retained = is_kept(problem, cells, i, other, values)
                cost_change[value] += part_cost(problem, retained, size, commonest(together), losses[i] + wider) - old
                suppression_change[value] += (0 if retained else size) - under
            elif code == before and problem.metric == LOSS:  # without a right cell, the left one still becomes wider
                slot = find(hashed, cells, i, column, position)
                if not holds(hashed, slot):
                    loss = losses[i] + places[ends[column, position] - 1] - places[position - 1]
                    new = part_cost(problem, lost[i] == 0, size, commonest(cells.labels[i]), loss)
                    cost_change[value] += new - costs[i]
    return cost_change, suppression_change


@njit(cache=True, nogil=True)
def split_effects(problem, node, kinds):
    """Changes of cost and of suppressed records when each OUT value is added; the classes are those of the heads."""
    begins, ends = intervals(problem, kinds)
    width = begins.shape[1]
    cost_change, suppression_change = np.zeros(len(kinds), np.int64), np.zeros(len(kinds), np.int64)
    labels = node.labels.shape[1]
    records, label_counts = np.zeros(width, np.int64), np.zeros((width, labels), np.int64)
    total, left_labels = np.empty(labels, np.int64), np.empty(labels, np.int64)
    constrained = len(problem.required.kinds) > 0
    every, left_values = (
        np.empty(len(problem.required.whole), np.int64),
        np.empty(len(problem.required.whole), np.int64),
    )
    ordered = np.empty(0, np.int64)
    for number in range(len(node.starts) - 1):
        low, high = node.starts[number], node.starts[number + 1]
        if high == low + 1 and problem.metric != LOSS:
            continue  # no cut divides a single tuple; it can only narrow its intervals, which other metrics ignore
        size = 0
        total[:] = 0
        for i in range(low, high):
            size += node.counts[i]
            total += node.labels[i]
        loss = loss_of(problem, node.codes, low, begins, ends)
        retained = rows_hold(problem, node, low, high, -1, every)  # counts what the class holds, too
        cost, lost = part_cost(problem, retained, size, commonest(total), loss), 0 if retained else size
        for column in range(len(problem.sizes)):
            codes, places = node.codes[column], problem.places[column]
            begin = begins[column, codes[low]]
            end = ends[column, begin]
            records[begin:end] = 0
            label_counts[begin:end] = 0
            for i in range(low, high):
                records[codes[i]] += node.counts[i]
                label_counts[codes[i]] += node.labels[i]
            left, position = 0, begin
            left_labels[:] = 0
            left_values[:] = 0
            at = 0
            if constrained:
                ordered = low + np.argsort(codes[low:high])
            for value in range(problem.first[column], problem.first[column + 1]):
                if problem.positions[value] <= begin:
                    continue
                if problem.positions[value] >= end:
                    break
                while position < problem.positions[value]:
                    left += records[position]
                    left_labels += label_counts[position]
                    position += 1
                right = size - left
                if problem.metric != LOSS and (left == 0 or right == 0):
                    continue
                left_retained, right_retained = left >= problem.k, right >= problem.k
                if constrained:
                    while at < len(ordered) and codes[ordered[at]] < position:
                        row = ordered[at]
                        add_records(
                            problem.required, left_values, node.records[node.places[row] : node.places[row + 1]]
                        )
                        at += 1
                    left_retained = left_retained and all_hold(problem.required, left_values)
                    right_retained = right_retained and all_hold(problem.required, every - left_values)
                less, more = loss - places[end - 1] + places[position - 1], loss - places[position] + places[begin]
                parts = part_cost(problem, left_retained, left, commonest(left_labels), less)
                parts += part_cost(problem, right_retained, right, commonest(total - left_labels), more)
                cost_change[value] += parts - cost
                suppression_change[value] += (0 if left_retained else left) + (0 if right_retained else right) - lost
    return cost_change, suppression_change


@njit(cache=True, nogil=True)
def split_together(problem, node, kinds, cost_change, suppression_change):
    """The first value of each group that can be added; writes there what adding the whole group changes.

    A group parts one node of a tree; it can be added where the group above it is in the heads, so that this node is an
    interval. A value that is a group of its own has what `split_effects` found.
    """
    count = len(problem.above)
    present, first, sizes = np.zeros(count, np.bool_), np.full(count, -1, np.int64), np.zeros(count, np.int64)
    for value in range(len(kinds) - 1, -1, -1):  # backward, so that `first` ends with the first value of each group
        first[problem.groups[value]] = value
        sizes[problem.groups[value]] += 1
        present[problem.groups[value]] |= kinds[value] == HEAD
    allowed = np.zeros(len(kinds), np.bool_)
    for group in range(count):
        above = problem.above[group]
        if not present[group] and (above < 0 or present[above]):
            allowed[first[group]] = True
            if sizes[group] > 1:
                cost_change[first[group]] = suppression_change[first[group]] = 0
    begins, ends = intervals(problem, kinds)
    labels = node.labels.shape[1]
    records, label_counts = np.zeros(begins.shape[1], np.int64), np.zeros((begins.shape[1], labels), np.int64)
    total, part_labels = np.empty(labels, np.int64), np.empty(labels, np.int64)
    constrained = len(problem.required.kinds) > 0
    values = np.empty(len(problem.required.whole), np.int64)
    for number in range(len(node.starts) - 1):
        low, high = node.starts[number], node.starts[number + 1]
        size = 0
        total[:] = 0
        for i in range(low, high):
            size += node.counts[i]
            total += node.labels[i]
        loss = loss_of(problem, node.codes, low, begins, ends)
        retained = size >= problem.k and rows_hold(problem, node, low, high, -1, values)
        cost, lost = part_cost(problem, retained, size, commonest(total), loss), 0 if retained else size
        for column in range(len(problem.sizes)):
            codes, places = node.codes[column], problem.places[column]
            begin = begins[column, codes[low]]
            end = ends[column, begin]
            chosen = -1
            for value in range(problem.first[column], problem.first[column + 1]):
                if begin < problem.positions[value] < end and allowed[value] and sizes[problem.groups[value]] > 1:
                    chosen = value
            if chosen < 0:
                continue
            records[begin:end] = 0
            label_counts[begin:end] = 0
            for i in range(low, high):
                records[codes[i]] += node.counts[i]
                label_counts[codes[i]] += node.labels[i]
            start = begin
            for value in range(chosen, problem.first[column + 1] + 1):
                last = value == problem.first[column + 1] or problem.positions[value] >= end
                if not last and problem.groups[value] != problem.groups[chosen]:
                    continue
                stop = end if last else problem.positions[value]
                part = 0
                part_labels[:] = 0
                for position in range(start, stop):
                    part += records[position]
                    part_labels += label_counts[position]
                if part:
                    width = places[stop - 1] - places[start]
                    wide = places[end - 1] - places[begin]
                    retained = part >= problem.k
                    if retained and constrained:
                        values[:] = 0
                        for i in range(low, high):
                            if start <= codes[i] < stop:
                                add_records(problem.required, values, node.records[node.places[i] : node.places[i + 1]])
                        retained = all_hold(problem.required, values)
                    cost_change[chosen] += part_cost(
                        problem, retained, part, commonest(part_labels), loss - wide + width
                    )
                    suppression_change[chosen] += 0 if retained else part
                start = stop
                if last:
                    break
            cost_change[chosen] -= cost
            suppression_change[chosen] -= lost
    return allowed
