"""Open patterns one after the other; where that is worse than suppressing the rare records, suppress these."""

from __future__ import annotations

import heapq

import numpy as np

from kanon_engine.tables.cell_suppression.attachments import Attachments, Watch
from kanon_engine.tables.cell_suppression.patterns import Patterns
from kanon_engine.tables.instance import Table
from kanon_engine.verification.table_costs import most_hidden


def suppress_rare(patterns: Patterns, k: int) -> Attachments:
    """Suppress everything in the records that have fewer than k - 1 equals, and nothing in the others.

    Where these records are R < k together, records of one other tuple join them: k - R of them where k stay behind and
    rows are single records, else all of the rarest one.

    Guarantee: for q quasi-identifiers at most q times the least possible number of suppressed cells where R = 0 or
    R >= k; where 0 < R < k at most (2 - 1 / k) q times that, or of rows that stand for several records q times R and
    the records of the rarest other tuple. Proof: docs/proofs/tables/cell_suppression.md.

    Parameters
    ----------
    patterns : Patterns
    k : int

    Returns
    -------
    Attachments
    """
    result = Attachments(patterns)
    everything = len(patterns.stars) - 1  # matched by every tuple, so it has the most stars
    sizes = patterns.sizes.tolist()
    common = range(int(np.searchsorted(patterns.costs, 1)))  # patterns without stars: a tuple with k records each
    for place in common:
        for item in members_of(patterns, place):
            result.attach(item, place, sizes[item])
    rare = [item for item, held in enumerate(result.held) if not held]
    for item in rare:
        result.attach(item, everything, sizes[item])
    lacking = k - sum(sizes[item] for item in rare)
    if rare and lacking > 0:
        loads = result.load[: len(common)].tolist()
        largest = max(common, key=loads.__getitem__)
        if loads[largest] >= k + lacking and not patterns.whole:
            result.move(members_of(patterns, largest)[0], largest, everything, lacking)
        else:
            _join(result, min(common, key=loads.__getitem__), everything)
    return result


def _join(result: Attachments, source: int, target: int) -> None:
    """Take all that is attached to a pattern to another."""
    for item in members_of(result.patterns, source):
        result.move(item, source, target, result.held[item].get(source, 0))


def ceiling(table: Table, k: int) -> int:
    """What `suppress_rare` costs at most."""
    return most_hidden(table.tuples[1].sum(axis=1), table.weighted, len(table.quasi_identifiers), k)[1]


def open_greedily(patterns: Patterns, k: int, watch: Watch | None = None) -> Attachments:
    """Open the pattern that the most free records match, those of the fewest stars first, and attach them all.

    Complexity
    ----------
    Every look at a pattern is linear in its tuples; a pattern is looked at again when its turn comes and the number of
    free records has changed.
    """
    result = Attachments(patterns)
    free = patterns.sizes.copy()
    start = patterns.start.tolist()
    for cost in range(patterns.stars.shape[1] + 1):
        first, last = np.searchsorted(patterns.costs, [cost, cost + 1]).tolist()
        if first == last:
            continue
        matching = np.add.reduceat(
            free[patterns.members[start[first] : start[last]]], patterns.start[first:last] - start[first]
        )
        waiting = [(-count, first + place) for place, count in enumerate(matching.tolist()) if count >= k]
        heapq.heapify(waiting)
        while waiting:
            believed, pattern = heapq.heappop(waiting)
            members = patterns.members[start[pattern] : start[pattern + 1]]
            count = int(free[members].sum())
            if count < k:
                continue
            if count < -believed:
                heapq.heappush(waiting, (-count, pattern))
                continue
            for item in members[free[members] > 0].tolist():
                result.attach(item, pattern, int(free[item]))
            free[members] = 0
            if watch is not None:
                watch("opened", result, pattern)
    _suppress(result, free, k)
    if watch is not None and free.any():
        watch("rest", result, len(patterns.stars) - 1)
    return result


def _suppress(result: Attachments, free: np.ndarray, k: int) -> None:
    """Attach free records to the pattern of most stars, and as many others as it takes to make it k, at least loss."""
    everything = len(result.load) - 1
    left = np.flatnonzero(free).tolist()
    for item in left:
        result.attach(item, everything, int(free[item]))
    if not left:
        return
    open_ones = np.flatnonzero(result.load)[:-1]
    dearest_first = open_ones[np.argsort(-result.patterns.costs[open_ones], kind="stable")].tolist()
    spare = int((result.load[open_ones] - k).sum())
    lacking = k - int(result.load[everything])
    for pattern in dearest_first if spare >= lacking else ():
        for item in members_of(result.patterns, pattern):
            copies = result.spared(item, pattern, lacking, k)
            result.move(item, pattern, everything, copies)
            lacking -= copies
    if lacking > 0:
        _join(result, min(dearest_first, key=lambda pattern: int(result.load[pattern])), everything)


def members_of(patterns: Patterns, pattern: int) -> list[int]:
    """The items that match a pattern."""
    return patterns.members[patterns.start[pattern] : patterns.start[pattern + 1]].tolist()  # type: ignore[no-any-return]
