"""The anonymization patterns of a table: values on some columns, stars on the others, matched by at least k records."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from kanon_engine.tables.instance import Table

MOST_PAIRS = 20_000_000  # column sets times distinct tuples that are examined
MOST_SETS = 5_000  # column sets; all of up to 12 columns
LARGEST_KEY = 1 << 62


@dataclass(frozen=True, eq=False)
class Patterns:
    """Patterns that may be open, with the items that match them.

    An item is a distinct tuple, or a row where rows represent several records.
    """

    stars: np.ndarray  # (p, q) bool: the suppressed columns of each pattern; patterns with fewer come first
    start: np.ndarray  # (p + 1,) int64: where the items of each pattern begin in `members`
    # (a,) int32: items that match each pattern, in ascending order; an attachment is a place in this array
    members: np.ndarray
    sizes: np.ndarray  # (t,) int64: records of each item
    depth: int  # every set of at most this many suppressed columns was examined
    # whether all records of an item are attached to one pattern because it is a row of a weighted table
    whole: bool = False

    @cached_property
    def costs(self) -> np.ndarray:
        """(p,) int64: stars of each pattern, which every record attached to it pays."""
        return self.stars.sum(axis=1)

    @cached_property
    def owners(self) -> np.ndarray:
        """(a,) int64: the pattern of each attachment."""
        return np.repeat(np.arange(len(self.stars)), np.diff(self.start))

    @property
    def complete(self) -> bool:
        """Whether every pattern that an optimal solution needs is among them."""
        return self.depth == self.stars.shape[1]

    @cached_property
    def floors(self) -> np.ndarray:
        """(t,) int64: the least that a record of each item pays, the fewest stars of a pattern that k records match."""
        floor = np.full(len(self.sizes), self.depth + 1, dtype=np.int64)
        np.minimum.at(floor, self.members, self.costs[self.owners])
        return floor


def patterns_of(table: Table, k: int) -> Patterns:
    """The patterns that can be open.

    A pattern that fewer than k records match can never be open. A pattern whose records agree on a column that it
    suppresses is dominated by the one that keeps this column: the same records match it and pay less. So for every
    set of columns the tuples are grouped by their values there, groups of at least k records are kept, and each
    becomes the pattern of all the columns on which it agrees.

    The pattern of stars alone, or what it becomes, is always among them.

    `k`: at most the number of records.
    Complexity: O(2^q t log t) for q columns and t distinct tuples, at most O(`MOST_PAIRS` log t). Where 2^q t is more,
        only sets of few suppressed columns are looked at, and the prefixes of some orders of the columns.

    >>> import pandas as pd
    >>> figure = pd.DataFrame([list("xab"), list("zcd"), list("yab"), list("zce")], columns=["1", "2", "3"])
    >>> found = patterns_of(Table(figure, ["1", "2", "3"]), 2)
    >>> found.stars.astype(int).tolist(), found.members.tolist()
    ([[0, 0, 1], [1, 0, 0], [1, 1, 1]], [2, 3, 0, 1, 0, 1, 2, 3])
    """
    distinct, counts, _ = table.tuples
    codes, sizes = (table.codes, table.weights) if table.weighted else (distinct, counts.sum(axis=1))
    sets, depth = _column_sets(codes)
    stars: list[np.ndarray] = []
    groups: list[np.ndarray] = []
    for columns in sets:
        starred, members = _groups(codes, sizes, columns, k)
        if depth == codes.shape[1]:  # the pattern of a group that agrees on more columns is found with these
            closed = starred.sum(axis=1) + len(columns) == depth
            starred, members = starred[closed], [group for group, good in zip(members, closed, strict=True) if good]
        stars.append(starred)
        groups += members
    drawn = np.concatenate(stars)
    firsts = np.array([group[0] for group in groups])
    keys = np.column_stack([drawn.sum(axis=1), drawn, firsts])  # stars and one tuple name a pattern
    _, chosen = np.unique(keys, axis=0, return_index=True)
    groups = [groups[place] for place in chosen]
    return Patterns(
        stars=drawn[chosen],
        start=np.concatenate([[0], np.cumsum([len(group) for group in groups])]).astype(np.int64),
        members=np.concatenate(groups).astype(np.int32),
        sizes=sizes,
        depth=depth,
        whole=table.weighted,
    )


def _column_sets(codes: np.ndarray) -> tuple[list[list[int]], int]:
    """Sets of columns to keep, and the number of stars up to which they are all there."""
    t, q = codes.shape
    most = min(MOST_SETS, max(MOST_PAIRS // t, 2 * q + 2))
    if 2**q <= most:
        return [list(columns) for size in range(q, -1, -1) for columns in combinations(range(q), size)], q
    sets, depth = [tuple(range(q))], 0
    while len(sets) + math.comb(q, depth + 1) <= most // 2:
        depth += 1
        sets += combinations(range(q), q - depth)
    for order in _orders(codes):
        if len(sets) + q > most:
            break
        sets += [tuple(sorted(order[:size])) for size in range(q)]
    return [list(columns) for columns in dict.fromkeys(sets)], depth


def _orders(codes: np.ndarray) -> Iterator[list[int]]:
    """Orders of the columns: those of few values first, then each column before the others, then any."""
    q = codes.shape[1]
    values = [len(np.unique(codes[:, column])) for column in range(q)]
    plain = sorted(range(q), key=lambda column: (values[column], column))
    yield plain
    for first in plain[1:]:
        yield [first, *(column for column in plain if column != first)]
    rng = np.random.default_rng(0)
    while True:
        yield rng.permutation(q).tolist()


def _groups(codes: np.ndarray, sizes: np.ndarray, columns: list[int], k: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Tuples with the same values in the kept columns, k records or more: columns that differ, and the tuples."""
    key = _keys(codes[:, columns])
    order = np.argsort(key, kind="stable")
    begins = np.flatnonzero(np.concatenate([[True], np.diff(key[order]) != 0]))
    ends = np.append(begins[1:], len(order))
    heavy = np.flatnonzero(np.add.reduceat(sizes[order], begins) >= k)
    lowest = np.minimum.reduceat(codes[order], begins, axis=0)[heavy]
    highest = np.maximum.reduceat(codes[order], begins, axis=0)[heavy]
    return lowest != highest, [order[begins[place] : ends[place]] for place in heavy.tolist()]


def _keys(codes: np.ndarray) -> np.ndarray:
    """(t,) int64: equal numbers for equal rows."""
    key = np.zeros(len(codes), dtype=np.int64)
    span = 1
    for column in codes.T:
        width = int(column.max()) + 1
        if span * width > LARGEST_KEY:
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            span = len(codes)
        key = key * width + column
        span *= width
    return key


class Attachments:
    """Copies of each item at each pattern: records of a tuple, or all those of a row that represents several.

    `held`: for each item the patterns that its copies are attached to, and how many.
    `load`: (p,) int64 array. Records attached to each pattern; a pattern is open where it is above 0.
    `paid`: (t, q + 1) int64 array. How many copies of each item pay so many stars.
    `cost`: suppressed cells.
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
        copies_at = self.held[item]
        copies_at[pattern] = copies_at.get(pattern, 0) + copies
        if copies_at[pattern] == 0:
            del copies_at[pattern]
        self.load[pattern] += copies
        self.paid[item, self.costs[pattern]] += copies
        self.cost += copies * self.costs[pattern]

    def move(self, item: int, source: int, target: int, copies: int) -> None:
        """Take copies of an item from one pattern to another."""
        self.attach(item, source, -copies)
        self.attach(item, target, copies)

    def spared(self, item: int, source: int, requested: int, k: int) -> int:
        """How many copies of an item at a pattern can go, about as many as wanted, where k records stay.

        Of a row that stays whole all or none.
        """
        copies, spare = self.held[item].get(source, 0), int(self.load[source]) - k
        if self.patterns.whole:
            return copies if requested > 0 and copies <= spare else 0
        return max(0, min(copies, spare, requested))

    def counts(self) -> np.ndarray:
        """(a,) int64: copies at each attachment of `patterns`."""
        patterns = self.patterns
        counts = np.zeros(len(patterns.members), dtype=np.int64)
        for item, copies_at in enumerate(self.held):
            for pattern, copies in copies_at.items():
                first, last = patterns.start[pattern : pattern + 2]
                counts[first + np.searchsorted(patterns.members[first:last], item)] = copies
        return counts


# called with what was done ("opened", "rest", "rare" or "filled"), how all stand then, and the pattern, -1 for none
Watch = Callable[[str, Attachments, int], None]
