"""Local improvement: patterns are filled with records that pay more elsewhere, and with others that can be spared."""

from __future__ import annotations

import numpy as np

from kanon_engine.model.run import Run
from kanon_engine.tables.cell_suppression.attachments import Attachments, Watch
from kanon_engine.tables.cell_suppression.greedy import members_of

MOST_TRIES = 100_000  # patterns that are tried in a run


def improve(result: Attachments, k: int, floor: int, run: Run, watch: Watch | None = None) -> None:
    """Fill patterns, those that promise most first, until none of them saves a cell.

    Parameters
    ----------
    result : Attachments
        Changed in place; never becomes worse, no open pattern falls below k records.
    k : int
    floor : int
        No solution costs less.
    run : Run
    watch : callable, optional
        Told of each pattern that is filled.

    Complexity
    ----------
    At most `MOST_TRIES` tries, each linear in the copies of the tuples that match the pattern.
    """
    tries = 0
    while result.cost > floor:
        before = result.cost
        for pattern in _promising(result):
            if tries % 64 == 0 and not run.goes_on(tries / MOST_TRIES, result.cost, floor, "suppressing fewer cells"):
                return
            tries += 1
            if tries > MOST_TRIES:
                return
            cost = result.cost
            fill(result, pattern, k)
            if watch is not None and result.cost < cost:
                watch("filled", result, pattern)
        if result.cost == before:
            return


def _promising(result: Attachments) -> list[int]:
    """Patterns with records that pay more elsewhere; the largest sum that they could save first."""
    patterns = result.patterns
    # costlier[t, c]: copies of t that pay more than c; saved[t, c]: what they pay above c together
    costlier = result.paid.sum(axis=1, keepdims=True) - np.cumsum(result.paid, axis=1)
    saved = np.cumsum(costlier[:, ::-1], axis=1)[:, ::-1]
    promise = np.add.reduceat(saved[patterns.members, patterns.costs[patterns.owners]], patterns.start[:-1])
    hopeful = np.flatnonzero(promise)
    return hopeful[np.argsort(-promise[hopeful], kind="stable")].tolist()  # type: ignore[no-any-return]


def fill(result: Attachments, pattern: int, k: int) -> None:
    """Attach to a pattern what pays more elsewhere, and if it is not open, what it lacks to k records; undo a loss.

    Records come from classes of more than k only, and leave k there.
    """
    before, cost = result.cost, result.costs[pattern]
    members = np.array(members_of(result.patterns, pattern))
    moves: list[tuple[int, int, int]] = []
    for item in members[result.paid[members, cost + 1 :].any(axis=1)].tolist():
        for source, copies in list(result.held[item].items()):
            if result.costs[source] > cost:
                _take(result, moves, item, source, pattern, copies, k)
    for level in range(cost, -1, -1):
        if not moves or result.load[pattern] >= k or (level < cost and result.cost >= before):
            break
        for item in members[result.paid[members, level] > 0].tolist():
            for source in list(result.held[item]):
                if source != pattern and result.costs[source] == level:
                    _take(result, moves, item, source, pattern, k - int(result.load[pattern]), k)
            if result.load[pattern] >= k:
                break
    if result.cost >= before or 0 < result.load[pattern] < k:
        for item, source, copies in reversed(moves):
            result.move(item, pattern, source, copies)


def _take(
    result: Attachments, moves: list[tuple[int, int, int]], item: int, source: int, target: int, wanted: int, k: int
) -> None:
    copies = result.spared(item, source, wanted, k)
    if copies > 0:
        result.move(item, source, target, copies)
        moves.append((item, source, copies))
