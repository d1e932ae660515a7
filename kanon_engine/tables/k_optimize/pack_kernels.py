"""What conflicts between tail values add to the bound of a node."""

from __future__ import annotations

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.cuts.node_kernels import TAIL, commonest
from kanon_engine.tables.k_optimize.exclusion_kernels import excess
from kanon_engine.tables.metrics.kernels import DISCERNIBILITY, spare


@njit(cache=True, nogil=True)
def pack(share, conflict, inclusion_share):
    """A bound on what leaving values out and suppressing records cost beyond the bound of the node.

    Parameters
    ----------
    share : (t,) int64
        What leaving out each tail value costs.
    conflict : (t, t) bool
        Pairs that no better descendant includes both.
    inclusion_share : (t,) int64
        What including each value costs, since it suppresses records. The shares of the values that a descendant leaves
        out and the inclusion shares of those that it includes, all added up, are no more than it costs beyond the bound
        of the node: see `inclusion_shares`.

    Returns
    -------
    gain : int
        No better descendant costs less than the bound of the node plus `gain`.
    included, excluded : (t,) int64
        What including or excluding each value costs beyond that, one value at a time.

    Proof: docs/proofs/tables/k_optimize.md, packing conflicts into the bound.

    Complexity
    ----------
    O(t^2) for each clique, at most t cliques.
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
    """What including each tail value costs, since it suppresses records, divided so that the costs add up.

    A row's `spare` is divided evenly, rounded down, among the values that each suppress it alone. `alone` is
    what `bound_kernels.effects` returns. Where more than k is required, a suppressed box may hold k records and more,
    and the shares of DM count on what its records cost together: never more than in the class of the head.

    Proof: docs/proofs/tables/k_optimize.md, what including values costs.

    Returns
    -------
    (t,) int64
        For the tail values in their order.

    Complexity
    ----------
    Two passes over the rows for each column.
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
