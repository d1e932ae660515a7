"""Which records are attached to which pattern, and what that costs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kanon_engine.tables.cell_suppression.patterns import Patterns


class Attachments:
    """Copies of each item at each pattern: records of a tuple, or all those of a row that stands for several.

    Attributes
    ----------
    held : list of dict
        For each item the patterns that its copies are attached to, and how many.
    load : (p,) int64 array
        Records attached to each pattern; a pattern is open where it is above 0.
    paid : (t, q + 1) int64 array
        How many copies of each item pay so many stars.
    cost : int
        Suppressed cells.
    """

    def __init__(self, patterns: Patterns) -> None:
        t, q = len(patterns.sizes), patterns.stars.shape[1]
        self.patterns = patterns
        self.costs: list[int] = patterns.costs.tolist()
        self.held: list[dict[int, int]] = [{} for _ in range(t)]
        self.load = np.zeros(len(patterns.stars), dtype=np.int64)
        self.paid = np.zeros((t, q + 1), dtype=np.int64)
        self.cost = 0

    def attach(self, item: int, pattern: int, copies: int) -> None:
        """Attach copies of an item to a pattern; take them off again where `copies` is negative."""
        if copies == 0:
            return
        held = self.held[item]
        held[pattern] = held.get(pattern, 0) + copies
        if held[pattern] == 0:
            del held[pattern]
        self.load[pattern] += copies
        self.paid[item, self.costs[pattern]] += copies
        self.cost += copies * self.costs[pattern]

    def move(self, item: int, source: int, target: int, copies: int) -> None:
        """Take copies of an item from one pattern to another."""
        self.attach(item, source, -copies)
        self.attach(item, target, copies)

    def spared(self, item: int, source: int, wanted: int, k: int) -> int:
        """How many copies of an item at a pattern can go, about as many as wanted, where k records stay.

        Of a row that stays whole all or none.
        """
        copies, spare = self.held[item].get(source, 0), int(self.load[source]) - k
        if self.patterns.whole:
            return copies if wanted > 0 and copies <= spare else 0
        return max(0, min(copies, spare, wanted))

    def counts(self) -> np.ndarray:
        """(a,) int64: copies at each attachment of `patterns`."""
        patterns = self.patterns
        counts = np.zeros(len(patterns.members), dtype=np.int64)
        for item, held in enumerate(self.held):
            for pattern, copies in held.items():
                first, last = patterns.start[pattern : pattern + 2]
                counts[first + np.searchsorted(patterns.members[first:last], item)] = copies
        return counts


# told what was done ("opened", "rest", "rare" or "filled"), how all stand then, and the pattern, -1 for none
Watch = Callable[[str, Attachments, int], None]
