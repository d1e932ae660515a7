"""The audit of released records of any family: areas, places, labels or clusters put on a person's own records too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from kanon_engine.errors import InvalidInput
from kanon_engine.release.released import Released
from kanon_engine.tables.audit import Audit, audit_view
from kanon_engine.tables.audit_figures import View
from kanon_engine.tables.domain import column_values

MOST_RECORDS = 2_000_000


@dataclass(frozen=True, eq=False)
class Originals:
    """The records that a release was made from, as an audit asks for them."""

    released: Released
    original: pd.DataFrame | None  # None where they are not at hand: then the release stands for them
    class_label: str | None = None

    @property
    def unit(self) -> str:
        """What the records are."""
        return self.released.unit

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns that are generalized."""
        return self.released.quasi_identifiers

    @property
    def reading(self) -> Mapping[str, Any]:
        """No ranges: what a column was put into is not known here."""
        return {}

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The columns of the release as they were; those that were not there as they are released."""
        if self.original is None:
            return self.released.frame
        there = {str(name): self.original[name] for name in self.original.columns}
        if all(name in there for name in self.released.kept):
            return pd.DataFrame(there)
        return self.released.frame

    def is_ordered(self, name: str) -> bool:
        """Whether nothing of the file can be seen in it, for it was not there: a group in place of a zip code."""
        return self.original is None or name not in self.original.columns

    @cached_property
    def domains(self) -> tuple[tuple[Any, ...], ...]:
        """The values of each quasi-identifier."""
        return tuple(values for values, _ in self._numbered)

    @cached_property
    def codes(self) -> np.ndarray:
        """(n, q) int64: the position of each record's value among them."""
        return np.column_stack([codes for _, codes in self._numbered])

    @cached_property
    def _numbered(self) -> list[tuple[tuple[Any, ...], np.ndarray]]:
        found = []
        for name in self.quasi_identifiers:
            column = self.released.frame[name] if self.is_ordered(name) else self.frame[name]
            values = column_values(column)
            known = {value: place for place, value in enumerate(dict.fromkeys(values))}
            codes = np.fromiter((known[value] for value in values), dtype=np.int64, count=len(values))
            found.append((tuple(known), codes))
        return found


def audit_released(
    released: Released, original: pd.DataFrame | None = None, progress: Callable[[float], object] | None = None
) -> Audit:
    """Look at released records as a reader of them does, as `kanon.audit` does at those of a table.

    Parameters
    ----------
    released : Released
        Records; the columns that are released as they are stand in it under the names that they have in `original`.
    original : DataFrame, optional
        The records that it was made from, those that are left out among them. Without them ranges that end at
        somebody's value are not found, and shares are compared with those of the release.
    progress : Told which share of the combinations of columns has been looked at.

    Returns
    -------
    Audit

    Raises
    ------
    InvalidInput
        A release of groups about whose records nothing else is released; a release of nothing.

    Example
    -------
    >>> shown = pd.DataFrame({"zip": ["north", "north", "south", "south"], "illness": ["flu", "flu", "flu", "cold"]})
    >>> found = audit_released(Released(shown, ("zip",), ("illness",), k=2))
    >>> found.k_reached, found.k_together, [one.kind for one in found.findings][0]
    (2, 1, 'constant groups')
    """
    if released.counts is not None:
        if not released.kept:
            raise InvalidInput("An audit looks at records; this release is of groups and nothing else, so measure it.")
        released = one_by_one(released)
    if not len(released.frame):
        raise InvalidInput("The release has no records, so there is nothing to look at.")
    if not released.quasi_identifiers:
        raise InvalidInput("The release has no quasi-identifier; say which columns others know of people.")
    released = replace(released, frame=_filled(released.frame))
    if not len(released.frame):
        raise InvalidInput("All rows of the release are empty, so there is nothing to look at.")
    original = None if original is None else _filled(original)
    view = View(Originals(released, original), released.k, released.frame, released.kept, released.sensitive)
    return audit_view(view, released.left_out, progress)


def _filled(frame: pd.DataFrame) -> pd.DataFrame:
    """Without rows in which every column is empty: they are no records, in no file."""
    return frame[~(frame.isna() | frame.isin([""])).all(axis=1)]


def one_by_one(released: Released) -> Released:
    """A release with counts as the records that it tells of, each a row of its own.

    Example
    -------
    >>> shown = pd.DataFrame({"group": [1, 1, 2], "illness": ["flu", "cold", "flu"], "records": [2, 1, 0]})
    >>> one_by_one(Released(shown, ("group",), ("illness",), counts="records")).frame.values.tolist()
    [[1, 'flu'], [1, 'flu'], [1, 'cold']]
    """
    if released.records > MOST_RECORDS:
        raise InvalidInput(
            f"The release tells of {released.records:,} {released.unit}; an audit looks at {MOST_RECORDS:,} at most, "
            "so measure it instead."
        )
    shown = released.frame.drop(columns=[*([released.counts] if released.counts else []), *released.sums])
    rows = np.repeat(np.arange(len(shown)), released.weights)
    return replace(released, frame=shown.iloc[rows].reset_index(drop=True), counts=None, sums=())
