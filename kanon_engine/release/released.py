"""What leaves, as its reader has it before him: records or groups, the columns by which people are found in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.release.shown_cells import shown_codes
from kanon_engine.shown import Shown
from kanon_engine.validate import known_column, positive_k, whole_numbers


@dataclass(frozen=True, eq=False, repr=False)
class Released(Shown):
    """A release, whatever made it: a frame, and what a reader knows of its columns.

    Attributes
    ----------
    frame : DataFrame
        One row a record; or one row a group, where no records leave.
    quasi_identifiers : tuple of str
        The columns by which somebody who knows a person finds the rows that can be that person's.
    sensitive : tuple of str
        Columns that tell something about a person which others do not know.
    k : int
        What was promised.
    unit : str
        What the release counts: records, people, …
    counts : str or None
        The column that says for how many records a row stands; each row is one record where it is None.
    sums : tuple of str
        Columns of second counts, summed over a group.
    derived : tuple of str
        Columns that follow from the others and from what is public: rates, the number of areas of a group.
    left_out : int
        Records that are not in it.
    meanings : mapping
        Column → what it shows → the values that this stands for, as far as readers know it.
    name : str
        What a person calls it.

    Example
    -------
    >>> people = pd.DataFrame({"age": ["≤ 39", "≤ 39", "≥ 40", "≥ 40"], "illness": ["flu", "cold", "flu", "flu"]})
    >>> release = Released(people, ("age",), ("illness",), k=2)
    >>> release.classes.tolist(), release.sizes.tolist(), release.records
    ([0, 0, 1, 1], [2, 2], 4)
    """

    frame: pd.DataFrame
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    k: int = 1
    unit: str = "records"
    counts: str | None = None
    sums: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    left_out: int = 0
    meanings: Mapping[str, Mapping[Any, Sequence[Any]]] = field(default_factory=dict)
    name: str = "release"

    def __post_init__(self) -> None:
        columns = list(self.frame.columns)
        if not self.frame.columns.is_unique:
            twice = str(self.frame.columns[self.frame.columns.duplicated()][0])
            raise InvalidInput(f"Two columns of the release are called {twice!r}; rename one.")
        positive_k(self.k)
        for name in (*self.quasi_identifiers, *self.sensitive, *self.sums, *([self.counts] if self.counts else [])):
            known_column(columns, name, "columns of the release")
        both = set(self.quasi_identifiers) & set(self.sensitive)
        if both:
            raise InvalidInput(f"{sorted(both)[0]!r} is a quasi-identifier or sensitive, not both; choose one.")

    def _facts(self) -> dict[str, object]:
        return {"records": self.records, "classes": len(self.sizes), "smallest": min(self.sizes.tolist(), default=0)}

    @cached_property
    def weights(self) -> np.ndarray:
        """(rows,) int64: for how many records each row stands; `InvalidInput` where that is no whole number."""
        if self.counts is None:
            return np.ones(len(self.frame), dtype=np.int64)
        told = self.frame[self.counts].to_numpy(na_value=np.nan)
        return whole_numbers(told, f"counts in “{self.counts}”", 0)

    @cached_property
    def classes(self) -> np.ndarray:
        """(rows,) int64: the equivalence class of each row, numbered from 0 as they first occur."""
        return self.sets(self.quasi_identifiers)

    @cached_property
    def sizes(self) -> np.ndarray:
        """(m,) int64: how many records each class has."""
        return self.sizes_of(self.classes)

    @cached_property
    def groups_leave(self) -> bool:
        """Whether a row is a group of records, and not a record, or several that are alike."""
        return self.counts is not None and len(self.sizes) == len(self.frame)

    @property
    def records(self) -> int:
        """How many records it tells of."""
        return int(self.weights.sum())

    @property
    def kept(self) -> tuple[str, ...]:
        """Columns that are released as they are, beside the quasi-identifiers and the counts."""
        apart = {*self.quasi_identifiers, self.counts, *self.sums, *self.derived}
        return tuple(name for name in self.frame.columns if name not in apart)

    def sets(self, columns: Sequence[str]) -> np.ndarray:
        """(rows,) int64: equal where rows show the same in all these columns, numbered as they first occur."""
        together = np.zeros(len(self.frame), dtype=np.int64)
        for name in columns:
            codes = shown_codes(self.frame[name])
            together = pd.factorize(together * (int(codes.max(initial=0)) + 1) + codes)[0].astype(np.int64)
        return together

    def sizes_of(self, sets: np.ndarray) -> np.ndarray:
        """(m,) int64: how many records are in each of these sets."""
        sizes = np.zeros(int(sets.max(initial=-1)) + 1, dtype=np.int64)
        np.add.at(sizes, sets, self.weights)
        return sizes
