"""Open patterns one after the other; where that is worse than suppressing the rare records, suppress these."""

from __future__ import annotations

import heapq

import numpy as np

from kanon_engine.tables.cell_suppression.attachments import Attachments, Watch
from kanon_engine.tables.cell_suppression.patterns import Patterns


def suppress_rare(patterns: Patterns, k: int) -> Attachments:
    """Suppress everything in the records that have fewer than k - 1 equals, and nothing in the others.

    Where these records are R < k together, records of one other tuple join them: k - R of them where k stay behind,
    else all of them.

    Guarantee: for q quasi-identifiers at most q times the least possible number of suppressed cells where R = 0 or
    R >= k, at most (2 - 1 / k) q times that where 0 < R < k. Proof: docs/proofs/tables/cell_suppression.md.

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
    rare = [item for item, size in enumerate(sizes) if size < k]
    for item in rare:
        result.attach(item, everything, sizes[item])
    lacking = k - sum(sizes[item] for item in rare)
    own = patterns.members[: patterns.start[np.searchsorted(patterns.costs, 1)]].tolist()  # patterns without stars
    for place, item in enumerate(own):
        result.attach(item, place, sizes[item])
    if rare and lacking > 0:
        largest = max(range(len(own)), key=lambda place: sizes[own[place]])
        if sizes[own[largest]] >= k + lacking:
            result.move(own[largest], largest, everything, lacking)
        else:
            smallest = min(range(len(own)), key=lambda place: sizes[own[place]])
            result.move(own[smallest], smallest, everything, sizes[own[smallest]])
    return result


def ceiling(sizes: np.ndarray, q: int, k: int) -> int:
    """What `suppress_rare` costs at most: q R where no record must join the R rare ones, else q (2 k - 1)."""
    rare = int(sizes[sizes < k].sum())
    return q * rare if rare == 0 or rare >= k else q * (2 * k - 1)


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
    if spare < lacking:
        smallest = min(dearest_first, key=lambda pattern: int(result.load[pattern]))
        for item in members_of(result.patterns, smallest):
            result.move(item, smallest, everything, result.held[item].get(smallest, 0))
        return
    for pattern in dearest_first:
        for item in members_of(result.patterns, pattern):
            copies = min(result.held[item].get(pattern, 0), int(result.load[pattern]) - k, lacking)
            result.move(item, pattern, everything, copies)
            lacking -= copies


def members_of(patterns: Patterns, pattern: int) -> list[int]:
    """The distinct tuples that match a pattern."""
    return patterns.members[patterns.start[pattern] : patterns.start[pattern + 1]].tolist()  # type: ignore[no-any-return]
