"""Records in parts with no tuple of values in common, so that an engine holds the tuples of one part at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kanon_engine.model.run import Progress, ProgressCallback
from kanon_engine.records.engines import TooLittleMemory
from kanon_engine.records.source import Records

if TYPE_CHECKING:
    import ibis.expr.types as ir

AT_ONCE = 1_500_000  # tuples; DuckDB counts this many in about 300 MB
MOST = 256
FINER = 4  # times as many parts, if memory is too short for these

Made = TypeVar("Made")


@dataclass(frozen=True)
class Parts:
    """Tables of records; all records with the same values of some columns are in the same table."""

    tables: tuple[ir.Table, ...]
    # approximate number of distinct tuples of values, from HyperLogLog; None if it was not estimated
    tuples: int | None = None
    finer: Callable[[], Parts] | None = None  # makes more and smaller parts; None if that is not possible

    def heard(self, progress: ProgressCallback | None, number: int) -> ProgressCallback | None:
        """A listener to the work on one part, which reports the progress of all parts."""
        if progress is None:
            return None

        def hear(report: Progress) -> object:
            return progress(replace(report, done=(number + report.done) / len(self.tables)))

        return hear


def in_parts(
    records: Records,
    table: ir.Table,
    names: Sequence[str],
    work: Callable[[Parts, ProgressCallback | None], Made],
    progress: ProgressCallback | None = None,
) -> Made:
    """The result of work on the parts of a table, or on finer parts if the engine has too little memory for one.

    Reported progress never goes back.

    Parameters
    ----------
    records, table, names, progress : As in `parts`.
    work : ``work(parts, progress)``; starts again with finer parts.
    """
    onward = None if progress is None else _onward(progress)
    split = parts(records, table, names, onward)
    while True:
        try:
            return work(split, onward)
        except TooLittleMemory:
            if split.finer is None:
                raise
            split = split.finer()


def _onward(progress: ProgressCallback) -> ProgressCallback:
    """The listener, which gets the largest share of the work so far."""
    shares: dict[str, float] = {}

    def hear(report: Progress) -> object:
        shares[report.message] = max(report.done, shares.get(report.message, 0.0))
        return progress(replace(report, done=shares[report.message]))

    return hear


def parts(records: Records, table: ir.Table, names: Sequence[str], progress: ProgressCallback | None = None) -> Parts:
    """A table of records, as it is or in parts.

    DuckDB takes longer to spill what it counts than to read the records once more for each part, and may run out of
    memory: 5.2 million tuples of 10^8 records took 36 s of CPU and 1 GB in one, 22 s and 320 MB in four. Other engines
    get the table as it is, and so does a count of a single column.

    Complexity
    ----------
    One pass that estimates the number of tuples (HyperLogLog), if there are several columns.
    """
    if records.engine.name != "DuckDB":
        return Parts((table,))
    if len(names) < 2:
        return _parted(table, names[0], 1, None)
    import ibis

    estimates = {f"v{place}": table[name].approx_nunique() for place, name in enumerate(names)}
    tuples = ibis.struct({f"v{place}": table[name] for place, name in enumerate(names)}).approx_nunique()
    counts = records.engine.run(
        table.aggregate(tuples=tuples, **estimates), progress, "Estimating the number of distinct values"
    )
    number = int(counts["tuples"].iloc[0])
    most = int(np.argmax([counts[f"v{place}"].iloc[0] for place in range(len(names))]))
    return _parted(table, names[most], max(min(MOST, -(-number // AT_ONCE)), 1), number)


def _parted(table: ir.Table, name: str, many: int, tuples: int | None) -> Parts:
    """This many parts, by the hashes of one column."""
    finer = partial(_parted, table, name, FINER * many, tuples) if FINER * many <= MOST else None
    if many == 1:
        return Parts((table,), tuples, finer)
    part = part_of(table[name], many)
    return Parts(tuple(table.filter(part == which) for which in range(many)), tuples, finer)


def part_of(column: ir.Column, number: int) -> ir.Column:
    """The part of a value, from 0; hashes may be below 0."""
    return (column.hash() % number).abs()
