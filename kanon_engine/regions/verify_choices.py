"""The independent check that some areas have too few possible classes under a cap."""

from __future__ import annotations

REST = 64  # areas that a piece left beside a class may have to be looked at
WORK = 1_000_000  # areas, borders and sets looked at, above which a witness is refused


class _TooMuch(Exception):
    pass


def exclude_each_other(weights: list[int], near: list[list[int]], k: int, cap: int, areas: tuple[int, ...]) -> bool:
    """Whether no partition into classes of weight k to cap gives each of these areas a class.

    A class is connected, and each piece of at most `REST` areas that it leaves beside it weighs what m >= 1 classes of
    k to cap can weigh. A set that misses an area and meets all possible classes of it is no class.
    """
    work = [WORK]
    try:
        possible = {v: _possible(weights, near, k, cap, v, work) for v in areas}
        left = set().union(*possible.values())
        changed = True
        while changed and all(possible.values()):
            changed = False
            for v in areas:
                meeting = {s for s in left if v not in s}
                for own in possible[v]:
                    work[0] -= len(meeting)
                    meeting = {s for s in meeting if not s.isdisjoint(own)}
                if work[0] < 0:
                    raise _TooMuch
                left -= meeting
                for u in {u for s in meeting for u in s if u in possible}:
                    possible[u] &= left
                    changed = True
    except _TooMuch:
        return False
    return not all(possible.values())


def _possible(
    weights: list[int], near: list[list[int]], k: int, cap: int, v: int, work: list[int]
) -> set[frozenset[int]]:
    """The classes that v could have: its connected sets, grown by an area at a time, are looked through."""
    grown = {frozenset([v])} if weights[v] <= cap else set()
    found: set[frozenset[int]] = set()
    while grown:
        heavy = {s for s in grown if sum(weights[u] for u in s) >= k}
        found |= {s for s in heavy if _leaves_classes(weights, near, k, cap, s, work)}
        larger = set()
        for s in grown:
            room = cap - sum(weights[u] for u in s)
            work[0] -= sum(len(near[u]) for u in s)
            if work[0] < 0:
                raise _TooMuch
            larger |= {s | {u} for inside in s for u in near[inside] if u not in s and weights[u] <= room}
        grown = larger
    return found


def _leaves_classes(
    weights: list[int], near: list[list[int]], k: int, cap: int, inside: frozenset[int], work: list[int]
) -> bool:
    for first in {u for v in inside for u in near[v]} - inside:
        piece = _piece(near, first, inside, work)
        weight = sum(weights[u] for u in piece)
        if piece and not (weight >= k and -(-weight // cap) <= weight // k):
            return False
    return True


def _piece(near: list[list[int]], first: int, barred: frozenset[int], work: list[int]) -> set[int]:
    """The areas connected with the first outside the barred ones; empty where they are more than `REST`."""
    piece, waiting = {first}, [first]
    while waiting:
        work[0] -= 1
        for u in near[waiting.pop()]:
            if u not in piece and u not in barred:
                piece.add(u)
                waiting.append(u)
                if len(piece) > REST:
                    return set()
    return piece
