"""What a reader of a release has before him, as numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd

from kanon_engine.release.released import shown_codes


class Records(Protocol):
    """What a release was made from, as far as an audit asks: a table, or anything that has records."""

    @property
    def frame(self) -> pd.DataFrame:
        """All of it, with what is not released."""

    @property
    def quasi_identifiers(self) -> Sequence[str]:
        """The columns that are generalized."""

    @property
    def class_label(self) -> str | None:
        """The column that a class label stands in."""

    @property
    def unit(self) -> str:
        """What the records are."""

    @property
    def reading(self) -> Mapping[str, Any]:
        """How it was read: under "bins" where the ranges of columns begin, and their width."""

    @property
    def domains(self) -> Sequence[Sequence[Any]]:
        """The values of each quasi-identifier."""

    @property
    def codes(self) -> np.ndarray:
        """(n, q) The position of each record's value among them."""

    def is_ordered(self, name: str) -> bool:
        """Whether the values of a quasi-identifier are public, and not what the file holds."""


@dataclass(frozen=True, eq=False)
class View:
    """The released records, and what they were made from.

    Attributes
    ----------
    table : Table or other Records
    k : int
    frame : DataFrame
        What would be released.
    kept : tuple of str
        The columns of it that are released as they are.
    sensitive : tuple of str
        Those of them that tell something about a person, the class label apart.
    """

    table: Records
    k: int
    frame: pd.DataFrame
    kept: tuple[str, ...]
    sensitive: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def label(self) -> str | None:
        """The class label, where it is released."""
        return self.table.class_label if self.table.class_label in self.kept else None

    @property
    def others(self) -> tuple[str, ...]:
        """Kept columns that are neither sensitive nor the class label: others may well know them."""
        return tuple(name for name in self.kept if name not in self.sensitive and name != self.label)

    @cached_property
    def codes(self) -> dict[str, np.ndarray]:
        """Of each column, the number of what a file shows of each record; what is missing has its own."""
        return {name: shown_codes(self.frame[name]) for name in self.frame.columns}

    def sets(self, columns: Sequence[str]) -> np.ndarray:
        """The number of the set of each record, of those that show the same in these columns."""
        return joined([self.codes[name] for name in columns], len(self))

    @cached_property
    def groups(self) -> np.ndarray:
        """`sets` of the quasi-identifiers."""
        return self.sets(self.table.quasi_identifiers)

    def numeric(self, name: str) -> bool:
        """Whether a column holds numbers alone."""
        return is_numeric(self.frame[name])

    def ranges(self, name: str) -> tuple[Any, Any] | None:
        """Where one of the ranges begins that a column was put into, and their width."""
        entry = self.table.reading.get("bins", {}).get(name)
        return None if entry is None else (entry[0], entry[1])


def is_numeric(column: pd.Series) -> bool:
    """Whether a column holds numbers alone."""
    return pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)


def joined(columns: Sequence[np.ndarray], rows: int) -> np.ndarray:
    """Numbers from 0 without a gap, equal where all columns are.

    Example
    -------
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
    found: np.ndarray = (np.cumsum(place) - 1)[numbers]
    return found


def sizes_of(sets: np.ndarray) -> np.ndarray:
    """How many records are in the set of each record."""
    counts: np.ndarray = np.bincount(sets)[sets]
    return counts


def records(count: int, unit: str) -> str:
    """How many, as a sentence begins.

    Example
    -------
    >>> records(1, "records"), records(1200, "people")
    ('1 of the records is', '1,200 of the people are')
    """
    return f"{count:,} of the {unit} {'is' if count == 1 else 'are'}"
