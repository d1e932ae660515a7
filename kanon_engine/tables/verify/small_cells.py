"""The independent look at all groups of a small table whose cells are suppressed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from kanon_engine.tables.instance import Table

if TYPE_CHECKING:
    from kanon_engine.model.generalization import Generalization

MOST = 60  # rows
WORK = 200_000  # rows put into a group, in all tries together


class _TooMuch(Exception):
    pass


def cells_beaten(table: Table, g: Generalization) -> bool | None:
    """Whether fewer cells than the claimed bound suffice; None where there are too many groups to look at.

    Groups of k to 2k - 2 + w records are enough, where no row stands for more than w: of a larger one, parts of k or
    more hide no more. A row that is left gets every such group, and the rest is divided likewise. What was found not to
    be possible with so many cells is remembered. What is required besides k makes nothing cheaper and is not looked at:
    None where fewer cells suffice without it.
    """
    if len(table) > MOST:
        return None
    rows, copies = np.unique(np.column_stack([table.codes, table.weights]), axis=0, return_counts=True)
    try:
        groups = _Groups([tuple(row) for row in rows[:, :-1].tolist()], rows[:, -1].tolist(), g.k)
        found = groups.divided(tuple(copies.tolist()), table.total, g.lower_bound - 1)
        return None if found and g.require else found
    except _TooMuch:
        return None


class _Groups:
    def __init__(self, rows: list[tuple[int, ...]], weights: list[int], k: int) -> None:
        self.rows, self.weights, self.k, self.work = rows, weights, k, WORK
        self.largest = 2 * k - 2 + max(weights)
        self.failed: dict[tuple[int, ...], int] = {}

    def divided(self, left: tuple[int, ...], count: int, cells: int) -> bool:
        """Whether the rows that are left, of `count` records, can be grouped with at most so many cells suppressed."""
        if count == 0:
            return cells >= 0
        if cells < 0 or count < self.k or self.failed.get(left, -1) >= cells:
            return False
        first = next(row for row, number in enumerate(left) if number)
        taken = list(left)
        taken[first] -= 1
        for rest, size, price in self.groups(taken, first, self.weights[first], self.rows[first], frozenset(), cells):
            if self.divided(rest, count - size, cells - price):
                return True
        self.failed[left] = cells
        return False

    def groups(
        self, left: list[int], row: int, size: int, shown: tuple[int, ...], stars: frozenset[int], cells: int
    ) -> Iterator[tuple[tuple[int, ...], int, int]]:
        """What is left after each group, its size and its price."""
        self.work -= 1
        if self.work < 0:
            raise _TooMuch
        if size >= self.k:
            yield tuple(left), size, size * len(stars)
        for other in range(row, len(left)):
            larger = size + self.weights[other]
            if left[other] and larger <= self.largest:
                wider = stars | {c for c, value in enumerate(self.rows[other]) if value != shown[c]}
                if max(larger, self.k) * len(wider) <= cells:
                    left[other] -= 1
                    yield from self.groups(left, other, larger, shown, wider, cells)
                    left[other] += 1
