"""Pairs of tail values that no better descendant has both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.cuts.node_kernels import TAIL
from kanon_engine.tables.metrics.kernels import DISCERNIBILITY


class Lines(NamedTuple):
    """The tail values that part a class, as lines through its rows; scratch, but for the worth of the rows."""

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

    Parameters
    ----------
    alone : Effects
        What each value does alone.
    slack : int
        What the bound of the node lacks to the best cost.
    conflict : (a, a) bool
        Is set for these pairs, both ways.

    Why a pair stays: docs/proofs/tables/k_optimize.md, pairs that conflict. In the proof, what falls only to both is
    `Losses` here.

    Complexity
    ----------
    A pass over the rows for each pair of columns, and for each class the product of the lines of the two. Memory grows
    with the square of the tail: `cuts.problem.MOST_PAIRED`.
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
    """Note the lines through a class, and beyond how many of them each row is."""
    low, high = node.starts[number], node.starts[number + 1]
    made, at = 0, 0
    places = np.empty(lines.records.shape[0], np.int32)
    for column in range(len(problem.sizes)):
        lines.first[column] = made
        codes = node.codes[column]
        least, greatest = codes[low], codes[low]
        for i in range(low, high):
            least, greatest = min(least, codes[i]), max(greatest, codes[i])
        place, before = least, made
        while at < len(tail) and problem.columns[tail[at]] == column:
            position = problem.positions[tail[at]]
            if least < position <= greatest:
                while place < position:
                    places[place] = made - before
                    place += 1
                lines.cuts[made] = at
                made += 1
            at += 1
        if made > before:
            while place <= greatest:
                places[place] = made - before
                place += 1
            for i in range(low, high):
                lines.ranks[column, i - low] = places[codes[i]]
    lines.first[-1] = made


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
