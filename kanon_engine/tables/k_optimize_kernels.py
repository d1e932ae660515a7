"""The effect of each tail value at a node, and the resulting pruning of values and nodes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kanon_engine.kernel_cache import njit
from kanon_engine.tables.cuts_kernels import (
    HEAD,
    OUT,
    TAIL,
    Node,
    collapse,
    intervals,
    row_bounds,
    rows_hold,
    settle,
    split,
)
from kanon_engine.tables.k_optimize_conflict_kernels import conflicts, exclusion_costs, inclusion_shares, pack
from kanon_engine.tables.metrics_kernels import LOSS, is_useful

DEAD, OPEN, FORCED = 0, 1, 2
# why `prune` decided on a value: it cannot pay; with it, or without it, nothing better is left; too many are left out
USELESS, COSTLY, CROWDED, NEEDED = 1, 2, 3, 4


class Effects(NamedTuple):
    """The effects of including each tail value."""

    inclusion_cost: np.ndarray  # (a,) int64: by how much the bound rises, because records are suppressed
    suppresses: np.ndarray  # (a,) int64: records that are suppressed
    useful: np.ndarray  # (a,) bool
    parted: np.ndarray  # (a,) int64: classes that are split
    hit: np.ndarray  # (q, m) bool: whether a tail value of the column suppresses some of the class
    worth: np.ndarray  # (t,) int64: what suppressing each row costs more than its bound


class Pruned(NamedTuple):
    """A node whose tail was pruned."""

    verdict: int  # DEAD, FORCED or OPEN
    node: Node  # merged under the allset; split at the forced values
    bound: int  # no descendant better than the best, the node included, costs less
    parted: np.ndarray  # (a,) int64: with `exclusion_cost` what the order of the tail rests on
    exclusion_cost: np.ndarray  # (a,) int64
    rest: np.ndarray  # (a,) int64: no better descendant without the value costs less
    reasons: np.ndarray  # (a,) int8: why the value was decided on, 0 where it was not, or followed from others
    reached: np.ndarray  # (a,) int64: the bound with it (`COSTLY`), without it (`NEEDED`), or who is suppressed with it


@njit(cache=True, nogil=True)
def effects(problem, node, kinds, bounds):
    """The effects of including each tail value, for rows that cost at least `bounds` where they are kept."""
    count, width = len(kinds), 0
    for size in problem.sizes:
        width = max(width, size)
    inclusion_cost, suppresses = np.zeros(count, np.int64), np.zeros(count, np.int64)
    parted, useful = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    hit = np.zeros((len(problem.sizes), len(node.starts) - 1), np.bool_)
    records, saving = np.zeros(width, np.int64), np.zeros(width, np.int64)
    worth = problem.penalty * node.counts - bounds
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
            size, total_worth = 0, 0
            for i in range(low, high):
                size += node.counts[i]
                total_worth += worth[i]
                records[codes[i]] += node.counts[i]
                saving[codes[i]] += worth[i]
            left, left_worth = records[begin], saving[begin]
            records[begin] = saving[begin] = 0
            for value in range(problem.first[column], problem.first[column + 1]):
                position = problem.positions[value]
                if kinds[value] == OUT or position <= begin:
                    continue
                if kinds[value] == HEAD:
                    break
                right, right_worth = size - left, total_worth - left_worth
                if problem.required.hereditary:
                    useful[value] |= is_useful(problem.metric, left, right, problem.k, problem.total)
                else:
                    parts = problem.metric == LOSS or (left > 0 and right > 0)
                    useful[value] |= parts and (left >= problem.k or right >= problem.k)
                if left > 0 and right > 0:
                    parted[value] += 1
                    hit[column, number] |= min(left, right) < problem.k
                    if left < problem.k:
                        inclusion_cost[value] += left_worth
                        suppresses[value] += left
                    if right < problem.k:
                        inclusion_cost[value] += right_worth
                        suppresses[value] += right
                left += records[position]
                left_worth += saving[position]
                records[position] = saving[position] = 0
    return Effects(inclusion_cost, suppresses, useful, parted, hit, worth)


@njit(cache=True, nogil=True)
def unkept(problem, node, bounds):
    """Records that every descendant suppresses because a class fails a requirement, and the least cost of that.

    Rows that cost at least `bounds` where they are kept, merged under the allset. No descendant keeps all rows of
    a class that fails, because classes that satisfy the requirement would satisfy it as one.
    """
    lost, price = 0, 0
    values = np.empty(len(problem.required.whole), np.int64)
    for number in range(len(node.starts) - 1):
        low, high = node.starts[number], node.starts[number + 1]
        if rows_hold(problem, node, low, high, -1, values):
            continue
        fewest, least = node.counts[low], problem.penalty * node.counts[low] - bounds[low]
        for i in range(low + 1, high):
            fewest = min(fewest, node.counts[i])
            least = min(least, problem.penalty * node.counts[i] - bounds[i])
        lost += fewest
        price += least
    return lost, price


@njit(cache=True, nogil=True)
def _useful_together(problem, kinds, useful):
    """Whether a value, or one that can only be included with it, is useful."""
    if not problem.grouped:
        return useful
    together = np.zeros(len(problem.above), np.bool_)
    for value in range(len(kinds)):
        if kinds[value] == TAIL and useful[value]:
            together[problem.groups[value]] = True
    for group in range(len(together) - 1, -1, -1):
        if together[group] and problem.above[group] >= 0:
            together[problem.above[group]] = True
    return together[problem.groups]


@njit(cache=True, nogil=True)
def prune(problem, node, kinds, conflict, best, fresh):
    """Prune the tail until nothing changes; writes into `kinds`.

    That nothing better is lost: docs/proofs/tables/k_optimize.md, pruning. The node's own head was weighed before.

    `conflict`: (a, a) bool. Pairs of values known to conflict; unused where pairs are not weighed.
    `fresh`: bool. Whether the node is new: then the search looks once for further pairs that conflict.
    Returns: DEAD: no descendant is better than `best`, or none is left; FORCED: values became part of the head, because
        no descendant without them is better, so the head must be weighed and the rest pruned again; else OPEN.
    """
    nothing = np.zeros(len(kinds), np.int64)
    reasons, reached = np.zeros(len(kinds), np.int8), np.zeros(len(kinds), np.int64)
    looking = fresh and problem.conflicts
    while True:
        possible, node = settle(problem, node, kinds)
        if not possible:
            return Pruned(DEAD, node, best, nothing, nothing, nothing, reasons, reached)
        begins, ends = intervals(problem, kinds)
        node = collapse(problem, node, begins)
        bounds = row_bounds(problem, node, begins, ends)
        bound = problem.penalty * node.suppressed + bounds.sum()
        if bound >= best or node.suppressed > problem.limit:
            return Pruned(DEAD, node, bound, nothing, nothing, nothing, reasons, reached)
        lost, price = unkept(problem, node, bounds)
        if bound + price >= best or node.suppressed + lost > problem.limit:
            return Pruned(DEAD, node, bound + price, nothing, nothing, nothing, reasons, reached)
        alone = effects(problem, node, kinds, bounds)
        inclusion_cost, suppresses = alone.inclusion_cost, alone.suppresses
        useful = _useful_together(problem, kinds, alone.useful)
        left, removed = 0, 0
        for value in range(len(kinds)):
            if kinds[value] != TAIL:
                continue
            with_it, lost = bound + inclusion_cost[value], node.suppressed + suppresses[value]
            if problem.useless and not useful[value]:
                reasons[value] = USELESS
            elif problem.tails and with_it >= best:
                reasons[value], reached[value] = COSTLY, with_it
            elif problem.tails and lost > problem.limit:
                reasons[value], reached[value] = CROWDED, lost
            else:
                left += 1
                continue
            kinds[value] = OUT
            removed += 1
        if left == 0:
            return Pruned(DEAD, node, bound, nothing, nothing, nothing, reasons, reached)
        if removed:
            continue
        exclusion_cost, share = exclusion_costs(problem, node, kinds, bounds)
        tail = np.flatnonzero(kinds == TAIL)
        verdict, gain, included, excluded = OPEN, 0, np.zeros(left, np.int64), exclusion_cost[tail]
        inclusion_share = np.zeros(left, np.int64)
        if problem.conflicts and suppresses.any():
            inclusion_share = inclusion_shares(problem, node, kinds, alone)
        while True:
            if problem.conflicts:
                gain, included, unpaid = pack(share[tail], conflict[tail][:, tail], inclusion_share)
                excluded = np.maximum(unpaid + gain, exclusion_cost[tail])
            for place in range(left):
                value = tail[place]
                out = problem.conflicts and bound + gain + included[place] >= best
                forced = bound + excluded[place] >= best
                if out:
                    reasons[value], reached[value] = COSTLY, bound + gain + included[place]
                elif forced and problem.forcing:
                    reasons[value], reached[value] = NEEDED, bound + excluded[place]
                if gain >= best - bound or (out and forced):
                    return Pruned(DEAD, node, bound + gain, nothing, nothing, nothing, reasons, reached)
                if out:
                    kinds[value] = OUT
                    removed += 1
                elif forced and problem.forcing:
                    kinds[value] = HEAD
                    node = split(problem, node, value)
                    verdict = FORCED
            if removed or verdict == FORCED or not looking:
                break
            conflicts(problem, node, kinds, alone, best - bound, conflict)
            looking = False
        if verdict == FORCED:
            possible, node = settle(problem, node, kinds)
            if not possible:
                return Pruned(DEAD, node, best, nothing, nothing, nothing, reasons, reached)
        if verdict == FORCED or not removed:
            rest = np.zeros(len(kinds), np.int64)
            rest[tail] = bound + excluded
            return Pruned(verdict, node, bound + gain, alone.parted, exclusion_cost, rest, reasons, reached)


@njit(cache=True, nogil=True)
def choose(problem, kinds, parted, exclusion_cost):
    """The tail value that splits most classes; of these the one that costs most to exclude.

    Where nothing may be suppressed, one with no undecided value left of it in its interval goes first.
    """
    leftmost = problem.limit == 0
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
            better = (left and not best_left) or (left == best_left and exclusion_cost[value] > exclusion_cost[best])
        if better:
            best, best_left = value, left
    return best
