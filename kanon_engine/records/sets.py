"""Sets of records where they live: fetched if they are few, else an engine answers each question about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import ceil
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from kanon_engine.io.cells import typed
from kanon_engine.model.run import ProgressCallback
from kanon_engine.records.counted import TooManyValues, counted
from kanon_engine.records.joint import filled, joint_groups, sets_of
from kanon_engine.records.parts import part_of
from kanon_engine.records.source import Records
from kanon_engine.release.sets import Column, Heard, Sets, SetSizes, Uniques, coded, in_order

if TYPE_CHECKING:
    import ibis.expr.types as ir

MOST = 500_000  # distinct rows that are fetched


def sets_from_engine(
    records: Records, names: Sequence[str], progress: ProgressCallback | None = None
) -> Sets | SetsInEngine:
    """The distinct rows of some columns; an empty row of the records is not a record."""
    try:
        return fetched_sets(records, counted(records, names, progress, most=MOST), names)
    except TooManyValues:
        return SetsInEngine(records, progress)


def fetched_sets(records: Records, frame: pd.DataFrame, names: Sequence[str]) -> Sets:
    """Rows of an engine with their counts in the last column; CSV text that holds numbers is sorted as numbers."""
    columns = {}
    for place, name in enumerate(names):
        column, codes = coded(frame.iloc[:, place])
        if records.untyped and column.cells:
            numbers = typed(pd.Series(column.cells, dtype="str"))[0]
            if pd.api.types.is_numeric_dtype(numbers):
                unsorted = Column(column.cells, numbers.to_numpy(np.float64, na_value=np.nan).tolist())
                column, codes = in_order(unsorted, codes, numbers.argsort(kind="stable").tolist())
        columns[name] = column, codes
    return Sets.of(columns, frame.iloc[:, -1].to_numpy(np.int64))


@dataclass(frozen=True, eq=False)
class SetsInEngine:
    """`kanon_engine.release.sets.Counted` for more rows than are fetched: only answers are loaded into memory."""

    records: Records
    progress: ProgressCallback | None
    _sizes: dict[tuple[str, ...], SetSizes] = field(default_factory=dict)
    _values: dict[str, tuple[Column, np.ndarray]] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """The number of records."""
        return (next(iter(self._sizes.values()), None) or self.sizes(self.records.columns[:1])).records

    def sizes(self, names: Sequence[str]) -> SetSizes:
        """As `Counted.sizes`."""
        key = tuple(names)
        if key not in self._sizes:
            self._sizes[key] = joint_groups(self.records, key, self.progress)
        return self._sizes[key]

    def values(self, name: str) -> tuple[Column, np.ndarray]:
        """As `Counted.values`."""
        if name not in self._values:
            self._values[name] = fetched_sets(self.records, counted(self.records, name, self.progress), [name]).values(
                name
            )
        return self._values[name]

    def cells(self, by: Sequence[str], name: str) -> Iterator[tuple[np.ndarray, Column, np.ndarray, np.ndarray]]:
        """As `Counted.cells`, as many sets at a time as are fetched."""
        names = [*by, name]
        parts = ceil(self.sizes(names).sets / MOST)
        sets = sets_of(filled(self.records, names, self.progress), names)
        hashes = [part_of(sets[f"v{place}"], parts) for place in range(len(by))]
        part = sum(hashes[1:], hashes[0]) % parts
        for number in range(parts):
            rows = sets.filter(part == number) if parts > 1 else sets
            frame = self.records.engine.run(rows, self.progress, f"Comparing values of {name}")
            if len(frame):
                yield from fetched_sets(self.records, frame, names).cells(by, name)

    def uniques(self, names: Sequence[str], progress: Heard | None = None) -> Uniques:
        """As `Counted.uniques`."""
        if self.sizes(names).smallest > 1:
            return Uniques({})
        # what can be fetched is examined in memory, which needs no joins
        few = sets_from_engine(self.records, names, self.progress)
        if isinstance(few, Sets):
            return few.uniques(names, progress)
        rows, engine = sets_of(filled(self.records, names, self.progress), names), self.records.engine
        counts = {}
        for places in (selection for size in (2, 3) for selection in combinations(range(len(names)), size)):
            keys = [f"v{place}" for place in places]
            selection = _once(rows, keys)
            for fewer in combinations(keys, len(keys) - 1):
                part = _once(rows, fewer)
                # a combination is minimal if no column of it can be spared
                selection = selection.anti_join(part, [selection[key].identical_to(part[key]) for key in fewer])
            frame = engine.run(selection.aggregate(records=selection.count()), self.progress, "Checking combinations")
            counts[tuple(names[place] for place in places)] = int(frame["records"].iloc[0])
        return Uniques({selection: count for selection, count in counts.items() if count})


def _once(rows: ir.Table, keys: Sequence[str]) -> ir.Table:
    """The values in these columns that only one record has."""
    sets = rows.group_by(list(keys)).aggregate(size=rows["size"].sum())
    return sets.filter(sets["size"] == 1).select(*keys)
