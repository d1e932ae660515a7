"""Sets of records that show the same: the distinct rows of some columns, and how many records show each.

Audits need nothing else from records, wherever these are. NumPy counts those of a frame here; an engine counts those
that live elsewhere (`kanon_engine.records.sets`). Two cells are the same if and only if a released file shows the same
in them; `kanon_engine.release.released` defines that rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, Protocol

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.release.released import compared_column, plain_cell
from kanon_engine.shown import Shown
from kanon_engine.verification.table_costs import are_numbers

Heard = Callable[[float], object]  # gets the finished share of the work


@dataclass(frozen=True, eq=False)
class Column:
    """The distinct cells of a column, sorted, numbers by size, others by text; a missing cell has no place."""

    cells: list[Any]  # as a file shows them
    numbers: list[Any] | None  # their exact values in a column of numbers, NaN for a cell that is not a number

    @cached_property
    def texts(self) -> list[str]:
        """The cells as a text file shows them."""
        return [str(cell) for cell in self.cells]

    def places_in(self, other: Column, counts: np.ndarray, codes: np.ndarray, name: str) -> np.ndarray:
        """(n,) int64: the places in another column of the cells with these places in this one.

        Parameters
        ----------
        counts : (m + 1,) int. The number of records with each cell of the other column, then of those with none.

        Raises
        ------
        InvalidInput : A cell that no record has in the other column.
        """
        place_of: dict[Any, int] = {text: place for place, text in enumerate(other.texts)}
        place_of |= {cell: place for place, cell in enumerate(other.cells)}
        nowhere = len(counts)
        pairs = zip(self.cells, self.texts, strict=True)
        places = [place_of.get(cell, place_of.get(text, nowhere)) for cell, text in pairs]
        result: np.ndarray = np.array([*places, len(other.cells)], dtype=np.int64)[codes]
        if not np.append(counts > 0, False)[result].all():
            raise InvalidInput(
                f"The release shows a value of “{name}” that does not occur in the records that the release is "
                "compared with."
            )
        return result


def coded(column: pd.Series) -> tuple[Column, np.ndarray]:
    """The distinct cells of a column, and the place of each of its cells among them.

    >>> known, codes = coded(pd.Series([10, None, 9, 10]))
    >>> known.cells, codes.tolist()
    ([9.0, 10.0], [1, 2, 0, 1])
    """
    codes, distinct = pd.factorize(compared_column(column))
    cells = pd.Series(distinct).astype(object).tolist()
    numbers = None
    if pd.api.types.is_numeric_dtype(distinct) and not pd.api.types.is_bool_dtype(distinct):
        numbers = cells
    elif _holds_numbers(column):
        numbers = [int(cell) if cell.lstrip("-").isdecimal() else float(cell) for cell in cells]
    return in_order(Column(cells, numbers), codes, sorted(range(len(cells)), key=(numbers or cells).__getitem__))


def in_order(column: Column, codes: np.ndarray, order: Sequence[int]) -> tuple[Column, np.ndarray]:
    """The same with the cells in another order; codes below 0 are missing cells."""
    rank = np.empty(len(order) + 1, dtype=np.int64)
    rank[[*order, len(order)]] = np.arange(len(order) + 1)
    numbers = None if column.numbers is None else [column.numbers[place] for place in order]
    return Column([column.cells[place] for place in order], numbers), rank[codes]


def _holds_numbers(column: pd.Series) -> bool:
    """Whether objects or categories, which are compared as text, are all numbers."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return are_numbers(map(plain_cell, column.cat.categories.tolist()))
    return pd.api.types.is_object_dtype(column) and are_numbers(map(plain_cell, column.tolist()))


@dataclass(frozen=True, eq=False, repr=False)
class SetSizes(Shown):
    """The sizes of the sets of records that show the same in some columns."""

    # (s,) int64: every size that a set has, ascending; n records have sets of at most sqrt(2 n) sizes
    sizes: np.ndarray
    sets_of: np.ndarray  # (s,) int64: the number of sets of each size

    def _facts(self) -> dict[str, object]:
        return {"records": self.records, "sets": self.sets, "smallest": self.smallest}

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.sizes @ self.sets_of)

    @property
    def sets(self) -> int:
        """The number of sets."""
        return int(self.sets_of.sum())

    @property
    def smallest(self) -> int:
        """The records of the smallest set; 0 if there is none."""
        return int(self.sizes[0]) if len(self.sizes) else 0

    @property
    def alone(self) -> int:
        """The number of records that no other record matches."""
        return int(self.sets_of[self.sizes == 1].sum())

    def below(self, k: int) -> tuple[int, int]:
        """The number of records in sets of fewer than k, and the number of such sets."""
        small = self.sizes < k
        return int(self.sizes[small] @ self.sets_of[small]), int(self.sets_of[small].sum())


@dataclass(frozen=True)
class Uniques:
    """Records that two or three columns single out, but no fewer of them (Elliot, Manning, Ford 2002)."""

    counts: Mapping[tuple[str, ...], int]  # columns → number of records
    rows: Mapping[tuple[str, ...], np.ndarray] = field(default_factory=dict)  # which records, if rows are in memory

    def together(self, columns: Sequence[tuple[str, ...]]) -> tuple[int, bool]:
        """The number of records that any of these single out, and whether there may be more."""
        if not self.rows:
            return max(self.counts[name] for name in columns), len(columns) > 1
        return int(np.logical_or.reduce([self.rows[name] for name in columns]).sum()), False


class Counted(Protocol):
    """Records as counts of their values in some columns: `Sets`, or an engine that is queried."""

    @property
    def total(self) -> int:
        """The number of records."""

    def sizes(self, names: Sequence[str]) -> SetSizes:
        """The sizes of the sets of these columns."""

    def values(self, name: str) -> tuple[Column, np.ndarray]:
        """The distinct cells of a column, and how many records have each; the last number is of missing ones."""

    def cells(self, by: Sequence[str], name: str) -> Iterator[tuple[np.ndarray, Column, np.ndarray, np.ndarray]]:
        """The cells of a column in the sets of others, whole sets at a time: set, column, place in it, records."""

    def uniques(self, names: Sequence[str], progress: Heard | None = None) -> Uniques:
        """The combinations of two or three of these columns that single records out."""


@dataclass(frozen=True, eq=False)
class Sets:
    """Rows of some columns, and how many records show each; `over` makes them distinct."""

    columns: Mapping[str, Column]
    codes: np.ndarray  # (m, c) int64: the place of each cell in its column, after the last if it is missing
    counts: np.ndarray  # (m,) int64, at least 1

    @classmethod
    def of(cls, columns: Mapping[str, tuple[Column, np.ndarray]], counts: np.ndarray) -> Sets:
        """From columns with the places of their cells, as from `coded`."""
        codes = np.column_stack([codes_of_column for _, codes_of_column in columns.values()])
        return cls({name: column for name, (column, _) in columns.items()}, codes, counts)

    @property
    def total(self) -> int:
        """The number of records."""
        return int(self.counts.sum())

    def code(self, name: str) -> np.ndarray:
        """(m,) int64: the places of a column's cells."""
        return self.codes[:, list(self.columns).index(name)]

    def numbers(self, names: Sequence[str]) -> np.ndarray:
        """(m,) int64: equal for rows that show the same in these columns, ordered by their values."""
        return joined([self.code(name) for name in names], len(self.counts))

    def over(self, names: Sequence[str]) -> Sets:
        """The distinct rows of some of the columns, in order."""
        numbers = self.numbers(names)
        counts = np.bincount(numbers, self.counts).astype(np.int64)
        row = np.empty(len(counts), dtype=np.int64)
        row[numbers] = np.arange(len(numbers))
        places = [list(self.columns).index(name) for name in names]
        return Sets({name: self.columns[name] for name in names}, self.codes[row][:, places], counts)

    def sizes(self, names: Sequence[str]) -> SetSizes:
        """As `Counted.sizes`."""
        sizes = np.bincount(self.numbers(names), self.counts).astype(np.int64)
        return SetSizes(*np.unique(sizes, return_counts=True))

    def values(self, name: str) -> tuple[Column, np.ndarray]:
        """As `Counted.values`."""
        column = self.columns[name]
        return column, np.bincount(self.code(name), self.counts, len(column.cells) + 1).astype(np.int64)

    def cells(self, by: Sequence[str], name: str) -> Iterator[tuple[np.ndarray, Column, np.ndarray, np.ndarray]]:
        """As `Counted.cells`, all at once."""
        yield self.numbers(by), self.columns[name], self.code(name), self.counts

    def uniques(self, names: Sequence[str], progress: Heard | None = None) -> Uniques:
        """As `Counted.uniques`."""
        rows = self.over(names)
        singled_out = special_uniques([rows.code(name) for name in names], rows.counts, progress)
        rows_by_names = {tuple(names[place] for place in key): who for key, who in singled_out.items() if len(key) > 1}
        return Uniques({key: int(who.sum()) for key, who in rows_by_names.items()}, rows_by_names)


def sets_of(frame: pd.DataFrame, counts: np.ndarray | None = None) -> Sets:
    """The rows of a frame, each one record or as many as `counts` says; an empty row is not a record.

    >>> people = pd.DataFrame({"age": [41, 30, 30, None], "sex": ["f", "m", "m", ""]})
    >>> sets = sets_of(people).over(["age", "sex"])
    >>> [sets.columns["age"].cells[code] for code in sets.code("age")], sets.counts.tolist()
    ([30.0, 41.0], [2, 1])
    """
    often = np.ones(len(frame), dtype=np.int64) if counts is None else np.asarray(counts, dtype=np.int64)
    result = Sets.of({str(name): coded(frame[name]) for name in frame.columns}, often)
    there = (result.codes < [len(column.cells) for column in result.columns.values()]).any(axis=1) & (often > 0)
    return Sets(result.columns, result.codes[there], often[there])


def joined(columns: Sequence[np.ndarray], rows: int) -> np.ndarray:
    """Numbers from 0 without a gap, equal if all columns are.

    >>> joined([np.array([0, 0, 1, 0]), np.array([2, 1, 1, 2])], 4).tolist()
    [1, 0, 2, 1]
    """
    together = np.zeros(rows, dtype=np.int64)
    for column in columns:
        together = dense(together * (int(column.max(initial=0)) + 1) + column)
    return together


def dense(numbers: np.ndarray) -> np.ndarray:
    """The same partition, numbered from 0 without a gap."""
    most = int(numbers.max(initial=0)) + 1
    if most > 4 * len(numbers) + 1_000:
        return np.unique(numbers, return_inverse=True)[1].reshape(-1).astype(np.int64)
    place = np.zeros(most, dtype=np.int64)
    place[numbers] = 1
    renumbered: np.ndarray = (np.cumsum(place) - 1)[numbers]
    return renumbered


def special_uniques(
    columns: Sequence[np.ndarray], counts: np.ndarray, progress: Heard | None = None
) -> dict[tuple[int, ...], np.ndarray]:
    """The records that are minimal sample uniques on one, two or three columns.

    A record is one on a set of columns if no other record shows the same in these columns, and if it is not one on any
    subset (Elliot, Manning, Ford 2002: SUDA).

    Parameters
    ----------
    columns : sequence of (n,) int64. Numbers from 0, equal if values are.
    counts : (n,) int64. The number of records that each row represents.

    Returns
    -------
    mapping of columns, by their places in ascending order, to (n,) bool array : Only those that single out a record.

    Complexity
    ----------
    One count over the rows for each pair and triple of columns that can still single someone out.

    >>> {place: own.nonzero()[0].tolist() for place, own in
    ...  special_uniques([np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 1])], np.ones(5)).items()}
    {(0,): [4], (0, 1): [0, 1, 2, 3]}
    """

    def once(numbers: np.ndarray) -> np.ndarray:
        alone: np.ndarray = (np.bincount(numbers, counts) == 1)[numbers]
        return alone

    if not (counts == 1).any():
        return {}
    alone = [once(column) for column in columns]
    uniques: dict[tuple[int, ...], np.ndarray] = {(place,): key for place, key in enumerate(alone)}
    pairs: dict[tuple[int, int], np.ndarray] = {}
    covered: dict[tuple[int, int], np.ndarray] = {}  # unique on the pair or on one of its columns
    for one, other in combinations(range(len(columns)), 2):
        pairs[one, other] = joined([columns[one], columns[other]], len(counts))
        covered[one, other] = once(pairs[one, other]) | alone[one] | alone[other]
        uniques[one, other] = covered[one, other] & ~alone[one] & ~alone[other]
    triples = list(combinations(range(len(columns)), 3))
    for number, (first, second, third) in enumerate(triples):
        if progress is not None and number % 20 == 0:
            progress(number / len(triples))
        before = covered[first, second] | covered[first, third] | covered[second, third]
        if not before.all():
            triple = joined([pairs[first, second], columns[third]], len(counts))
            uniques[first, second, third] = once(triple) & ~before
    return {key: who for key, who in uniques.items() if who.any()}
