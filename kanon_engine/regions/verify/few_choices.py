"""The independent check that some areas have too few possible classes under a cap."""

from __future__ import annotations

from collections.abc import Iterator

REST = 64  # areas that a piece left beside a class may have to be looked at
WORK = 1_000_000  # areas, borders and sets looked at, above which a witness is refused


class _TooMuch(Exception):
    pass


def exclude_each_other(weights: list[int], near: list[list[int]], k: int, cap: int, areas: tuple[int, ...]) -> bool:
    """Whether no partition into classes of weight k to cap gives each of these areas a class.

    A class is connected, and each piece of at most `REST` areas that it leaves beside it weighs what m >= 1 classes of
    k to cap can weigh. A set that misses an area and meets all possible classes of it is no class.
    """
    check = _Check(weights, near, k, cap)
    try:
        return check.strike_out({v: set(check.possible(v)) for v in areas})
    except _TooMuch:
        return False


class _Check:
    def __init__(self, weights: list[int], near: list[list[int]], k: int, cap: int) -> None:
        self.weights, self.near, self.k, self.cap = weights, near, k, cap
        self.work = WORK

    def strike_out(self, possible: dict[int, set[frozenset[int]]]) -> bool:
        """Strike out sets until an area has none left (True) or nothing changes (False)."""
        holding: dict[int, set[frozenset[int]]] = {}
        for s in set().union(*possible.values()):
            for v in s:
                holding.setdefault(v, set()).add(s)
        waiting = set(possible)
        while all(possible.values()) and waiting:
            v = min(waiting, key=lambda u: (len(possible[u]), u))
            waiting.remove(v)
            struck: set[frozenset[int]] | None = None
            for own in possible[v]:
                if struck is None:
                    self.spend(sum(len(holding[u]) for u in own))
                    struck = {s for u in own for s in holding[u] if v not in s}
                self.spend(len(struck))
                struck = {s for s in struck if not s.isdisjoint(own)}
            for s in struck or ():
                for u in s:
                    holding[u].remove(s)
                    if u in possible:
                        possible[u].remove(s)
                        waiting.add(u)
        return not all(possible.values())

    def possible(self, v: int) -> Iterator[frozenset[int]]:
        """The classes that v could have; areas beside the set are taken in or passed over for good, in turn."""
        members: list[int] = []
        weight = 0
        seen = {v}
        levels: list[tuple[list[int], list[int]]] = [([v], [])]  # areas to decide on, and those first seen there
        while levels:
            open_areas, fresh = levels[-1]
            if not open_areas:
                levels.pop()
                seen.difference_update(fresh)
                if members:
                    weight -= self.weights[members.pop()]
                continue
            u = open_areas.pop()
            self.spend(1)
            if weight + self.weights[u] > self.cap:
                continue
            found = [x for x in self.near[u] if x not in seen]
            self.spend(len(self.near[u]) + len(open_areas) // 8)
            seen.update(found)
            members.append(u)
            weight += self.weights[u]
            if weight >= self.k:
                self.spend(len(members))
                if self.leaves_classes(set(members)):
                    yield frozenset(members)
            levels.append((open_areas + found, found))

    def leaves_classes(self, inside: set[int]) -> bool:
        """Whether all small pieces beside the set can be cut into classes, by their weight."""
        done: set[int] = set()
        for first in {u for v in inside for u in self.near[v]} - inside:
            if first in done:
                continue
            piece, waiting, closed = {first}, [first], True
            while waiting and closed:
                self.spend(1)
                for u in self.near[waiting.pop()]:
                    if u not in inside and u not in piece:
                        piece.add(u)
                        waiting.append(u)
                        closed = len(piece) <= REST and u not in done
                        if not closed:
                            break
            done |= piece
            if closed:
                weight = sum(self.weights[u] for u in piece)
                if weight < self.k or -(-weight // self.cap) > weight // self.k:
                    return False
        return True

    def spend(self, work: int) -> None:
        self.work -= work
        if self.work < 0:
            raise _TooMuch
