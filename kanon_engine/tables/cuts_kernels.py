"""Nodes of the set enumeration tree as arrays: split at a cut value, merge under the allset, find partners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.metrics_kernels import LOSS, class_cost, retained_bound
from kanon_engine.tables.requirements_kernels import Required, add_records, all_hold, could_hold

OUT, HEAD, TAIL = 0, 1, 2  # what a cut value is at a node: in no descendant, in all of them, in some


class Problem(NamedTuple):
    """What stays the same at every node."""

    columns: np.ndarray  # (a,) int32: quasi-identifier of each cut value, ascending
    positions: np.ndarray  # (a,) int32: position among the column's values that occur, ascending in a column
    first: np.ndarray  # (q + 1,) int32: the values of a column are first[j] … first[j + 1] - 1
    sizes: np.ndarray  # (q,) int32: values of each column that occur
    radix: np.ndarray  # (q,) int64: a row's key is the sum of code times radix
    places: np.ndarray  # (q, s) int64: the loss from a column's first value to each; all 0 but for the loss metric
    slots: np.ndarray  # (2^b,) int32: scratch, a hash table of rows
    stamps: np.ndarray  # (2^b + 1,) int64: scratch, when a slot was written; the last entry is the clock
    exact: bool  # whether rows with equal keys are equal
    k: int
    total: int
    limit: int  # most records that may be suppressed
    metric: int
    penalty: int  # cost of a suppressed record
    useless: bool  # whether useless values are pruned
    tails: bool  # whether values are pruned by cost and by the limit
    forcing: bool  # whether values without which nothing better is left join the head at once
    conflicts: bool  # whether pairs of values are weighed
    required: Required  # of the sensitive values of each class
    grouped: bool  # whether some cut values go together because a domain has a tree; see `settle`
    groups: np.ndarray  # (a,) int32: the group of each cut value; those of a group are included all or none
    above: np.ndarray  # (g,) int32: the group that is included wherever this one is, a smaller number; -1: none


class Node(NamedTuple):
    """Rows of equal tuples, ordered by the classes of the head.

    Classes of which no part can be kept are removed and only counted: those below k, and those of which no part can
    satisfy the requirements. A class that fails a requirement is still there while a part of it could satisfy it.
    """

    codes: np.ndarray  # (q, t) int32: beginning of the interval of each row, as a position
    keys: np.ndarray  # (t,) int64
    counts: np.ndarray  # (t,) int64: records
    labels: np.ndarray  # (t, c) int64: records of each class label; c = 0 where the metric needs none
    starts: np.ndarray  # (m + 1,) int64: where each class begins
    records: np.ndarray  # (n,) int64: the table's rows of the rows here, row by row; empty where nothing is required
    places: np.ndarray  # (t + 1,) int64: where the table's rows of each row begin
    suppressed: int


class Hashed(NamedTuple):
    """Rows that are found by their codes: a hash table in the problem's scratch."""

    slots: np.ndarray  # (2^b,) int32: a row
    stamps: np.ndarray  # (2^b + 1,) int64: when the slot was written
    now: int  # a slot of another stamp is free
    mask: int
    radix: np.ndarray  # as in `Problem`
    exact: bool


@njit(cache=True, nogil=True)
def split(problem, node, value):
    """The child whose head has one value more; parts of which nothing can be kept are suppressed."""
    column, position = problem.columns[value], problem.positions[value]
    rows, classes = len(node.counts), len(node.starts) - 1
    source = np.empty(rows, np.int64)
    starts = np.empty(2 * classes + 1, np.int64)
    starts[0] = 0
    out, count, suppressed = 0, 0, node.suppressed
    codes = node.codes[column]
    constrained, values = len(problem.required.kinds) > 0, np.empty(len(problem.required.whole), np.int64)
    for number in range(classes):
        low, high = node.starts[number], node.starts[number + 1]
        left, right = 0, 0
        for i in range(low, high):
            if codes[i] < position:
                left += node.counts[i]
            else:
                right += node.counts[i]
        for side in range(2):
            size = right if side else left
            if size < problem.k:
                suppressed += size
                continue
            values[:] = 0
            for i in range(low, high):
                if (codes[i] >= position) == (side == 1):
                    source[out] = i
                    out += 1
                    if constrained:
                        add_records(problem.required, values, node.records[node.places[i] : node.places[i + 1]])
            if constrained and not could_hold(problem.required, values):
                suppressed += size
                out = starts[count]
                continue
            count += 1
            starts[count] = out
    parts, keys, counts, labels = _rows(node, source, out)
    records, places = node.records, node.places
    if constrained:
        target = np.full(rows, -1, np.int64)
        for i in range(out):
            target[source[i]] = i
        records, places = _regrouped(node, target, out)
    return Node(parts, keys, counts, labels, starts[: count + 1].copy(), records, places, suppressed)


@njit(cache=True, nogil=True)
def _regrouped(node, target, out):
    """The records of rows that become others; those with the target -1 are gone."""
    places = np.zeros(out + 1, np.int64)
    for i in range(len(target)):
        if target[i] >= 0:
            places[target[i] + 1] += node.places[i + 1] - node.places[i]
    for i in range(out):
        places[i + 1] += places[i]
    records, filled = np.empty(places[out], np.int64), places[:out].copy()
    for i in range(len(target)):
        if target[i] >= 0:
            for j in range(node.places[i], node.places[i + 1]):
                records[filled[target[i]]] = node.records[j]
                filled[target[i]] += 1
    return records, places


@njit(cache=True, nogil=True)
def rows_hold(problem, node, low, high, other, values):
    """Whether the rows from low to before high, with one other unless that is -1, satisfy what is required as a class.

    `values` is scratch, one place for each sensitive value.
    """
    if len(problem.required.kinds) == 0:
        return True
    values[:] = 0
    add_records(problem.required, values, node.records[node.places[low] : node.places[high]])
    if other >= 0:
        add_records(problem.required, values, node.records[node.places[other] : node.places[other + 1]])
    return all_hold(problem.required, values)


@njit(cache=True, nogil=True)
def settle(problem, node, kinds):
    """Apply the consequences of some values' kinds for others, where values go together; writes into `kinds`.

    Proof: docs/proofs/tables/k_optimize.md, cuts along trees.

    Returns `possible`: False where a value would be in and out; `node`: split at the values that became part of the
        head.
    """
    if not problem.grouped:
        return True, node
    inside, outside = np.zeros(len(problem.above), np.bool_), np.zeros(len(problem.above), np.bool_)
    for value in range(len(kinds)):
        inside[problem.groups[value]] |= kinds[value] == HEAD
        outside[problem.groups[value]] |= kinds[value] == OUT
    for group in range(len(inside) - 1, -1, -1):
        if inside[group] and problem.above[group] >= 0:
            inside[problem.above[group]] = True
    for group in range(len(inside)):
        if problem.above[group] >= 0:
            outside[group] |= outside[problem.above[group]]
        if inside[group] and outside[group]:
            return False, node
    for value in range(len(kinds)):
        if outside[problem.groups[value]]:
            kinds[value] = OUT
        elif inside[problem.groups[value]] and kinds[value] == TAIL:
            kinds[value] = HEAD
            node = split(problem, node, value)
    return True, node


@njit(cache=True, nogil=True)
def _rows(node, source, out):
    """Some rows of a node, in the order of `source`."""
    codes = np.empty((node.codes.shape[0], out), np.int32)
    keys = np.empty(out, np.int64)
    counts = np.empty(out, np.int64)
    labels = np.empty((out, node.labels.shape[1]), np.int64)
    for column in range(len(codes)):
        old, new = node.codes[column], codes[column]
        for i in range(out):
            new[i] = old[source[i]]
    for i in range(out):
        keys[i] = node.keys[source[i]]
        counts[i] = node.counts[source[i]]
        for label in range(labels.shape[1]):
            labels[i, label] = node.labels[source[i], label]
    return codes, keys, counts, labels


@njit(cache=True, nogil=True)
def intervals(problem, kinds):
    """Beginning of the interval of each position, and end of the interval that begins there; OUT values cut nothing."""
    width = 0
    for size in problem.sizes:
        width = max(width, size)
    begins = np.zeros((len(problem.sizes), width), np.int32)
    ends = np.zeros((len(problem.sizes), width), np.int32)
    for column in range(len(problem.sizes)):
        begin = 0
        value = problem.first[column]
        for position in range(problem.sizes[column]):
            if value < problem.first[column + 1] and problem.positions[value] == position:
                if kinds[value] != OUT:
                    ends[column, begin] = position
                    begin = position
                value += 1
            begins[column, position] = begin
        ends[column, begin] = problem.sizes[column]
    return begins, ends


@njit(cache=True, nogil=True)
def _home(key, mask):
    return (((key ^ (key >> 31)) & 0x7FFFFFFF) * 0x9E3779B1 >> 21) & mask


@njit(cache=True, nogil=True)
def emptied(problem, rows):
    """An empty hash table with room for this many rows."""
    problem.stamps[-1] += 1
    size = 2
    while size < 2 * rows:
        size *= 2
    return Hashed(problem.slots, problem.stamps, problem.stamps[-1], size - 1, problem.radix, problem.exact)


@njit(cache=True, nogil=True)
def find(hashed, node, row, column, position):
    """The slot of the row that equals a row whose code in a column is read as this position, or the free slot.

    `column` = -1: the row as it is.
    """
    key, mask = node.keys[row], hashed.mask
    if column >= 0:
        key += (position - node.codes[column, row]) * hashed.radix[column]
    slot = _home(key, mask)
    while holds(hashed, slot):
        other = hashed.slots[slot]
        if node.keys[other] == key:
            equal = True
            for j in range(0 if hashed.exact else len(node.codes)):
                if node.codes[j, other] != (position if j == column else node.codes[j, row]):
                    equal = False
                    break
            if equal:
                return slot
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True)
def holds(hashed, slot):
    """Whether the slot holds a row."""
    return hashed.stamps[slot] == hashed.now


@njit(cache=True, nogil=True)
def put(hashed, slot, row):
    """Write a row into a slot."""
    hashed.stamps[slot] = hashed.now
    hashed.slots[slot] = row


@njit(cache=True, nogil=True)
def collapse(problem, node, begins):
    """Merge the rows of each class that agree on all intervals of the allset; writes into the node's arrays."""
    rows = len(node.counts)
    changed = np.zeros(rows, np.bool_)
    for column in range(len(node.codes)):
        row, begin, radix = node.codes[column], begins[column], problem.radix[column]
        for i in range(rows):
            down = row[i] - begin[row[i]]
            if down:
                row[i] -= down
                node.keys[i] -= down * radix
                changed[i] = True
    out, low = 0, 0
    target = np.empty(rows, np.int64)
    for number in range(len(node.starts) - 1):
        high = node.starts[number + 1]
        dirty = False
        for i in range(low, high):
            dirty |= changed[i]
        hashed = emptied(problem, high - low)
        for i in range(low, high):
            if dirty:
                slot = find(hashed, node, i, -1, 0)
                if holds(hashed, slot):
                    other = hashed.slots[slot]
                    node.counts[other] += node.counts[i]
                    for label in range(node.labels.shape[1]):
                        node.labels[other, label] += node.labels[i, label]
                    target[i] = other
                    continue
                put(hashed, slot, out)
            target[i] = out
            if out < i:
                for column in range(len(node.codes)):
                    node.codes[column, out] = node.codes[column, i]
                node.keys[out] = node.keys[i]
                node.counts[out] = node.counts[i]
                for label in range(node.labels.shape[1]):
                    node.labels[out, label] = node.labels[i, label]
            out += 1
        low = high
        node.starts[number + 1] = out
    if out == rows:
        return node
    codes, keys, counts, labels = _rows(node, np.arange(out), out)
    records, places = node.records, node.places
    if len(problem.required.kinds) > 0:
        records, places = _regrouped(node, target, out)
    return Node(codes, keys, counts, labels, node.starts, records, places, node.suppressed)


@njit(cache=True, nogil=True)
def commonest(labels):
    """How many records have the most common label; 0 where labels are not counted."""
    most = 0
    for label in range(len(labels)):
        most = max(most, labels[label])
    return most


@njit(cache=True, nogil=True)
def loss_of(problem, codes, row, begins, ends):
    """Loss of one record of a row, by the widths of its intervals."""
    loss = 0
    if problem.metric == LOSS:
        for column in range(len(codes)):
            begin = begins[column, codes[column, row]]
            loss += problem.places[column, ends[column, begin] - 1] - problem.places[column, begin]
    return loss


@njit(cache=True, nogil=True)
def head_cost(problem, node, kinds):
    """Cost and suppressed records of the head; the classes are the node's, the intervals those of the HEAD values."""
    heads = np.where(kinds == HEAD, HEAD, OUT)
    begins, ends = intervals(problem, heads)
    cost, suppressed = problem.penalty * node.suppressed, node.suppressed
    together, values = np.empty(node.labels.shape[1], np.int64), np.empty(len(problem.required.whole), np.int64)
    for number in range(len(node.starts) - 1):
        low, high = node.starts[number], node.starts[number + 1]
        size = 0
        together[:] = 0
        for i in range(low, high):
            size += node.counts[i]
            for label in range(len(together)):
                together[label] += node.labels[i, label]
        if not rows_hold(problem, node, low, high, -1, values):
            cost += problem.penalty * size
            suppressed += size
            continue
        loss = loss_of(problem, node.codes, low, begins, ends)
        cost += class_cost(problem.metric, size, commonest(together), loss, problem.k)
    return cost, suppressed


@njit(cache=True, nogil=True)
def row_bounds(problem, node, begins, ends):
    """The least cost of each row when it is kept, in every descendant; rows are merged under the allset."""
    bounds = np.empty(len(node.counts), np.int64)
    for i in range(len(bounds)):  # `loss_of` says the same of other metrics, but a call for each row costs a quarter
        loss = loss_of(problem, node.codes, i, begins, ends) if problem.metric == LOSS else 0
        bounds[i] = retained_bound(problem.metric, node.counts[i], commonest(node.labels[i]), loss, problem.k)
    return bounds
